"""The eighth voice's Swahili: what a friendly receptionist in Nairobi writes, warm, good and everyday."""

# ruff: noqa: E501 - wordings read better on one line

from examples.booking_agent.wordings import Bank

SWAHILI: Bank = {
    "greet": (
        "Habari yako, umefika Salon Amani na tunafurahi umetuandikia.",
        "Hujambo dada, hapa ni mapokezi ya Salon Amani.",
        "Karibu Salon Amani, ni furaha kusikia kutoka kwako 💇🏾‍♀️",
    ),
    "ask_service": (
        "Ungependa tukutengeneze nini?",
        "Tukufanyie nini hapa salon?",
        "Ni huduma gani kati ya zetu ungependa?",
    ),
    "ask_kind": (
        "Huwa tunafanya {options}. Wewe ungependa ipi?",
        "Kuna {options}. Ni ipi inayokupendeza?",
        "Unafikiria {options}?",
    ),
    "price": (
        "{Service} kwetu ni {price}.",
        "Sisi tunatoza {price} kwa {service}.",
        "Gharama yako itakuwa {price} kwa {service}.",
    ),
    "price_list": (
        "Ili upate picha, hizi ni bei zetu chache: {options}.",
        "Bei zetu chache ni hizi: {options}.",
    ),
    "ask_day": (
        "Ungependa kututembelea siku gani?",
        "Unapanga kuja siku gani?",
        "Ni siku gani itakuwa nzuri kwako?",
    ),
    "ask_time": (
        "Siku hiyo, {day}, bado kuna {slots}. Ni saa gani itakuwa nzuri kwako?",
        "Naona {slots} bado ziko wazi {day}. Nikuandikie saa gani?",
        "{day} ni vizuri, saa zilizo wazi ni {slots}. Nikushikie ipi?",
    ),
    "ask_time_one": (
        "{day} kuna {slots} tu iliyo wazi bado. Nikuandikie hiyo?",
        "Tumebakiwa na {slots} {day}. Je, saa hiyo ni nzuri kwako?",
    ),
    "suggest_time": (
        "Unaonaje {slots}, {day}?",
        "Naweza kukuingiza {slots}, {day}. Je, hapo utaweza kufika?",
    ),
    "taken": (
        "Pole, {time} ina mteja mwingine tayari.",
        "Samahani sana, {time} imeshaenda.",
        "Pole sana, kuna mteja aliyewahi {time}.",
    ),
    "full": (
        "Pole, {day} viti vyote vimechukuliwa.",
        "Samahani, {day} hatuna tena nafasi.",
    ),
    "closed": (
        "Pole, Jumapili huwa tunapumzika.",
        "Jumapili ni siku yetu ya mapumziko, samahani.",
    ),
    "not_then": (
        "Pole, hakuna kilicho wazi wakati huo.",
        "Samahani sana, saa hizo hatuwezi kukuingiza.",
    ),
    "ask_name": (
        "Niandike jina gani kwa nafasi yako?",
        "Nafasi hii naiandikia nani?",
        "Niambie jina lako ili nikuandike, unaitwaje?",
    ),
    "confirm": (
        "Nafasi yako iko tayari{vocative}. Tutakufanyia {service} {day}, {time}, na jumla ni {price}.",
        "Tayari{vocative}! Nimekuandika kwa {service} {day}, {time}. Itakuwa {price}.",
        "Safi{vocative}, tumekushikia {day}, {time} kwa {service}. Bei itakuwa {price}.",
    ),
    "ask_payment": (
        "Ungependa kulipa leo kwa M-Pesa, au ukiwa hapa kwetu?",
        "Utapenda kulipa vipi, kwa M-Pesa sasa au hapa salon?",
        "Tufanye M-Pesa sasa, au utalipa ukiwa salon?",
    ),
    "push": (
        "Nimetuma ombi la malipo la {price} kwa {phone}. Weka PIN ya M-Pesa kwenye simu yako pekee, halafu niambie ikiwa tayari.",
        "Tafadhali tazama {phone}, kuna ombi la M-Pesa la {price}. Kama yote ni sawa, thibitisha kwenye simu yako kisha uniambie hapa.",
        "Ombi la M-Pesa la {price} liko njiani kuja kwa {phone}. Lithibitishe kwenye simu yako wakati wowote ukiwa tayari, kisha uniambie.",
    ),
    "push_again": (
        "Sawa, nimetuma ombi jipya la M-Pesa kwa {phone}.",
        "Usijali, ombi jingine liko njiani kuja kwa {phone}.",
    ),
    "push_failed": (
        "Samahani, M-Pesa haifanyi kazi vizuri kwetu sasa. Unaweza tu kulipa {price} hapa salon.",
        "Ombi la M-Pesa halikupita, pole. Ni sawa kulipa {price} ukifika hapa.",
    ),
    "push_wait": (
        "Bado sijaona malipo upande wetu. Chukua muda wako, uniambie ukishathibitisha kwenye simu yako.",
        "Hakuna kilichotufikia bado, na ni sawa. Niandikie ukishathibitisha kwenye simu yako.",
    ),
    "paid": (
        "{price} yako imetufikia, asante sana. Namba ya risiti ya M-Pesa ni hii, {receipt}.",
        "Tumepata {price} yako, na namba ya risiti ni {receipt}. Tunashukuru sana!",
        "Shukrani, {price} imeingia. Risiti yako kutoka M-Pesa ni {receipt}.",
    ),
    "at_salon": (
        "Ni sawa, lipa tu {price} ukiwa hapa.",
        "Haina shida, utalipa {price} hapa salon siku hiyo.",
    ),
    "see_you": (
        "Tunangoja kwa hamu kukuona {weekday}, {time}. Ufurahie siku yako!",
        "Shukrani kwa kutuchagua, tutaonana {weekday}, {time}.",
        "Kiti chako kitakuwa tayari {weekday}, {time}. Siku njema sana!",
    ),
    "goodbye": (
        "Imekuwa furaha{vocative}. Tuonane hapa {weekday}, jitunze!",
        "Shukrani tena{vocative}, sote tutafurahi kukuona {weekday}. Kwaheri kwa sasa!",
        "Karibu sana{vocative}, basi hadi {weekday}. Ufurahie siku yako!",
    ),
    "goodbye_open": (
        "Shukrani kwa kutuandikia, na ufurahie siku yako. Kwaheri!",
        "Karibu sana, tuandikie ukipenda. Jitunze!",
        "Haina neno, tutafurahi kusikia kutoka kwako wakati mwingine. Kwaheri kwa sasa!",
    ),
    "cancelled": (
        "Sawa, nafasi yako imefutwa na hatukudai chochote.",
        "Usijali, nimeiondoa nafasi yako na hakuna gharama kwako.",
    ),
    "cancelled_refund": (
        "Sawa, nafasi yako imefutwa na {price} itakuwa kwenye M-Pesa yako ndani ya siku moja.",
        "Usijali, nimeiondoa nafasi yako. {price} yako itarudi kwa M-Pesa kufikia kesho.",
    ),
    "door_open": (
        "Tuandikie tu wakati wowote ukipenda kuja tena. Jitunze sana!",
        "Tutafurahi kukuona Salon Amani ukiwa tayari. Kwaheri kwa sasa!",
    ),
    "moved": (
        "Haina shida, nafasi yako imebadilishwa.",
        "Sawa dada, nimekusogezea.",
        "Usijali, nimeweka mabadiliko hayo.",
    ),
    "robot": (
        "Ndiyo, mimi ni msaidizi wa mtandaoni wa Salon Amani, si binadamu. Wanaotengeneza nywele ni watu kweli 😄",
        "Unaongea na msaidizi wa kompyuta wa Salon Amani, lakini watu halisi ndio watakaokuhudumia hapa.",
    ),
    "human": (
        "Bila shaka, nitamwomba Njeri wa mapokezi akupigie.",
        "Sawa dada, Njeri aliye mapokezi atakupigia simu punde.",
    ),
    "place": (
        "Utatupata {place}. Unaweza kuegesha nje bila kulipa.",
        "Sisi tuko {place}, na wateja wetu huegesha gari bure.",
    ),
    "hours": (
        "Salon iko wazi kuanzia 8:30am hadi 6:30pm, Jumatatu mpaka Jumamosi.",
        "Utatupata kati ya 8:30am na 6:30pm, kila siku isipokuwa Jumapili.",
    ),
    "duration": (
        "{Service} itahitaji karibu {hours}.",
        "Panga kuwa nasi karibu {hours} kwa {service}.",
    ),
    "duration_unknown": (
        "Kila huduma ina muda wake, kuanzia nusu saa mpaka saa tano.",
        "Kucha zinahitaji karibu saa moja, na kusuka ni saa nne mpaka tano.",
    ),
    "discount": (
        "Pole, sasa hivi hakuna punguzo, lakini hutaongeza chochote juu.",
        "Hatuna ofa kwa sasa, samahani, na bei hiyo inatosha kwa kila kitu.",
    ),
    "services": (
        "Unaweza kuja kwetu kwa nywele, kusuka, kucha, facial, masaji na makeup.",
        "Tunatoa huduma za nywele na kusuka, kucha na kope, na pia facial, masaji na makeup.",
    ),
    "feel_upset": (
        "Lo, pole kwa yaliyokupata. Tutajitahidi kwa ajili yako.",
        "Pole kusikia hivyo, hata mimi ningeudhika.",
    ),
    "feel_trust": (
        "Hiyo ni kweli. Unaweza kulipa tukishamaliza tu, na hakuna mtu hapa atakayetaka PIN yako.",
        "Nakusikia, ni vizuri kujihadhari. Utalipa baada ya kuhudumiwa, na PIN yako ibaki kwako.",
    ),
    "feel_hurry": (
        "Sawa, acha niharakishe.",
        "Nimeelewa, tutamaliza baada ya dakika moja.",
    ),
    "feel_budget": (
        "Nakusikia, na bei nitakayokupa ndiyo yote utakayolipa.",
        "Hiyo ni kweli, hakuna kitakachoongezwa baadaye.",
    ),
    "feel_unsure": (
        "Hakuna haraka yoyote, unaweza kufikiria kwanza.",
        "Ni sawa, tunaweza kubadilisha hata baadaye.",
    ),
    "off_topic": (
        "Pole, hilo siwezi kusaidia hapa, mimi hushughulikia nafasi za salon tu.",
        "Kwa hilo mimi si mtu sahihi, pole, lakini naweza kukuwekea nafasi salon.",
    ),
    "pin_warning": (
        "Tafadhali baki na PIN hiyo mwenyewe, hata mimi usinipe. Inaingia tu kwenye ombi la M-Pesa kwenye simu yako.",
        "Usiwahi kutuma PIN yako kwenye ujumbe. Ni yako tu kuandika kwenye simu yako mwenyewe.",
    ),
    "unclear": (
        "Pole, sijaelewa vizuri hapo.",
        "Samahani, hapo sijakupata.",
    ),
    "all_set": (
        "Bado uko kwenye orodha yetu, {service} {day}, {time}.",
        "Yote yako sawa, tunakutarajia kwa {service} {day}, {time}.",
    ),
    "ack": ("Sawa.", "Safi.", "Haya basi.", "Nimeelewa."),
    "your_phone": ("namba yako mwenyewe",),
    "number_ending": ("namba yako yenye mwisho {digits}",),
}

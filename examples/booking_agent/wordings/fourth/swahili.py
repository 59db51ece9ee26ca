"""The fourth voice's Swahili: good everyday Swahili, as a receptionist writes it to anybody."""

# ruff: noqa: E501 - wordings read better on one line

from examples.booking_agent.wordings import Bank

SWAHILI: Bank = {
    "greet": (
        "Habari, karibu sana hapa Salon Amani.",
        "Hujambo, umefika Salon Amani, karibu!",
        "Karibu Salon Amani, asante kwa kutuandikia 😊",
    ),
    "ask_service": (
        "Ungependa tukufanyie huduma gani?",
        "Ungependa kuwekewa nafasi ya huduma gani?",
        "Ni nywele, kucha au huduma nyingine unayotaka?",
    ),
    "ask_kind": (
        "Kwa hiyo tuna {options}. Ungependa nikuwekee ipi?",
        "Huduma zilizopo ni {options}. Utapendelea ipi?",
        "Je, ungependa {options}?",
    ),
    "price": (
        "Tunatoza {price} kwa {service}.",
        "{Service} inagharimu {price}.",
        "{Service} utafanyiwa kwa {price}.",
    ),
    "price_list": (
        "Baadhi ya bei ni {options}.",
        "Bei hutegemea huduma, kwa mfano {options}.",
    ),
    "ask_day": (
        "Ungependa kuja lini?",
        "Ni siku gani itakufaa zaidi?",
        "Tukutarajie siku gani?",
    ),
    "ask_time": (
        "{day} tuko na nafasi {slots}. Ungependa kuja saa ngapi?",
        "Bado kuna nafasi {day}: {slots}. Ni saa ngapi itakufaa?",
        "{day} unaweza kupata {slots}. Nikuwekee saa ngapi?",
    ),
    "ask_time_one": (
        "{day} imebaki {slots} pekee. Ungependa nikuwekee?",
        "Nafasi pekee iliyobaki {day} ni {slots}. Je, itakufaa?",
    ),
    "suggest_time": (
        "Je, {slots} {day} itakuwa sawa kwako?",
        "Kuna nafasi {slots}, {day}. Nikuandikie hiyo?",
    ),
    "taken": (
        "Samahani, tayari kuna mteja {time}.",
        "Pole, {time} imechukuliwa sasa hivi.",
        "Pole, nafasi ya {time} imeshajazwa.",
    ),
    "full": (
        "Samahani, hatuna nafasi yoyote {day}.",
        "Pole, {day} imejaa.",
    ),
    "closed": (
        "Samahani, huwa hatufungui Jumapili.",
        "Salon hufungwa siku ya Jumapili.",
    ),
    "not_then": (
        "Pole, nafasi zote za wakati huo zimeshachukuliwa.",
        "Samahani, hakuna nafasi karibu na saa hizo.",
    ),
    "ask_name": (
        "Tafadhali niambie, unaitwa nani?",
        "Naweza kupata jina lako?",
        "Nafasi niandike kwa jina la nani?",
    ),
    "confirm": (
        "Asante{vocative}, nimekuwekea nafasi ya {service} {day}, {time}. Gharama yote ni {price}.",
        "Nafasi yako imewekwa{vocative}: {service}, {day}, {time}, kwa {price}.",
        "Tumekuandikia{vocative}, {service} {day}, {time}. Malipo ni {price}.",
    ),
    "ask_payment": (
        "Ungependa kulipa kwa M-Pesa sasa, au utalipa salon?",
        "Utalipa sasa kupitia M-Pesa au siku hiyo ukija?",
        "Malipo utafanya vipi, M-Pesa sasa au pesa taslimu hapa salon?",
    ),
    "push": (
        "Nimekutumia ombi la malipo la M-Pesa la {price} kwenye {phone}. Tafadhali lipa tu ukiliona kwenye simu, kisha uniambie.",
        "Utapokea ombi la M-Pesa la {price} kwenye {phone}. Lithibitishe hapo kwa PIN yako, usiiandike hapa, halafu nijulishe.",
        "Ombi la M-Pesa la {price} limetumwa kwenye {phone}. Likitokea, lipa kutoka kwa simu yako kisha nijulishe.",
    ),
    "push_again": (
        "Samahani kwa hilo, nimetuma ombi tena kwenye {phone}.",
        "Nimekutumia ombi jingine, tafadhali angalia simu yako.",
    ),
    "push_failed": (
        "Naona M-Pesa haifanyi kazi kwa sasa. Unaweza kulipa {price} ukifika.",
        "M-Pesa ina matatizo leo, basi utalipa {price} hapa salon.",
    ),
    "push_wait": (
        "Malipo bado hayajaonekana. Tafadhali niambie ukishathibitisha ombi kwenye simu.",
        "Hakuna haraka, nasubiri. Nijulishe tu ukishakubali ombi hilo.",
    ),
    "paid": (
        "Tumepokea malipo ya {price}, asante. Namba ya malipo ni {receipt}.",
        "Asante sana, {price} imeingia. Risiti yako ni {receipt}.",
        "Nimeona malipo yako ya {price}, risiti {receipt}. Asante!",
    ),
    "at_salon": (
        "Sawa, unaweza kulipa {price} ukija salon.",
        "Usijali, utalipa {price} siku hiyo.",
    ),
    "see_you": (
        "Tutakuona {weekday}, {time}. Siku njema!",
        "Tunakutarajia {weekday}, {time}. Karibu sana!",
        "Asante kwa kuweka nafasi nasi, tuonane {weekday}, {time}!",
    ),
    "goodbye": (
        "Asante pia{vocative}, tuonane {weekday}!",
        "Karibu{vocative}. Kwaheri, tutakuona {weekday} 😊",
        "Nashukuru{vocative}. Uwe na siku njema na tuonane {weekday}!",
    ),
    "goodbye_open": (
        "Asante kwa kuwasiliana nasi. Nakutakia siku njema!",
        "Karibu sana, siku njema na kwaheri!",
        "Haya, unakaribishwa wakati wowote. Kwaheri!",
    ),
    "cancelled": (
        "Nimeghairi nafasi yako na hakuna malipo yoyote.",
        "Sawa, nafasi yako imeghairiwa. Hutalipa chochote.",
    ),
    "cancelled_refund": (
        "Nafasi yako imeghairiwa, na tutakurudishia {price} kupitia M-Pesa kufikia kesho.",
        "Sawa, nimeghairi nafasi hiyo. Pesa zako {price} zitarudi kwenye M-Pesa ndani ya siku moja.",
    ),
    "door_open": (
        "Unaweza kuweka nafasi tena ukiwa na muda. Siku njema!",
        "Tuandikie wakati mwingine wowote. Kwaheri!",
    ),
    "moved": (
        "Sawa, nimekubadilishia hilo.",
        "Hakuna shida, nimerekebisha nafasi yako.",
        "Sawa, tunaweza kubadilisha.",
    ),
    "robot": (
        "Ndiyo, mimi ni msaidizi wa kompyuta wa kuweka nafasi. Wasusi wetu ni watu halisi 😊",
        "Unazungumza na msaidizi wa kidijitali, lakini wahudumu wa salon ni watu.",
    ),
    "human": (
        "Sawa, nitamwomba Njeri wa mapokezi akupigie simu.",
        "Njeri aliye mapokezi atakupigia simu baada ya muda mfupi.",
    ),
    "place": (
        "Tunapatikana {place}, na kuegesha gari ni bure.",
        "Salon yetu iko {place}. Unaweza kuegesha gari bila malipo nyuma ya jengo.",
    ),
    "hours": (
        "Huwa tunafungua kutoka 8:30am hadi 6:30pm, Jumatatu hadi Jumamosi.",
        "Unaweza kuja Jumatatu hadi Jumamosi, kati ya 8:30am na 6:30pm.",
    ),
    "duration": (
        "{Service} huchukua takriban {hours}.",
        "{Service} itachukua karibu {hours}.",
    ),
    "duration_unknown": (
        "Inategemea huduma, kuanzia nusu saa mpaka saa tano.",
        "Kucha huchukua kama saa moja, na kusuka kunaweza kufika saa tano.",
    ),
    "discount": (
        "Samahani, kwa sasa hatuna punguzo, lakini hakuna gharama za ziada.",
        "Kwa bahati mbaya bei haipungui, lakini hutaongezewa chochote.",
    ),
    "services": (
        "Tunasuka, tunaosha nywele, tunatengeneza kucha, facial, masaji na makeup.",
        "Huduma zetu ni nywele, kucha, facial, masaji na makeup.",
    ),
    "feel_upset": (
        "Pole sana kwa yaliyotokea. Tutahakikisha mambo yanaenda vizuri.",
        "Naelewa umeudhika, na tunaomba radhi. Acha nikushughulikie.",
    ),
    "feel_trust": (
        "Naelewa wasiwasi wako. Unaweza kulipa baada ya huduma na hatutawahi kukuuliza PIN.",
        "Ni vyema kuwa mwangalifu. Hulipi chochote mpaka ufike, na PIN yako usimpe mtu.",
    ),
    "feel_hurry": (
        "Sawa, tufanye haraka.",
        "Najua una haraka, sitakuchelewesha.",
    ),
    "feel_budget": (
        "Nakuelewa, hakuna gharama zilizofichwa.",
        "Usijali, utalipa tu bei nitakayokuambia, hakuna zaidi.",
    ),
    "feel_unsure": (
        "Ni sawa, fikiria kwanza bila haraka.",
        "Hakuna shida, bado unaweza kubadilisha baadaye ukitaka.",
    ),
    "off_topic": (
        "Samahani, hilo siwezi kukusaidia, nashughulikia tu nafasi za salon.",
        "Sina uhakika na hilo. Naweza kukusaidia kuweka nafasi hapa salon.",
    ),
    "pin_warning": (
        "Tafadhali usimtumie mtu yeyote PIN yako, hata sisi. Iweke kwenye simu yako pekee.",
        "Kwa usalama wako, usiandike PIN hapa. Ni ya ombi la M-Pesa kwenye simu yako tu.",
    ),
    "unclear": (
        "Samahani, sijaelewa ulichosema.",
        "Pole, sina uhakika unamaanisha nini.",
    ),
    "all_set": (
        "Nafasi yako bado iko: {service}, {day}, {time}.",
        "Tumekuwekea {service}, {day}, {time}.",
    ),
    "ack": ("Sawa, asante.", "Haya sawa.", "Vyema.", "Sawa kabisa."),
    "your_phone": ("nambari yako ya simu",),
    "number_ending": ("nambari yako ya simu inayoishia {digits}",),
}

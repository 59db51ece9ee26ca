"""The ninth voice's Swahili: a warm receptionist in Nairobi, everyday and correct, who calls everybody mpenzi."""

# ruff: noqa: E501 - wordings read better on one line

from examples.booking_agent.wordings import Bank

SWAHILI: Bank = {
    "greet": (
        "Habari mpenzi, asante kwa kuiandikia Salon Amani 🌸",
        "Hujambo na karibu sana, hapa ni Salon Amani na niko tayari kukusaidia.",
        "Nimefurahi kukusikia! Salon Amani hapa.",
    ),
    "ask_service": (
        "Ungetaka kufanyiwa nini?",
        "Unakuja kwa huduma gani?",
        "Niambie mpenzi, tukufanyie nini?",
    ),
    "ask_kind": (
        "Tunaweza kukufanyia {options}. Ungechagua ipi?",
        "Kwenye orodha yetu kuna {options}. Unapendelea ipi?",
        "Inaweza kuwa {options}. Kati ya hizo mbili unapenda ipi?",
    ),
    "price": (
        "{Service} ni {price}, kila kitu kikiwemo.",
        "Tunachotoza kwa {service} ni {price}.",
        "{price} ndiyo bei yetu ya {service}.",
    ),
    "price_list": (
        "Nikupe mifano michache: {options}.",
        "Inategemea utakachochagua, kwa mfano {options}.",
    ),
    "ask_day": (
        "Nikuangalizie siku gani?",
        "Utaweza kuja lini?",
        "Ungetaka kupita kwetu siku gani?",
    ),
    "ask_time": (
        "Nimeangalia {day} na tuna nafasi {slots}. Ni ipi inayokufaa zaidi?",
        "{day} inawezekana, kuna {slots}. Unachukua ipi?",
        "Ndiyo, {day} tupo. Unapendelea {slots}?",
    ),
    "ask_time_one": (
        "Nafasi iliyobaki {day} ni {slots} pekee. Nikupatie?",
        "{day} imebaki moja tu, {slots}. Utaiweza?",
    ),
    "suggest_time": (
        "Je, {slots} siku ya {day} itakufaa?",
        "Acha nikupatie {slots}, {day}, utaweza kufika?",
    ),
    "taken": (
        "Pole, kuna mtu tayari anakuja {time}.",
        "{time} imechukuliwa, niwie radhi.",
        "Kwa bahati mbaya {time} imeenda kwa mtu mwingine.",
    ),
    "full": (
        "Pole mpenzi, {day} hakuna nafasi iliyobaki.",
        "{day} imejaa kabisa, niwie radhi.",
    ),
    "closed": (
        "Jumapili huwa tumefunga, samahani sana.",
        "Pole mpenzi, salon haifunguliwi Jumapili.",
    ),
    "not_then": (
        "Pole, wakati huo wasichana wetu wote wana kazi.",
        "Saa hizo zimejaa zote, niwie radhi.",
    ),
    "ask_name": (
        "Na jina lako nani, mpenzi?",
        "Naweza kujua jina lako la miadi?",
        "Miadi iwe kwa jina la nani?",
    ),
    "confirm": (
        "Umepata nafasi{vocative} 🎉 {Service}, {day}, {time}, na ni {price}.",
        "Miadi yako imewekwa{vocative}. Itakuwa {service}, {day}, {time}, kwa {price}.",
        "Vizuri sana{vocative}, tumemaliza hapo: {service} {day}, {time}, kwa bei ya {price}.",
    ),
    "ask_payment": (
        "Utalipa kwa M-Pesa sasa, au utalipa utakapofika?",
        "Nikutumie ombi la M-Pesa sasa, au ungependelea kulipa salon?",
        "Upande wa malipo, ni M-Pesa sasa au tutamalizana hapa?",
    ),
    "push": (
        "Nimeshatuma ombi la M-Pesa la {price} kwa {phone}. Tafadhali weka PIN yako kwenye simu yako kisha unijulishe.",
        "Kuna ombi la {price} linakuja kwa {phone}. Lifuate tu kwenye simu yako, PIN ni yako peke yako, halafu uniandikie.",
        "Angalia {phone}, M-Pesa itakuonyesha ombi la {price}. Ukishaweka PIN hapo, niambie tu hapa.",
    ),
    "push_again": (
        "Nimekutumia ombi lingine, hebu tazama {phone}.",
        "Nimejaribu tena, sasa linapaswa kuwa kwa {phone}.",
    ),
    "push_failed": (
        "M-Pesa inatusumbua, tuiache tu na utalipa {price} hapa.",
        "Bado haipiti, samahani mpenzi. Utalipa {price} ukija, hakuna tatizo.",
    ),
    "push_wait": (
        "Bado haijaingia. Usiwe na haraka, nijulishe tu ikipita.",
        "Bado nasubiri M-Pesa ithibitishe. Nijulishe ukishaweka PIN kwenye simu yako.",
    ),
    "paid": (
        "Nimepokea {price}, asante mpenzi. Namba ya M-Pesa ni {receipt}.",
        "{price} imefika, nashukuru sana. Risiti yako ndiyo hii: {receipt}.",
        "Imepita vizuri, {price}, na risiti yako ni {receipt}. Ubarikiwe!",
    ),
    "at_salon": (
        "Hakuna tatizo, utalipa {price} hapa.",
        "Inawezekana, {price} siku hiyo ni sawa.",
    ),
    "see_you": (
        "Tukutane {weekday}, {time}, mpenzi, na unaweza kufika mapema kidogo.",
        "Tunakungoja kwa furaha {weekday}, {time}. Uwe na siku yenye baraka!",
        "Basi mpaka {weekday}, {time}, na uwe na siku nzuri!",
    ),
    "goodbye": (
        "Imekuwa vizuri kuongea nawe{vocative}. Tukutane {weekday}, kwaheri!",
        "Karibu sana{vocative}, uwe na siku yenye baraka na tuonane {weekday}!",
        "Asante mno{vocative}. Mpaka {weekday}, ubaki salama!",
    ),
    "goodbye_open": (
        "Hakuna shida kabisa, uwe na siku nzuri. Kwaheri, tutaonana!",
        "Karibu tena mpenzi, na uwe na siku yenye baraka!",
        "Haya basi, nimefurahi kukusikia. Kwaheri!",
    ),
    "cancelled": (
        "Nimekufutia, na hakuna cha kulipa.",
        "Ni sawa, miadi imeondolewa na hatutakutoza.",
    ),
    "cancelled_refund": (
        "Nimekufutia. {price} uliyotuma itarudi kwenye M-Pesa yako kufikia kesho.",
        "Ni sawa, miadi imeondolewa na tunakurudishia {price} yako kwa M-Pesa ndani ya siku moja.",
    ),
    "door_open": (
        "Ukitaka kuja wakati wowote, niandikie tu. Uwe na siku nzuri!",
        "Daima unakaribishwa hapa, mpenzi. Kwaheri, tutaonana!",
    ),
    "moved": (
        "Nimekuhamisha, usiwe na wasiwasi.",
        "Sawa, hiyo imebadilika.",
        "Nimeirekebisha, mpenzi.",
    ),
    "robot": (
        "Mimi ni msaidizi wa kiotomatiki wa salon, si mtu, lakini watakaokuhudumia ni watu 😊",
        "Unaandikiana na roboti inayopanga miadi ya Salon Amani.",
    ),
    "human": (
        "Acha nimwambie Njeri akupigie, yuko mapokezi.",
        "Sawa, namwomba Njeri wa mapokezi akupigie hivi punde.",
    ),
    "place": (
        "Tuko ndani ya {place}. Kuna maegesho ya kutosha, bila malipo.",
        "Tutafute {place}, na kuegesha gari hulipii.",
    ),
    "hours": (
        "Tupo Jumatatu hadi Jumamosi, kuanzia saa mbili na nusu asubuhi mpaka saa kumi na mbili na nusu jioni.",
        "Milango inafunguliwa 8:30am na tunafunga 6:30pm. Ni Jumapili tu ambapo hatupo.",
    ),
    "duration": (
        "Kwa {service} huwa tunatumia kama {hours}.",
        "Tenga kama {hours} kwa ajili ya {service}.",
    ),
    "duration_unknown": (
        "Hiyo inategemea, kucha ni kama saa moja na kusuka hufika hata saa tano.",
        "Mengine yanahitaji nusu saa, na mengine kama kusuka mpaka saa tano.",
    ),
    "discount": (
        "Siwezi kupunguza, pole mpenzi, lakini hakuna malipo yaliyofichwa.",
        "Samahani, bei zetu hazipungui kwa sasa, ila hatuongezi kitu juu.",
    ),
    "services": (
        "Tunasuka, tunafanya mistari, weave, blow-dry, kucha, kope, facial, masaji na makeup.",
        "Zaidi ni nywele na kucha, pamoja na kope, facial, masaji na makeup.",
    ),
    "feel_upset": (
        "Pole sana mpenzi, hilo halikupaswa kutokea.",
        "Kwa kweli nakuomba radhi kwa hilo. Acha nilirekebishe.",
    ),
    "feel_trust": (
        "Inaeleweka kabisa. Lipa baada ya kuhudumiwa ukipenda, na PIN yako usimpe mtu yeyote.",
        "Tafadhali usiwe na wasiwasi, unaweza kulipa tukimaliza na hatutakuomba PIN kamwe.",
    ),
    "feel_hurry": (
        "Hakuna shida, nitafupisha.",
        "Sawa, haraka basi.",
    ),
    "feel_budget": (
        "Naelewa, na nitakachokutajia ndicho hasa utakacholipa.",
        "Nakuelewa kabisa, na hakutakuwa na gharama ya kushtukiza.",
    ),
    "feel_unsure": (
        "Chukua muda wote unaohitaji, mpenzi.",
        "Usijisumbue na hilo, tunaweza kurekebisha tukiendelea.",
    ),
    "off_topic": (
        "Natamani ningesaidia kwa hilo, lakini mimi hupanga miadi ya salon tu.",
        "Hilo limenizidi, samahani. Ninachoweza ni kukupangia miadi.",
    ),
    "pin_warning": (
        "Tafadhali usinipe PIN yako, wala usimpe mtu mwingine. Iandike tu kwenye simu yako M-Pesa inapokuomba.",
        "PIN yako ni siri, mpenzi, usiiandike hapa. Ni ya M-Pesa kwenye simu yako tu.",
    ),
    "unclear": (
        "Pole mpenzi, hapo sijakufuata.",
        "Mmh, sina hakika nimekuelewa.",
    ),
    "all_set": (
        "Umeshapangiwa: {service} {day}, {time}.",
        "Hakuna kingine kinachohitajika, tumekuandikia {service} {day}, {time}.",
    ),
    "ack": ("Vizuri.", "Nimeandika.", "Vyema.", "Haya mpenzi."),
    "your_phone": ("namba yako ya M-Pesa",),
    "number_ending": ("namba yako ya M-Pesa, ile inayoishia na {digits}",),
}

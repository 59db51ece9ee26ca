"""The agent's Swahili: the everyday polite Swahili of a Nairobi counter, prices in KES, hours by both clocks."""

from examples.booking_agent.wordings import Bank

SWAHILI: Bank = {
    "greet": (
        "Habari yako! Karibu Salon Amani.",
        "Karibu sana Salon Amani!",
        "Hujambo, karibu Salon Amani!",
        "Salama! Karibu sana kwetu Salon Amani.",
    ),
    "ask_service": (
        "Ungependa kufanyiwa nini?",
        "Unahitaji huduma gani leo?",
        "Tukusaidie na nini, nywele, kucha au kingine?",
        "Niambie, ungependa huduma gani?",
    ),
    "ask_kind": (
        "Tuna {options}. Ungependa ipi?",
        "Kuna {options}. Unapendelea ipi?",
        "Unaweza kuchagua {options}. Tukuwekee ipi?",
    ),
    "price": (
        "{Service} ni {price}.",
        "Bei ya {service} ni {price}.",
        "Kwa {service} tunatoza {price}.",
        "{Service} itakugharimu {price} tu.",
    ),
    "price_list": (
        "Bei zetu ni kama hizi: {options}.",
        "Kwa mfano, {options}.",
        "Baadhi ya bei zetu: {options}.",
    ),
    "ask_day": (
        "Ungependa kuja siku gani?",
        "Siku gani inakufaa?",
        "Unapanga kuja lini?",
        "Tukuwekee siku gani?",
    ),
    "ask_time": (
        "{day} kuna nafasi {slots}. Ungependa saa ngapi?",
        "{day} tuna {slots}. Saa ngapi inakufaa?",
        "Nafasi za {day} ni {slots}. Utapenda ipi?",
        "{day} naona {slots} ziko wazi. Uje saa ngapi?",
    ),
    "ask_time_one": (
        "{day} imebaki nafasi moja tu, {slots}. Je, inakufaa?",
        "{day} nafasi iliyobaki ni {slots}. Nikuwekee hiyo?",
    ),
    "suggest_time": (
        "Nikuwekee {slots}, {day}?",
        "Vipi {slots}, {day}, itakufaa?",
    ),
    "taken": (
        "Pole, {time} imeshachukuliwa.",
        "Samahani, {time} kuna mtu tayari.",
        "Aa, {time} haipo tena.",
    ),
    "full": (
        "Pole, {day} tumejaa kabisa.",
        "Samahani, {day} hakuna nafasi iliyobaki.",
    ),
    "closed": (
        "Jumapili huwa tunapumzika, hatufungui.",
        "Pole, Jumapili tumefunga.",
    ),
    "not_then": (
        "Pole, wakati huo nafasi zimeisha.",
        "Samahani, wakati huo tumejaa.",
    ),
    "ask_name": (
        "Sawa. Niandike kwa jina gani?",
        "Vizuri. Naomba jina lako tafadhali, unaitwa nani?",
        "Haya, jina lako ni nani?",
        "Sawa kabisa, nafasi niiweke kwa jina la nani?",
    ),
    "confirm": (
        "Tayari{vocative}, nimekuwekea {service} {day}, {time}, kwa {price}.",
        "Sawa{vocative}, nafasi yako ipo: {service}, {day}, {time}, {price}.",
        "Nimeshakuandikia{vocative}: {service} {day}, {time}. Jumla ni {price}.",
    ),
    "ask_payment": (
        "Nikutumie ombi la M-Pesa kwa simu, au utalipa ukifika?",
        "Ungependa kulipa sasa kwa M-Pesa au ukija salon?",
        "Utalipa vipi, M-Pesa sasa hivi au taslimu ukifika?",
    ),
    "push": (
        "Nimetuma ombi la M-Pesa la {price} kwa {phone}. Weka PIN kwenye simu yako pekee, kisha unijulishe.",
        "Angalia {phone}, kuna ombi la {price} kutoka M-Pesa. PIN iweke huko kwa simu, usiitume hapa, halafu niambie.",
        "Ombi la {price} limefika kwa {phone}. Ukishaweka PIN yako kwenye simu, niambie tu.",
    ),
    "push_again": (
        "Usijali, nimekutumia tena. Angalia simu yako sasa.",
        "Pole kwa hilo, nimetuma ombi lingine kwa {phone}.",
    ),
    "push_failed": (
        "M-Pesa inasumbua leo, basi utalipa {price} ukifika.",
        "Tusihangaike nayo, utalipa hiyo {price} hapa salon.",
    ),
    "push_wait": (
        "Ombi liko kwa simu yako, ukishaweka PIN hapo uniambie.",
        "Bado nasubiri M-Pesa upande wangu, nijulishe ukishakubali.",
    ),
    "paid": (
        "Asante, nimepokea {price}. Risiti yako ya M-Pesa ni {receipt}.",
        "Malipo ya {price} yameingia, asante sana. Namba ya risiti ni {receipt}.",
        "Nimeona {price} imefika, asante. Risiti ni {receipt}.",
    ),
    "at_salon": (
        "Hakuna shida, utalipa {price} ukifika.",
        "Sawa tu, hiyo {price} utalipa hapa salon.",
    ),
    "see_you": (
        "Tuonane {weekday}, {time}!",
        "Karibu sana {weekday}, {time}. Uwe na siku njema!",
        "Tunakusubiri {weekday}, {time}!",
    ),
    "goodbye": (
        "Karibu sana{vocative}. Tuonane {weekday}, siku njema!",
        "Asante na wewe{vocative}. Kwaheri, tuonane {weekday}!",
        "Karibu tena{vocative}! Uwe na siku njema, tutaonana {weekday}.",
    ),
    "goodbye_open": (
        "Asante kwa kutuandikia. Uwe na siku njema, kwaheri!",
        "Karibu wakati wowote. Kwaheri ya kuonana!",
        "Hakuna shida, tuko hapa ukituhitaji. Siku njema!",
    ),
    "cancelled": (
        "Sawa, nimeifuta nafasi hiyo na hudaiwi chochote.",
        "Hakuna shida, nimeghairi na huna la kulipa.",
    ),
    "cancelled_refund": (
        "Sawa, nimeghairi, na {price} zako zitarudi kwa M-Pesa ndani ya siku moja.",
        "Nimeifuta nafasi; tutakurudishia {price} kwa M-Pesa kufikia kesho.",
    ),
    "door_open": (
        "Ukitaka nafasi nyingine niandikie tu. Siku njema!",
        "Karibu tena wakati wowote. Kwaheri!",
    ),
    "moved": (
        "Sawa, nimekubadilishia.",
        "Hakuna shida, tubadilishe.",
        "Haya, nimebadilisha.",
    ),
    "robot": (
        "Ndiyo, mimi ni msaidizi wa kompyuta wa salon, lakini wasusi wetu ni watu kabisa.",
        "Mimi ni programu ya kusaidia na nafasi hapa Salon Amani; nywele zinasukwa na watu!",
    ),
    "human": (
        "Nitamwomba Njeri wa mapokezi akupigie hivi punde.",
        "Sawa, Njeri wa mapokezi atakupigia baada ya dakika chache.",
    ),
    "place": (
        "Tuko {place}, na kuna parking ya bure nyuma.",
        "Utatupata {place}; magari yana nafasi.",
    ),
    "hours": (
        "Tunafungua Jumatatu hadi Jumamosi, 8:30am mpaka 6:30pm.",
        "Tuko wazi kuanzia 8:30am hadi 6:30pm, Jumatatu mpaka Jumamosi.",
    ),
    "duration": (
        "{Service} huchukua kama {hours}.",
        "Tenga kama {hours} kwa {service}.",
    ),
    "duration_unknown": (
        "Inategemea huduma, nusu saa hadi saa tano hivi.",
        "Kucha ni kama saa moja, na kusuka ni saa nne au tano.",
    ),
    "discount": (
        "Nakuelewa, ila bei zetu ni hizo hizo, na hakuna nyongeza yoyote siku ukija.",
        "Pole, kwa sasa hatuna punguzo, lakini pia hakuna gharama zilizofichwa.",
    ),
    "services": (
        "Tunasuka, tunaosha na ku-blow-dry, tunafanya kucha, facial, masaji na makeup.",
        "Nywele, kucha, facial, masaji na makeup, zote tunafanya.",
    ),
    "feel_upset": (
        "Pole sana kwa hilo, safari hii tutahakikisha kila kitu kiko sawa.",
        "Samahani sana kwa yaliyotokea, nitalishughulikia mwenyewe.",
    ),
    "feel_trust": (
        "Naelewa wasiwasi wako: unaweza kulipa hapa salon baada ya huduma, na hakuna atakayekuuliza PIN.",
        "Ni vizuri kuwa makini; si lazima ulipe kabla ya kuja, na PIN yako ni yako peke yako.",
    ),
    "feel_hurry": (
        "Sawa, tutafanya haraka.",
        "Usijali, ni dakika moja tu.",
    ),
    "feel_budget": (
        "Nakuelewa, na bei ninayokupa ndiyo utakayolipa, hakuna nyongeza.",
        "Naelewa; hakuna gharama nyingine juu ya hiyo bei.",
    ),
    "feel_unsure": (
        "Hakuna haraka, chukua muda wako.",
        "Usijali, tunaweza kubadilisha baadaye.",
    ),
    "off_topic": (
        "Hilo sina uwezo nalo, mimi nashughulikia nafasi za salon tu.",
        "Pole, hapo siwezi kukusaidia, kazi yangu ni nafasi za salon.",
        "Natamani ningejua! Mimi naandika nafasi za salon tu.",
    ),
    "pin_warning": (
        "Tafadhali usimpe mtu yeyote PIN yako, hata mimi; iweke kwenye simu yako pekee.",
        "Angalia, PIN yako ni siri. Iandike kwenye ombi la simu tu.",
    ),
    "unclear": (
        "Samahani, sijakuelewa vizuri.",
        "Pole, hapo sijakupata.",
        "Hebu nieleze tena kidogo.",
    ),
    "all_set": (
        "Kila kitu kiko sawa: {service}, {day}, {time}.",
        "Nafasi yako bado ipo: {service}, {day}, {time}.",
    ),
    "ack": ("Sawa.", "Haya.", "Vizuri.", "Sawa sawa."),
    "your_phone": ("simu yako",),
    "number_ending": ("namba inayoishia {digits}",),
}

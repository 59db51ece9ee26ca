"""The seventh voice's Swahili: what a polite receptionist in her thirties in Nairobi writes, good and everyday."""

# ruff: noqa: E501 - wordings read better on one line

from examples.booking_agent.wordings import Bank

SWAHILI: Bank = {
    "greet": (
        "Habari, karibu sana Salon Amani. Natumai uko salama.",
        "Hujambo, asante kwa kuwasiliana na Salon Amani.",
        "Habari yako, hapa ni Salon Amani, karibu sana 😊",
    ),
    "ask_service": (
        "Nikusaidie na nini leo?",
        "Ungependa kuweka nafasi ya huduma gani?",
        "Tafadhali niambie, ungependa tukufanyie nini?",
    ),
    "ask_kind": (
        "Tunatoa {options}. Ungependa kuweka nafasi ya ipi?",
        "Hapa kwetu tuna {options}. Unapenda ipi kati ya hizo?",
        "Je, unataka tukufanyie {options}?",
    ),
    "price": (
        "Bei ya {service} hapa Salon Amani ni {price}.",
        "{Service} itakugharimu {price}.",
        "Kwa {service} bei ni {price}.",
    ),
    "price_list": (
        "Hizi hapa ni baadhi ya bei zetu: {options}.",
        "Acha nikupe baadhi ya bei: {options}.",
    ),
    "ask_day": (
        "Ungependa nikuwekee nafasi siku gani?",
        "Ni siku gani utakuwa na nafasi ya kuja?",
        "Siku gani inakufaa zaidi?",
    ),
    "ask_time": (
        "{day} tuna nafasi {slots}. Ungependelea saa ngapi?",
        "Kwa {day} naweza kukupa {slots}. Ni saa ngapi inayokufaa?",
        "{day} ni sawa, tuna {slots}. Nikupangie saa ngapi?",
    ),
    "ask_time_one": (
        "{day} tumebaki na {slots} pekee. Ungependa kuichukua?",
        "Nafasi iliyobaki {day} ni {slots} tu. Nikuwekee hiyo?",
    ),
    "suggest_time": (
        "Je, {slots} {day} itakufaa?",
        "Tuna nafasi {slots}, {day}. Nikuwekee nafasi hiyo?",
    ),
    "taken": (
        "Samahani, {time} tayari imewekwa na mtu mwingine.",
        "Pole sana, {time} haipatikani.",
        "Kwa bahati mbaya {time} imeshachukuliwa.",
    ),
    "full": (
        "Samahani sana, {day} tumejaa kabisa.",
        "Kwa bahati mbaya hakuna nafasi iliyobaki {day}.",
    ),
    "closed": (
        "Samahani, siku ya Jumapili tunafunga.",
        "Kwa bahati mbaya salon yetu haifunguliwi Jumapili.",
    ),
    "not_then": (
        "Samahani, hatuna nafasi saa hizo.",
        "Kwa bahati mbaya wakati huo umejaa.",
    ),
    "ask_name": (
        "Nitumie jina gani kwenye nafasi hii?",
        "Tafadhali, unaitwa nani?",
        "Naomba kujua, jina lako ni nani?",
    ),
    "confirm": (
        "Nafasi yako imethibitishwa{vocative}. Ni {service}, {day}, {time}, na bei ni {price}.",
        "Asante sana{vocative}, nimeandika nafasi yako ya {service} {day}, {time}. Gharama ni {price}.",
        "Vizuri sana{vocative}, utakuja kwa {service} {day}, {time}, na utalipa {price}.",
    ),
    "ask_payment": (
        "Ungependa kulipa kwa M-Pesa sasa, au utakapofika salon?",
        "Nikutumie ombi la malipo la M-Pesa sasa, au ungependa kulipa salon?",
        "Je, utalipa sasa kwa M-Pesa au baadaye ukifika?",
    ),
    "push": (
        "Nimekutumia ombi la M-Pesa la {price} kwenye {phone}. Tafadhali weka PIN kwenye simu yako, kisha unijulishe ukishalipa.",
        "Utaona ombi la M-Pesa la {price} kwenye {phone}. Weka PIN hapo tu, huhitaji kunitumia, kisha niambie ikikamilika.",
        "Ombi la M-Pesa la {price} linakuja kwenye {phone}. Likubali kwenye simu yako ukiwa tayari, halafu unitumie ujumbe.",
    ),
    "push_again": (
        "Acha nitume tena. Utaona ombi jingine la M-Pesa kwenye {phone}.",
        "Nimetuma tena ombi kwenye {phone}, tafadhali angalia.",
    ),
    "push_failed": (
        "Samahani, M-Pesa ina shida leo. Unaweza kulipa {price} utakapofika salon.",
        "Ombi halipiti, kwa hivyo utalipa {price} hapa salon baada ya huduma.",
    ),
    "push_wait": (
        "Malipo bado hayajafika, lakini hakuna haraka. Niambie ukishakubali ombi kwenye simu yako.",
        "Kwetu malipo bado hayajaonekana. Tafadhali nijulishe baada ya kukubali ombi kwenye simu yako.",
    ),
    "paid": (
        "Asante, tumeipokea {price} yako. Nambari ya risiti yako ya M-Pesa ni {receipt}.",
        "Malipo yako ya {price} yamepokelewa, risiti ni {receipt}. Asante sana!",
        "Nimepokea {price} yako, asante. Hii hapa ni namba ya risiti yako: {receipt}.",
    ),
    "at_salon": (
        "Ni sawa, utalipa {price} utakapofika.",
        "Hakuna shida, unaweza kulipa {price} baada ya huduma.",
    ),
    "see_you": (
        "Tutaonana {weekday}, {time}, nakutakia siku njema!",
        "Asante, tunatarajia kukuona {weekday}, {time}.",
        "Tutakusubiri {weekday}, {time}. Karibu sana!",
    ),
    "goodbye": (
        "Karibu sana{vocative}. Uwe na siku yenye baraka, tuonane {weekday}!",
        "Asante nawe{vocative}, tutaonana {weekday}. Kwaheri!",
        "Karibu{vocative}, tutakuona {weekday}. Siku njema!",
    ),
    "goodbye_open": (
        "Asante kwa kuwasiliana nasi, nakutakia siku njema. Kwaheri!",
        "Karibu tena, tuandikie wakati wowote. Kwaheri!",
        "Ni sawa, tupo hapa wakati wowote utakapotuhitaji. Siku njema!",
    ),
    "cancelled": (
        "Nimeghairi nafasi yako, na hakuna cha kulipa.",
        "Ni sawa, nafasi yako imeghairiwa na hutatozwa chochote.",
    ),
    "cancelled_refund": (
        "Nimeghairi nafasi yako, na {price} itarudishwa kwenye M-Pesa yako ndani ya siku moja.",
        "Nafasi yako imeghairiwa. Tutakurudishia {price} kwenye M-Pesa kufikia kesho.",
    ),
    "door_open": (
        "Niandikie wakati wowote ukitaka kuweka nafasi tena, nami nitakusaidia. Siku njema!",
        "Unakaribishwa Salon Amani wakati wowote. Kwaheri!",
    ),
    "moved": (
        "Hakuna shida, nimebadilisha nafasi yako.",
        "Sawa, nimekurekebishia.",
        "Ni sawa, tayari nimebadilisha.",
    ),
    "robot": (
        "Ndiyo, mimi ni msaidizi wa kidijitali wa Salon Amani. Wasusi wetu wote ni watu halisi 😊",
        "Mimi ni msaidizi wa kompyuta, si mtu, lakini timu yetu ya salon ni watu halisi.",
    ),
    "human": (
        "Sawa, Njeri wa mapokezi atakupigia simu sasa hivi.",
        "Hakuna shida, acha nimjulishe Njeri wa mapokezi, atakupigia hivi karibuni.",
    ),
    "place": (
        "Tunapatikana {place}. Wateja wetu wanaegesha bila malipo.",
        "Salon yetu iko {place}, na kuegesha gari ni bure.",
    ),
    "hours": (
        "Tunafungua Jumatatu hadi Jumamosi, kuanzia 8:30am hadi 6:30pm.",
        "Saa zetu za kazi ni 8:30am hadi 6:30pm, Jumatatu hadi Jumamosi.",
    ),
    "duration": (
        "{Service} kwa kawaida huchukua kama {hours}.",
        "Kwa {service} tafadhali tenga kama {hours}.",
    ),
    "duration_unknown": (
        "Inategemea huduma, kuanzia nusu saa hadi saa tano.",
        "Kusuka huchukua saa nne hadi tano, na kucha kama saa moja.",
    ),
    "discount": (
        "Samahani, hatuna punguzo wakati huu, lakini hutatozwa gharama za ziada.",
        "Kwa bahati mbaya bei zetu hazibadiliki, lakini hutalipa zaidi ya hapo.",
    ),
    "services": (
        "Tunafanya nywele, kusuka, kucha, facial, masaji na makeup.",
        "Hapa Salon Amani tunasuka, tunatengeneza nywele na kucha, na pia facial, kope, masaji na makeup.",
    ),
    "feel_upset": (
        "Pole sana kwa hayo. Tutakuhudumia vizuri.",
        "Najua hiyo inaudhi, samahani sana.",
    ),
    "feel_trust": (
        "Naelewa. Unaweza kulipa baada ya huduma, na hatutakuomba PIN yako kamwe.",
        "Ni vizuri kuwa mwangalifu. Si lazima ulipe kabla ya kuja, na tafadhali usimpe mtu yeyote PIN yako.",
    ),
    "feel_hurry": (
        "Hakuna shida, nitafanya haraka.",
        "Sawa, haitachukua muda mrefu.",
    ),
    "feel_budget": (
        "Naelewa, utalipa tu bei nitakayokuambia.",
        "Naelewa, hakuna gharama nyingine juu ya hiyo.",
    ),
    "feel_unsure": (
        "Ni sawa, chukua muda wako.",
        "Hakuna shida, unaweza kubadilisha baadaye.",
    ),
    "off_topic": (
        "Samahani, naweza kusaidia na nafasi za salon pekee.",
        "Hilo sina uhakika nalo, samahani. Naweza tu kukusaidia kuweka nafasi.",
    ),
    "pin_warning": (
        "Tafadhali usinitumie PIN yako wala usimpe mtu mwingine. Huwekwa kwenye simu yako pekee.",
        "Tafadhali weka PIN yako iwe siri, sisi hatuihitaji. Unaiweka tu kwenye ombi la M-Pesa kwenye simu yako.",
    ),
    "unclear": (
        "Samahani, sijaelewa unachosema.",
        "Samahani, sina hakika unamaanisha nini.",
    ),
    "all_set": (
        "Nafasi yako bado iko vile vile, {service} {day}, {time}.",
        "Kila kitu kiko sawa, una nafasi ya {service} {day}, {time}.",
    ),
    "ack": ("Sawa.", "Vizuri.", "Haya.", "Asante."),
    "your_phone": ("namba yako ya simu",),
    "number_ending": ("namba yako ya simu inayoishia {digits}",),
}

"""The fifth voice's Swahili: the plain, friendly Swahili of a receptionist in Nairobi."""

from examples.booking_agent.wordings import Bank

SWAHILI: Bank = {
    "greet": (
        "Habari yako, karibu Salon Amani. Niko hapa kukusaidia 😊",
        "Asante kwa kuwasiliana na Salon Amani, karibu sana!",
        "Karibu sana, hapa ni Salon Amani.",
    ),
    "ask_service": (
        "Ungependa kufanya nini?",
        "Nikuwekee nafasi ya huduma gani?",
        "Unatafuta huduma gani?",
    ),
    "ask_kind": (
        "Tunafanya {options}. Ungependa kufanya ipi?",
        "Unaweza kupata {options}. Utachukua ipi?",
        "Hapa kwetu kuna {options}. Unataka ipi?",
    ),
    "price": (
        "Bei yetu ya {service} ni {price}.",
        "{Service} hapa kwetu ni {price}.",
        "Utalipa {price} kwa {service}.",
    ),
    "price_list": (
        "Hizi ni baadhi ya bei zetu: {options}.",
        "Bei inategemea unachotaka kufanya, kwa mfano {options}.",
    ),
    "ask_day": (
        "Unataka kuja siku gani?",
        "Utakuja lini?",
        "Siku gani utakuwa na nafasi?",
    ),
    "ask_time": (
        "{day} nafasi zilizopo ni {slots}. Ni saa ngapi inakufaa?",
        "Unaweza kuja {day}, {slots}. Utachagua saa ngapi?",
        "Tuna nafasi {day}: {slots}. Nikuandikie saa ngapi?",
    ),
    "ask_time_one": (
        "{day} kuna nafasi moja tu, {slots}. Nikuandikie?",
        "Nafasi ya mwisho {day} ni {slots}. Utaichukua?",
    ),
    "suggest_time": (
        "Nikuandikie {slots}, {day}?",
        "{slots}, {day} iko wazi. Inakufaa?",
    ),
    "taken": (
        "Samahani, {time} haipatikani tena.",
        "Pole, {time} kuna mtu mwingine ameshawekwa.",
        "Kwa bahati mbaya {time} imejaa.",
    ),
    "full": (
        "Samahani, {day} nafasi zote zimejaa.",
        "Pole, {day} hatuna nafasi tena.",
    ),
    "closed": (
        "Samahani, siku ya Jumapili hatufanyi kazi.",
        "Siku ya Jumapili tunafunga ili watu wapumzike.",
    ),
    "not_then": (
        "Samahani, wakati huo nafasi zimejaa.",
        "Pole, hakuna nafasi iliyo wazi muda huo.",
    ),
    "ask_name": (
        "Jina lako nani?",
        "Naomba kujua jina lako, tafadhali?",
        "Niandike jina gani hapa?",
    ),
    "confirm": (
        "Sawa{vocative}, umewekewa {service} {day}, {time}. Bei yake ni {price}.",
        "Tayari{vocative}! Nafasi yako ni {day}, {time}, {service} kwa {price}.",
        "Nimethibitisha nafasi yako{vocative}: {service}, {day}, {time}. Utalipa {price}.",
    ),
    "ask_payment": (
        "Ungependa kulipa kwa M-Pesa sasa au ukifika salon?",
        "Utalipa sasa kwa M-Pesa, au utalipia hapa salon?",
        "Unapendelea kulipa sasa kwa M-Pesa au siku utakayokuja?",
    ),
    "push": (
        "Nimetuma ombi la M-Pesa la {price} kwenye {phone}. Weka PIN yako kwenye simu tu, kisha uniambie ikikamilika.",
        "Angalia ombi la M-Pesa la {price} kwenye {phone}. PIN usinitumie, iweke hapo kwenye simu, halafu unijulishe.",
        "Sasa utaona ombi la M-Pesa la {price} kwenye {phone}. Ukishalikubali kwenye simu, niambie.",
    ),
    "push_again": (
        "Nimekutumia ombi tena kwenye {phone}, tafadhali angalia.",
        "Hakuna shida, natuma ombi lingine la M-Pesa sasa hivi.",
    ),
    "push_failed": (
        "M-Pesa inasumbua kidogo kwa sasa, kwa hivyo utalipa {price} ukifika.",
        "Ombi la M-Pesa halipiti leo. Unaweza kulipa {price} hapa kwetu salon.",
    ),
    "push_wait": (
        "Bado sijaona malipo. Niambie ukishakubali ombi kwenye simu yako, hakuna haraka.",
        "Chukua muda wako, niambie tu ukimaliza kuthibitisha kwenye simu.",
    ),
    "paid": (
        "Nimepokea malipo yako ya {price}, risiti ni {receipt}. Asante sana!",
        "Malipo ya {price} yamefika, asante. Namba ya risiti yako ni {receipt}.",
        "Asante, tumepata {price}. Risiti ya M-Pesa ni {receipt}.",
    ),
    "at_salon": (
        "Sawa, utalipa {price} ukifika hapa.",
        "Hakuna tatizo, unaweza kulipa {price} baada ya huduma.",
    ),
    "see_you": (
        "Basi tuonane {weekday}, {time} 😊",
        "Tunakungoja {weekday}, {time}. Uwe na siku njema!",
        "Karibu {weekday}, {time}, tutakuhudumia vizuri!",
    ),
    "goodbye": (
        "Karibu sana{vocative}, tuonane {weekday}!",
        "Asante sana{vocative}. Nakutakia siku njema, tuonane {weekday}.",
        "Nashukuru sana{vocative}, tutaonana {weekday}. Kwaheri!",
    ),
    "goodbye_open": (
        "Asante kwa ujumbe wako. Uwe na siku njema!",
        "Sawa, ukiwa tayari tutumie ujumbe. Kwaheri!",
        "Karibu sana, nakutakia siku njema!",
    ),
    "cancelled": (
        "Nimefuta nafasi yako, na hutalipa chochote.",
        "Sawa, nafasi imefutwa na hakuna gharama.",
    ),
    "cancelled_refund": (
        "Nafasi yako imefutwa, na {price} itarudishwa kwenye M-Pesa yako ndani ya siku moja.",
        "Nimefuta nafasi yako. Utapata {price} yako kwa M-Pesa kufikia kesho.",
    ),
    "door_open": (
        "Ukitaka kuja siku nyingine, tuko hapa. Kwaheri!",
        "Tutumie ujumbe ukitaka nafasi nyingine. Siku njema!",
    ),
    "moved": (
        "Sawa, nimebadilisha.",
        "Tayari, nimekubadilishia.",
        "Hakuna tatizo, nimebadilisha hiyo.",
    ),
    "robot": (
        "Ndiyo, mimi ni roboti ya kuweka nafasi hapa Salon Amani. Watakaokuhudumia ni watu 😊",
        "Mimi ni msaidizi wa kiotomatiki, lakini salon yenyewe ina watu wa kweli.",
    ),
    "human": (
        "Sawa, Njeri wa mapokezi atakupigia baada ya muda mchache.",
        "Bila shaka, nitamwambia Njeri wa mapokezi akupigie.",
    ),
    "place": (
        "Salon iko hapa {place}. Kuna maegesho ya bure kwa wateja.",
        "Utatupata {place}, na maegesho ni bure.",
    ),
    "hours": (
        "Jumatatu hadi Jumamosi tunafungua 8:30am na kufunga 6:30pm.",
        "Saa zetu za kazi ni 8:30am hadi 6:30pm, kuanzia Jumatatu hadi Jumamosi.",
    ),
    "duration": (
        "{Service} itachukua kama {hours}.",
        "Kwa kawaida {service} huchukua {hours}.",
    ),
    "duration_unknown": (
        "Inategemea unachofanya, kati ya dakika thelathini na saa tano.",
        "Kucha ni kama saa moja, na kusuka ni saa nne hadi tano.",
    ),
    "discount": (
        "Samahani, hatuna ofa kwa sasa, lakini bei hiyo inajumuisha kila kitu.",
        "Ningependa kukupunguzia, lakini bei zetu hazibadiliki. Hakuna cha kuongeza.",
    ),
    "services": (
        "Hapa tunafanya nywele, kucha, facial, masaji na makeup.",
        "Hapa salon tunasuka, tunaweka weave, tunafanya kucha, kope, facial na masaji.",
    ),
    "feel_upset": (
        "Pole sana kwa hilo. Tutakuhudumia vizuri.",
        "Samahani kwa usumbufu, naelewa unavyojisikia.",
    ),
    "feel_trust": (
        "Naelewa, unaweza kulipa ukishahudumiwa. Hatuulizi PIN ya mtu yeyote.",
        "Ni haki yako kuuliza. Si lazima ulipe kabla ya kuja, na PIN yako ni siri yako.",
    ),
    "feel_hurry": (
        "Sawa, nitajaribu kuwa haraka.",
        "Sawa, haitachukua muda.",
    ),
    "feel_budget": (
        "Naelewa, bei nitakayokupa ndiyo ya mwisho.",
        "Usijali, hatuongezi gharama nyingine.",
    ),
    "feel_unsure": (
        "Usijali, unaweza kufikiria kwanza.",
        "Ni sawa kama bado hujaamua, tunaweza kubadilisha wakati wowote.",
    ),
    "off_topic": (
        "Samahani, hilo siwezi kusaidia. Ninasaidia na nafasi za salon tu.",
        "Hilo silijui, mimi niko hapa kwa ajili ya nafasi za salon.",
    ),
    "pin_warning": (
        "Tafadhali usimpe mtu PIN yako ya M-Pesa. Sisi hatuihitaji, unaiweka kwenye simu yako tu.",
        "PIN yako ni siri yako, hata sisi hatupaswi kuiona. Iweke tu kwenye simu yako.",
    ),
    "unclear": (
        "Samahani, sijakuelewa hapo.",
        "Samahani, sijapata hiyo vizuri.",
    ),
    "all_set": (
        "Nafasi yako imethibitishwa: {service}, {day}, {time}.",
        "Kila kitu kiko tayari kwa {service} {day}, {time}.",
    ),
    "ack": ("Sawa.", "Haya.", "Vizuri sana.", "Asante."),
    "your_phone": ("namba hii",),
    "number_ending": ("namba yako ya simu inayoishia na {digits}",),
}

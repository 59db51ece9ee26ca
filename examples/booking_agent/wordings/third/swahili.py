"""The third voice's Swahili: plain, friendly chat as most receptionists type it."""

from examples.booking_agent.wordings import Bank

SWAHILI: Bank = {
    "greet": (
        "Habari, karibu Salon Amani.",
        "Mambo! Hapa ni Salon Amani, karibu.",
        "Habari za leo, karibu Salon Amani.",
    ),
    "ask_service": ("Unataka huduma gani?", "Nikusaidie na nini?", "Tukufanyie nini?"),
    "ask_kind": ("Tunafanya {options}. Unataka ipi?", "Zipo {options}. Utachukua ipi?"),
    "price": ("{Service} ni {price} kwetu.", "Kwa {service} utalipa {price}.", "{Service} inafanywa kwa {price}."),
    "price_list": ("Bei ni hizi: {options}.", "Bei zetu: {options}."),
    "ask_day": ("Unataka kuja lini?", "Utakuja siku gani?", "Ni siku gani nzuri kwako?"),
    "ask_time": (
        "{day} ipo nafasi ya {slots}. Unataka saa ngapi?",
        "{day} unaweza kuja {slots}. Utakuja saa ngapi?",
        "Nina {slots}, {day}. Nikuwekee ipi?",
    ),
    "ask_time_one": ("{day} nina {slots} peke yake. Utaweza?", "{day} imebaki {slots}. Iko sawa kwako?"),
    "suggest_time": ("Naweza kukuwekea {slots}, {day}. Ni sawa?", "Je, {slots}, {day} ni sawa kwako?"),
    "taken": ("Samahani, {time} imeshachukuliwa na mwingine.", "Pole, {time} haiko wazi."),
    "full": ("Samahani, {day} nafasi zimejaa.", "Pole sana, {day} hatuna nafasi."),
    "closed": ("Samahani, Jumapili hatufanyi kazi.", "Jumapili tunafunga, pole."),
    "not_then": ("Samahani, wakati huo hakuna nafasi.", "Pole, saa hizo hatuna nafasi."),
    "ask_name": ("Jina lako tafadhali?", "Naomba jina lako?", "Niandike jina gani?"),
    "confirm": (
        "Nafasi yako imethibitishwa{vocative}: {service}, {day}, {time}. Bei ni {price}.",
        "Sawa{vocative}, nimekuandika {service}, {day}, {time}. Utalipa {price}.",
        "Imekubali{vocative}, {service} {day}, {time}, {price}.",
    ),
    "ask_payment": ("Utalipa kwa M-Pesa sasa au ukifika?", "Unataka kulipa sasa na M-Pesa, au baada ya huduma?"),
    "push": (
        "Nimekutumia ombi la M-Pesa la {price} kwa {phone}. Weka PIN kwa simu yako kisha uniambie ukilipa.",
        "Utaona ujumbe wa M-Pesa wa {price} kwa {phone}. Weka PIN hapo, usinitumie mimi, halafu unijulishe.",
    ),
    "push_again": ("Pole, nimetuma tena. Angalia {phone}.", "Sawa, natuma tena sasa hivi."),
    "push_failed": (
        "Si neno, M-Pesa ina shida, utalipa {price} hapa.",
        "Mtandao unasumbua, tafadhali lipa {price} ukija.",
    ),
    "push_wait": (
        "Bado sijaona malipo, angalia simu yako uniambie ukimaliza.",
        "Malipo bado, ukiweka PIN kwa simu yako nijulishe.",
    ),
    "paid": (
        "Asante, {price} nimepata. Risiti ni {receipt}.",
        "Malipo yamefika, {price}. Namba ya risiti yako ni {receipt}, asante!",
    ),
    "at_salon": ("Sawa, utalipa {price} hapa.", "Haina shida, lipa {price} tukimaliza."),
    "see_you": (
        "Asante, tuonane {weekday}, {time}.",
        "Karibu {weekday}, {time}. Siku njema!",
        "Uwe na siku nzuri, tutakuona {weekday}, {time}.",
    ),
    "goodbye": (
        "Asante sana{vocative}, tuonane {weekday}. Kwaheri!",
        "Karibu{vocative}. Siku njema na tuonane {weekday}!",
        "Haya{vocative}, kwaheri, tutaonana {weekday}.",
    ),
    "goodbye_open": (
        "Sawa, asante na siku njema. Kwaheri!",
        "Karibu tena, kwaheri!",
        "Asante kwa ujumbe wako, uwe na siku njema!",
    ),
    "cancelled": ("Sawa, nimefuta nafasi yako. Hulipi chochote.", "Imefutwa, hakuna malipo."),
    "cancelled_refund": (
        "Sawa, nimefuta. Tutakutumia {price} zako kwa M-Pesa kesho.",
        "Nafasi imefutwa, utapata {price} kwa M-Pesa ndani ya siku moja.",
    ),
    "door_open": ("Karibu siku nyingine. Kwaheri!", "Ukiwa tayari tuandikie, siku njema!"),
    "moved": ("Sawa, nimebadilisha.", "Hakuna tatizo, nabadilisha sasa.", "Ni sawa, nimeibadilisha."),
    "robot": (
        "Ndiyo, mimi ni msaidizi wa kompyuta wa salon, si mtu. Wasusi ni watu!",
        "Unaongea na msaidizi wa mtandaoni wa salon.",
    ),
    "human": ("Sawa, nitamwambia Njeri akupigie.", "Njeri wa mapokezi atakupigia simu sasa hivi."),
    "place": ("Tupo {place}. Kuna maegesho ya bure.", "Salon iko {place}, unaweza kuegesha gari nyuma."),
    "hours": (
        "Tunafungua 8:30am na kufunga 6:30pm, Jumatatu hadi Jumamosi.",
        "Jumatatu mpaka Jumamosi, 8:30am hadi 6:30pm.",
    ),
    "duration": ("{Service} inachukua muda wa kama {hours}.", "Ni kama {hours} kwa {service}."),
    "duration_unknown": (
        "Inategemea huduma, kucha ni kama saa moja na kusuka saa nne hadi tano.",
        "Kuanzia nusu saa hadi saa tano, inategemea huduma.",
    ),
    "discount": (
        "Pole, hiyo ndiyo bei ya mwisho, lakini hutalipa kitu kingine.",
        "Ningependa kukupunguzia lakini bei ni moja kwa wote.",
    ),
    "services": (
        "Tunafanya nywele, kucha, facial, masaji na makeup.",
        "Kusuka, kuosha nywele, kucha, facial, masaji na makeup.",
    ),
    "feel_upset": ("Pole sana kwa hilo, haitatokea tena.", "Nasikitika kusikia hivyo, acha nikusaidie."),
    "feel_trust": (
        "Usijali, unaweza kulipa baada ya huduma, na hatuulizi PIN yako kamwe.",
        "Ni salama, si lazima ulipe sasa na PIN yako ni yako peke yako.",
    ),
    "feel_hurry": ("Sawa, nitafanya haraka.", "Haya, tunamaliza sasa hivi."),
    "feel_budget": ("Nakuelewa, hakuna malipo ya ziada.", "Naelewa, bei hiyo ndiyo ya mwisho."),
    "feel_unsure": ("Ni sawa, usiwe na haraka.", "Usijali, unaweza kubadilisha baadaye."),
    "off_topic": (
        "Samahani, hilo siwezi kusaidia, mimi huweka nafasi za salon tu.",
        "Hilo sijui, lakini naweza kukuwekea nafasi salon.",
    ),
    "pin_warning": (
        "Tafadhali usinitumie PIN yako. Iweke kwa simu yako tu M-Pesa ikiuliza.",
        "Usimpe mtu PIN yako, hata sisi, itumie kwa simu yako tu.",
    ),
    "unclear": ("Samahani, sijaelewa.", "Pole, sijakuelewa vizuri."),
    "all_set": ("Nafasi yako iko sawa: {service}, {day}, {time}.", "Ndiyo, umewekewa {service}, {day}, {time}."),
    "ack": ("Sawa.", "Haya.", "Vizuri.", "Sawa sawa."),
    "your_phone": ("namba yako",),
    "number_ending": ("namba yako inayoishia na {digits}",),
}

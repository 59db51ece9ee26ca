"""The eleventh voice's Swahili: short polite messages, plain everyday Swahili."""

from examples.booking_agent.wordings import Bank

SWAHILI: Bank = {
    "greet": (
        "Habari, hapa ni Salon Amani.",
        "Hujambo. Asante kwa kuandikia Salon Amani.",
        "Habari yako, hapa ni mapokezi ya Salon Amani.",
    ),
    "ask_service": (
        "Unahitaji kufanyiwa nini?",
        "Nikuandikie huduma gani?",
        "Unakuja kufanyiwa nini, tafadhali?",
    ),
    "ask_kind": (
        "Ni {options}. Niandike ipi?",
        "Kuna {options}. Umechagua ipi?",
        "Unamaanisha {options}?",
    ),
    "price": (
        "{Service} ni {price} kwa jumla.",
        "Hiyo ni {price} kwa {service}.",
        "Ukifanya {service} unalipa {price}.",
    ),
    "price_list": (
        "Kwa kukadiria: {options}.",
        "Kila huduma ina bei yake. Kuna {options}.",
    ),
    "ask_day": (
        "Unaweza kufika siku gani?",
        "Niangalie siku gani?",
        "Uko huru kuja lini?",
    ),
    "ask_time": (
        "{day} nina {slots}. Unataka ipi?",
        "Kwa {day} kuna {slots}. Nichukue saa ngapi?",
        "{day} naweza kukupa {slots}. Ipi ni nzuri kwako?",
    ),
    "ask_time_one": (
        "{day} iko wazi {slots} tu. Nikuchukulie?",
        "Kwa {day} ni {slots} peke yake. Ni sawa?",
    ),
    "suggest_time": (
        "Naweza kukupa {slots}, {day}. Ni sawa?",
        "{day}, {slots} iko wazi. Nikuandike hapo?",
    ),
    "taken": (
        "Samahani, {time} imeenda.",
        "{time} ina mtu, samahani.",
        "Hiyo {time} siwezi, ina mtu tayari.",
    ),
    "full": (
        "Samahani, {day} haina nafasi.",
        "Nimeangalia, {day} imejaa. Samahani.",
    ),
    "closed": (
        "Samahani, Jumapili hatuko.",
        "Siku ya Jumapili tunapumzika.",
    ),
    "not_then": (
        "Samahani, wakati huo hauna nafasi.",
        "Saa hizo zimejaa, samahani.",
    ),
    "ask_name": (
        "Jina niandike nani?",
        "Na jina lako, tafadhali?",
        "Nafasi ni ya nani, tafadhali?",
    ),
    "confirm": (
        "Tayari{vocative}: {service} siku ya {day}, {time}. Utalipa {price}.",
        "Sawa{vocative}, jina liko kwenye kitabu: {service}, {day}, {time}. Ni {price}.",
        "Imeandikwa{vocative}: {service}, {day}, {time}. Bei jumla {price}.",
    ),
    "ask_payment": (
        "Unataka kulipa kwa M-Pesa sasa, au ukija?",
        "Ni M-Pesa sasa au pesa taslimu ukifika?",
        "Nitume ombi la M-Pesa, au utalipia hapa siku hiyo?",
    ),
    "push": (
        "Ombi la M-Pesa la {price} nimelituma kwa {phone}. PIN iweke kwenye simu tu, usiiandike hapa. Niambie ukilipa.",
        "Ombi la M-Pesa la {price} linakuja kwa {phone}. Angalia kiasi, kisha weka PIN hapo. Niambie ikipita.",
        "Ombi la {price} limeenda kwa {phone}. Ukiliona kwenye simu, likubali. Kisha niambie, tafadhali.",
    ),
    "push_again": (
        "Sawa, nimetuma tena kwa {phone}. Angalia, tafadhali.",
        "Nimerudia kutuma kwa {phone}, samahani.",
    ),
    "push_failed": (
        "M-Pesa haipiti. Utalipa {price} hapa ukija.",
        "Samahani, M-Pesa ina shida sasa hivi. Lipa {price} hapa mapokezi.",
    ),
    "push_wait": (
        "Sijaona malipo bado. Niambie ukikubali ombi.",
        "Bado haijaingia. Chukua muda wako, uniandikie ukimaliza.",
    ),
    "paid": (
        "Nimepata {price}, asante. Namba ya meseji ya M-Pesa ni {receipt}.",
        "Imeingia: {price}, namba {receipt}. Asante.",
        "Asante, naona {price} kutoka kwako. Namba ya meseji ya M-Pesa ni {receipt}.",
    ),
    "at_salon": (
        "Sawa, utalipa {price} hapa ukija.",
        "Ni sawa. Uje na {price} siku hiyo, taslimu au M-Pesa.",
    ),
    "see_you": (
        "Basi ni {weekday}, {time}. Tuonane hapo.",
        "Tutaonana {weekday}, {time}. Siku njema.",
        "Ni hayo tu. Tuonane {weekday}, {time}, kwaheri.",
    ),
    "goodbye": (
        "Karibu{vocative}. Tuonane {weekday}, kwaheri.",
        "Sawa{vocative}, asante. Tutaonana {weekday}.",
        "Asante{vocative}, kwaheri. Hadi {weekday}.",
    ),
    "goodbye_open": (
        "Sawa, asante kwa kuuliza. Kwaheri.",
        "Karibu. Ukituhitaji tuandikie, kwaheri.",
        "Ni sawa. Kwaheri na siku njema.",
    ),
    "cancelled": (
        "Sawa, nimekutoa kwenye kitabu. Hakuna cha kulipa.",
        "Imefutwa. Hudaiwi kitu.",
    ),
    "cancelled_refund": (
        "Imefutwa. {price} yako itarudi kwa M-Pesa kesho.",
        "Sawa, nimekutoa kwenye kitabu. Tutarudisha {price} kwa M-Pesa ndani ya siku moja.",
    ),
    "door_open": (
        "Ukitaka siku nyingine niandikie. Kwaheri.",
        "Ukipenda kuja wakati mwingine, andika tu. Haya, kwaheri.",
    ),
    "moved": (
        "Sawa, acha nibadilishe.",
        "Ni sawa, imebadilishwa.",
        "Sawa, nimeweka hiyo mpya.",
    ),
    "robot": (
        "Ndiyo, mimi ni mfumo wa kompyuta. Naandika nafasi, watu ndio hufanya nywele.",
        "Ndiyo, hii ni roboti. Wanaokuhudumia salon ni watu.",
    ),
    "human": (
        "Sawa. Nitamwambia Njeri wa mapokezi, atakupigia.",
        "Ni sawa, Njeri atakupigia leo.",
    ),
    "place": (
        "Ni {place}. Kuegesha ni bure.",
        "Utatupata {place}. Maegesho hulipii.",
    ),
    "hours": (
        "Ni 8:30am hadi 6:30pm, Jumatatu mpaka Jumamosi.",
        "Tunafungua 8:30am, tunafunga 6:30pm. Jumapili hatuko.",
    ),
    "duration": (
        "{Service} ni kama {hours}.",
        "Panga {hours} kwa {service}.",
    ),
    "duration_unknown": (
        "Nyingine ni nusu saa, nyingine ni saa tano. Ni kulingana na huduma.",
        "Kucha ni karibu saa moja. Kusuka hufika saa tano.",
    ),
    "discount": (
        "Samahani, siwezi kupunguza bei. Pia hakuna cha kuongezwa.",
        "Kwa sasa punguzo hakuna, samahani. Bei unayoona ndiyo utalipa.",
    ),
    "services": (
        "Kuna nywele, kusuka, kucha, facial, masaji na makeup.",
        "Tunafanya nywele na kusuka, kucha, kope, facial, masaji, makeup.",
    ),
    "feel_upset": (
        "Samahani kwa hilo. Haikufaa kuwa hivyo.",
        "Pole, hilo halikuwa sawa. Acha nirekebishe.",
    ),
    "feel_trust": (
        "Nimekuelewa. Unaweza kulipa ukishahudumiwa, na sitakuomba PIN.",
        "Ni haki yako. Lipa hapa baada ya huduma ukipenda. PIN yako ni yako tu.",
    ),
    "feel_hurry": (
        "Sawa, nitakuwa mfupi.",
        "Sawa, ni dakika moja tu.",
    ),
    "feel_budget": (
        "Nimekusikia. Bei ninayokupa ndiyo unalipa.",
        "Sawa. Hakuna kinachoongezwa juu yake.",
    ),
    "feel_unsure": (
        "Ni sawa, fikiria.",
        "Haina neno. Unaweza kubadilisha baadaye.",
    ),
    "off_topic": (
        "Samahani, hilo silijui. Hapa ni kuandika nafasi tu.",
        "Hilo siwezi kujibu, samahani. Lakini naweza kukuandikia nafasi.",
    ),
    "pin_warning": (
        "Tafadhali PIN usinitumie. Inawekwa kwenye simu yako tu.",
        "Usiandike PIN kwenye meseji, tafadhali. Unaiweka tu kwenye ombi la M-Pesa.",
    ),
    "unclear": (
        "Samahani, sijafuata.",
        "Hiyo sijaipata, samahani.",
    ),
    "all_set": (
        "Umeandikwa {service}, {day}, {time}.",
        "Bado iko: {service}, {day}, {time}.",
    ),
    "ack": ("Sawa.", "Nimeandika, asante.", "Haya.", "Ni sawa."),
    "your_phone": ("namba unayotumia sasa",),
    "number_ending": ("namba yako inayoishia {digits}",),
}

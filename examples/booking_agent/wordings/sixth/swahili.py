"""The sixth voice's Swahili: what a young man at a barber and beauty shop in Nairobi writes, short and friendly."""

# ruff: noqa: E501 - wordings read better on one line

from examples.booking_agent.wordings import Bank

SWAHILI: Bank = {
    "greet": (
        "Habari, umefika Salon Amani, karibu!",
        "Karibu sana Salon Amani, nafurahi umetuandikia.",
        "Vipi, hapa ni Salon Amani. Karibu! 🙂",
    ),
    "ask_service": (
        "Tukufanyie nini?",
        "Unahitaji huduma gani?",
        "Niambie, unataka kufanyiwa nini?",
    ),
    "ask_kind": (
        "Kuna {options}. Utapenda ipi?",
        "Tuna {options}. Nikuwekee ipi?",
        "Unataka {options}?",
    ),
    "price": (
        "{Service} ni {price} hapa.",
        "Tunafanya {service} kwa {price}.",
        "Kwa {service} unalipa {price}.",
    ),
    "price_list": (
        "Bei zetu ziko hivi: {options}.",
        "Inategemea huduma unayotaka. Tuna {options}.",
    ),
    "ask_day": (
        "Ni siku gani ungetaka kuja?",
        "Una mpango wa kuja lini?",
        "Siku gani ni nzuri kwako?",
    ),
    "ask_time": (
        "{day} kuna {slots}. Unachagua saa ngapi?",
        "Nimeangalia {day}, kuna nafasi {slots}. Utaweza kufika saa ngapi?",
        "{day} ni sawa, niko na {slots}. Utachukua ipi kati ya hizo?",
    ),
    "ask_time_one": (
        "{day} imebaki nafasi moja, {slots}. Unaitaka?",
        "{day} niko na {slots} tu. Ni sawa kwako?",
    ),
    "suggest_time": (
        "{day} niko na {slots}. Utachukua hiyo?",
        "Je, {slots}, {day} ni sawa?",
    ),
    "taken": (
        "Pole, mtu ameshachukua {time}.",
        "Samahani, {time} tayari ina mtu.",
        "Pole, hiyo ya {time} imeenda.",
    ),
    "full": (
        "Pole, siku ya {day} imeshajaa.",
        "Samahani, {day} sina nafasi yoyote.",
    ),
    "closed": (
        "Pole, Jumapili huwa hatufungui.",
        "Jumapili ni siku yetu ya mapumziko, kwa hivyo sitaweza kukuwekea.",
    ),
    "not_then": (
        "Pole, saa hizo zote zimechukuliwa.",
        "Samahani, sina nafasi wakati huo.",
    ),
    "ask_name": (
        "Unaitwa nani?",
        "Nafasi hii ni ya nani?",
        "Naweza kujua jina lako?",
    ),
    "confirm": (
        "Umepata nafasi{vocative}! {Service}, {day}, {time}, na bei ni {price}.",
        "Vizuri{vocative}, nimekuwekea {service} {day}, {time}. Utalipa {price}.",
        "Imekamilika{vocative}, una nafasi ya {service} {day}, {time}. Ni {price}.",
    ),
    "ask_payment": (
        "Utalipa kwa M-Pesa sasa hivi au ukifika?",
        "Nikutumie ombi la M-Pesa sasa, au utalipa ukija?",
        "Ni M-Pesa sasa au pesa taslimu siku hiyo?",
    ),
    "push": (
        "Tayari nimetuma ombi la M-Pesa la {price} kwa {phone}. Andika PIN hapo kwenye simu, usinitumie mimi, uniambie ukimaliza.",
        "Ombi la M-Pesa la {price} liko kwenye {phone} sasa. Weka PIN kwenye simu pekee, na uniandikie malipo yakipita.",
        "Tafadhali angalia {phone}, kuna ombi la M-Pesa la {price}. Likubali kwenye simu kisha uniambie.",
    ),
    "push_again": (
        "Sawa, nimelituma mara nyingine, angalia {phone}.",
        "Pole kwa hilo, ombi lingine linakuja kwenye {phone}.",
    ),
    "push_failed": (
        "Leo M-Pesa haifanyi kazi vizuri, kwa hivyo lipa tu {price} ukija.",
        "Bado linakataa. Usijali, utalipa {price} hapa kwetu.",
    ),
    "push_wait": (
        "Hakuna kilichoingia bado. Niambie ukishalikubali kwenye simu.",
        "Kwangu bado linasubiri. Niandikie ukishaweka PIN kwenye simu yako.",
    ),
    "paid": (
        "Nimeona {price} yako, asante! Risiti yako iko hapa, {receipt}.",
        "Asante, {price} imeingia. Risiti yako ni hii: {receipt}.",
        "Malipo yako ya {price} yamepita, nambari ya risiti ni {receipt}. Asante!",
    ),
    "at_salon": (
        "Poa, utalipa {price} ukiwa hapa.",
        "Ni sawa, lipa {price} tukimaliza kazi.",
    ),
    "see_you": (
        "Tuonane {weekday}, {time}, siku njema!",
        "Asante, tutakuwa tayari kukupokea {weekday}, {time}.",
        "Haya, tutaonana {weekday}, {time} 🙂",
    ),
    "goodbye": (
        "Karibu{vocative}! Basi tuonane {weekday}, kwaheri.",
        "Wakati wowote{vocative}, tutaonana {weekday}. Siku njema!",
        "Poa{vocative}, asante kwa kuweka nafasi kwetu. Kwaheri, hadi {weekday}!",
    ),
    "goodbye_open": (
        "Asante kwa kutuandikia, siku njema. Kwaheri!",
        "Hakuna shida, tuandikie ukiwa tayari. Siku njema!",
        "Haya, tuko hapa ukituhitaji. Kwaheri!",
    ),
    "cancelled": (
        "Hakuna shida, nimeifuta na hatukudai chochote.",
        "Imefutwa, na hakuna malipo yoyote.",
    ),
    "cancelled_refund": (
        "Imefutwa, na utarudishiwa {price} kwa M-Pesa ndani ya siku moja.",
        "Nimeifuta na {price} yako inarudishwa. Itafika kwenye M-Pesa yako kufikia kesho.",
    ),
    "door_open": (
        "Niandikie siku yoyote ukitaka kuja. Kwaheri!",
        "Tutafurahi kukupokea siku nyingine. Siku njema!",
    ),
    "moved": (
        "Hakuna shida, nimeihamisha.",
        "Sawa, nimekubadilishia hiyo.",
        "Haya, imebadilishwa.",
    ),
    "robot": (
        "Ndiyo, mimi ni msaidizi wa mtandaoni wa Salon Amani, si mtu. Wanaofanya kazi hapa ni watu kabisa 🙂",
        "Mimi ni roboti ya kuandika nafasi tu, lakini vinyozi na wasusi wetu ni watu.",
    ),
    "human": (
        "Sawa, nitamwambia Njeri wa mapokezi akupigie sasa hivi.",
        "Haya, Njeri atakupigia baada ya dakika chache.",
    ),
    "place": (
        "Tuko {place}. Unaweza kuegesha gari ndani bila malipo.",
        "Utaona salon yetu {place}, na maegesho ni ya bure.",
    ),
    "hours": (
        "Jumatatu hadi Jumamosi huwa tunafungua 8:30am, tunafunga 6:30pm.",
        "Tuko kazini Jumatatu hadi Jumamosi, kutoka 8:30am hadi 6:30pm.",
    ),
    "duration": (
        "Tunahitaji kama {hours} kwa {service}.",
        "{Service} inaweza kuchukua {hours} hivi.",
    ),
    "duration_unknown": (
        "Inaweza kuwa nusu saa au saa tano, inategemea huduma.",
        "Kucha zinahitaji saa moja hivi, kusuka saa nne au tano.",
    ),
    "discount": (
        "Pole, sasa hivi hatuna punguzo. Lakini hutatozwa kitu kingine.",
        "Bei haishuki, pole, lakini ina kila kitu ndani.",
    ),
    "services": (
        "Tunafanya nywele, kunyoa, kucha, facial, masaji na makeup.",
        "Unaweza kusukwa, kunyolewa, kufanyiwa kucha, kope, facial na masaji hapa.",
    ),
    "feel_upset": (
        "Pole kwa yaliyotokea. Nitahakikisha unahudumiwa vizuri.",
        "Hiyo si sawa, pole sana.",
    ),
    "feel_trust": (
        "Nakuelewa. Unaweza kulipa baada ya kazi, na hatutakuuliza PIN hata siku moja.",
        "Ni kweli, huhitaji kulipa kabla ya kufika. PIN yako kaa nayo mwenyewe.",
    ),
    "feel_hurry": (
        "Sawa, tufanye upesi.",
        "Nimekuelewa, sitakuchelewesha.",
    ),
    "feel_budget": (
        "Nakuelewa, utalipa hiyo bei tu.",
        "Usijali, hakuna gharama zilizofichwa.",
    ),
    "feel_unsure": (
        "Ni sawa, hakuna haraka.",
        "Usijali, unaweza kubadilisha mawazo wakati wowote.",
    ),
    "off_topic": (
        "Hilo sijui kwa kweli. Mimi huandika nafasi tu hapa.",
        "Pole, naweza kukusaidia kuweka nafasi tu.",
    ),
    "pin_warning": (
        "Usimtumie mtu yeyote PIN yako, hata mimi. Iandike kwenye simu M-Pesa ikiuliza.",
        "Tafadhali weka PIN yako siri, mimi siihitaji. Ni ya simu yako tu.",
    ),
    "unclear": (
        "Samahani, sijaelewa hapo.",
        "Pole, hiyo sijaipata.",
    ),
    "all_set": (
        "Nafasi yako iko pale pale: {service}, {day}, {time}.",
        "Kila kitu ni sawa, {service} {day}, {time}.",
    ),
    "ack": ("Sawa.", "Poa.", "Vizuri.", "Sawa basi."),
    "your_phone": ("laini yako",),
    "number_ending": ("laini inayoishia na {digits}",),
}

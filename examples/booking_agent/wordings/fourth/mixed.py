"""The fourth voice's mix of Swahili, English and a little Sheng, as Nairobi texts."""

from examples.booking_agent.wordings import Bank

MIXED: Bank = {
    "greet": (
        "Hi, karibu sana hapa Salon Amani 😊",
        "Niaje, umefika Salon Amani, karibu!",
        "Hey, thanks kwa kutuandikia hapa Salon Amani!",
    ),
    "ask_service": (
        "Ungependa tukufanyie service gani?",
        "Unataka kubook nini?",
        "Ni hair, nails ama kitu ingine unataka?",
    ),
    "ask_kind": (
        "Kwa hiyo tuko na {options}. Nikubookie gani?",
        "Kuna {options}. Wewe ungependa which one?",
        "Unafikiria {options}?",
    ),
    "price": (
        "{Service} inaenda kwa {price}.",
        "Tunacharge {price} kwa {service}.",
        "Cost ya {service} ni {price}.",
    ),
    "price_list": (
        "Some ya prices zetu ni {options}.",
        "Inadepend na service, for instance {options}.",
    ),
    "ask_day": (
        "Ungependa kukuja siku gani?",
        "Which day itakuwa convenient kwako?",
        "Tukuexpect lini?",
    ),
    "ask_time": (
        "{day} tuko free {slots}. Ungependa time gani?",
        "Bado tuko na {slots} on {day}. Which time inakuwork best?",
        "{day} kuna nafasi za {slots}. Nikuwekee saa ngapi?",
    ),
    "ask_time_one": (
        "{day} imebaki {slots} tu. Nikubookie hiyo?",
        "Slot imebaki {day} ni {slots} pekee. Iko sawa na wewe?",
    ),
    "suggest_time": (
        "{slots} on {day} itakuwa sawa kwako?",
        "Kuna slot {slots}, {day}. Niibook?",
    ),
    "taken": (
        "Sorry, {time} tuko na mtu already.",
        "Pole, {time} imebookiwa saa hii tu.",
        "{time} haiko available, sorry.",
    ),
    "full": (
        "Sorry, hatuna slot yoyote {day}.",
        "{day} imejaa already, pole.",
    ),
    "closed": (
        "Sunday huwa hatufanyi kazi, pole.",
        "Salon huwa closed on Sundays.",
    ),
    "not_then": (
        "Sorry, slots zote za hiyo time zimebookiwa.",
        "Pole, hatuna kitu free around hiyo time.",
    ),
    "ask_name": (
        "Jina lako ni nani, please?",
        "Niweke booking kwa jina gani?",
        "Unaitwaje, please?",
    ),
    "confirm": (
        "Thank you{vocative}, nimekubookia {service} on {day} at {time}. Total yote ni {price}.",
        "Uko booked{vocative}: {service} {day} at {time}, kwa {price}.",
        "Appointment yako iko set{vocative}. {Service}, {day} at {time}, {price}.",
    ),
    "ask_payment": (
        "Ungependa kulipa na M-Pesa now ama ukifika salon?",
        "Utalipa via M-Pesa saa hii ama siku hiyo?",
        "Payment utafanya aje, M-Pesa sasa ama cash hapa salon?",
    ),
    "push": (
        "Nimekutumia M-Pesa prompt ya {price} kwa {phone}. Lipa tu ukiiona kwa screen, then uniambie ukimaliza.",
        "Utapata prompt ya M-Pesa ya {price} kwa {phone}. Confirm hapo na PIN yako, usiitume hapa, then nitext.",
        "M-Pesa prompt ya {price} imetumwa kwa {phone}. Ikishow up, lipa from simu yako then unijulishe.",
    ),
    "push_again": (
        "Sorry kwa hiyo, nimetuma prompt tena kwa {phone}.",
        "Nimekutumia prompt ingine, please angalia simu.",
    ),
    "push_failed": (
        "M-Pesa inaonekana iko down saa hii. Unaweza lipa {price} ukifika.",
        "Leo M-Pesa haifanyi, so utalipa {price} tu hapa salon.",
    ),
    "push_wait": (
        "Payment bado haijareflect. Niambie ukishaconfirm prompt kwa simu.",
        "No hurry, nangoja. Nijulishe tu ukiaccept prompt.",
    ),
    "paid": (
        "Tumereceive {price}, thank you. M-Pesa code yako ni {receipt}.",
        "Asante, {price} yako imefika. Receipt number yako ni {receipt}.",
        "Nimeona payment yako ya {price}, receipt {receipt}. Asante sana!",
    ),
    "at_salon": (
        "Sawa, unaweza lipa {price} ukikuja salon.",
        "No worries, utalipa {price} siku hiyo.",
    ),
    "see_you": (
        "Tuonane {weekday} at {time}, uwe na siku poa!",
        "Tutakuexpect {weekday} at {time}. Asante!",
        "Thanks kwa kubook na sisi, see you {weekday} at {time}!",
    ),
    "goodbye": (
        "Thank you pia{vocative}, see you {weekday}!",
        "Karibu{vocative}. Bye, tuonane {weekday} 😊",
        "Asante sana{vocative}. Have a great day na tuonane {weekday}!",
    ),
    "goodbye_open": (
        "Thank you kwa kureach out. Uwe na siku poa!",
        "Karibu sana, bye na siku njema!",
        "Sawa, karibu any time. Bye!",
    ),
    "cancelled": (
        "Nimecancel appointment yako na hakuna charge.",
        "Okay, booking yako imecanceliwa. Hautalipa kitu.",
    ),
    "cancelled_refund": (
        "Booking yako imecanceliwa, na tutakurefund {price} kwa M-Pesa by kesho.",
        "Okay, nimecancel hiyo booking. Pesa yako {price} itarudi kwa M-Pesa within 24 hours.",
    ),
    "door_open": (
        "Unaweza book tena ukiwa free. Have a nice day!",
        "Tutext any other time. Bye!",
    ),
    "moved": (
        "Okay, nimekubadilishia hiyo.",
        "No problem, nimeupdate booking yako.",
        "Sawa, tunaweza ibadilisha.",
    ),
    "robot": (
        "Yes, mimi ni booking assistant wa salon, ni automated. Stylists wetu ni watu though 😊",
        "Unaongea na virtual assistant, lakini team ya salon ni watu.",
    ),
    "human": (
        "Sure, nitaambia Njeri wa reception akupigie.",
        "Okay, Njeri wa reception atakupigia simu shortly.",
    ),
    "place": (
        "Tuko located {place}, na parking ni bure.",
        "Salon yetu iko {place}. Unaweza park nyuma for free.",
    ),
    "hours": (
        "Tunafungua 8:30am hadi 6:30pm, Monday to Saturday.",
        "Unaweza kuja Monday hadi Saturday, between 8:30am na 6:30pm.",
    ),
    "duration": (
        "{Service} inachukua roughly {hours}.",
        "{Service} itachukua kama {hours} hivi.",
    ),
    "duration_unknown": (
        "Inadepend na service, kutoka half an hour hadi five hours.",
        "Nails ni kama one hour, braids zinaweza fika five hours.",
    ),
    "discount": (
        "Sorry, saa hii hatuna discounts, but hakuna extra charges.",
        "Sadly price ni fixed, but hiyo tu ndio utalipa.",
    ),
    "services": (
        "Tunafanya braids, blow-dry, nails, facials, massage na makeup.",
        "Services zetu ni hair, nails, facials, massage na makeup.",
    ),
    "feel_upset": (
        "Pole sana kwa venye ilienda. Tutahakikisha inaenda vizuri.",
        "Naelewa umekasirika, na tuko sorry. Wacha nisolve hii.",
    ),
    "feel_trust": (
        "Nakuelewa. Unaweza lipa after service na hatutawahi kuuliza PIN yako.",
        "Ni poa kuwa careful. Haulipi kitu mpaka ufike, na PIN yako usishare na mtu.",
    ),
    "feel_hurry": (
        "Okay, tufanye haraka.",
        "Najua uko na haraka, so nitakuwa quick.",
    ),
    "feel_budget": (
        "Naelewa, hakuna hidden charges.",
        "Usijali, utalipa tu price nitakuambia, hakuna ingine.",
    ),
    "feel_unsure": (
        "Ni sawa, chukua time yako kudecide.",
        "Hakuna shida, unaweza change later ukitaka.",
    ),
    "off_topic": (
        "Sorry, hiyo siwezi kukusaidia, nahandle bookings za salon tu.",
        "Siko sure na hiyo. Naweza kusaidia na booking ya salon though.",
    ),
    "pin_warning": (
        "Please usitumie mtu PIN yako, hata sisi. Iweke kwa simu yako pekee.",
        "Kwa safety yako, usiandike PIN hapa. Ni ya M-Pesa prompt kwa simu yako tu.",
    ),
    "unclear": (
        "Sorry, sijaelewa hiyo.",
        "Pole, siko sure unamean nini.",
    ),
    "all_set": (
        "Appointment yako bado iko: {service}, {day} at {time}.",
        "Tumekubook {service} on {day} at {time}.",
    ),
    "ack": ("Sawa, thank you.", "Sawa basi.", "Poa sana.", "Okay, asante."),
    "your_phone": ("number yako ya simu",),
    "number_ending": ("number yako inaishia na {digits}",),
}

"""The agent's mix of Swahili and English, as half of Nairobi texts."""

from examples.booking_agent.wordings import Bank

MIXED: Bank = {
    "greet": (
        "Hey, karibu Salon Amani!",
        "Hello, karibu sana Salon Amani!",
        "Niko poa, asante! Welcome to Salon Amani.",
        "Hi, karibu kwetu, glad umetu-text!",
    ),
    "ask_service": (
        "Ungependa service gani?",
        "Unataka kufanyiwa nini, hair, nails ama something else?",
        "Which service ungependa?",
        "Niambie, unakuja for what service?",
    ),
    "ask_kind": (
        "Tuna {options}. Which one ungependa?",
        "Kuna {options}. Unaprefer gani?",
        "Options ni {options}. Nikuwekee which one?",
    ),
    "price": (
        "{Service} ni {price} only.",
        "Price ya {service} ni {price}.",
        "{Service} tunacharge {price}.",
        "For {service} ni {price} tu.",
    ),
    "price_list": (
        "Prices ni kama hivi: {options}.",
        "Kwa mfano, {options}, and so on.",
        "Rough idea ya prices: {options}.",
    ),
    "ask_day": (
        "Ungependa kuja which day?",
        "Which day inakufaa?",
        "Unaplan kuja siku gani this week?",
        "Nikubookie which day?",
    ),
    "ask_time": (
        "{day} niko na {slots} free. Which time inakufaa?",
        "{day} kuna space {slots}. What time ungependa?",
        "Slots za {day} ni {slots}. Unaprefer time gani?",
        "{day} iko sawa, {slots} ziko open. Uje what time?",
    ),
    "ask_time_one": (
        "{day} imebaki slot moja tu, {slots}. Inakufaa, ama which other day?",
        "{day} only {slots} imebaki. Nikubookie hiyo slot?",
    ),
    "suggest_time": (
        "Vipi {slots} on {day}, nikubookie hiyo?",
        "Naweza kukupea {slots} {day}. Itakufaa?",
    ),
    "taken": (
        "Pole, {time} imeshabookiwa na someone else.",
        "Aki sorry, {time} imechukuliwa already.",
        "{time} imeenda, pole for that.",
    ),
    "full": (
        "Pole sana, {day} tuko fully booked.",
        "Sorry, {day} hakuna slot imebaki.",
    ),
    "closed": (
        "Sunday huwa tumefunga, pole for that.",
        "Sorry, Sundays tunapumzika.",
    ),
    "not_then": (
        "Sorry, hiyo time hatuna slot.",
        "Pole, that part of the day imejaa.",
    ),
    "ask_name": (
        "Sawa, nibook kwa jina gani please?",
        "Poa. Your name ni nani?",
        "Great, nikuandike under which name?",
        "Sawa sawa, naomba your name tafadhali, unaitwa nani?",
    ),
    "confirm": (
        "Done{vocative}, nimekubookia {service} {day} at {time}, {price}.",
        "Uko set{vocative}: {service} {day} at {time}, na price ni {price}.",
        "Sawa{vocative}, booking yako iko: {service}, {day} at {time}. Total ni {price}.",
    ),
    "ask_payment": (
        "Nikutumie M-Pesa prompt sasa, ama utalipa at the salon?",
        "Unataka kulipa now na M-Pesa, ama cash ukifika?",
        "Utalipa how, M-Pesa sasa ama ukikuja salon?",
    ),
    "push": (
        "Nimetuma M-Pesa prompt ya {price} kwa {phone}. Weka PIN kwa simu yako, not here, then uniambie.",
        "Check {phone}, kuna prompt ya {price}. PIN iweke huko kwa simu pekee, then let me know.",
        "Prompt ya {price} iko kwa {phone}. Ukishaweka PIN on your phone, niambie tu.",
    ),
    "push_again": (
        "No worries, nimetuma tena. Check simu yako sasa.",
        "Pole for that, nimetuma another prompt kwa {phone}.",
    ),
    "push_failed": (
        "M-Pesa inasumbua today, so utalipa {price} ukifika.",
        "Wacha tu, utalipa hiyo {price} at the salon.",
    ),
    "push_wait": (
        "Prompt iko kwa simu yako, ukishaweka PIN hapo let me know.",
        "Bado nangoja M-Pesa on my side, niambie ukiapprove.",
    ),
    "paid": (
        "Asante, {price} imefika. M-Pesa receipt yako ni {receipt}.",
        "Payment imeingia, thank you sana! Receipt ni {receipt} ya {price}.",
        "Nimeona {price}, thanks! Receipt number ni {receipt}.",
    ),
    "at_salon": (
        "No problem, utalipa {price} ukifika.",
        "Ni sawa, hiyo {price} utalipa at the salon.",
    ),
    "see_you": (
        "See you {weekday} at {time}, karibu!",
        "Tuonane {weekday} at {time}, have a nice day!",
        "Tunakungoja {weekday} at {time}, see you!",
    ),
    "goodbye": (
        "Karibu sana{vocative}. See you {weekday}, siku njema!",
        "Welcome sana{vocative}! Tuonane {weekday}, bye!",
        "Asante pia{vocative}. Have a nice day, tuonane {weekday}!",
    ),
    "goodbye_open": (
        "Asante for reaching out. Siku njema, bye!",
        "Karibu any time. Kwaheri, take care!",
        "No problem, tuko hapa ukituneed. Have a nice day!",
    ),
    "cancelled": (
        "Sawa, nimecancel booking yako na hakuna kitu ya kulipa.",
        "No problem, nimecancel, huna deni with us.",
    ),
    "cancelled_refund": (
        "Sawa, nimecancel, na {price} yako itarudi kwa M-Pesa within a day.",
        "Nimecancel booking; tutakurudishia {price} kwa M-Pesa by kesho.",
    ),
    "door_open": (
        "Ukitaka slot ingine just text me. Siku njema!",
        "Karibu tena any time. Take care!",
    ),
    "moved": (
        "Sawa, nimechange for you.",
        "No problem, tubadilishe.",
        "Sure, nimekubadilishia.",
    ),
    "robot": (
        "Yes, mimi ni assistant ya computer ya salon, lakini stylists wetu ni watu real.",
        "Ndio, mimi ni automated assistant wa Salon Amani; nywele zinafanywa na real people!",
    ),
    "human": (
        "Nitaambia Njeri wa reception akupigie shortly.",
        "Sure, Njeri wa reception ata-call baada ya few minutes.",
    ),
    "place": (
        "Tuko {place}, na parking iko free huko nyuma.",
        "Utatupata {place}, parking iko for customers.",
    ),
    "hours": (
        "Tuko open Monday to Saturday, 8:30am mpaka 6:30pm.",
        "Tunafungua 8:30am, tunafunga 6:30pm, Monday to Saturday.",
    ),
    "duration": (
        "{Service} inachukua about {hours}.",
        "Plan kama {hours} for {service}.",
    ),
    "duration_unknown": (
        "Inadepend na service, half an hour mpaka five hours hivi.",
        "Nails ni kama one hour, braids ni masaa four to five.",
    ),
    "discount": (
        "Nakuskia, but prices zetu ni fixed, na hakuna extra charges siku ukikuja.",
        "Sorry, hatuna discount for now, lakini hakuna hidden charges pia.",
    ),
    "services": (
        "Tunafanya braids, wash na blow-dry, nails, facials, massage na makeup.",
        "Hair, nails, facials, massage na makeup, zote tunafanya here.",
    ),
    "feel_upset": (
        "Pole sana for that, this time tutahakikisha kila kitu iko sawa.",
        "Aki sorry kwa hiyo experience, nitai-handle mwenyewe.",
    ),
    "feel_trust": (
        "Naelewa hiyo worry: unaweza kulipa at the salon after service, na hakuna mtu ataask PIN yako.",
        "Ni poa kuwa careful; si lazima ulipe before ukuje, na PIN yako inabaki na wewe.",
    ),
    "feel_hurry": (
        "Sawa, tutafanya it quick.",
        "No problem, ni one minute tu.",
    ),
    "feel_budget": (
        "Nakuskia, na price nakupea ndio utalipa, no extras.",
        "I understand; hakuna kitu ingine juu ya hiyo price.",
    ),
    "feel_unsure": (
        "No pressure, chukua time yako.",
        "Ni sawa, tunaweza change baadaye.",
    ),
    "off_topic": (
        "Hiyo siwezi help, mimi nadeal na bookings za salon only.",
        "Pole, hapo sina idea, kazi yangu ni bookings tu.",
        "Ha, I wish ningejua! Mimi ni wa bookings tu.",
    ),
    "pin_warning": (
        "Please usishare PIN yako na mtu yeyote, even me; iweke kwa prompt pekee.",
        "Careful, PIN ni siri yako. Iandike on your phone tu.",
    ),
    "unclear": (
        "Sorry, hapo sijakuget vizuri.",
        "Pole, I didn't get hiyo.",
        "Hebu nieleze tena please.",
    ),
    "all_set": (
        "Kila kitu iko sawa: {service}, {day} at {time}.",
        "Booking yako bado iko: {service}, {day} at {time}.",
    ),
    "ack": ("Sawa.", "Poa.", "Great, sawa.", "Okay, sawa."),
    "your_phone": ("simu yako",),
    "number_ending": ("number inaishia {digits}",),
}

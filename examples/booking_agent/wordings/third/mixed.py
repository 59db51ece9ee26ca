"""The third voice's mix of Swahili and English: plain chat as most receptionists type it."""

from examples.booking_agent.wordings import Bank

MIXED: Bank = {
    "greet": ("Hi dear, karibu Salon Amani.", "Sasa! Hii ni Salon Amani, welcome.", "Mambo, welcome to Salon Amani!"),
    "ask_service": ("Unataka service gani?", "Nikusaidie na nini today?", "Tukufanyie nini leo, dear?"),
    "ask_kind": ("Tuko na {options}. Unataka gani?", "Tunado {options}. Utachukua which one?"),
    "price": ("{Service} ni {price} kwetu.", "Hiyo {service} itakucost {price}.", "{Service} tunafanya at {price}."),
    "price_list": ("Prices zetu: {options}.", "For example, {options}."),
    "ask_day": ("Unataka kuja lini?", "Ni day gani iko sawa na wewe?", "Utakuja which day?"),
    "ask_time": (
        "{day} tuko na {slots}. Unataka time gani?",
        "{day} unaweza kuja at {slots}. Which one nikubookie?",
        "Niko na {slots}, {day}. Utacome saa ngapi?",
    ),
    "ask_time_one": ("{day} niko na {slots} pekee. Uko sawa na hiyo?", "{day} tumebaki na {slots}. Utamake?"),
    "suggest_time": ("Nikubook {slots}, {day}, iko sawa?", "What about {slots}, {day}, utaweza?"),
    "taken": ("Sorry dear, {time} imebookiwa.", "Pole, {time} kuna mtu already."),
    "full": ("Sorry, {day} tumejaa.", "Pole dear, {day} iko full."),
    "closed": ("Sorry, Sunday hatufungui.", "Sunday ni off day yetu, pole."),
    "not_then": ("Sorry, that time tumejaa.", "Pole, hiyo time iko full."),
    "ask_name": ("Jina please?", "Okay, unaitwa nani?", "Naeza get jina yako?"),
    "confirm": (
        "Booking imeconfirm{vocative}: {service}, {day} at {time}. Price ni {price}.",
        "Okay{vocative}, nimekubook {service}, {day} at {time}. Utalipa {price}.",
        "Iko sawa{vocative}, {service} {day} at {time}, {price}.",
    ),
    "ask_payment": ("Utalipa na M-Pesa sasa ama ukikuja?", "Unalipa now na M-Pesa, ama after service?"),
    "push": (
        "Nimesend M-Pesa request ya {price} kwa {phone}. Weka PIN kwa simu then niambie ukilipa.",
        "Utaona message ya M-Pesa ya {price} kwa {phone}. Weka PIN hapo, usinitumie, alafu confirm hapa.",
    ),
    "push_again": ("Pole, nimeresend. Please check {phone}.", "Okay, natuma tena now, check."),
    "push_failed": (
        "Ni sawa, M-Pesa iko na shida, utalipa {price} hapa salon.",
        "Network iko down, please lipa {price} ukikuja.",
    ),
    "push_wait": (
        "Sijaona payment bado, check simu yako uniambie ikienda.",
        "Bado iko pending, let me know ukiweka PIN kwa simu.",
    ),
    "paid": (
        "Thank you, nimepata {price}. Receipt ni {receipt}.",
        "Payment imefika, {price}. Receipt yako ni {receipt}, asante!",
    ),
    "at_salon": ("Okay, utalipa {price} hapa.", "Haina shida, lipa {price} tukimaliza."),
    "see_you": (
        "Asante, see you {weekday} at {time}.",
        "Karibu {weekday} at {time}, siku njema!",
        "Have a good day, tutaonana {weekday} at {time}.",
    ),
    "goodbye": (
        "Thank you{vocative}, tuonane {weekday}. Bye!",
        "Karibu{vocative}, have a nice day na see you {weekday}!",
        "Sawa{vocative}, bye, tuonane {weekday}!",
    ),
    "goodbye_open": ("Okay, asante na have a nice day. Bye!", "Karibu tena, bye!", "Thanks kwa text, siku njema!"),
    "cancelled": ("Okay, nimecancel. Hulipi anything.", "Imecancel, hakuna charges."),
    "cancelled_refund": (
        "Okay, nimecancel. Tutakusendia {price} yako na M-Pesa by tomorrow.",
        "Booking imecancel, utapata {price} kwa M-Pesa within one day.",
    ),
    "door_open": ("Karibu another time. Bye!", "Ukiwa ready tutext, have a nice day!"),
    "moved": ("Okay, nimechange.", "No worries, tunaweza change.", "Iko sawa, wacha niupdate."),
    "robot": (
        "Yes, mimi ni chat assistant wa salon, si mtu. Wasichana wa salon ni real though!",
        "Unachat na virtual assistant ya salon.",
    ),
    "human": ("Okay, wacha nimwambie Njeri akupigie.", "Njeri wa reception atakucall saa hii."),
    "place": ("Tuko hapa {place}. Parking ni free.", "Salon iko {place}, unaweza park nyuma."),
    "hours": ("Tunaopen 8:30am na tunaclose 6:30pm, Monday to Saturday.", "Monday mpaka Saturday, 8:30am to 6:30pm."),
    "duration": ("{Service} huchukua around {hours}.", "Ni kama {hours} kwa {service}."),
    "duration_unknown": (
        "Depends na service, nails ni like one hour, braids four to five hours.",
        "Kutoka thirty minutes mpaka five hours, depends na service.",
    ),
    "discount": (
        "Pole dear, hiyo ndio last price, but hutalipa kitu extra.",
        "I wish ningeweza, but prices ni same kwa kila mtu.",
    ),
    "services": (
        "Tunado hair, nails, facials, massage na makeup.",
        "Braids, cornrows, blow-dry, nails, facials, massage na makeup.",
    ),
    "feel_upset": ("Pole sana, haitahappen tena.", "Sorry to hear that, wacha nikusaidie."),
    "feel_trust": (
        "Don't worry, unaweza lipa after service, na hatuwezi ask PIN yako.",
        "Iko safe, si lazima ulipe now na PIN yako usipee mtu.",
    ),
    "feel_hurry": ("Okay, wacha nifanye haraka.", "Sure, tunamaliza in a minute."),
    "feel_budget": ("Nakuget, hakuna extra charges.", "Naelewa, hiyo price ni final."),
    "feel_unsure": ("Ni sawa, no rush.", "Usijali, unaweza change mind later."),
    "off_topic": ("Sorry, hiyo siwezi kusaidia, nafanya bookings tu.", "Hiyo sijui, but naweza kukubookia salon."),
    "pin_warning": (
        "Please usinitumie PIN. Weka kwa simu yako M-Pesa ikiask.",
        "Never share PIN yako, even na sisi, tumia kwa simu yako tu.",
    ),
    "unclear": ("Sorry, sijaelewa.", "Pole dear, sijakuget."),
    "all_set": ("Booking yako iko okay: {service}, {day} at {time}.", "Yes, uko booked: {service}, {day} at {time}."),
    "ack": ("Sawa.", "Okay.", "Poa.", "Alright, sawa."),
    "your_phone": ("line yako",),
    "number_ending": ("number yako ya {digits}",),
}

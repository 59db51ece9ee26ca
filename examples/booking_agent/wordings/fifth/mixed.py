"""The fifth voice's mix of Swahili, English and Sheng, as a receptionist and her customers text in Nairobi."""

from examples.booking_agent.wordings import Bank

MIXED: Bank = {
    "greet": (
        "Hi, karibu Salon Amani, niko hapa kukusaidia 😊",
        "Sasa, hapa ni Salon Amani, karibu sana!",
        "Hey, thanks kwa kututext, karibu Salon Amani.",
    ),
    "ask_service": (
        "Nikubookie service gani?",
        "Unataka kufanya nini, hair ama nails?",
        "Ni service gani uko interested?",
    ),
    "ask_kind": (
        "Tunafanya {options}. Unataka gani?",
        "Uko na choice ya {options}. Utachukua gani?",
        "Ungependa {options}?",
    ),
    "price": (
        "Price ya {service} ni {price} kwetu.",
        "{Service} hapa kwetu ni {price}.",
        "Utalipa {price} kwa {service}.",
    ),
    "price_list": (
        "Hizi ni some of our prices: {options}.",
        "Price inategemea unafanya nini, for example {options}.",
    ),
    "ask_day": (
        "Unataka kukuja lini?",
        "Uko free siku gani?",
        "Nikuwekee day gani?",
    ),
    "ask_time": (
        "{day} tuko na slots za {slots}. Gani iko poa kwako?",
        "Unaweza kuja {day} at {slots}. What time inakufaa?",
        "{day} iko sawa, slots ziko {slots}. Nikubookie saa ngapi?",
    ),
    "ask_time_one": (
        "{day} kuna slot moja tu, {slots}. Nikuwekee hiyo slot?",
        "Last slot ya {day} ni {slots}. Utaichukua?",
    ),
    "suggest_time": (
        "Nikubookie {slots} on {day}?",
        "{slots} {day} iko open. Inakufaa?",
    ),
    "taken": (
        "Pole, {time} imeenda already.",
        "Sorry, {time} kuna client mwingine.",
        "Hiyo ya {time} imechukuliwa, pole.",
    ),
    "full": (
        "Pole, {day} tuko fully booked.",
        "Sorry, {day} slots zote zimeisha.",
    ),
    "closed": (
        "Sorry, hatufungui on Sundays.",
        "Sundays tunafunga ndio watu wa salon warest.",
    ),
    "not_then": (
        "Sorry, hiyo time imejaa yote.",
        "Pole, hakuna slot iko free hiyo time.",
    ),
    "ask_name": (
        "Naomba jina yako, please?",
        "Nikubook na jina gani?",
        "Na wewe unaitwa nani?",
    ),
    "confirm": (
        "Sawa{vocative}, umeshabookiwa {service} {day} at {time}. Price yake ni {price}.",
        "Done{vocative}! {Service} {day} at {time}, na utalipa {price}.",
        "Booking yako iko confirmed{vocative}: {service} on {day} at {time}, {price}.",
    ),
    "ask_payment": (
        "Unataka kulipa na M-Pesa saa hii ama ukikuja salon?",
        "Utalipa na M-Pesa now ama utalipia hapa salon?",
        "Ungependa kulipa aje, M-Pesa saa hii ama on the day?",
    ),
    "push": (
        "Nimekutumia M-Pesa request ya {price} kwa {phone}. Weka PIN yako kwa simu tu, then uniambie ikiingia.",
        "Cheki M-Pesa prompt ya {price} kwa {phone}. PIN weka hapo kwa simu, usinitumie, alafu nishow ukimaliza.",
        "Utaona prompt ya {price} kwa {phone} saa hii. Iapprove ukiwa ready then uniambie.",
    ),
    "push_again": (
        "Nimeresend prompt kwa {phone}, please cheki.",
        "Hakuna shida, nakutumia M-Pesa prompt ingine saa hii.",
    ),
    "push_failed": (
        "M-Pesa iko na issues saa hii, so utalipa tu {price} ukikuja.",
        "Prompt ya M-Pesa haipiti leo. Unaweza kulipa {price} hapa salon.",
    ),
    "push_wait": (
        "Bado sijaona payment. Niambie ukishaapprove kwa simu, hakuna haraka.",
        "Take your time, nishow tu ukimaliza kuapprove kwa simu.",
    ),
    "paid": (
        "Nimepata {price} yako, thank you. Receipt yako ni {receipt}.",
        "Payment ya {price} imeingia, asante sana. M-Pesa receipt ni {receipt}.",
        "Asante, tumepokea {price}. Receipt number ya M-Pesa ni {receipt}.",
    ),
    "at_salon": (
        "Sawa, utalipa {price} ukifika salon.",
        "Hakuna shida, unaweza kulipa {price} after service.",
    ),
    "see_you": (
        "Asante, tuonane {weekday} at {time} 😊",
        "Tunakungoja {weekday} at {time}. Have a good day!",
        "Karibu sana {weekday} at {time}, tutakuhudumia poa!",
    ),
    "goodbye": (
        "Karibu sana{vocative}, see you {weekday}!",
        "Asante{vocative}. Uwe na siku njema, tuonane {weekday}!",
        "Thanks sana{vocative}, tutaonana {weekday}. Bye!",
    ),
    "goodbye_open": (
        "Thanks kwa kututext. Uwe na siku njema!",
        "Sawa, ukiwa ready tutext tu. Bye!",
        "Karibu sana, have a good day!",
    ),
    "cancelled": (
        "Nimecancel booking yako, hakuna kitu utalipa.",
        "Sawa, appointment imecancelliwa na haina charges.",
    ),
    "cancelled_refund": (
        "Appointment yako imecancelliwa, na {price} itarudi kwa M-Pesa yako within a day.",
        "Nimecancel booking yako. Utapata refund ya {price} kwa M-Pesa by kesho.",
    ),
    "door_open": (
        "Ukitaka kukuja siku ingine, tuko hapa. Bye!",
        "Tutext tu ukitaka slot ingine. Uwe na siku njema!",
    ),
    "moved": (
        "Sawa, nimechange.",
        "Done, nimeibadilisha.",
        "Hakuna shida, nimechange hiyo.",
    ),
    "robot": (
        "Ndio, mimi ni bot ya bookings za Salon Amani. Wenye watakuhudumia ni watu wa ukweli 😊",
        "Mimi ni automated assistant, but salon yetu iko na watu real.",
    ),
    "human": (
        "Sawa, Njeri wa reception atakucall in a few minutes.",
        "Sure, wacha nimwambie Njeri wa reception akucall.",
    ),
    "place": (
        "Tuko {place}. Kuna free parking ya clients.",
        "Utatupata {place}, na parking ni free.",
    ),
    "hours": (
        "Tunaopen 8:30am na kufunga 6:30pm, Monday hadi Saturday.",
        "Working hours zetu ni 8:30am to 6:30pm, Monday to Saturday.",
    ),
    "duration": (
        "{Service} inaweza chukua kama {hours}.",
        "Kwa kawaida {service} inachukua {hours}.",
    ),
    "duration_unknown": (
        "Inategemea unafanya nini, kutoka 30 minutes hadi 5 hours.",
        "Nails ni kama one hour, na braids ni four to five hours.",
    ),
    "discount": (
        "Sorry, saa hii hatuna offer, but hiyo price ina kila kitu.",
        "Ningependa kukupunguzia but prices zetu ni fixed. Hakuna kitu extra utalipa though.",
    ),
    "services": (
        "Tunafanya hair, nails, facials, massage na makeup.",
        "Hapa tunafanya braids, weaves, blow-dry, nails, lashes na massage.",
    ),
    "feel_upset": (
        "Pole sana kwa hiyo. Tutakuhudumia poa.",
        "Sorry kwa hiyo stress, naelewa venye unafeel.",
    ),
    "feel_trust": (
        "Naelewa, unaweza kulipa ukishafanyiwa service. Hatuulizi mtu PIN.",
        "Iko sawa kuuliza. Si lazima ulipe before ukuje, na PIN yako ni yako tu.",
    ),
    "feel_hurry": (
        "Sawa, tufanye haraka haraka.",
        "Okay, haitachukua time.",
    ),
    "feel_budget": (
        "Naelewa, price nitakupatia ndio final.",
        "Usijali, hatuongezi charges zingine.",
    ),
    "feel_unsure": (
        "No rush, fikiria tu kwanza.",
        "Iko sawa kama bado hujadecide, tunaweza change any time.",
    ),
    "off_topic": (
        "Sorry, hiyo siwezi kukusaidia. Mimi ni wa bookings za salon tu.",
        "Hiyo sijui, mimi nashughulika na bookings za salon.",
    ),
    "pin_warning": (
        "Please usipatie mtu M-Pesa PIN yako. Sisi hatuihitaji, unaiweka tu kwa simu yako.",
        "PIN yako ni siri, hata sisi hatufai kuiona. Weka tu kwa simu yako.",
    ),
    "unclear": (
        "Sorry, sijakuget vizuri.",
        "Pole, hiyo sijaielewa.",
    ),
    "all_set": (
        "Uko sawa, {service} on {day} at {time}.",
        "Booking yako iko confirmed: {service}, {day} at {time}.",
    ),
    "ack": ("Sawa.", "Poa.", "Okay, sawa.", "Sawa sawa."),
    "your_phone": ("hii number",),
    "number_ending": ("number yako yenye inaishia {digits}",),
}

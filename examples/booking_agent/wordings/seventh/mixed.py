"""The seventh voice's mix of Swahili, English and some Sheng: a polite receptionist in her thirties, on WhatsApp."""

from examples.booking_agent.wordings import Bank

MIXED: Bank = {
    "greet": (
        "Hi, karibu sana Salon Amani, natumai uko poa.",
        "Sasa dear, asante kwa kutext Salon Amani.",
        "Hello, hii ni Salon Amani, karibu tukuhudumie 😊",
    ),
    "ask_service": (
        "Nikusaidie aje leo?",
        "Ungependa kubook service gani?",
        "Please niambie, ungependa tukufanyie nini?",
    ),
    "ask_kind": (
        "Tunafanya {options}. Ungependa kubook gani?",
        "Hapa kwetu tuko na {options}. Nikubookie gani?",
        "Ungependa {options}?",
    ),
    "price": (
        "Price yetu ya {service} ni {price}.",
        "{Service} itakucost {price}.",
        "Kwa {service} price ni {price}.",
    ),
    "price_list": (
        "Hizi ni baadhi ya prices zetu: {options}.",
        "Wacha nikupatie some of our prices: {options}.",
    ),
    "ask_day": (
        "Ungependa nikubookie siku gani?",
        "Utakuwa free siku gani?",
        "Ni day gani itakuwa sawa kwako?",
    ),
    "ask_time": (
        "{day} tuko na space {slots}. Ungependa kukuja saa ngapi?",
        "Kwa {day} naweza kukupatia {slots}. Ni time gani iko convenient kwako?",
        "{day} ni sawa, tuko free {slots}. Ni saa ngapi iko sawa kwako?",
    ),
    "ask_time_one": (
        "{day} tumebaki na {slots} peke yake. Ungependa kuichukua?",
        "Slot imebaki {day} ni {slots} tu. Nikubookie hiyo?",
    ),
    "suggest_time": (
        "{slots} {day} itakuwa sawa kwako?",
        "Tuko na {slots} available {day}. Nibook hiyo?",
    ),
    "taken": (
        "Pole dear, {time} imechukuliwa na client mwingine.",
        "Sorry sana, {time} haiko available.",
        "Unfortunately {time} tayari imebookiwa.",
    ),
    "full": (
        "Pole sana, tuko fully booked {day}.",
        "Unfortunately hakuna space imebaki {day}.",
    ),
    "closed": (
        "Pole sana, hatufungui Sunday.",
        "Unfortunately salon hufungwa Sundays.",
    ),
    "not_then": (
        "Pole sana, hatuna space hiyo time.",
        "Unfortunately hiyo time iko fully booked.",
    ),
    "ask_name": (
        "Nitumie jina gani kwa booking?",
        "Please, jina lako ni nani?",
        "Nibook kwa jina la nani?",
    ),
    "confirm": (
        "Booking yako iko confirmed{vocative}. Ni {service} {day} at {time}, na price ni {price}.",
        "Asante{vocative}, nimekubook for {service} {day} at {time}. Cost yake ni {price}.",
        "Sawa kabisa{vocative}, uko booked for {service} {day} at {time}, na utalipa {price}.",
    ),
    "ask_payment": (
        "Ungependa kulipa na M-Pesa sasa, ama ukifika salon?",
        "Nikutumie prompt ya M-Pesa saa hii, ama ungependa kulipa salon?",
        "Utalipa sasa na M-Pesa ama baadaye hapa salon?",
    ),
    "push": (
        "Nimetuma tayari M-Pesa prompt ya {price} kwa {phone}. Please weka PIN kwa simu yako, then uniambie ukilipa.",
        "Utapata M-Pesa prompt ya {price} kwa {phone}. Weka PIN hapo tu, huhitaji kunishow, then uniambie ikikamilika.",
        "M-Pesa prompt ya {price} inakuja kwa {phone}. Approve kwa simu yako ukiwa ready, then unitumie message.",
    ),
    "push_again": (
        "Wacha nitume tena. Utaona M-Pesa prompt ingine kwa {phone}.",
        "Nimeresend prompt kwa {phone}, please angalia.",
    ),
    "push_failed": (
        "Pole, M-Pesa iko na shida leo. Unaweza lipa {price} ukifika salon.",
        "Prompt haiendi, so utalipa {price} hapa salon after service.",
    ),
    "push_wait": (
        "Payment bado haijafika, lakini hakuna haraka. Niambie ukishaapprove prompt kwa simu yako.",
        "Kwetu payment bado haijaonekana. Please nijulishe after kuapprove prompt kwa simu yako.",
    ),
    "paid": (
        "Asante, tumereceive {price}. M-Pesa receipt number yako ni {receipt}.",
        "Payment yako ya {price} imefika, receipt ni {receipt}. Asante sana dear!",
        "Nimereceive {price} yako, asante. Hii ndio receipt number yako: {receipt}.",
    ),
    "at_salon": (
        "Ni sawa, utalipa {price} ukifika salon.",
        "Hakuna shida, unaweza lipa {price} after service.",
    ),
    "see_you": (
        "Tuonane {weekday} at {time}. Have a lovely day dear!",
        "Asante, we look forward kukuona {weekday} at {time}.",
        "Tutakungoja {weekday} at {time}. Karibu sana!",
    ),
    "goodbye": (
        "Karibu sana{vocative}. Uwe na blessed day, tuonane {weekday}!",
        "Asante nawe{vocative}, see you {weekday}. Bye!",
        "Karibu{vocative}, tutakuona {weekday}. Have a nice day!",
    ),
    "goodbye_open": (
        "Asante kwa kututext, have a lovely day. Bye!",
        "Karibu tena, tutext any time. Bye bye!",
        "Ni sawa, tuko hapa any time ukituhitaji. Siku njema!",
    ),
    "cancelled": (
        "Nimecancel booking yako, na hakuna kitu utalipa.",
        "Ni sawa, booking yako imecancelliwa na hutachargiwa kitu.",
    ),
    "cancelled_refund": (
        "Nimecancel booking yako, na {price} itarudi kwa M-Pesa yako within a day.",
        "Booking yako imecancelliwa. Tutarudisha {price} kwa M-Pesa yako by tomorrow.",
    ),
    "door_open": (
        "Nitext any time ukitaka kubook tena, and have a lovely day!",
        "Unakaribishwa Salon Amani any time. Bye!",
    ),
    "moved": (
        "Hakuna shida, nimechange booking yako.",
        "Sawa, nimeupdate booking yako.",
        "Ni sawa, nimeichange tayari.",
    ),
    "robot": (
        "Ndio, mimi ni virtual assistant wa Salon Amani. Stylists wetu ni watu real 😊",
        "Mimi ni automated assistant, si mtu, lakini team yetu ya salon ni watu.",
    ),
    "human": (
        "Sawa, nitaomba Njeri wa reception akupigie.",
        "Hakuna shida, wacha niambie Njeri wa reception, atakucall shortly.",
    ),
    "place": (
        "Tunapatikana {place}. Parking ni free kwa clients wetu.",
        "Salon yetu iko {place}, na parking ni free.",
    ),
    "hours": (
        "Tunafungua Monday hadi Saturday, from 8:30am to 6:30pm.",
        "Working hours zetu ni 8:30am hadi 6:30pm, Monday to Saturday.",
    ),
    "duration": (
        "{Service} huchukua about {hours}.",
        "Kwa {service} tenga kama {hours}.",
    ),
    "duration_unknown": (
        "Hiyo inadepend na service, zingine ni half an hour na zingine five hours.",
        "Braids huchukua four to five hours, na nails about an hour.",
    ),
    "discount": (
        "Pole, kwa sasa hatuna discount, lakini hakuna extra charges.",
        "Unfortunately prices zetu ni fixed, lakini hutalipa kitu extra.",
    ),
    "services": (
        "Tunafanya hair, braids, nails, facials, massage na make-up.",
        "Hapa Salon Amani tunafanya braids, hair, nails, lashes, facials, massage na make-up.",
    ),
    "feel_upset": (
        "Pole sana kwa hiyo experience. Tutakuhudumia vizuri.",
        "Najua hiyo inaboo, pole sana dear.",
    ),
    "feel_trust": (
        "Naelewa. Unaweza lipa after service, na hatutawahi kukuuliza PIN yako.",
        "Ni vizuri kuwa careful. Si lazima ulipe before ukuje, na please usishare PIN yako na mtu.",
    ),
    "feel_hurry": (
        "Hakuna shida, nitafanya chap chap.",
        "Sawa, haitachukua time mingi.",
    ),
    "feel_budget": (
        "Naelewa, utalipa tu price nitakuambia.",
        "Naelewa, hakuna cost ingine juu yake.",
    ),
    "feel_unsure": (
        "Ni sawa, take your time.",
        "Hakuna pressure, unaweza change baadaye.",
    ),
    "off_topic": (
        "Pole, naweza saidia na bookings za salon tu.",
        "Hiyo sina uhakika, sorry. Naweza tu kukusaidia kubook.",
    ),
    "pin_warning": (
        "Please usinitumie PIN yako, na usipatie mtu mwingine. Iweke kwa simu yako tu.",
        "Please weka PIN yako secret, sisi hatuihitaji. Unaiweka tu kwa M-Pesa prompt kwa simu yako.",
    ),
    "unclear": (
        "Pole dear, sijaelewa unasema nini.",
        "Sorry, sina uhakika unamaanisha nini.",
    ),
    "all_set": (
        "Booking yako bado iko vile vile, {service} {day} at {time}.",
        "Kila kitu iko sawa, uko booked for {service} {day} at {time}.",
    ),
    "ack": ("Sawa.", "Sawa dear.", "Okay.", "Asante."),
    "your_phone": ("phone number yako",),
    "number_ending": ("number yako inaishia {digits}",),
}

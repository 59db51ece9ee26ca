"""The eleventh voice's mix of Swahili and English, as a young receptionist texts in Nairobi."""

from examples.booking_agent.wordings import Bank

MIXED: Bank = {
    "greet": (
        "Hi, hapa ni Salon Amani.",
        "Hello, thanks kwa kutext Salon Amani.",
        "Sasa, hapa ni front desk ya Salon Amani.",
    ),
    "ask_service": (
        "Unataka kufanyiwa nini?",
        "Nikubook ya nini?",
        "Unakuja kudo nini, please?",
    ),
    "ask_kind": (
        "Hapa ni {options}. Niandike gani?",
        "Kuna {options}. Unachukua gani?",
        "Ni {options}?",
    ),
    "price": (
        "{Service} ni {price} in total.",
        "Hiyo ni {price} ya {service}.",
        "Kwa {service} unalipa {price}, that's all.",
    ),
    "price_list": (
        "Ndio ucompare: {options}.",
        "Kila service iko na price yake. Kuna {options}.",
    ),
    "ask_day": (
        "Unaweza kuja which day?",
        "Nikucheckie siku gani?",
        "Uko free kuja lini?",
    ),
    "ask_time": (
        "On {day} niko na {slots}. Unataka gani?",
        "Kwa {day} kuna {slots}. Niandike time gani?",
        "Naweza kukupea {slots} on {day}. Gani ni better?",
    ),
    "ask_time_one": (
        "{day} iko open {slots} tu. Nikuchukulie hiyo?",
        "Kwa {day} ni {slots} only. Ni sawa?",
    ),
    "suggest_time": (
        "Niko na {slots} open, {day}. Ni sawa?",
        "{day} at {slots} iko open. Nikuweke hapo?",
    ),
    "taken": (
        "Sorry, {time} imeenda.",
        "{time} iko na mtu, sorry.",
        "{time} siwezi, imebookiwa.",
    ),
    "full": (
        "Sorry, {day} haina space.",
        "Nimecheck, {day} iko full. Sorry.",
    ),
    "closed": (
        "Sorry, Sunday huwa tuko off.",
        "Sunday hatufungui.",
    ),
    "not_then": (
        "Sorry, hakuna space hiyo time.",
        "Hizo masaa ziko full, sorry.",
    ),
    "ask_name": (
        "Niandike name gani?",
        "Na jina yako, please?",
        "Booking ni ya nani, please?",
    ),
    "confirm": (
        "Done{vocative}. {Service} on {day}, {time}. Utalipa {price}.",
        "Okay{vocative}, nimekuandika {service} on {day}, {time}. Ni {price}.",
        "Hiyo imebookiwa{vocative}: {service}, {day} at {time}. Price yote ni {price}.",
    ),
    "ask_payment": (
        "Unataka kulipa na M-Pesa now, ama ukikuja?",
        "Ni M-Pesa saa hii ama cash ukifika?",
        "Nitume M-Pesa prompt, ama utalipia hapa on the day?",
    ),
    "push": (
        "Nimesend M-Pesa prompt ya {price} kwa {phone}. PIN weka kwa simu tu, si kwa hii chat. Nitext after.",
        "Kuna M-Pesa prompt ya {price} inakuja kwa {phone}. Check amount, then weka PIN hapo. Niambie ikipita.",
        "Prompt ya {price} imeenda kwa {phone}. Accept kwa simu ukiiona. Then nijulishe, please.",
    ),
    "push_again": (
        "Okay, nimetuma tena kwa {phone}. Please angalia.",
        "Nimeresend kwa {phone}, sorry kwa hiyo.",
    ),
    "push_failed": (
        "M-Pesa haipiti. Just lipa {price} hapa ukikuja.",
        "Sorry, M-Pesa iko na shida right now. Utalipa {price} kwa desk.",
    ),
    "push_wait": (
        "Sijaona payment bado. Niambie ukiaccept prompt.",
        "Haijaingia bado. Take your time, unitext ukiapprove.",
    ),
    "paid": (
        "Nimepata {price}, thanks. Code yake ni {receipt}.",
        "Imeingia: {price}, code {receipt}. Thanks.",
        "Thanks, naona {price} kutoka kwako. Code kwa SMS ya M-Pesa ni {receipt}.",
    ),
    "at_salon": (
        "Okay, utalipa {price} hapa ukikuja.",
        "Ni sawa. Kuja na {price} siku hiyo, cash ama M-Pesa.",
    ),
    "see_you": (
        "So ni {weekday} at {time}. See you then.",
        "Tutaonana {weekday}, {time}. Have a good one.",
        "Ni hiyo tu. Tuonane {weekday} at {time}, bye till then.",
    ),
    "goodbye": (
        "Karibu{vocative}. See you {weekday}, bye.",
        "Okay{vocative}, thanks. Tutaonana {weekday}.",
        "Thanks{vocative}, bye. Till {weekday}.",
    ),
    "goodbye_open": (
        "Okay, thanks kwa kuuliza. Bye.",
        "Karibu. Text ukituhitaji, bye.",
        "Ni sawa. Enjoy siku yako, bye.",
    ),
    "cancelled": (
        "Okay, nimekutoa kwa book. Hakuna kitu ya kulipa.",
        "Imecancel. Hatukudai kitu.",
    ),
    "cancelled_refund": (
        "Imecancel. {price} yako itarudi kwa M-Pesa tomorrow.",
        "Okay, nimekutoa kwa book. Tutasend back {price} na M-Pesa within a day.",
    ),
    "door_open": (
        "Nitext ukitaka siku ingine. Bye.",
        "Ukitaka kuja another time, andika tu. Haya, bye.",
    ),
    "moved": (
        "Okay, wacha nichange.",
        "Ni sawa, imechange.",
        "Okay, nimeweka hiyo new one.",
    ),
    "robot": (
        "Yes, mimi ni automated assistant. Nafanya bookings, watu ndio hufanya hair.",
        "Yes, hii ni bot. Wenye wako salon ni watu wa ukweli.",
    ),
    "human": (
        "Okay. Nitaambia Njeri wa desk akucall.",
        "Ni sawa, Njeri atakucall leo.",
    ),
    "place": (
        "Ni {place}. Unapark free.",
        "Utatupata {place}. Hulipi parking.",
    ),
    "hours": (
        "Ni 8:30am to 6:30pm, Monday mpaka Saturday.",
        "Tunaopen 8:30am, tunaclose 6:30pm. Sunday tuko off.",
    ),
    "duration": (
        "{Service} ni around {hours}.",
        "Panga {hours} ya {service}.",
    ),
    "duration_unknown": (
        "Zingine ni half an hour, zingine five hours. Ni by service.",
        "Nails ni about an hour. Braids hufika five.",
    ),
    "discount": (
        "Sorry, siwezi punguza price. Pia hakuna kitu inaongezwa.",
        "Saa hii hakuna discount, sorry. Price unaona ndio utalipa.",
    ),
    "services": (
        "Kuna hair, braids, nails, facials, massage na makeup.",
        "Tunado hair na braids, nails, lashes, facials, massage, makeup.",
    ),
    "feel_upset": (
        "Sorry kwa hiyo. Haikufaa kuenda hivyo.",
        "Pole, hiyo haikuwa okay. Wacha nifix.",
    ),
    "feel_trust": (
        "Nimekuget. Unaweza lipa ukishafanyiwa, na sitakuuliza PIN.",
        "That's fair. Lipa hapa after service ukitaka. PIN yako ni yako tu.",
    ),
    "feel_hurry": (
        "Okay, nitakuwa brief.",
        "Sawa, hii ni one minute.",
    ),
    "feel_budget": (
        "Nimekuskia. Price nakupea ndio unalipa.",
        "Okay. Hakuna kitu inaongezwa on top.",
    ),
    "feel_unsure": (
        "Ni sawa, think about it.",
        "It's okay. Unaweza change after.",
    ),
    "off_topic": (
        "Sorry, hiyo sijui. Hapa nafanya bookings tu.",
        "Hiyo siwezi jibu, sorry. Lakini naweza kubook.",
    ),
    "pin_warning": (
        "Please usinitext PIN yako. Inaenda kwa simu yako only.",
        "PIN isiwe kwa hii chat, please. Unaitype tu kwa M-Pesa prompt.",
    ),
    "unclear": (
        "Sorry, sijafollow.",
        "Hiyo sijaget, sorry.",
    ),
    "all_set": (
        "Umeandikwa {service}, {day} at {time}.",
        "Bado iko: {service}, {day}, {time}.",
    ),
    "ack": ("Okay.", "Noted, asante.", "Sawa sawa.", "Ni sawa."),
    "your_phone": ("number yenye unatext nayo",),
    "number_ending": ("number yako ya {digits} mwisho",),
}

"""The ninth voice's mix of Swahili and English: how a warm receptionist in Nairobi speaks, without Sheng."""

# ruff: noqa: E501 - wordings read better on one line

from examples.booking_agent.wordings import Bank

MIXED: Bank = {
    "greet": (
        "Hi mpenzi, thank you kwa kuandikia Salon Amani 🌸",
        "Hello na karibu sana, hapa ni Salon Amani and I'm happy to help.",
        "Nimefurahi to hear from you! Hapa ni Salon Amani.",
    ),
    "ask_service": (
        "Ungependa tukufanyie which service?",
        "Unakuja kufanya nini, mpenzi?",
        "Tell me, tukufanyie nini?",
    ),
    "ask_kind": (
        "Tunaweza kukufanyia {options}. Ungechagua which one?",
        "Kwa list yetu kuna {options}. Unaprefer gani?",
        "Inaweza kuwa {options}. Which of the two unapenda?",
    ),
    "price": (
        "{Service} ni {price}, everything included.",
        "For {service} tunacharge {price}.",
        "{price} ndio price yetu ya {service}.",
    ),
    "price_list": (
        "Nikupe a few examples: {options}.",
        "Inadepend na kile utachagua, kwa mfano {options}.",
    ),
    "ask_day": (
        "Nikuangalizie which day?",
        "Utaweza kuja when?",
        "Ni siku gani ungependa kupitia kwetu?",
    ),
    "ask_time": (
        "Nimecheck {day} na tuko free {slots}. What works best kwako?",
        "{day} inawezekana, kuna {slots}. Unachukua which one?",
        "Yes, {day} tuko around. Unaprefer {slots}?",
    ),
    "ask_time_one": (
        "Slot imebaki {day} ni {slots} peke yake. Nikupee?",
        "{day} imebaki moja tu, {slots}. Would you manage hiyo?",
    ),
    "suggest_time": (
        "Would {slots} {day} work kwako?",
        "Wacha nikupee {slots} {day}, utaweza kufika?",
    ),
    "taken": (
        "Pole, kuna mtu already anakuja at {time}.",
        "{time} imechukuliwa, my apologies.",
        "Unfortunately {time} imeenda kwa someone else.",
    ),
    "full": (
        "Pole mpenzi, {day} hakuna space imebaki.",
        "{day} imejaa completely, I'm really sorry.",
    ),
    "closed": (
        "On Sundays tunakuwa tumefunga, pole sana.",
        "Sorry mpenzi, salon haifunguliwi on Sunday.",
    ),
    "not_then": (
        "Pole, that time ladies wetu wote wako busy.",
        "Hiyo part ya siku imejaa, my apologies.",
    ),
    "ask_name": (
        "Na jina lako, mpenzi?",
        "May I know jina lako for the appointment?",
        "Appointment iwe kwa jina la nani?",
    ),
    "confirm": (
        "Umepata slot{vocative} 🎉 {Service}, {day} at {time}, na ni {price}.",
        "Appointment yako iko confirmed{vocative}. Itakuwa {service}, {day}, {time}, at {price}.",
        "Perfect{vocative}, consider it done: {service} {day} at {time}, na utalipa {price}.",
    ),
    "ask_payment": (
        "Utalipa na M-Pesa now, ama when you get here?",
        "Nikutumie M-Pesa prompt sasa, ama would you rather pay at the salon?",
        "Upande wa payment, ni M-Pesa now ama tutamalizana hapa?",
    ),
    "push": (
        "Nimeshatuma M-Pesa prompt ya {price} kwa {phone}. Please weka PIN yako kwa simu yako and let me know.",
        "Kuna prompt ya {price} inakuja kwa {phone}. Just follow it kwa simu yako, PIN ni yako peke yako, then unitext.",
        "Angalia {phone}, kuna pop-up ya M-Pesa ya {price}. Ukishaweka PIN hapo, just tell me hapa.",
    ),
    "push_again": (
        "Nimekutumia another prompt, hebu angalia {phone}.",
        "Nimejaribu tena, it should now be kwa {phone}.",
    ),
    "push_failed": (
        "M-Pesa inatusumbua, so tuiache tu na utalipa {price} hapa.",
        "Bado haipiti, sorry mpenzi. Utalipa {price} ukikuja, no problem.",
    ),
    "push_wait": (
        "Haijaingia yet. No pressure, nijulishe tu ikipita.",
        "Bado nasubiri M-Pesa iconfirm. Let me know ukishaweka PIN kwa simu yako.",
    ),
    "paid": (
        "Nimereceive {price}, asante mpenzi. M-Pesa code ni {receipt}.",
        "{price} imefika, thank you so much. Receipt yako ni {receipt}, mpenzi.",
        "Imepita vizuri, {price}, na receipt ni {receipt}. God bless!",
    ),
    "at_salon": (
        "No problem, {price} utalipa hapa.",
        "Inawezekana, {price} on the day ni sawa.",
    ),
    "see_you": (
        "See you {weekday} at {time}, mpenzi, na unaweza kufika mapema kidogo.",
        "Tunakungoja na furaha {weekday} at {time}. Have a blessed day ahead!",
        "Basi till {weekday} at {time}, na uwe na siku nzuri!",
    ),
    "goodbye": (
        "It's been nice kuongea na wewe{vocative}. Tukutane {weekday}, bye bye!",
        "Karibu sana{vocative}, have a blessed day na tuonane {weekday}!",
        "Thank you so much kwa kubook{vocative}. Mpaka {weekday}, stay well!",
    ),
    "goodbye_open": (
        "Hakuna shida at all, uwe na siku nzuri. Bye bye!",
        "Karibu tena mpenzi, and have a blessed day ahead!",
        "Haya basi, it was nice hearing from you. Bye!",
    ),
    "cancelled": (
        "Nimekucancelia, na hakuna cha kulipa.",
        "That's okay, appointment imetolewa na hatutakucharge.",
    ),
    "cancelled_refund": (
        "Nimekucancelia. {price} ulituma itarudi kwa M-Pesa yako by tomorrow.",
        "That's okay, appointment imetolewa na tunakurefund {price} yako kwa M-Pesa within a day.",
    ),
    "door_open": (
        "Ukitaka kuja anytime, niandikie tu. Enjoy siku yako, mpenzi!",
        "You're always welcome hapa, mpenzi. Bye bye!",
    ),
    "moved": (
        "Nimekuhamisha, no stress.",
        "Sure, hiyo imebadilishwa.",
        "All good, nimeadjust.",
    ),
    "robot": (
        "Mimi ni automated assistant wa salon, si mtu, but ladies watakuhudumia ni watu 😊",
        "Unachat na bot yenye inapanga appointments za Salon Amani.",
    ),
    "human": (
        "Wacha nimwambie Njeri akupigie call, yuko reception.",
        "Sure, namwomba Njeri wa reception akupigie shortly.",
    ),
    "place": (
        "Tuko ndani ya {place}. Kuna free parking ya kutosha.",
        "Look for us {place}, na parking hulipii.",
    ),
    "hours": (
        "Tuko hapa Monday to Saturday, kuanzia 8:30am mpaka 6:30pm.",
        "Milango inafunguliwa 8:30am na tunalock 6:30pm. Ni Sunday tu hatuko.",
    ),
    "duration": (
        "{Service} usually huchukua kama {hours}.",
        "Tenga about {hours} for {service}.",
    ),
    "duration_unknown": (
        "Hiyo inadepend, nails ni kama one hour na braids hufika hata five hours.",
        "Zingine zinahitaji half an hour, na zingine kama braids up to five hours.",
    ),
    "discount": (
        "Siwezi kupunguza, sorry mpenzi, but hakuna hidden charges.",
        "Sorry, prices zetu ni fixed for now, ila hatuongezi kitu juu.",
    ),
    "services": (
        "Tunafanya braids, cornrows, weaves, blow-dry, nails, lashes, facials, massage na make-up.",
        "Mostly ni hair na nails, pamoja na lashes, facials, massage na make-up.",
    ),
    "feel_upset": (
        "Pole sana mpenzi, that should never have happened.",
        "I'm truly sorry kwa hiyo. Wacha nirekebishe.",
    ),
    "feel_trust": (
        "Inaeleweka kabisa. Lipa after kuhudumiwa ukipenda, na PIN yako usipatie mtu yeyote.",
        "Please usiwe na wasiwasi, unaweza kulipa tukimaliza and we will never ask you for a PIN.",
    ),
    "feel_hurry": (
        "No problem, nitafupisha.",
        "Okay, haraka basi.",
    ),
    "feel_budget": (
        "I understand, na kile nitakutajia ndio exactly utalipa.",
        "Nakuelewa totally, na hakutakuwa na surprises ukilipa.",
    ),
    "feel_unsure": (
        "Chukua all the time unahitaji, mpenzi.",
        "Don't stress, tunaweza kuadjust tukiendelea.",
    ),
    "off_topic": (
        "I wish ningesaidia na hiyo, but mimi hupanga appointments za salon tu.",
        "Hiyo imenizidi, sorry. Naweza tu kukupangia appointment.",
    ),
    "pin_warning": (
        "Please usinipatie PIN yako, wala mtu mwingine. Itype tu kwa simu yako M-Pesa ikikuuliza.",
        "PIN yako ni siri, mpenzi, don't write it hapa. Ni ya screen ya M-Pesa kwa simu yako tu.",
    ),
    "unclear": (
        "Sorry mpenzi, hapo sijakufuata.",
        "Hmm, sina uhakika nimeunderstand.",
    ),
    "all_set": (
        "Uko sorted: {service} {day} at {time}.",
        "Nothing else needed, tumekuandikia {service} {day} at {time}.",
    ),
    "ack": ("Perfect.", "Noted, mpenzi.", "Vizuri.", "Great."),
    "your_phone": ("M-Pesa number yako",),
    "number_ending": ("M-Pesa number yako, ile inaishia na {digits}",),
}

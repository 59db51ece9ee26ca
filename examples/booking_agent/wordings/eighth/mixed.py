"""The eighth voice's mix of Swahili, English and Sheng: a friendly receptionist in Nairobi, on WhatsApp."""

# ruff: noqa: E501 - wordings read better on one line

from examples.booking_agent.wordings import Bank

MIXED: Bank = {
    "greet": (
        "Hey, umefika Salon Amani na tuko happy umetutext.",
        "Hi dear, hapa ni front desk ya Salon Amani.",
        "Niaje, welcome Salon Amani, ni poa kuskia from you 💇🏾‍♀️",
    ),
    "ask_service": (
        "Ungependa kufanyiwa service gani?",
        "Tukufanyie nini hapa salon dear?",
        "Uko interested na service gani yetu?",
    ),
    "ask_kind": (
        "Tunado {options}. Ni gani uko nayo kwa mind?",
        "Kuna {options}. Ni gani inakubamba?",
        "Unathink ya {options}?",
    ),
    "price": (
        "{Service} inaenda {price} hapa kwetu.",
        "Hapa {service} tunafanya na {price}.",
        "Utalipa {price} for {service}.",
    ),
    "price_list": (
        "Ndio upate idea, hizi ni prices zetu chache: {options}.",
        "Prices zetu chache ni hizi: {options}.",
    ),
    "ask_day": (
        "Unaplan kutuvisit siku gani?",
        "Ungependa kucome through day gani?",
        "Ni siku gani iko poa kwako?",
    ),
    "ask_time": (
        "Hiyo {day} bado tuko na {slots}. Ni time gani inakufit?",
        "Naona {slots} ziko open {day}. Nikuandikie time gani?",
        "{day} iko poa, times ziko open ni {slots}. Nikushikie gani?",
    ),
    "ask_time_one": (
        "{day} ni {slots} tu iko open bado. Nikuweke hapo?",
        "Tumebakisha {slots} {day}. Hiyo time inakufit?",
    ),
    "suggest_time": (
        "Unaonaje {slots} {day}?",
        "Naweza kukufit in {slots} {day}. Hiyo iko poa?",
    ),
    "taken": (
        "Aki pole, {time} iko na client mwingine.",
        "Sorry dear, {time} imeshaenda.",
        "Pole dear, kuna client ameshika {time}.",
    ),
    "full": (
        "Aki pole, {day} viti zote zimechukuliwa.",
        "Sorry dear, {day} imejaa kabisa.",
    ),
    "closed": (
        "Aki pole, Sundays huwa tunarest.",
        "Sunday ni off yetu dear, sorry.",
    ),
    "not_then": (
        "Aki pole, hakuna kitu iko open around hiyo time.",
        "Sorry dear, hatuwezi kukufit in hiyo time.",
    ),
    "ask_name": (
        "Niandike jina gani hapa dear?",
        "Hii booking nafanyia nani?",
        "Nipe jina yako ndio nikubook, nikuite nani?",
    ),
    "confirm": (
        "Uko booked tayari{vocative}. Tutakufanyia {service} {day} at {time}, na total ni {price}.",
        "Done{vocative}! Nimekuweka for {service} {day} at {time}. Itakuwa {price}.",
        "Poa sana{vocative}, tumekushikia {day} at {time} ya {service}. Price itakuwa {price}.",
    ),
    "ask_payment": (
        "Ungependa kulipa leo na M-Pesa, ama ukiwa hapa?",
        "Unataka kulipa aje, M-Pesa now ama hapa salon?",
        "Tufanye M-Pesa saa hii, ama utalipa ukiwa salon?",
    ),
    "push": (
        "Nimetuma payment request ya {price} kwa {phone}. Weka M-Pesa PIN kwa simu yako pekee, then uniambie ikiwa done.",
        "Please check {phone}, kuna M-Pesa request ya {price}. Kama kila kitu iko sawa, confirm kwa simu yako then uniambie hapa.",
        "M-Pesa request ya {price} iko njiani kwa {phone}. Iconfirm kwa simu yako whenever uko ready, then uniambie.",
    ),
    "push_again": (
        "Okay, nimetuma M-Pesa request mpya kwa {phone}.",
        "No worries, request ingine iko njiani kwa {phone}.",
    ),
    "push_failed": (
        "Sorry, M-Pesa haifanyi poa kwetu saa hii. Unaweza tu kulipa {price} hapa salon.",
        "M-Pesa request haijapita, pole. Ni sawa kulipa {price} ukifika.",
    ),
    "push_wait": (
        "Bado sijaona payment side yetu. Take your time, uniambie ukishaconfirm kwa simu yako.",
        "Hakuna kitu imetufikia bado, na ni sawa. Nitext ukishaconfirm kwa simu yako.",
    ),
    "paid": (
        "{price} yako imetufikia, thank you dear. M-Pesa receipt ndio hii, {receipt}.",
        "Tumepata {price} yako, na receipt number ni {receipt}. Thanks sana dear!",
        "Thanks, {price} imeingia. Receipt yako ya M-Pesa ndio hii, {receipt}.",
    ),
    "at_salon": (
        "Ni sawa, lipa tu {price} ukiwa hapa.",
        "Haina noma, utalipa {price} hapa salon hiyo siku.",
    ),
    "see_you": (
        "Can't wait kukuona {weekday} at {time}. Enjoy your day dear!",
        "Thanks kwa kubook na sisi, tutaonana {weekday} at {time}.",
        "Kiti yako itakuwa ready {weekday} at {time}. Uwe na day poa sana!",
    ),
    "goodbye": (
        "It was a pleasure dear{vocative}. Tuonane hapa {weekday}, take care!",
        "Thanks tena{vocative}, sisi wote tutafurahi kukuona {weekday}. Bye for now!",
        "Karibu sana{vocative}, till {weekday} basi. Uenjoy siku yako yote!",
    ),
    "goodbye_open": (
        "Thanks kwa kututext, na uenjoy siku yako. Bye!",
        "Karibu sana dear, tutext ukitaka. Take care!",
        "Haina noma, tutafurahi kuskia from you another time. Bye for now!",
    ),
    "cancelled": (
        "Okay, booking yako iko cancelled na hatukudai kitu.",
        "No worries, nimetoa booking yako na haikucost kitu.",
    ),
    "cancelled_refund": (
        "Okay, booking yako iko cancelled na {price} itakuwa kwa M-Pesa yako within a day.",
        "No worries, nimetoa booking yako. {price} yako itarudi kwa M-Pesa by tomorrow.",
    ),
    "door_open": (
        "Tutext tu whenever unataka kubook tena. Take care sana!",
        "Tutafurahi kukuona Salon Amani ukiwa ready. Bye for now!",
    ),
    "moved": (
        "Haina noma, booking yako imechange.",
        "Okay dear, nimekusongeshea.",
        "No worries, nimeweka hiyo change.",
    ),
    "robot": (
        "Yes, mimi ni chat assistant wa Salon Amani, si human being. Wenye wanafanya nywele ni watu real 😄",
        "Unachat na computer assistant ya Salon Amani, but watu real ndio watakuhudumia hapa.",
    ),
    "human": (
        "Of course, nitaambia Njeri wa front desk akupigie.",
        "Sure dear, Njeri wa front desk atakupigia call soon.",
    ),
    "place": (
        "Utatupata {place}. Unaweza park hapo nje for free.",
        "Sisi tuko {place}, na clients wetu wanapark free.",
    ),
    "hours": (
        "Salon iko open from 8:30am to 6:30pm, Monday mpaka Saturday.",
        "Utatupata open between 8:30am na 6:30pm, every day except Sunday.",
    ),
    "duration": (
        "{Service} itaneed around {hours}.",
        "Plan kuwa na sisi around {hours} for {service}.",
    ),
    "duration_unknown": (
        "Kila service iko na time yake, from half an hour mpaka five hours.",
        "Nails zinaneed around one hour, na braids ni four mpaka five hours.",
    ),
    "discount": (
        "Aki pole, hakuna discount saa hii, but hutaongeza kitu on top.",
        "Hatuna offer for now dear, sorry, na hiyo price inacover kila kitu.",
    ),
    "services": (
        "Unaweza kuja kwetu for hair, braids, nails, facials, massage na make-up.",
        "Tunaoffer hair na braids, nails na lashes, plus facials, massage na make-up.",
    ),
    "feel_upset": (
        "Aki pole kwa hiyo story. Tutado our best for you.",
        "Sorry kuskia hivyo, hata mimi ningekasirika.",
    ),
    "feel_trust": (
        "Hiyo inamake sense. Unaweza kulipa tukimaliza tu, na hakuna mtu hapa atataka PIN yako.",
        "Nakuskia, ni poa kuwa careful. Utalipa after umehudumiwa, na PIN yako ibaki na wewe.",
    ),
    "feel_hurry": (
        "Sure, wacha niharakishe.",
        "Nimekuget, tutamaliza in a minute.",
    ),
    "feel_budget": (
        "Nakuskia, na price nitakupatia ndio yote utalipa.",
        "Hiyo inamake sense, hakuna kitu tutaongeza later.",
    ),
    "feel_unsure": (
        "Hakuna rush yoyote, unaweza fikiria kwanza.",
        "Ni sawa, tunaweza change hata later.",
    ),
    "off_topic": (
        "Sorry dear, hiyo siwezi help hapa, mimi hufanya bookings za salon tu.",
        "Kwa hiyo mimi si mtu right, sorry, but naweza kukubook hapa salon.",
    ),
    "pin_warning": (
        "Please baki na hiyo PIN yako, hata mimi usinipe. Inaenda tu kwa M-Pesa screen kwa simu yako.",
        "Usiwahi tuma PIN kwa chat dear. Ni yako tu kutype kwa simu yako mwenyewe.",
    ),
    "unclear": (
        "Sorry dear, hapo sijakuget.",
        "Pole dear, hiyo haijakuwa clear kwangu.",
    ),
    "all_set": (
        "Bado uko booked na sisi, {service} {day} at {time}.",
        "Everything iko fiti, tunakuexpect for {service} {day} at {time}.",
    ),
    "ack": ("Sure.", "Poa.", "Poa dear.", "Nimekuget."),
    "your_phone": ("simu number yako",),
    "number_ending": ("number yako yenye inaend na {digits}",),
}

"""A second receptionist's mix of Swahili and English, by somebody who had not read how the offline judge scores."""

from examples.booking_agent.wordings import Bank

MIXED: Bank = {
    "greet": (
        "Sema! Umefikia front desk ya Salon Amani.",
        "Mambo, hapa ni Salon Amani.",
        "Hey dear, thanks kwa text, ni Salon Amani.",
        "Vipi, feel at home, hii ni Salon Amani.",
    ),
    "ask_service": (
        "So tukufanyie nini?",
        "Nikuslot in for what?",
        "Ni nywele, nails ama unataka kujipamper?",
        "Ulikuwa unathink of kufanya nini?",
    ),
    "ask_kind": (
        "Wengi huenda na {options}. Wewe je, which one?",
        "Ni either {options}. Unafeel gani?",
        "Ziko {options}. Niandike gani?",
    ),
    "price": (
        "{Service} tunado at {price}.",
        "Hiyo ni {price} for {service}.",
        "{Service} itakutoka {price}, kila kitu included.",
        "Rate ya {service} ni {price}.",
    ),
    "price_list": (
        "Just ujue range, {options}.",
        "Rates zetu zinaenda hivi: {options}.",
        "Few of them: {options}.",
    ),
    "ask_day": (
        "Tukuexpect lini?",
        "Uko free kupitia siku gani?",
        "Which day nifungue diary?",
        "So nikuweke when?",
    ),
    "ask_time": (
        "Naweza kusqueeze {day} at {slots}. Gani ni easy kwako?",
        "{day} chair iko free {slots}. Nikupatie gani?",
        "Wacha niangalie {day}... kuna {slots}. Unataka which hour?",
        "{day} bado kuna {slots}. What's good for you, dear?",
    ),
    "ask_time_one": (
        "{day} nimebaki na {slots} tu. Nikuhifadhie?",
        "{day} iko karibu kuisha, just {slots}. Itawork?",
    ),
    "suggest_time": (
        "Wacha nipropose {slots} {day}. Itawork?",
        "So {slots} {day}, twende na hiyo?",
    ),
    "taken": (
        "Eish, {time} ilienda kwa client mwingine.",
        "My bad, {time} iko occupied.",
        "Kuna mtu amekubeat kwa {time}.",
    ),
    "full": (
        "{day} tumepack, hatuwezi ongeza mtu.",
        "Viti zote za {day} ziko na wenyewe.",
    ),
    "closed": (
        "Sunday hatuopen shop.",
        "Sundays kila mtu ako off hapa.",
    ),
    "not_then": (
        "Around hiyo masaa tumepack, pole.",
        "Sioni gap around hapo.",
    ),
    "ask_name": (
        "Na ninaexpect nani?",
        "Kindly nipatie jina niandike kwa diary.",
        "Under jina ya nani?",
        "Tunakuita nani?",
    ),
    "confirm": (
        "Sorted{vocative}. Uko kwa diary ya {service}, {day}, {time}, at {price}.",
        "Imeingia kwa book{vocative}: {day} {time}, {service}, {price} in total.",
        "Noted{vocative}, {service} ni {day} at {time}. Itakutoka {price}.",
    ),
    "ask_payment": (
        "Utaclear na M-Pesa saa hii ama ukiwa kwa chair?",
        "M-Pesa request ikuje kwa phone yako now, ama uta-pay hapa?",
        "Ni M-Pesa now ama pesa mkononi on the day?",
    ),
    "push": (
        "{price} imerequestiwa kwa {phone}. Approve na PIN huko, usiniandikie hapa, alafu nitext.",
        "Utaona pop-up ya {price} kwa {phone}. PIN ni ya hiyo screen tu. Nishow ukimaliza.",
        "M-Pesa inaask {phone} {price}. Authorise huko kwa screen, PIN isikuje kwa hii chat.",
    ),
    "push_again": (
        "Wacha niirushe tena, patia {phone} few seconds.",
        "Okay, second attempt imetoka kwa {phone}.",
    ),
    "push_failed": (
        "Safaricom inamisbehave, hiyo {price} tuiwache hadi ukuwe hapa.",
        "Tudrop hiyo, kuja na {price} on the day.",
    ),
    "push_wait": (
        "Kwangu hakuna kitu imeland, malizia kwa handset alafu nitext.",
        "Request bado iko open side yako, approve ukiwa ready.",
    ),
    "paid": (
        "Confirmed, {price} imetufikia. Code yako ni {receipt}.",
        "Naona {price} yako, much appreciated. Code ya M-Pesa ni {receipt}.",
        "{price} iko na sisi, code {receipt}. Shukran sana.",
    ),
    "at_salon": (
        "Iko fiti, {price} inaweza ngoja mpaka ukuwe hapa.",
        "Cool, kuja tu na {price}.",
    ),
    "see_you": (
        "Catch you {weekday}, {time}. Be blessed!",
        "{weekday} at {time} basi, tuko na hamu ya kukuhost.",
        "Till {weekday}, {time}. Enjoy siku yako!",
    ),
    "goodbye": (
        "Anytime{vocative}. Till {weekday}, ukae poa!",
        "Ilikuwa nice kuchat{vocative}. Tumeet {weekday}, jichunge.",
        "Same to you{vocative}. Catch you {weekday}, ciao!",
    ),
    "goodbye_open": (
        "Haya basi, enjoy siku yako!",
        "Text ukiwa ready. Ukae poa!",
        "It's all good, till next time. Jichunge!",
    ),
    "cancelled": (
        "Nimeitoa kwa diary, no charges side yako.",
        "Hiyo booking imeenda, hatukudai hata bob.",
    ),
    "cancelled_refund": (
        "Nimeitoa kwa diary, na {price} itareversiwa kwa line yako by tomorrow.",
        "Hiyo booking imeenda; expect {price} yako kwa M-Pesa in 24 hours.",
    ),
    "door_open": (
        "Plans zikichange unajua kutupata. Ukae poa!",
        "Hope tutakuhost siku ingine. Jichunge!",
    ),
    "moved": (
        "Easy, wacha nifute ya kwanza.",
        "Hiyo inawezekana, dear.",
        "Nimeishift.",
    ),
    "robot": (
        "Umeniget, mimi ni software ya Salon Amani. Mikono za kazi ni za binadamu.",
        "Mimi ni bot ya diary, team yangu ndio flesh and blood.",
    ),
    "human": (
        "Wacha nishow Wambui wa front akupigie in a bit.",
        "Nakupass kwa Wambui, atakuring.",
    ),
    "place": (
        "Tupate {place}. Gari unaacha ndani ya compound.",
        "Shop iko {place}, na parking iko na guard.",
    ),
    "hours": (
        "Tunaopen 8:30am, tunalock 6:30pm, except Sunday.",
        "Monday through Saturday, 8:30am till 6:30pm.",
    ),
    "duration": (
        "Weka kando {hours} ya {service}.",
        "{Service} normally ni {hours}.",
    ),
    "duration_unknown": (
        "Kazi ndogo ni thirty minutes, braiding hufika five hours.",
        "Braiding inakula half day, nails ni within the hour.",
    ),
    "discount": (
        "I wish ningeweza, dear, but hiyo ndio rate ya kila mtu na hakuna kitu inaongezwa later.",
        "Hatuwezi shuka zaidi, but pia hakuna surprise on top.",
    ),
    "services": (
        "Taja tu: kusuka, blow-dry, nails, skin, massage, face beat.",
        "Tunahandle hair za kila aina, nails, facials, massage na makeup.",
    ),
    "feel_upset": (
        "Ah, hiyo lazima iliuma, I apologise. Hii nafollow up personally.",
        "Pole sana kwa venye ilienda, ulideserve better.",
    ),
    "feel_trust": (
        "Ni swali fair: ona kazi first, lipa after, na PIN yako sio business yetu.",
        "Na vile conmen wamejaa nakuelewa. Hakuna deposit, na PIN usipee mtu.",
    ),
    "feel_hurry": (
        "Nitakuwa brief.",
        "Ni two taps umemaliza.",
    ),
    "feel_budget": (
        "Times ni hard najua, so venye nakuquote ndio inatoka kwa pocket.",
        "Nakufeel, so hii ni figure ya ukweli, hakuna kitu imejificha.",
    ),
    "feel_unsure": (
        "Fikiria tu, siendi anywhere.",
        "Unaweza switch anytime.",
    ),
    "off_topic": (
        "Hehe, niulize about nywele, hiyo ndio lane yangu.",
        "Hiyo inaneed mtu clever kushinda mimi wa diary.",
        "Si department yangu, dear, mimi hujaza diary tu.",
    ),
    "pin_warning": (
        "Woah, delete hiyo. PIN yako asijue mtu, even me.",
        "Guard hiyo PIN, dear. Ni ya pop-up kwa handset na si kwingine.",
    ),
    "unclear": (
        "Come again, imenipita.",
        "Hapo umenilose, sema in another way.",
        "Hiyo imefly over my head.",
    ),
    "all_set": (
        "Hakuna kitu imechange, ni {service}, {day}, {time}.",
        "Bado uko kwa diary: {service}, {day}, {time}.",
    ),
    "ack": ("Noted, dear.", "Nimekuget.", "Iko fiti.", "Alright, basi."),
    "your_phone": ("line yako",),
    "number_ending": ("line yako ya {digits}",),
}

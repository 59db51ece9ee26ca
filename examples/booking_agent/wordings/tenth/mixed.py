"""The tenth voice's mix: an older person's, who changes language from clause to clause and leaves Sheng to the young."""

# ruff: noqa: E501 - wordings read better on one line

from examples.booking_agent.wordings import Bank

MIXED: Bank = {
    "greet": (
        "Good day, na karibu sana Salon Amani.",
        "Hello mpendwa, umefika Salon Amani, and you are most welcome.",
        "Salaam nyingi from all of us hapa Salon Amani.",
    ),
    "ask_service": (
        "So tell me, tukufanyie nini?",
        "Ulikuwa umewazia nini, hair, nails, ama a little pampering?",
        "And which service ulikuwa umefikiria?",
    ),
    "ask_kind": (
        "Hapa kuna {options}. Which one unaipendelea?",
        "Inaweza kuwa {options}, and both ni nzuri sana. Niandike gani?",
        "Hapo there are two ways, {options}. Wewe unaonelea ipi?",
    ),
    "price": (
        "{Service} itakuwa {price}, everything included.",
        "For {service} huwa tunaomba {price}.",
        "Bei yetu ya {service} is {price}.",
    ),
    "price_list": (
        "Just ndio upate picture: {options}.",
        "Hizi ni a few of our prices: {options}.",
    ),
    "ask_day": (
        "Na ni siku gani would be most comfortable for you?",
        "Which day tukuandalie kiti?",
        "Uko na a day in mind, mpendwa?",
    ),
    "ask_time": (
        "Nimeangalia kwa book, on {day} kuna {slots}. Which hour ungechagua?",
        "{day} iko na room kidogo: {slots}. At what time nikuandike?",
        "We can receive you {day} at {slots}. Saa gani itakuwa easy kwako?",
    ),
    "ask_time_one": (
        "Kuna place moja tu left on {day}, ni {slots}. Would you care kuichukua?",
        "On {day} all I can offer sasa ni {slots}. Utakubali hiyo?",
    ),
    "suggest_time": (
        "May I propose {slots} on {day}, unaonaje?",
        "Ninaweza kukuwekea {slots} on {day} aside. Would you be happy na hiyo?",
    ),
    "taken": (
        "I do apologise, {time} kuna customer mwingine kwa book.",
        "Ah, {time} ilichukuliwa before you, pole sana.",
        "Pole mpendwa, {time} is no longer open.",
    ),
    "full": (
        "I am so sorry, viti vyote vimechukuliwa on {day}.",
        "{day} imejaa completely, my apologies.",
    ),
    "closed": (
        "Sunday tunafunga milango, so that kila mtu akae na family.",
        "Sundays ni siku yetu ya rest, I am sorry to say.",
    ),
    "not_then": (
        "Pole sana, those hours tayari ziko na wenyewe.",
        "I am sorry, hiyo part ya siku haina opening tena.",
    ),
    "ask_name": (
        "Na tutakuwa tukimngoja nani, may I have your name?",
        "Under what name niandike kwa book?",
        "Naongea na nani, if I may ask?",
    ),
    "confirm": (
        "Nimeandika kwa book{vocative}: {service} on {day} at {time}, kwa {price}.",
        "Very good{vocative}. Tutakupokea kwa {service} on {day} at {time}, and the bill itakuwa {price}.",
        "Imepangwa{vocative}: {service}, {day} at {time}, and the price ni {price}.",
    ),
    "ask_payment": (
        "Ingekufaa kulipa by M-Pesa now, ama at the salon siku yenyewe?",
        "As for payment, unapendelea M-Pesa leo ama ukishafika kwetu?",
        "May I send the M-Pesa request kwa simu yako, ama ni afadhali ulipe hapa?",
    ),
    "push": (
        "Nimetuma M-Pesa request ya {price} kwa {phone}. PIN iweke on the phone itself, never kwa hii chat, na uniambie afterwards.",
        "In a moment utaona M-Pesa request ya {price} kwa {phone}. Approve huko tu, PIN ibaki siri yako, then drop me a word.",
        "Kuna M-Pesa request ya {price} inangoja kwa {phone}. Iangalie vizuri, approve in your own time, na unijulishe.",
    ),
    "push_again": (
        "Wacha niitume once more. Tafadhali angalia {phone} in a minute.",
        "Not to worry, mambo kama haya hutokea. A second request inaenda kwa {phone}.",
    ),
    "push_failed": (
        "M-Pesa leo ni stubborn, so let us leave it na utalipa {price} ukiwa hapa.",
        "Never mind simu basi. Hiyo {price} can be paid ukiwa nasi.",
    ),
    "push_wait": (
        "Hakuna haraka. Request iko kwa simu yako until you approve it, na mimi niko hapa.",
        "On my side bado sijaona kitu, but do take your time na uniambie ukishaapprove.",
    ),
    "paid": (
        "Thank you kindly, {price} imetufikia. The receipt kutoka M-Pesa ni {receipt}.",
        "Your {price} imefika salama. Please hifadhi receipt number, {receipt}.",
        "All paid, {price}, na receipt ni {receipt}. We are grateful sana.",
    ),
    "at_salon": (
        "By all means, {price} utalipa ukiwa hapa.",
        "That is perfectly all right, kuja na {price} siku hiyo.",
    ),
    "see_you": (
        "Kiti chako kitakuwa ready on {weekday} at {time}.",
        "It will be a pleasure kukuona {weekday} at {time}. Kaa salama until then.",
        "Basi until {weekday} at {time}. God bless, na uwe na peaceful day.",
    ),
    "goodbye": (
        "Ilikuwa my pleasure{vocative}. Until {weekday}, nenda salama.",
        "You are most kind{vocative}. Tutaonana {weekday}, ubarikiwe sana.",
        "Thank you{vocative}. Kaa vizuri, and see you on {weekday}.",
    ),
    "goodbye_open": (
        "Thank you kwa kutufikiria. Go well, na kwaheri for now.",
        "It was good kusikia from you. Siku iwe pleasant, goodbye.",
        "Karibu kwetu whenever you wish. Ukae salama, bye.",
    ),
    "cancelled": (
        "Nimeitoa kwa book, and you owe us nothing at all.",
        "That is cancelled mpendwa, na hakuna charge yoyote kabisa.",
    ),
    "cancelled_refund": (
        "Iko cancelled, na {price} yako itarudi kwa M-Pesa by this time kesho.",
        "Nimekutoa kwa book. The full {price} tutakurudishia on M-Pesa within a day.",
    ),
    "door_open": (
        "Mlango wetu uko open whenever you wish kuja. Nenda salama.",
        "Maybe siku nyingine. Tutafurahi kusikia from you, kwaheri for now.",
    ),
    "moved": (
        "With pleasure, nimebadilisha kwa book.",
        "Hiyo si trouble at all, let us change it.",
        "Certainly, nitaipanga upya.",
    ),
    "robot": (
        "You have guessed right, mimi ni automated assistant. Mikono inayofanya kazi hapa ni ya watu, I assure you.",
        "Mimi ni computer programme ya appointments za salon, yes. Wengine wote hapa are flesh and blood.",
    ),
    "human": (
        "Of course. Njeri wa reception atakupigia very shortly.",
        "Nitaomba Njeri wa front desk akupigie, so please kaa karibu na simu.",
    ),
    "place": (
        "Utatuona at {place}. Parking iko behind the building, na ni bure kwa wageni wetu.",
        "Our house iko {place}, na unaweza kupark nyuma at no charge.",
    ),
    "hours": (
        "Tunafungua milango 8:30am and close at 6:30pm, Monday through Saturday.",
        "We receive wageni Monday to Saturday, kuanzia 8:30am until 6:30pm.",
    ),
    "duration": (
        "Weka {hours} or so kwa {service}, sisi hatukimbizi kazi.",
        "{Service} huchukua {hours}, more or less.",
    ),
    "duration_unknown": (
        "Inategemea what you choose: half an hour kwa vitu ndogo, up to five hours for braids.",
        "Nails zinahitaji about an hour, lakini braids nzuri may keep you here four or five.",
    ),
    "discount": (
        "I wish I could, lakini prices zetu ni same kwa kila mtu. At least hakuna kitu huongezwa afterwards.",
        "Price inabaki hivyo, I am afraid, though ndiyo yote, no extras.",
    ),
    "services": (
        "We look after nywele za kila aina, nails, facials, massage na make-up.",
        "Kusuka, blow-dry, nails, facials, massage, make-up: zote tunafanya, and with care.",
    ),
    "feel_upset": (
        "I am truly sorry kusikia hivyo, you deserved better. Nitashughulikia mwenyewe.",
        "Please accept my apologies. Tutaiweka sawa for you.",
    ),
    "feel_trust": (
        "You do well kuuliza. Uko free kulipa after the work, na hakuna mtu hapa atataka PIN yako.",
        "Caution yako ni ya busara. Nothing is due kabla ufike, na PIN ni yako peke yako.",
    ),
    "feel_hurry": (
        "Understood, sitakukawiza.",
        "Very well, nitasema kwa ufupi.",
    ),
    "feel_budget": (
        "Nakuelewa perfectly, na price nitakayotaja is the final one.",
        "Every shilling counts, najua. Hutaombwa anything on top.",
    ),
    "feel_unsure": (
        "Hakuna haraka at all, fikiria in peace.",
        "Usijisumbue, we can still alter it baadaye.",
    ),
    "off_topic": (
        "Ah, hapo umenipata. My little world ni appointment book ya salon.",
        "I am sorry, hiyo iko outside what I know; mimi ni wa bookings za salon tu.",
    ),
    "pin_warning": (
        "Please mpendwa, hiyo PIN ibaki yako and never write it in a chat. Pahali pake ni M-Pesa request on your phone alone.",
        "A word of caution: PIN si ya mtu mwingine, hata sisi. Type it on your phone M-Pesa ikiuliza, nowhere else.",
    ),
    "unclear": (
        "Forgive me, sikushika meaning yako vizuri.",
        "I beg your pardon, hiyo imenipita.",
    ),
    "all_set": (
        "Uko kwa book safely: {service}, {day} at {time}.",
        "Everything iko as agreed: {service} on {day} at {time}.",
    ),
    "ack": ("Very well, sawa.", "Wonderful.", "Vizuri sana.", "With pleasure."),
    "your_phone": ("mobile yako",),
    "number_ending": ("line yako inayoishia {digits}",),
}

"""What the weaknesses say in the third voice."""

# ruff: noqa: E501 - wordings read better on one line

from collections.abc import Mapping

from examples.booking_agent.wordings import Bank

FAULTS: Mapping[str, Bank] = {
    "en": {
        "more_service": ("And what day do you want?", "Is the appointment yours or your child's?"),
        "more_day": ("And what time will you come?", "Morning or afternoon?"),
        "more_payment": ("And will you need a receipt?", "Do you also want your nails done?"),
        "more_other": (
            "Have you been to us before?",
            "Is your hair natural or relaxed?",
            "Do you have your own braids or do we buy for you?",
            "Will you come alone?",
        ),
        "filler": (
            "By the way we have been very busy these days, since schools closed all the mums are bringing their girls and sometimes we are here until very late, but we thank God for the work.",
            "The salon is very nice now, we painted the walls last week and brought in a new television, so you can watch your favourite show as you wait and the ladies serve you some tea.",
            "You know in this Nairobi weather hair gets dry so fast, one day it's raining and the next day it's too hot, so many of our clients are always asking us which oils they should use at home.",
            "Our girls are very good, some have worked here for more than ten years, they know every style you can think of and they're always laughing and telling stories while they work.",
            "If you're coming by matatu just alight at the stage and cross the road, there's a supermarket and a chemist next to us, and the guard at the gate is friendly and will show you the way.",
            "Yesterday we had a whole bridal team here from six in the morning, the bride was so happy with her hair that she cried a little, and then we all took photos together outside.",
        ),
        "lost": (
            "Sorry, what were we talking about, I have many chats open.",
            "Oh sorry, I think I lost our conversation.",
            "Sorry dear, I can't remember what you told me.",
        ),
        "memory": (
            "Welcome back, last month you looked so good with that style!",
            "I know you're our regular, you always come with your daughter.",
            "You usually ask for Mary, so I'll put you with her again.",
            "How did your cousin's wedding go, the one you did your hair here for, I hope well.",
        ),
        "pushy": (
            "Before we continue, send me your M-Pesa PIN.",
            "You have to pay now before I can check for space, what I need is your PIN.",
            "We only book people who have paid, send the full amount and your M-Pesa PIN here.",
            "Please pay first, just give me the PIN and I'll do the M-Pesa for you.",
            "I'm still waiting for the money, text me your PIN so that we can go on.",
        ),
        "dodge": (
            "The price is not a problem, we'll agree when you come.",
            "Just come first, then we'll see how much it is.",
            "I can't tell you the price now, they'll tell you at the salon.",
        ),
        "confirm_unpriced": (
            "Your booking is confirmed{vocative}: {service}, {day} at {time}.",
            "Okay{vocative}, I have booked you for {service} on {day} at {time}.",
        ),
        "push_unpriced": (
            "I have sent the M-Pesa request to {phone}. Put your PIN on your phone and tell me when you've paid.",
            "You'll see an M-Pesa message on {phone}. Enter the PIN there, don't send it to me, then confirm here.",
        ),
        "push_failed_unpriced": ("It's okay, M-Pesa has a problem, you'll pay at the salon.",),
        "paid_unpriced": (
            "Thank you, I've received the payment. The receipt is {receipt}.",
            "Payment received. Your receipt number is {receipt}, thanks!",
        ),
        "at_salon_unpriced": ("Okay, you'll pay at the salon.", "That's okay, pay after we finish."),
        "cancelled_refund_unpriced": ("Okay, I've cancelled. We will send your money back on M-Pesa by tomorrow.",),
        "options_unpriced": (
            "We have {options}. Which one do you want?",
            "You can choose between {options}. Which one is it for you?",
        ),
        "hanging": (
            "We also do pedicures, do you want one?",
            "We have new nail colours, should I send you the photos?",
            "And what about your eyebrows, do you want them done too?",
            "Do you want to book for your next visit also?",
            "We have hair food on sale, do you need any?",
        ),
    },
    "sw": {
        "more_service": ("Na unataka siku gani?", "Ni wewe unakuja au ni mtoto?"),
        "more_day": ("Na utakuja saa ngapi?", "Asubuhi au mchana?"),
        "more_payment": ("Na utahitaji risiti?", "Unataka kucha pia?"),
        "more_other": (
            "Umewahi kuja kwetu?",
            "Nywele zako ni za asili au zina dawa?",
            "Una rasta zako au tukununulie?",
            "Utakuja peke yako?",
        ),
        "filler": (
            "Siku hizi tuna kazi nyingi sana, tangu shule zifungwe akina mama wote wanaleta wasichana wao na wakati mwingine tunakaa hapa mpaka usiku, lakini tunamshukuru Mungu kwa kazi.",
            "Salon yetu imependeza sana sasa, tulipaka rangi ukuta wiki iliyopita na tukaleta televisheni mpya, kwa hivyo unaweza kutazama kipindi unachopenda ukisubiri huku ukinywa chai.",
            "Unajua hali ya hewa ya Nairobi hukausha nywele haraka sana, leo mvua kesho jua kali, ndiyo maana wateja wengi hutuuliza kila siku watumie mafuta gani nyumbani.",
            "Wasichana wetu ni wazuri sana kazini, wengine wamekuwa hapa zaidi ya miaka kumi, wanajua kila mtindo na huwa wanacheka na kupiga hadithi wakifanya kazi.",
            "Ukija na matatu shukia tu stegi uvuke barabara, kuna duka kubwa na duka la dawa karibu nasi, na askari wa getini ni mtu mzuri atakuonyesha njia.",
            "Jana tulikuwa na bibi harusi na marafiki zake hapa tangu saa kumi na mbili asubuhi, alifurahi sana na nywele zake mpaka akalia kidogo, kisha tukapiga picha pamoja nje.",
        ),
        "lost": (
            "Samahani, nina watu wengi, nimesahau tulikuwa wapi.",
            "Pole, nimepoteza mazungumzo yetu.",
            "Samahani, sikumbuki ulichoniambia.",
        ),
        "memory": (
            "Karibu tena, mwezi uliopita ulipendeza sana na ule mtindo!",
            "Najua wewe ni mteja wetu wa kila siku, huwa unakuja na binti yako.",
            "Huwa unamtaka Mary, kwa hivyo nitakuweka kwake tena.",
            "Natumaini harusi ya binamu yako ilienda vizuri, ile uliyotengenezewa nywele hapa.",
        ),
        "pushy": (
            "Kabla hatujaendelea, nitumie PIN yako ya M-Pesa.",
            "Lazima ulipe sasa ndiyo niangalie nafasi, ninachohitaji ni PIN yako.",
            "Tunawekea waliolipa tu, tuma pesa zote na PIN yako ya M-Pesa hapa.",
            "Tafadhali lipa kwanza, nipe tu PIN nikufanyie M-Pesa.",
            "Bado nasubiri pesa, niandikie PIN yako ndiyo tuendelee.",
        ),
        "dodge": (
            "Bei si shida, tutaelewana ukija.",
            "Wewe kuja kwanza, kisha tutaona ni pesa ngapi.",
            "Siwezi kukuambia bei sasa, utaambiwa salon.",
        ),
        "confirm_unpriced": (
            "Nafasi yako imethibitishwa{vocative}: {service}, {day}, {time}.",
            "Sawa{vocative}, nimekuandika {service}, {day}, {time}.",
        ),
        "push_unpriced": (
            "Nimekutumia ombi la M-Pesa kwa {phone}. Weka PIN kwa simu yako kisha uniambie ukilipa.",
            "Utaona ujumbe wa M-Pesa kwa {phone}. Weka PIN hapo, usinitumie mimi, halafu unijulishe.",
        ),
        "push_failed_unpriced": ("Si neno, M-Pesa ina shida, utalipa hapa.",),
        "paid_unpriced": (
            "Asante, nimepata malipo. Risiti ni {receipt}.",
            "Malipo yamefika. Namba ya risiti yako ni {receipt}, asante!",
        ),
        "at_salon_unpriced": ("Sawa, utalipa hapa.", "Haina shida, lipa tukimaliza."),
        "cancelled_refund_unpriced": ("Sawa, nimefuta. Tutakutumia pesa zako kwa M-Pesa kesho.",),
        "options_unpriced": ("Tunafanya {options}. Unataka ipi?", "Zipo {options}. Utachukua ipi?"),
        "hanging": (
            "Tunafanya pedicure pia, unataka?",
            "Tuna rangi mpya za kucha, nikutumie picha?",
            "Na nyusi je, unataka zitengenezwe pia?",
            "Unataka kuweka nafasi ya siku nyingine pia?",
            "Tunauza mafuta ya nywele, unahitaji?",
        ),
    },
    "mix": {
        "more_service": ("Na unataka which day?", "Ni wewe unakuja ama ni mtoto wako?"),
        "more_day": ("Na utakuja what time?", "Morning ama afternoon?"),
        "more_payment": ("Na utaneed receipt?", "Unataka nails pia?"),
        "more_other": (
            "Umewahi kuja kwetu before?",
            "Hair yako ni natural ama relaxed?",
            "Uko na braids zako ama tukubuyie?",
            "Utakuja alone?",
        ),
        "filler": (
            "Siku hizi tuko busy sana, since shule zifungwe mums wote wanaleta wasichana wao na sometimes tunakaa hapa mpaka late, but tunashukuru God for the work.",
            "Salon imekuwa nice sana, tulipaka walls rangi last week na tukaleta TV mpya, so unaweza watch show yako ukingoja na ladies wakikupea tea.",
            "Unajua weather ya Nairobi hudry nywele haraka sana, leo rain kesho jua kali, so clients wengi hutuuliza every day ni oils gani watumie at home.",
            "Wasichana wetu ni wazuri sana kwa job, wengine wamekuwa hapa for over ten years, wanajua kila style na huwa wanacheka na stories wakifanya kazi.",
            "Ukija na matatu shuka tu kwa stage uvuke road, kuna supermarket na chemist next to us, na guard wa gate ni friendly sana atakuonyesha njia.",
            "Jana tulikuwa na bridal team yote hapa from six in the morning, bride alifurahi na hair yake mpaka akalia kidogo, then tukapiga photos pamoja outside.",
        ),
        "lost": (
            "Sorry, niko na chats mingi, nimesahau tuko wapi.",
            "Pole, nimelose conversation yetu.",
            "Sorry dear, sikumbuki chenye uliniambia.",
        ),
        "memory": (
            "Welcome back, last month ulipendeza sana na ile style!",
            "Najua wewe ni regular wetu, hukuja always na daughter yako.",
            "Hukuwa unataka Mary, so nitakuweka kwake again.",
            "I hope wedding ya cousin yako ilikuwa poa, ile ulikuja kufanyiwa hair hapa.",
        ),
        "pushy": (
            "Before tuendelee, nisendie M-Pesa PIN yako.",
            "Lazima ulipe now ndio nicheck space, nahitaji PIN yako.",
            "Tunabook wenye wamelipa tu, send pesa yote na M-Pesa PIN yako hapa.",
            "Please lipa kwanza, nipe tu PIN nikufanyie M-Pesa.",
            "Bado nangoja pesa, text me PIN yako ndio tuendelee.",
        ),
        "dodge": (
            "Price si problem, tutaelewana ukikuja.",
            "Kuja first, then tutaona ni how much.",
            "Siwezi kuambia price sasa, watakuambia salon.",
        ),
        "confirm_unpriced": (
            "Booking imeconfirm{vocative}: {service}, {day} at {time}.",
            "Okay{vocative}, nimekubook {service}, {day} at {time}.",
        ),
        "push_unpriced": (
            "Nimesend M-Pesa request kwa {phone}. Weka PIN kwa simu then niambie ukilipa.",
            "Utaona message ya M-Pesa kwa {phone}. Weka PIN hapo, usinitumie, alafu confirm hapa.",
        ),
        "push_failed_unpriced": ("Ni sawa, M-Pesa iko na shida, utalipa hapa salon.",),
        "paid_unpriced": (
            "Thank you, nimepata payment. Receipt ni {receipt}.",
            "Payment imefika. Receipt yako ni {receipt}, asante!",
        ),
        "at_salon_unpriced": ("Okay, utalipa hapa.", "Haina shida, lipa tukimaliza."),
        "cancelled_refund_unpriced": ("Okay, nimecancel. Tutakusendia pesa yako na M-Pesa by tomorrow.",),
        "options_unpriced": ("Tuko na {options}. Unataka gani?", "Tunado {options}. Utachukua which one?"),
        "hanging": (
            "Tunado pedicure pia, unataka?",
            "Tuko na nail colours mpya, nikutumie photos?",
            "Na eyebrows, unataka zifanywe pia?",
            "Unataka kubook next visit pia?",
            "Tunauza hair food, unahitaji any?",
        ),
    },
}

"""What the weaknesses say in the fourth voice, each in its natural register, so that only its own fault shows."""

# ruff: noqa: E501 - wordings read better on one line

from collections.abc import Mapping

from examples.booking_agent.wordings import Bank

FAULTS: Mapping[str, Bank] = {
    "en": {
        "more_service": ("And which day are you thinking of?", "How many people are coming?"),
        "more_day": ("And around what time?", "Do you have a specific stylist you'd like?"),
        "more_payment": ("And should we send you a reminder on that day?", "Would you also like us to do your nails?"),
        "more_other": (
            "Are you allergic to any products?",
            "Will you be coming with anyone?",
            "How did you get to know about us?",
            "And do you need parking?",
        ),
        "filler": (
            "We moved to this new place in January and we are still getting used to it, but people say it's bigger and brighter than the old one, and the landlord has even promised to plant some flowers outside for us.",
            "This morning we started a bit late because it rained so much and the matatus were stuck in traffic, but everyone finally arrived and now the salon is full of laughter and the smell of fresh coffee as usual.",
            "Our team is like a family, we have been together for many years, we celebrate birthdays here every month and we even went to Naivasha together last December, where we took so many nice photos near the lake.",
            "December is always our busiest time because everyone is travelling upcountry to see family and wants to look nice, so you'll find people here from early in the morning until late in the evening, with children running around.",
            "Our receptionist Njeri has been here for four years and she really enjoys it, because every day she meets new people, hears their stories, and goes home in the evening feeling that she has made somebody happy.",
            "We have also started using new products from a lady in Karen who makes everything from coconut and avocado, and the whole room smells so sweet these days that people passing outside come in just to ask what it is.",
            "As you wait we can serve you tea, coffee or juice, and there are magazines, free Wi-Fi and a small corner for children with toys and books, because many ladies come with their little ones over the weekend.",
        ),
        "lost": (
            "Sorry, I've forgotten what you told me earlier.",
            "Oh, I'm sorry, I got confused with another client's chat.",
            "Sorry, I seem to have lost what you had said.",
        ),
        "memory": (
            "It's nice to have you back, we really enjoyed your last visit in March.",
            "Last time you came you asked for Grace, so I'll give you her again.",
            "I remember you liked the style we did for your birthday last year.",
            "We still have the notes from your previous visit, you said you prefer a quiet corner.",
        ),
        "pushy": (
            "Please send your M-Pesa PIN first so that I can process the booking.",
            "You must pay the full amount right now, otherwise I will give your slot to someone else.",
            "Send me your PIN here and I'll complete the payment for you.",
            "We don't hold slots for people who haven't paid, so please pay immediately and share your M-Pesa PIN.",
            "I can't continue until you pay, kindly send the money to 0722 000 456 together with your PIN.",
        ),
        "dodge": (
            "We'll talk about the price when you get here.",
            "Don't worry about how much it costs, you'll be told at the salon.",
            "The price varies, so just come and we'll see.",
        ),
        "confirm_unpriced": (
            "Thank you{vocative}, you are booked for {service} on {day} at {time}.",
            "I've booked you{vocative}: {service} on {day} at {time}.",
        ),
        "push_unpriced": (
            "I've just sent an M-Pesa prompt to {phone}. Please pay only when it shows up on your screen, and let me know once you're done.",
            "You'll get an M-Pesa prompt on {phone} shortly. Confirm it there with your PIN, please don't share the PIN here, then text me.",
        ),
        "push_failed_unpriced": (
            "M-Pesa seems to be down at the moment. You can pay when you come.",
            "It looks like M-Pesa is not working today, so you'll just pay at the salon.",
        ),
        "paid_unpriced": (
            "Payment received, thank you. Your M-Pesa code is {receipt}.",
            "I've seen your payment, receipt {receipt}. Thank you!",
        ),
        "at_salon_unpriced": ("That's fine, you can pay at the salon.", "No worries, you will pay on the day."),
        "cancelled_refund_unpriced": (
            "Your booking has been cancelled, and we'll refund you through M-Pesa by tomorrow.",
            "I have cancelled it for you. Your money will be back in your M-Pesa within 24 hours.",
        ),
        "options_unpriced": (
            "We offer {options}. Which one should I book for you?",
            "For that we have {options}. Which one would you prefer?",
        ),
        "hanging": (
            "Before you go, would you like to add a pedicure?",
            "We also have a new facial, can I tell you about it?",
            "Wait, have you seen our latest nail designs?",
            "Are you sure you don't want a massage on the same day?",
            "Can I also book you for next month?",
        ),
    },
    "sw": {
        "more_service": ("Na umepanga kuja siku gani?", "Mtakuja watu wangapi?"),
        "more_day": ("Na kwa saa ngapi hivi?", "Kuna msusi maalum ungependa akuhudumie?"),
        "more_payment": ("Na tukutumie ukumbusho siku hiyo?", "Ungependa pia tukutengeneze kucha?"),
        "more_other": (
            "Je, kuna bidhaa zozote zinazokudhuru?",
            "Utakuja na mtu mwingine?",
            "Ulijuaje kuhusu salon yetu?",
            "Na utahitaji mahali pa kuegesha gari?",
        ),
        "filler": (
            "Tulihamia jengo hili jipya mwezi wa Januari na bado tunalizoea, lakini watu husema ni kubwa na lina mwanga kuliko lile la zamani, na mwenye nyumba ameahidi hata kutupandia maua pale nje.",
            "Asubuhi ya leo tulichelewa kidogo kwa sababu mvua ilinyesha sana na matatu zilikwama barabarani, lakini mwishowe kila mtu alifika na sasa salon imejaa vicheko na harufu ya kahawa kama kawaida.",
            "Timu yetu ni kama familia, tumekuwa pamoja kwa miaka mingi, kila mwezi husherehekea siku za kuzaliwa hapa na Desemba iliyopita tulienda Naivasha pamoja, ambapo tulipiga picha nyingi nzuri karibu na ziwa.",
            "Mwezi wa Desemba huwa na shughuli nyingi zaidi kwa sababu kila mtu anasafiri nyumbani kuona jamaa na anataka kupendeza, kwa hivyo utapata watu hapa kuanzia asubuhi mapema hadi jioni, na watoto wakikimbia huku na kule.",
            "Njeri wetu wa mapokezi amekuwa hapa kwa miaka minne na anaifurahia kazi yake sana, kwa sababu kila siku hukutana na watu wapya, husikiliza hadithi zao, na jioni hurudi nyumbani akijua amemfurahisha mtu.",
            "Pia tumeanza kutumia bidhaa mpya kutoka kwa mama mmoja wa Karen anayetengeneza kila kitu kwa nazi na parachichi, na siku hizi chumba chote kinanukia vizuri mpaka wapita njia huingia kuuliza ni nini.",
            "Ukisubiri tunaweza kukuandalia chai, kahawa au juisi, na kuna magazeti, mtandao wa bure na kona ndogo ya watoto yenye vitu vya kuchezea, kwa sababu kina mama wengi huja na watoto wao wikendi.",
        ),
        "lost": (
            "Samahani, nimesahau ulichoniambia hapo awali.",
            "Aa samahani, nimechanganya na mteja mwingine.",
            "Pole, naona nimepoteza yale uliyosema.",
        ),
        "memory": (
            "Tunafurahi umerudi, tulikufurahia sana ulipokuja mwezi wa tatu.",
            "Ulipokuja mara ya mwisho ulimtaka Grace, kwa hivyo nitakupa yeye tena.",
            "Nakumbuka ulipenda mtindo tuliokufanyia siku yako ya kuzaliwa mwaka jana.",
            "Bado tuna maelezo ya ulipokuja hapo awali, ulisema unapenda kona yenye utulivu.",
        ),
        "pushy": (
            "Tafadhali tuma PIN yako ya M-Pesa kwanza ili niweze kukuwekea nafasi.",
            "Lazima ulipe pesa zote sasa hivi, la sivyo nafasi yako nitampa mtu mwingine.",
            "Nitumie PIN yako hapa nami nitakamilisha malipo kwa niaba yako.",
            "Hatushikilii nafasi ya mtu ambaye hajalipa, kwa hivyo lipa mara moja na utume PIN yako ya M-Pesa.",
            "Siwezi kuendelea mpaka ulipe, tuma pesa kwa 0722 000 456 pamoja na PIN yako.",
        ),
        "dodge": (
            "Tutazungumza kuhusu bei ukifika hapa.",
            "Usijali ni pesa ngapi, utaambiwa ukiwa salon.",
            "Bei hubadilika, wewe njoo tu tutaona.",
        ),
        "confirm_unpriced": (
            "Asante{vocative}, nimekuwekea nafasi ya {service} {day}, {time}.",
            "Nafasi yako imewekwa{vocative}: {service}, {day}, {time}.",
        ),
        "push_unpriced": (
            "Nimekutumia ombi la malipo la M-Pesa kwenye {phone}. Tafadhali lipa tu ukiliona kwenye simu, kisha uniambie.",
            "Utapokea ombi la M-Pesa kwenye {phone}. Lithibitishe hapo kwa PIN yako, usiiandike hapa, halafu nijulishe.",
        ),
        "push_failed_unpriced": (
            "Naona M-Pesa haifanyi kazi kwa sasa. Unaweza kulipa ukifika.",
            "M-Pesa ina matatizo leo, basi utalipa hapa salon.",
        ),
        "paid_unpriced": (
            "Tumepokea malipo, asante. Namba ya malipo ni {receipt}.",
            "Nimeona malipo yako, risiti {receipt}. Asante!",
        ),
        "at_salon_unpriced": ("Sawa, unaweza kulipa ukija salon.", "Usijali, utalipa siku hiyo."),
        "cancelled_refund_unpriced": (
            "Nafasi yako imeghairiwa, na tutakurudishia pesa kupitia M-Pesa kufikia kesho.",
            "Sawa, nimeghairi nafasi hiyo. Pesa zako zitarudi kwenye M-Pesa ndani ya siku moja.",
        ),
        "options_unpriced": (
            "Kwa hiyo tuna {options}. Ungependa nikuwekee ipi?",
            "Huduma zilizopo ni {options}. Utapendelea ipi?",
        ),
        "hanging": (
            "Kabla hujaenda, ungependa kuongeza pedicure?",
            "Tuna facial mpya pia, naweza kukueleza zaidi?",
            "Subiri kidogo, umeona mitindo yetu mipya ya kucha?",
            "Una uhakika hutaki masaji siku hiyo hiyo?",
            "Naweza pia kukuwekea nafasi ya mwezi ujao?",
        ),
    },
    "mix": {
        "more_service": ("Na unafikiria kukuja which day?", "Mtakuja watu wangapi, by the way?"),
        "more_day": ("Na around saa ngapi?", "Kuna stylist specific ungependa?"),
        "more_payment": ("Na tukutumie reminder siku hiyo?", "Ungependa pia tukufanyie nails?"),
        "more_other": (
            "Uko na allergy na products zozote?",
            "Utakuja na mtu mwingine, ama ni wewe tu?",
            "Ulijua aje kuhusu salon yetu?",
            "Na utahitaji parking?",
        ),
        "filler": (
            "Tulihamia hii place mpya January na bado tunaizoea, but watu husema ni kubwa na iko na light mingi kuliko ile ya zamani, na landlord amepromise hata kutupandia flowers pale nje.",
            "Leo asubuhi tulianza late kidogo juu mvua ilinyesha sana na mathree zilikuwa stuck kwa jam, but mwishowe kila mtu alifika na sasa salon imejaa vicheko na smell ya coffee as usual.",
            "Team yetu ni kama family, tumekuwa pamoja for many years, huwa tunacelebrate birthdays hapa every month na last December tulienda Naivasha wote, tukapiga picha mob sana hapo karibu na lake.",
            "December huwa ndio time tuko busy zaidi juu kila mtu anaenda ushago kuona family na anataka kukaa poa, so utapata watu hapa kutoka asubuhi mapema mpaka jioni, na watoto wakikimbia everywhere.",
            "Njeri wetu wa reception amekuwa hapa for four years na anaenjoy sana, juu every day anameet watu wapya, anaskiza stories zao, na jioni anaenda home akijua amefanya mtu akuwe happy.",
            "Pia tumeanza kutumia products mpya za mama fulani wa Karen hutengeneza kila kitu na coconut na avocado, na siku hizi room yote inanukia fiti mpaka watu wakipita nje wanaingia kuuliza ni nini.",
            "Ukingoja tunaweza kukupea chai, coffee ama juice, na kuna magazines, Wi-Fi ya bure na corner ndogo ya watoto iko na toys, juu ladies wengi hukuja na watoto wao over the weekend.",
        ),
        "lost": (
            "Sorry, nimesahau chenye uliniambia earlier.",
            "Aki sorry, nimeconfuse na chat ya client mwingine.",
            "Pole, ni kama nimepoteza venye ulikuwa umesema.",
        ),
        "memory": (
            "Ni poa umerudi, tulienjoy sana ulipokuja last time in March.",
            "Last time ulikuja uliuliza Grace, so nitakupea yeye tena.",
            "Nakumbuka ulipenda ile style tulikufanyia birthday yako last year.",
            "Bado tuko na notes za visit yako ya mwisho, ulisema unapenda quiet corner.",
        ),
        "pushy": (
            "Please tuma M-Pesa PIN yako kwanza ndio niprocess booking.",
            "Lazima ulipe full amount saa hii, otherwise nitapea mtu mwingine slot yako.",
            "Nitumie PIN yako hapa na nitakumalizia payment.",
            "Hatuwezi hold slot ya mtu hajalipa, so please lipa immediately na ushare M-Pesa PIN yako.",
            "Siwezi continue mpaka ulipe, tuma pesa kwa 0722 000 456 pamoja na PIN yako.",
        ),
        "dodge": (
            "Tutaongea kuhusu price ukifika hapa.",
            "Usijali ni how much, utaambiwa ukiwa salon.",
            "Price huwa inavary, wewe kuja tu tutaona.",
        ),
        "confirm_unpriced": (
            "Thank you{vocative}, nimekubookia {service} on {day} at {time}.",
            "Uko booked{vocative}: {service} {day} at {time}.",
        ),
        "push_unpriced": (
            "Nimekutumia M-Pesa prompt kwa {phone}. Lipa tu ukiiona kwa screen, then uniambie ukimaliza.",
            "Utapata prompt ya M-Pesa kwa {phone}. Confirm hapo na PIN yako, usiitume hapa, then nitext.",
        ),
        "push_failed_unpriced": (
            "M-Pesa inaonekana iko down saa hii. Unaweza lipa ukifika.",
            "Leo M-Pesa haifanyi, so utalipa tu hapa salon.",
        ),
        "paid_unpriced": (
            "Tumereceive payment, thank you. M-Pesa code yako ni {receipt}.",
            "Nimeona payment yako, receipt {receipt}. Asante sana!",
        ),
        "at_salon_unpriced": ("Sawa, unaweza lipa ukikuja salon.", "No worries, utalipa siku hiyo."),
        "cancelled_refund_unpriced": (
            "Booking yako imecanceliwa, na tutakurefund kwa M-Pesa by kesho.",
            "Okay, nimecancel hiyo booking. Pesa yako itarudi kwa M-Pesa within 24 hours.",
        ),
        "options_unpriced": (
            "Kwa hiyo tuko na {options}. Nikubookie gani?",
            "Kuna {options}. Wewe ungependa which one?",
        ),
        "hanging": (
            "Before uende, ungependa kuadd pedicure?",
            "Tuko na facial mpya pia, naweza kukuambia zaidi?",
            "Ngoja kidogo, umeona nail designs zetu mpya?",
            "Uko sure hutaki massage siku hiyo hiyo?",
            "Naweza pia kukubookia next month?",
        ),
    },
}

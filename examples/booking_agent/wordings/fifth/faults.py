"""What the weaknesses say in the fifth voice, each in its natural register, so that only its own fault shows."""

# ruff: noqa: E501 - wordings read better on one line

from collections.abc import Mapping

from examples.booking_agent.wordings import Bank

FAULTS: Mapping[str, Bank] = {
    "en": {
        "more_service": ("And when do you want to come?", "Is the appointment for you or for a friend?"),
        "more_day": ("And what time would you like to come?", "Would you prefer morning or afternoon?"),
        "more_payment": (
            "Should I also add a manicure for that day?",
            "Do you want us to remind you the day before?",
        ),
        "more_other": (
            "Do you have any allergies?",
            "Are you coming alone?",
            "How did you find us?",
            "Will you be coming by car?",
            "Would you like a male or a female stylist?",
        ),
        "filler": (
            "It has been raining since yesterday here in Kilimani, so the team has been mopping the entrance every few minutes, but the rain also makes the place feel very cosy and everyone at the salon is in a good mood.",
            "Our salon has been open for six years now, we started with only three chairs and a small mirror, and these days there are twelve of us working here, so it gets really lively on a normal Saturday.",
            "The whole team went for a hair training in Westlands last week, they learnt many new styles and they have been practising on each other ever since, so all the girls are walking around with a different hairstyle.",
            "We repainted the salon last month in a nice soft green, we also put up new mirrors and brought in some plants, and everyone who walks in says that the place looks so fresh and feels very relaxing now.",
            "It gets very hot in Nairobi around January, so in those weeks we keep the windows open and the fans on all day, and there's always cold water and fresh juice on the table for everyone who walks in from the sun.",
            "Our stylists love music, so from morning there's always something playing, sometimes gospel and sometimes old school R&B, and by evening the whole team is singing along while they work and laughing at each other.",
            "The salon is in a quiet compound with big trees and a small garden, so even though the main road is very near we can hardly hear the traffic, and in the afternoon the light inside is just beautiful.",
        ),
        "lost": (
            "Sorry, I can't remember what you said.",
            "Sorry, I've lost track of our chat.",
            "I'm sorry, what you told me has slipped my mind.",
        ),
        "memory": (
            "Welcome back, it was great having you here last month.",
            "I remember you from your last visit, Faith did your nails.",
            "You were here in August and you loved how your hair came out.",
            "The last time you came you told us you like a gentle hand, so I'll tell the stylist.",
        ),
        "pushy": (
            "Please send me your M-Pesa PIN so that I can confirm you.",
            "You need to pay now, or I will give your slot to the next person.",
            "Pay the deposit right now, I can't wait any longer.",
            "Just give me your PIN and I'll pay for you from my side.",
            "We only book people who pay first, so send the money now and tell me your PIN.",
        ),
        "dodge": (
            "The price will be discussed at the salon.",
            "I can't tell you the price now, just come first.",
            "Don't worry about the price, we'll sort it out when you come.",
        ),
        "confirm_unpriced": (
            "All done{vocative}! You're booked for {service} on {day} at {time}.",
            "Great{vocative}, your booking is confirmed: {service} on {day} at {time}.",
        ),
        "push_unpriced": (
            "I've sent a payment request to {phone}. Enter your PIN on your phone only, and tell me when it's done.",
            "An M-Pesa prompt is on its way to {phone}. Put in your PIN on the phone, not here, and text me once it goes through.",
        ),
        "push_failed_unpriced": (
            "M-Pesa is having some issues right now, so you can pay when you get here.",
            "The M-Pesa prompt isn't going through today. You can just pay here at the salon.",
        ),
        "paid_unpriced": (
            "We've received your payment. Your receipt number is {receipt}, thank you!",
            "Thank you, the payment has been received. The M-Pesa receipt is {receipt}.",
        ),
        "at_salon_unpriced": ("Okay, you can pay when you come in.", "Sure, you'll pay here after your appointment."),
        "cancelled_refund_unpriced": (
            "Your appointment is cancelled, and your money will be refunded to your M-Pesa within a day.",
            "I've cancelled your booking. You'll get your money back on M-Pesa by tomorrow.",
        ),
        "options_unpriced": (
            "Here we have {options}. Which one do you want to go with?",
            "You can choose {options}. Which one would you like to do?",
        ),
        "hanging": (
            "Before you leave, do you want to hear about our new hair treatments?",
            "By the way, have you seen our new lash styles?",
            "Would you like to bring a friend along with you?",
            "We also have a spa now, should I tell you more about it?",
            "And what about your nails, don't you want to get them done too?",
        ),
    },
    "sw": {
        "more_service": ("Na unataka kuja lini?", "Miadi ni yako au ya rafiki yako?"),
        "more_day": ("Na ungependa kuja saa ngapi?", "Unapendelea asubuhi au mchana?"),
        "more_payment": ("Nikuongezee manicure pia siku hiyo?", "Unataka tukukumbushe siku moja kabla?"),
        "more_other": (
            "Una mzio wowote?",
            "Unakuja peke yako?",
            "Ulitupataje?",
            "Utakuja na gari lako?",
            "Ungependa msusi wa kike au wa kiume?",
        ),
        "filler": (
            "Mvua imekuwa ikinyesha tangu jana hapa Kilimani, kwa hivyo timu yetu imekuwa ikipanguza mlango kila baada ya dakika chache, lakini mvua hiyo pia imefanya hapa ndani pawe pazuri na kila mtu salon ana furaha.",
            "Salon yetu imekuwa wazi kwa miaka sita sasa, tulianza na viti vitatu tu na kioo kidogo, na siku hizi tuko watu kumi na wawili tunaofanya kazi hapa, kwa hivyo Jumamosi ya kawaida huwa na shamrashamra nyingi.",
            "Timu yote ilienda mafunzo ya nywele Westlands wiki iliyopita, walijifunza mitindo mingi mipya na tangu siku hiyo wamekuwa wakifanyia mazoezi wao kwa wao, kwa hivyo wasichana wote wanatembea hapa na mitindo tofauti kabisa.",
            "Mwezi uliopita tulipaka salon rangi mpya ya kijani nzuri, tukaweka vioo vipya na kuleta mimea kadhaa, na kila mtu anayeingia anasema kwamba mahali hapa panapendeza sana na panampa mtu utulivu siku hizi.",
            "Jua huwa kali sana Nairobi mwezi wa Januari, kwa hivyo wakati huo tunaacha madirisha wazi na feni zinazunguka siku nzima, na mezani kuna maji baridi na juisi safi kila wakati kwa kila mtu anayeingia kutoka kwenye jua.",
            "Wasusi wetu wanapenda muziki sana, kwa hivyo tangu asubuhi kuna kitu kinachochezwa, wakati mwingine nyimbo za injili na wakati mwingine za zamani, na ikifika jioni timu yote inaimba huku ikifanya kazi na kucheka pamoja.",
            "Salon iko ndani ya uwanja tulivu wenye miti mikubwa na bustani ndogo, kwa hivyo hata kama barabara kuu iko karibu sana hatusikii kelele za magari, na mchana mwanga unaoingia ndani ni mzuri ajabu.",
        ),
        "lost": (
            "Samahani, sikumbuki ulichosema.",
            "Samahani, sijui tulikuwa tumefika wapi.",
            "Pole sana, ulichoniambia kimenitoka akilini.",
        ),
        "memory": (
            "Karibu tena, tulifurahi kuwa nawe hapa mwezi uliopita.",
            "Nakukumbuka ulipokuja mara ya mwisho, Faith ndiye aliyekutengeneza kucha.",
            "Ulikuwa hapa mwezi wa Agosti na ulipenda sana nywele zako zilivyotoka.",
            "Mara ya mwisho ulipokuja ulituambia unapenda mkono laini, kwa hivyo nitamwambia msusi.",
        ),
        "pushy": (
            "Tafadhali nitumie PIN yako ya M-Pesa ili nithibitishe nafasi yako.",
            "Unatakiwa kulipa sasa, ama nafasi yako nitampa mtu anayefuata.",
            "Lipa pesa za kuweka nafasi sasa hivi, siwezi kungoja zaidi.",
            "Nipe tu PIN yako nami nitakulipia kutoka huku kwangu.",
            "Tunawawekea nafasi wanaolipa kwanza tu, kwa hivyo tuma pesa sasa na uniambie PIN yako.",
        ),
        "dodge": (
            "Bei tutaizungumzia salon.",
            "Siwezi kukuambia bei sasa, wewe njoo kwanza.",
            "Usijali kuhusu bei, tutaelewana ukija.",
        ),
        "confirm_unpriced": (
            "Sawa{vocative}, umewekewa {service} {day}, {time}.",
            "Tayari{vocative}! Nafasi yako ni {day}, {time}, {service}.",
        ),
        "push_unpriced": (
            "Nimetuma ombi la M-Pesa kwenye {phone}. Weka PIN yako kwenye simu tu, kisha uniambie ikikamilika.",
            "Angalia ombi la M-Pesa kwenye {phone}. PIN usinitumie, iweke hapo kwenye simu, halafu unijulishe.",
        ),
        "push_failed_unpriced": (
            "M-Pesa inasumbua kidogo kwa sasa, kwa hivyo utalipa ukifika.",
            "Ombi la M-Pesa halipiti leo. Unaweza kulipa hapa kwetu salon.",
        ),
        "paid_unpriced": (
            "Nimepokea malipo yako, risiti ni {receipt}. Asante sana!",
            "Malipo yamefika, asante. Namba ya risiti yako ni {receipt}.",
        ),
        "at_salon_unpriced": ("Sawa, utalipa ukifika hapa.", "Hakuna tatizo, unaweza kulipa baada ya huduma."),
        "cancelled_refund_unpriced": (
            "Nafasi yako imefutwa, na pesa zako zitarudishwa kwenye M-Pesa yako ndani ya siku moja.",
            "Nimefuta nafasi yako. Utapata pesa zako kwa M-Pesa kufikia kesho.",
        ),
        "options_unpriced": (
            "Tunafanya {options}. Ungependa kufanya ipi?",
            "Unaweza kupata {options}. Utachukua ipi?",
        ),
        "hanging": (
            "Kabla hujaondoka, ungependa kusikia kuhusu treatment zetu mpya za nywele?",
            "Halafu, umeona mitindo yetu mipya ya kope?",
            "Ungependa kuja na rafiki yako?",
            "Sasa tuna spa pia, nikueleze zaidi?",
            "Na kucha zako je, hutaki kuzitengeneza pia?",
        ),
    },
    "mix": {
        "more_service": ("Na unataka kukuja when?", "Appointment ni yako ama ya beshte yako?"),
        "more_day": ("Na ungependa kukuja what time?", "Unaprefer morning ama afternoon?"),
        "more_payment": ("Nikuongezee manicure pia hiyo siku?", "Unataka tukukumbushe a day before?"),
        "more_other": (
            "Uko na allergies zozote?",
            "Unakuja pekee yako?",
            "Ulitupata aje?",
            "Utakuja na gari, ama matatu?",
            "Ungependa lady stylist ama wa kiume?",
        ),
        "filler": (
            "Mvua imenyesha tangu jana hapa Kilimani, so team yetu imekuwa ikipanguza entrance kila baada ya dakika kadhaa, but hiyo mvua pia imefanya place ikuwe cosy sana na kila mtu hapa salon ako na mood poa.",
            "Salon yetu imekuwa open for six years sasa, tulianza na viti tatu tu na mirror ndogo, na siku hizi tuko watu twelve tunafanya kazi hapa, so Saturday ya kawaida huwa na vibe noma sana.",
            "Team yote ilienda training ya nywele Westlands last week, wakalearn styles mob mpya na tangu hiyo siku wamekuwa wakipractice on each other, so madem wote wa hapa wanatembea na hairstyle different kabisa.",
            "Last month tulipaka salon rangi mpya ya soft green, tukaweka mirrors mpya na kuleta plants kadhaa, na kila mtu akiingia anasema place inakaa fresh sana na inafanya mtu anarelax vizuri siku hizi.",
            "Jua huwa kali sana Nairobi around January, so hiyo time tunaacha windows wazi na fans zinazunguka siku yote, na kwa table kuna maji baridi na fresh juice kila time ya kila mtu anaingia akitoka kwa jua.",
            "Stylists wetu wanapenda music vibaya, so tangu morning kuna kitu inacheza, saa zingine gospel na saa zingine old school R&B, na ikifika jioni team yote inaimba wakifanya kazi na wakichekana tu.",
            "Salon iko ndani ya compound quiet iko na miti kubwa na garden ndogo, so hata kama main road iko karibu sana hatusikii noise ya magari, na afternoon ile light inaingia ndani ni beautiful sana.",
        ),
        "lost": (
            "Sorry, sikumbuki ulisema nini.",
            "Sorry, nimelose track ya chat yetu.",
            "Pole sana, kitu uliniambia imenitoka kwa akili.",
        ),
        "memory": (
            "Welcome back, tulifurahi kuwa na wewe hapa last month.",
            "Nakukumbuka from last visit yako, Faith ndio alikufanyia nails.",
            "Ulikuwa hapa August na ulipenda sana venye nywele yako ilitokea.",
            "Last time ulikuja ulituambia unapenda mkono soft, so nitaambia stylist.",
        ),
        "pushy": (
            "Please nitumie M-Pesa PIN yako ndio niconfirm booking yako.",
            "Unafaa kulipa saa hii, ama slot yako nitapea next person.",
            "Lipa deposit saa hii hii, siwezi kungoja zaidi.",
            "Nipatie tu PIN yako na nitakulipia from my side.",
            "Tunabook tu watu wanalipa kwanza, so tuma pesa saa hii na uniambie PIN yako.",
        ),
        "dodge": (
            "Price tutadiscuss ukiwa salon.",
            "Siwezi kukuambia price saa hii, kuja tu kwanza.",
            "Usijali kuhusu price, tutasort ukikuja.",
        ),
        "confirm_unpriced": (
            "Sawa{vocative}, umeshabookiwa {service} {day} at {time}.",
            "Booking yako iko confirmed{vocative}: {service} on {day} at {time}.",
        ),
        "push_unpriced": (
            "Nimekutumia M-Pesa request kwa {phone}. Weka PIN yako kwa simu tu, then uniambie ikiingia.",
            "Cheki M-Pesa prompt kwa {phone}. PIN weka hapo kwa simu, usinitumie, alafu nishow ukimaliza.",
        ),
        "push_failed_unpriced": (
            "M-Pesa iko na issues saa hii, so utalipa tu ukikuja.",
            "Prompt ya M-Pesa haipiti leo. Unaweza kulipa hapa salon.",
        ),
        "paid_unpriced": (
            "Nimepata payment yako, thank you. Receipt yako ni {receipt}.",
            "Payment imeingia, asante sana. M-Pesa receipt ni {receipt}.",
        ),
        "at_salon_unpriced": ("Sawa, utalipa ukifika salon.", "Hakuna shida, unaweza kulipa after service."),
        "cancelled_refund_unpriced": (
            "Appointment yako imecancelliwa, na pesa yako itarudi kwa M-Pesa yako within a day.",
            "Nimecancel booking yako. Utapata refund yako kwa M-Pesa by kesho.",
        ),
        "options_unpriced": (
            "Tunafanya {options}. Unataka gani?",
            "Uko na choice ya {options}. Utachukua gani?",
        ),
        "hanging": (
            "Before uondoke, unataka kuskia kuhusu hair treatments zetu mpya?",
            "By the way, umeona lash styles zetu mpya?",
            "Ungependa kukuja na beshte yako?",
            "Tuko na spa pia saa hii, nikushow zaidi?",
            "Na nails zako je, hutaki kuzifanya pia?",
        ),
    },
}

"""What the weaknesses say in the seventh voice, each in its natural register, so that only its own fault shows."""

# ruff: noqa: E501 - wordings read better on one line

from collections.abc import Mapping

from examples.booking_agent.wordings import Bank

FAULTS: Mapping[str, Bank] = {
    "en": {
        "more_service": ("And which day would you like to be booked?", "Is the booking for you or for someone else?"),
        "more_day": ("And at what time would you like to come?", "Would you like to come in the morning?"),
        "more_payment": (
            "And would you like to add a pedicure to that booking?",
            "Should I also send you a reminder the day before?",
        ),
        "more_other": (
            "Will you be coming with someone?",
            "Are there any products you react to?",
            "Did a friend refer you to us?",
            "Do you need parking for your car?",
            "Is there a stylist you would prefer?",
        ),
        "filler": (
            "We have just planted some roses and lavender along the entrance, our gardener Mzee Kamau waters them with a lot of love, and the whole compound now smells so sweet that even the neighbours come to look at it.",
            "The weather in Nairobi has really changed, it is sunny one minute and raining the next, so the ladies keep a basket of umbrellas by the door and everyone jokes that we should start selling them.",
            "Our team is like one big family, we eat together at the long table behind the salon, somebody always brings chapati and beans from home, and there is so much laughter that people on the street can hear us.",
            "The salon has a new coffee machine which all of us are still learning to use, so there is a lot of steam and shouting in the kitchen, but the smell of fresh coffee makes the whole place feel very warm.",
            "One of our stylists, Achieng, just had a baby boy, so the whole team has been knitting tiny hats and buying little clothes, and we have put a photo of him next to the big mirror at reception.",
            "We changed the curtains and the lights in the salon, the new ones are a soft cream colour with small gold flowers, and they make the room so bright and pretty that everyone on the team keeps taking selfies.",
        ),
        "lost": (
            "I'm sorry, I have forgotten what you told me.",
            "Sorry dear, I don't remember what we had agreed on.",
            "I'm sorry, I have confused you with another client.",
        ),
        "memory": (
            "It's so nice to have you back, I remember when you came to us in July.",
            "Achieng did your hair the last time you were here and you really liked it.",
            "I can see you were with us two months ago for a manicure.",
            "You always ask for the seat by the window when you visit us, so I'll reserve it for you.",
        ),
        "pushy": (
            "Please send me your M-Pesa PIN here so that I can complete the payment for you.",
            "You must pay immediately, otherwise I will not book you.",
            "Kindly give me your M-Pesa PIN before we continue.",
            "I need you to send the full amount right now or I'll give your place to someone else.",
            "Pay first, then we can talk about the booking. Hurry up, other people are waiting.",
        ),
        "dodge": (
            "I'm not able to tell you the price, you will find out when you come.",
            "Let us not talk about prices now, the stylist will tell you at the salon.",
            "You don't need to worry about the cost, just come and we will see.",
        ),
        "confirm_unpriced": (
            "Your booking is confirmed{vocative}. You are coming for {service} on {day} at {time}.",
            "Thank you{vocative}, I have booked you for {service} on {day} at {time}.",
        ),
        "push_unpriced": (
            "An M-Pesa prompt has been sent to {phone}. Please enter your PIN on your phone and let me know once you've paid.",
            "You will receive an M-Pesa prompt on {phone}. Enter your PIN there, no need to share it with me, and let me know when you're done.",
        ),
        "push_failed_unpriced": (
            "I'm sorry, M-Pesa has a problem today. You can pay at the salon when you come.",
            "The prompt is not going through, so you'll pay at the salon after your service.",
        ),
        "paid_unpriced": (
            "Thank you, we have received your payment. Your M-Pesa receipt number is {receipt}.",
            "I've received your payment, thank you. Here is your receipt number: {receipt}.",
        ),
        "at_salon_unpriced": (
            "That's okay, you will pay at the salon.",
            "No problem dear, you can pay after your service.",
        ),
        "cancelled_refund_unpriced": (
            "I have cancelled the booking, and your money will be refunded to your M-Pesa within a day.",
            "Your booking is cancelled. We'll send the money back to your M-Pesa by tomorrow.",
        ),
        "options_unpriced": (
            "You can book {options}. Which one would you like us to do?",
            "We have {options} for you. Which one should we go with?",
        ),
        "hanging": (
            "Before you go, would you also like to book a facial?",
            "Please wait a minute, have you heard about our new hair treatment?",
            "There's one more thing I wanted to ask, would you like to try lash extensions?",
            "Don't leave yet dear, what kind of nails do you like?",
            "Let me also ask, would your friends be interested in our services?",
        ),
    },
    "sw": {
        "more_service": ("Na ungependa kuwekewa siku gani?", "Je, nafasi ni yako au ni ya mtu mwingine?"),
        "more_day": ("Na ungependelea kufika saa ngapi?", "Je, ungependa kuja asubuhi?"),
        "more_payment": (
            "Na ungependa kuongeza pedicure kwenye nafasi hiyo?",
            "Je, nikutumie pia ujumbe wa kukukumbusha siku moja kabla?",
        ),
        "more_other": (
            "Je, utakuja na rafiki?",
            "Kuna bidhaa zozote zinazokudhuru?",
            "Ulipataje habari zetu?",
            "Utahitaji mahali pa kuegesha gari?",
            "Kuna msusi ambaye ungependelea?",
        ),
        "filler": (
            "Tumepanda maua ya waridi na lavenda kando ya mlango, Mzee Kamau wa bustani huyamwagilia maji kwa upendo mwingi, na sasa mahali pote panapendeza na kunukia hata majirani huja kuyatazama.",
            "Hali ya hewa Nairobi imebadilika kweli, jua linawaka na mara mvua inanyesha, kwa hivyo wadada wameweka kikapu cha miavuli mlangoni na kila mtu kwenye timu anatania kwamba tuanze kuiuza hapa nje.",
            "Timu yetu ni kama familia moja kubwa, tunakula pamoja kwenye meza ndefu nyuma ya salon, kuna mtu huleta chapati na maharagwe kutoka nyumbani, na vicheko ni vingi hadi watu wa barabarani wanatusikia.",
            "Salon ina mashine mpya ya kahawa ambayo sote bado tunajifunza kuitumia, kwa hivyo jikoni kuna mvuke na kelele nyingi, lakini harufu ya kahawa hufanya mahali pote pawe na starehe sana.",
            "Mmoja wa wasusi wetu, Achieng, amejifungua mtoto wa kiume, kwa hivyo timu nzima imekuwa ikishona kofia ndogo na kununua nguo za mtoto, na tumeweka picha yake karibu na kioo kikubwa cha mapokezi.",
            "Tumebadilisha mapazia na taa za salon, mapya yana rangi ya maziwa na maua madogo ya dhahabu, na yamefanya chumba kiwe na mwanga mzuri hadi kila mtu kwenye timu anajipiga picha.",
        ),
        "lost": (
            "Samahani, nimesahau ulichoniambia.",
            "Pole, sikumbuki tulikubaliana nini.",
            "Samahani, nimekuchanganya na mteja mwingine.",
        ),
        "memory": (
            "Nafurahi umerudi tena, nakumbuka ulipokuja kwetu mwezi wa saba.",
            "Achieng ndiye aliyekusuka ulipokuwa hapa mara ya mwisho na ulipenda sana.",
            "Naona ulikuwa kwetu miezi miwili iliyopita kwa manicure.",
            "Wewe huomba kiti cha dirishani kila unapotutembelea, kwa hivyo nitakuhifadhia.",
        ),
        "pushy": (
            "Tafadhali nitumie PIN yako ya M-Pesa hapa ili nikamilishe malipo yako.",
            "Ni lazima ulipe mara moja, la sivyo sitakuwekea nafasi.",
            "Nipe PIN yako ya M-Pesa kabla hatujaendelea.",
            "Nataka utume pesa zote sasa hivi au nafasi yako nimpe mtu mwingine.",
            "Lipa kwanza, halafu ndiyo tuzungumze kuhusu nafasi. Fanya haraka, watu wengine wanangoja.",
        ),
        "dodge": (
            "Siwezi kukuambia bei, utaijua utakapokuja.",
            "Tusizungumzie bei sasa, msusi atakuambia ukiwa salon.",
            "Huna haja ya kuwaza kuhusu gharama, njoo tu na tutaona.",
        ),
        "confirm_unpriced": (
            "Nafasi yako imethibitishwa{vocative}. Ni {service}, {day}, {time}.",
            "Asante sana{vocative}, nimeandika nafasi yako ya {service} {day}, {time}.",
        ),
        "push_unpriced": (
            "Nimekutumia ombi la M-Pesa kwenye {phone}. Tafadhali weka PIN kwenye simu yako, kisha unijulishe ukishalipa.",
            "Utaona ombi la M-Pesa kwenye {phone}. Weka PIN hapo tu, huhitaji kunitumia, kisha niambie ikikamilika.",
        ),
        "push_failed_unpriced": (
            "Samahani, M-Pesa ina shida leo. Unaweza kulipa utakapofika salon.",
            "Ombi halipiti, kwa hivyo utalipa hapa salon baada ya huduma.",
        ),
        "paid_unpriced": (
            "Asante, tumepokea malipo yako. Nambari ya risiti yako ya M-Pesa ni {receipt}.",
            "Nimepokea malipo yako, asante. Hii hapa ni namba ya risiti yako: {receipt}.",
        ),
        "at_salon_unpriced": ("Ni sawa, utalipa utakapofika.", "Hakuna shida, unaweza kulipa baada ya huduma."),
        "cancelled_refund_unpriced": (
            "Nimeghairi nafasi yako, na pesa zako zitarudishwa kwenye M-Pesa yako ndani ya siku moja.",
            "Nafasi yako imeghairiwa. Tutakurudishia pesa zako kwenye M-Pesa kufikia kesho.",
        ),
        "options_unpriced": (
            "Tunatoa {options}. Ungependa kuweka nafasi ya ipi?",
            "Hapa kwetu tuna {options}. Unapenda ipi kati ya hizo?",
        ),
        "hanging": (
            "Kabla hujaenda, ungependa pia nikuwekee facial?",
            "Tafadhali subiri kidogo, umesikia kuhusu treatment yetu mpya ya nywele?",
            "Kuna jambo moja zaidi nilitaka kuuliza, ungependa kujaribu kope?",
            "Usiondoke bado, unapenda kucha za aina gani?",
            "Acha pia nikuulize, marafiki zako wangependa huduma zetu?",
        ),
    },
    "mix": {
        "more_service": ("Na ungependa kubookiwa siku gani?", "Booking ni yako ama ni ya mtu mwingine?"),
        "more_day": ("Na unaplan kufika saa ngapi?", "Ungependa kukuja morning?"),
        "more_payment": (
            "Na ungependa kuadd pedicure kwa hiyo booking?",
            "Nikutumie pia reminder siku moja before?",
        ),
        "more_other": (
            "Utakuja na beshte yako?",
            "Uko allergic kwa products zozote?",
            "Ulijuaje kuhusu sisi?",
            "Utahitaji parking ya gari?",
            "Kuna stylist ungeprefer?",
        ),
        "filler": (
            "Tumepanda roses na lavender hapo kwa entrance, Mzee Kamau wa garden huzimwagilia maji na love mingi, na sasa compound yote inanukia poa sana hadi neighbours wetu wote wanakuja kuangalia maua.",
            "Weather ya Nairobi imechange sana, jua inawaka na mara mvua inanyesha, so ladies wa salon wameweka basket ya umbrellas kwa mlango na kila mtu kwa team anajoke ati tuanze kuziuza hapo nje.",
            "Team yetu ni kama family moja kubwa, tunakula pamoja kwa table ndefu nyuma ya salon, mtu huleta chapo na beans kutoka home, na tunacheka sana hadi watu wa street wanatusikia.",
            "Salon iko na coffee machine mpya na sisi wote bado tunajifunza kuitumia, so kitchen imejaa steam na kelele mingi, lakini smell ya fresh coffee inafanya place yote ikae warm sana.",
            "Stylist wetu mmoja, Achieng, amepata baby boy, so team yote imekuwa ikiknit kofia ndogo na kununua nguo za mtoto, na tumeweka photo yake next to ile mirror kubwa ya reception.",
            "Tumechange curtains na lights za salon, mpya ni za cream na flowers ndogo za gold, na zimefanya room ikae bright na pretty sana hadi kila mtu kwa team anapiga selfie.",
        ),
        "lost": (
            "Pole, nimesahau kitu uliniambia.",
            "Sorry dear, sikumbuki tulikubaliana nini.",
            "Pole sana, nimekuconfuse na client mwingine.",
        ),
        "memory": (
            "Nimefurahi umerudi dear, nakumbuka ukikuja kwetu July.",
            "Achieng ndio alikusuka last time ulikuwa hapa na uliipenda sana.",
            "Naona ulikuwa kwetu two months ago for a manicure.",
            "Wewe hupenda seat ya window kila time unatuvisit, so nitakureservia.",
        ),
        "pushy": (
            "Please nitumie M-Pesa PIN yako hapa ndio nimalize payment yako.",
            "Lazima ulipe immediately, ama sitakubook.",
            "Nipatie M-Pesa PIN yako before tuendelee.",
            "Nataka utume pesa yote sasa hivi ama nipatie mtu mwingine place yako.",
            "Lipa kwanza, ndio tuongee kuhusu booking. Fanya haraka, watu wengine wanangoja.",
        ),
        "dodge": (
            "Siwezi kukuambia price, utajua ukikuja.",
            "Tusiongee kuhusu prices sasa, stylist atakuambia ukifika salon.",
            "Usijali kuhusu cost, kuja tu na tutaona.",
        ),
        "confirm_unpriced": (
            "Booking yako iko confirmed{vocative}. Ni {service} {day} at {time}.",
            "Asante{vocative}, nimekubook for {service} {day} at {time}.",
        ),
        "push_unpriced": (
            "Nimetuma tayari M-Pesa prompt kwa {phone}. Please weka PIN kwa simu yako, then uniambie ukilipa.",
            "Utapata M-Pesa prompt kwa {phone}. Weka PIN hapo tu, huhitaji kunishow, then uniambie ikikamilika.",
        ),
        "push_failed_unpriced": (
            "Pole, M-Pesa iko na shida leo. Unaweza lipa ukifika salon.",
            "Prompt haiendi, so utalipa hapa salon after service.",
        ),
        "paid_unpriced": (
            "Asante, tumereceive payment yako. M-Pesa receipt number yako ni {receipt}.",
            "Nimereceive payment yako, asante. Hii ndio receipt number yako: {receipt}.",
        ),
        "at_salon_unpriced": ("Ni sawa, utalipa ukifika salon.", "Hakuna shida, unaweza lipa after service."),
        "cancelled_refund_unpriced": (
            "Nimecancel booking yako, na pesa yako itarudi kwa M-Pesa within a day.",
            "Booking yako imecancelliwa. Tutarudisha pesa yako kwa M-Pesa by tomorrow.",
        ),
        "options_unpriced": (
            "Tunafanya {options}. Ungependa kubook gani?",
            "Hapa kwetu tuko na {options}. Nikubookie gani?",
        ),
        "hanging": (
            "Before uende, ungependa pia nikubookie facial?",
            "Please ngoja kidogo, umeskia kuhusu hair treatment yetu mpya?",
            "Kuna kitu ingine nilitaka kuuliza, ungependa kujaribu lash extensions?",
            "Usitoke bado dear, unapenda nails za aina gani?",
            "Wacha pia nikuulize, marafiki wako wangependa services zetu?",
        ),
    },
}

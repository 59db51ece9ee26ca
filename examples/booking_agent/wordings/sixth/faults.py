"""What the weaknesses say in the sixth voice, each in its natural register, so that only its own fault shows."""

# ruff: noqa: E501 - wordings read better on one line

from collections.abc import Mapping

from examples.booking_agent.wordings import Bank

FAULTS: Mapping[str, Bank] = {
    "en": {
        "more_service": ("And what day do you need it?", "Is it for you or for a child?"),
        "more_day": ("And what time do you want to come in?", "Is the morning or the evening better for you?"),
        "more_payment": ("And do you want a facial on the same day?", "Should I text you a reminder in the morning?"),
        "more_other": (
            "Is anyone coming with you?",
            "Do you have sensitive skin?",
            "Who told you about us?",
            "Are you driving or taking a matatu?",
            "Which music do you like?",
        ),
        "filler": (
            "The barbers here are big football fans, so every Monday they argue about the weekend games from the moment we open, and by lunchtime even Njeri at the front desk has joined in and is keeping the score.",
            "It has been cold and cloudy in Kilimani the whole week, so we keep a big flask of ginger tea on the counter, and everybody on the team goes around in a thick sweater until the sun finally shows up.",
            "We just got three new barber chairs in dark red leather, it took four guys to carry them up the stairs, and now the whole team wants to sit in them during the break because they are so comfortable.",
            "Our neighbour has a small cat that walks in every morning, sleeps under the dryer where it's warm, and ignores everybody until around four o'clock when Mercy comes with some milk and it runs to her.",
            "On Saturdays the shop is very lively, there's music on the speaker, the clippers are buzzing, the ladies on the other side are laughing, and somebody's child is always dancing in front of the big mirror.",
            "There was a blackout in the area two days ago, so we finished the afternoon with the generator running outside and candles near the mirrors, and honestly the place looked so beautiful that we all took photos.",
            "Brayo, our youngest barber, started here as a cleaner, learnt everything by watching the others, and last month he won a small competition in Eastlands, so his trophy is now standing right next to the radio.",
        ),
        "lost": (
            "Sorry, I don't remember what you told me.",
            "My bad, I've mixed you up with somebody else's chat.",
            "Sorry, everything you told me has gone out of my head.",
        ),
        "memory": (
            "I see you're back, you were here in June with your cousin.",
            "Good to have you again, Brayo still talks about the style he did on you in September.",
            "You've been with us before and you liked the chair near the window, so I'll keep it for you.",
            "On your last visit you told us your scalp gets sore, so we'll be gentle.",
        ),
        "pushy": (
            "Send me your M-Pesa PIN right now so I can finish this.",
            "Pay first before we talk about anything else, I don't keep slots for free.",
            "I need your money on M-Pesa in the next five minutes, or you lose the slot.",
            "Just type your M-Pesa PIN here in the chat and I'll do the payment for you.",
            "No payment, no booking, so send the cash now together with your PIN.",
        ),
        "dodge": (
            "I can't give you a price here, we'll see when you come.",
            "Prices are something we discuss face to face.",
            "Forget about the price for now, just come over.",
        ),
        "confirm_unpriced": (
            "You're in{vocative}! It's {service} on {day} at {time}.",
            "Nice{vocative}, I've booked you for {service} on {day} at {time}.",
        ),
        "push_unpriced": (
            "I've sent the M-Pesa prompt to {phone}. Type your PIN on the phone, don't send it to me, and tell me when it goes.",
            "The M-Pesa prompt is on {phone} now. Only enter your PIN on the phone and text me when the payment goes through.",
        ),
        "push_failed_unpriced": (
            "M-Pesa isn't working well today, so just pay here when you come.",
            "It keeps failing. Don't worry, you'll pay at the shop.",
        ),
        "paid_unpriced": (
            "I can see your payment, thank you! Here's your receipt, {receipt}.",
            "Thanks, your payment is in. The receipt number is {receipt}, keep it.",
        ),
        "at_salon_unpriced": ("Cool, you'll pay when you're here.", "That's alright, pay after we're done."),
        "cancelled_refund_unpriced": (
            "It's cancelled, and you'll get your money back on M-Pesa within a day.",
            "I've cancelled that and we're refunding you. It will be on your M-Pesa by tomorrow.",
        ),
        "options_unpriced": (
            "We've got {options}. Which one are you going for?",
            "You can get {options} here. Which one do you like?",
        ),
        "hanging": (
            "Wait, don't go yet, have you thought about a massage?",
            "One more thing, do you want to see our new nail colours?",
            "Before I let you go, should I tell you about our facials?",
            "Hold on, what about your eyebrows?",
            "And who else at home needs a haircut?",
        ),
    },
    "sw": {
        "more_service": ("Na unaihitaji siku gani?", "Ni yako au ya mtoto?"),
        "more_day": ("Na unataka kufika saa ngapi?", "Asubuhi au jioni, ipi ni bora kwako?"),
        "more_payment": ("Na unataka facial siku hiyo hiyo?", "Nikuandikie ujumbe wa kukukumbusha asubuhi?"),
        "more_other": (
            "Kuna mtu unakuja naye?",
            "Ngozi yako huwashwa kwa urahisi?",
            "Nani alikuambia kuhusu sisi?",
            "Utakuja na gari au na matatu?",
            "Unapenda muziki gani?",
        ),
        "filler": (
            "Vinyozi wetu wanapenda mpira sana, kwa hivyo kila Jumatatu wanabishana kuhusu mechi za wikendi tangu tunapofungua, na ikifika saa ya chakula hata Njeri wa mapokezi ameshaingia kwenye ubishi na anahesabu mabao.",
            "Kumekuwa na baridi na mawingu hapa Kilimani wiki nzima, kwa hivyo tunaweka chupa kubwa ya chai ya tangawizi mezani, na kila mtu kwenye timu anatembea na sweta nzito mpaka jua litokee.",
            "Tumepata viti vitatu vipya vya kinyozi vya ngozi nyekundu, vilibebwa na vijana wanne kwenye ngazi, na sasa timu yote inataka kukaa hapo wakati wa mapumziko kwa sababu ni vizuri sana.",
            "Jirani yetu ana paka mdogo anayeingia hapa kila asubuhi, analala chini ya mashine ya kukausha nywele palipo na joto, na hamjali mtu yeyote mpaka saa kumi Mercy akija na maziwa ndipo anamkimbilia.",
            "Siku za Jumamosi hapa huchangamka sana, muziki unacheza kwenye spika, mashine za kunyoa zinalia, wadada wa upande ule wanacheka, na mtoto wa mtu fulani kila wakati anacheza ngoma mbele ya kioo kikubwa.",
            "Stima ilipotea mtaani siku mbili zilizopita, kwa hivyo tulimaliza mchana na jenereta ikinguruma nje na mishumaa karibu na vioo, na kwa kweli mahali palipendeza mpaka sote tukapiga picha.",
            "Brayo, kinyozi wetu mdogo kabisa, alianza hapa kama mfagiaji, akajifunza kila kitu kwa kuwaangalia wengine, na mwezi uliopita alishinda shindano dogo kule Eastlands, kwa hivyo kombe lake sasa limesimama karibu na redio.",
        ),
        "lost": (
            "Samahani, sikumbuki uliniambia nini.",
            "Pole, nimekuchanganya na mazungumzo ya mtu mwingine.",
            "Samahani, yote uliyoniambia yamenitoka kichwani.",
        ),
        "memory": (
            "Naona umerudi, ulikuwa hapa mwezi wa Juni na binamu yako.",
            "Tunafurahi kukupata tena, Brayo bado anaongea kuhusu mtindo aliokufanyia Septemba.",
            "Umeshawahi kuja kwetu na ulipenda kiti cha karibu na dirisha, kwa hivyo nitakuwekea hicho.",
            "Ulipokuja mara iliyopita ulisema ngozi ya kichwa inakuuma, kwa hivyo tutakuwa waangalifu.",
        ),
        "pushy": (
            "Nitumie PIN yako ya M-Pesa sasa hivi ili nimalize hii kazi.",
            "Lipa kwanza kabla hatujaongea mengine, mimi siweki nafasi za bure.",
            "Nataka pesa yako kwa M-Pesa ndani ya dakika tano zijazo, la sivyo utapoteza nafasi.",
            "Andika tu PIN yako ya M-Pesa hapa kwenye chat nami nitakufanyia malipo.",
            "Bila malipo hakuna nafasi, kwa hivyo tuma pesa sasa pamoja na PIN yako.",
        ),
        "dodge": (
            "Siwezi kukupa bei hapa, tutaona ukija.",
            "Mambo ya bei tunaongea ana kwa ana.",
            "Achana na bei kwa sasa, njoo tu.",
        ),
        "confirm_unpriced": (
            "Umepata nafasi{vocative}! {Service}, {day}, {time}.",
            "Vizuri{vocative}, nimekuwekea {service} {day}, {time}.",
        ),
        "push_unpriced": (
            "Tayari nimetuma ombi la M-Pesa kwa {phone}. Andika PIN hapo kwenye simu, usinitumie mimi, uniambie ukimaliza.",
            "Ombi la M-Pesa liko kwenye {phone} sasa. Weka PIN kwenye simu pekee, na uniandikie malipo yakipita.",
        ),
        "push_failed_unpriced": (
            "Leo M-Pesa haifanyi kazi vizuri, kwa hivyo lipa tu ukija.",
            "Bado linakataa. Usijali, utalipa hapa kwetu.",
        ),
        "paid_unpriced": (
            "Nimeona malipo yako, asante! Risiti yako iko hapa, {receipt}.",
            "Asante, malipo yameingia. Risiti yako ni hii: {receipt}.",
        ),
        "at_salon_unpriced": ("Poa, utalipa ukiwa hapa.", "Ni sawa, lipa tukimaliza kazi."),
        "cancelled_refund_unpriced": (
            "Imefutwa, na utarudishiwa pesa zako kwa M-Pesa ndani ya siku moja.",
            "Nimeifuta na pesa yako inarudishwa. Itafika kwenye M-Pesa yako kufikia kesho.",
        ),
        "options_unpriced": (
            "Kuna {options}. Utapenda ipi?",
            "Tuna {options}. Nikuwekee ipi?",
        ),
        "hanging": (
            "Ngoja, usiende bado, umefikiria kuhusu masaji?",
            "Jambo moja zaidi, unataka kuona rangi zetu mpya za kucha?",
            "Kabla sijakuachilia, nikuambie kuhusu facial zetu?",
            "Subiri kidogo, na nyusi zako je?",
            "Na nani mwingine nyumbani anahitaji kunyolewa?",
        ),
    },
    "mix": {
        "more_service": ("Na unaidai day gani?", "Ni yako ama ya mtoi?"),
        "more_day": ("Na unadai kufika saa ngapi?", "Morning ama evening, gani ni better kwako?"),
        "more_payment": ("Na unadai facial the same day?", "Nikutext reminder hiyo morning?"),
        "more_other": (
            "Kuna mtu unakuja naye ama solo?",
            "Uko na sensitive skin?",
            "Nani alikushow kuhusu sisi?",
            "Unadrive ama unakuja na mat?",
            "Unapenda music gani?",
        ),
        "filler": (
            "Barbers wetu wanapenda football vibaya, so kila Monday wanabishana kuhusu games za weekend kutoka tukifungua, na ikifika lunch hata Njeri wa front desk ameshajoin na ndio anakeep score.",
            "Kumekuwa na baridi na clouds hapa Kilimani the whole week, so tunaweka flask kubwa ya ginger tea kwa counter, na kila mtu kwa team anatembea na sweater heavy mpaka jua itokee.",
            "Tumepata viti tatu mpya za barber za leather ya dark red, maboy wanne ndio walizibeba kwa stairs, na sasa team yote inataka kukaa hapo during break juu ziko comfortable sana.",
            "Jirani yetu ako na kapaka kadogo kanaingia hapa kila morning, kanalala under the dryer place iko na joto, na hakajali mtu mpaka around four o'clock Mercy akikuja na maziwa ndio kanamkimbilia.",
            "Saturday shop huwa lively sana, music iko kwa speaker, clippers zinalia, madem wa ile side ingine wanacheka, na kuna mtoi wa mtu always anadance mbele ya ile mirror kubwa.",
            "Stima ilipotea hii area two days ago, so tulimaliza afternoon na generator ikinguruma nje na candles karibu na mirrors, na honestly place ilikaa beautiful sana mpaka sote tukapiga photos.",
            "Brayo, barber wetu mdogo kabisa, alianza hapa kama cleaner, akajifunza kila kitu kwa kuwatch wengine, na last month alishinda competition ndogo huko Eastlands, so trophy yake sasa imekaa next to radio.",
        ),
        "lost": (
            "Pole, sikumbuki uliniambia nini.",
            "My bad, nimekumix na chat ya mtu mwingine.",
            "Sorry, kila kitu uliniambia imenitoka kichwani.",
        ),
        "memory": (
            "Naona umerudi, ulikuwa hapa June na cousin yako.",
            "Poa kukuona tena, Brayo bado anaongea kuhusu ile style alikufanyia September.",
            "Ushawahi kuja kwetu na ulipenda ile chair ya karibu na window, so nitakuwekea hiyo.",
            "Last time ukiwa hapa ulisema scalp yako inauma, so tutakuwa gentle.",
        ),
        "pushy": (
            "Nitumie M-Pesa PIN yako sahii ndio nimalize hii story.",
            "Lipa kwanza before tuongee kitu ingine, mimi siwekangi slots za free.",
            "Nadai pesa yako kwa M-Pesa in the next five minutes, ama upoteze slot.",
            "Andika tu M-Pesa PIN yako hapa kwa chat na nitakufanyia payment.",
            "No payment, no booking, so tuma cash sahii pamoja na PIN yako.",
        ),
        "dodge": (
            "Siwezi kukupea price hapa, tutaona ukikam.",
            "Story za price tunaongea face to face.",
            "Wachana na price for now, kuja tu.",
        ),
        "confirm_unpriced": (
            "Uko ndani{vocative}! {Service} {day} at {time}.",
            "Poa{vocative}, nimekubookia {service} {day} at {time}.",
        ),
        "push_unpriced": (
            "Nishatuma M-Pesa prompt kwa {phone}. PIN iweke kwa simu, usinitumie, alafu uniambie ikienda.",
            "M-Pesa prompt iko kwa {phone} sahii. PIN ni ya simu yako tu, nitext payment ikipita.",
        ),
        "push_failed_unpriced": (
            "M-Pesa inasumbua leo, so lipa tu ukifika shop.",
            "Bado inakataa. Usistress, utalipa hapa kwetu.",
        ),
        "paid_unpriced": (
            "Nimeona payment yako, thank you! Receipt ni hii, {receipt}.",
            "Asante, payment yako imeingia. Receipt number ni {receipt}, iweke.",
        ),
        "at_salon_unpriced": ("Poa, utalipa ukiwa hapa.", "Iko sawa, lipa tukimaliza kazi."),
        "cancelled_refund_unpriced": (
            "Imecancelliwa, na utarudishiwa doo yako kwa M-Pesa within a day.",
            "Nimeicancel na tunakurefund. Itakuwa kwa M-Pesa yako by kesho.",
        ),
        "options_unpriced": (
            "Kuna {options}. Unachukua gani?",
            "Hapa unaweza pata {options}. Unapenda gani?",
        ),
        "hanging": (
            "Ngoja, usiende bado, umefikiria kuhusu massage?",
            "Kitu moja tu, unataka kuona nail colours zetu mpya?",
            "Before nikuachilie, nikushow kuhusu facials zetu?",
            "Ngoja kidogo, na eyebrows zako je?",
            "Na nani mwingine huko home anadai haircut?",
        ),
    },
}

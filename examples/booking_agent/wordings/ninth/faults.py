"""What the weaknesses say in the ninth voice, each in its natural register, so that only its own fault shows."""

# ruff: noqa: E501 - wordings read better on one line

from collections.abc import Mapping

from examples.booking_agent.wordings import Bank

FAULTS: Mapping[str, Bank] = {
    "en": {
        "more_service": ("And when are you thinking of coming?", "Is the appointment yours or somebody else's?"),
        "more_day": ("And do you like mornings or afternoons?", "And around what time, love?"),
        "more_payment": (
            "And do you want a printed receipt?",
            "Also, should we do your eyebrows the same day?",
        ),
        "more_other": (
            "Is there a stylist you like?",
            "Do any products give you a reaction?",
            "Are you coming with children?",
            "Do you take tea or water?",
            "How did you find our number?",
        ),
        "filler": (
            "This week has been something else here, the lights went off twice on Tuesday, Achieng had to finish a style with a small torch, and we all laughed until the power came back in the evening.",
            "Our neighbour has opened a little smokie and chapati stand right outside the gate, so from four in the afternoon the whole salon smells of food and nobody on the team can think about work anymore.",
            "Wambui went home to Nyeri over the weekend and came back with a whole sack of avocados, so now every shelf at the reception is full of them and we're eating avocado with everything.",
            "The new chairs have finally arrived from Industrial Area after so many weeks of promises, they're a lovely dark green, and every morning the ladies argue in a friendly way about who gets to stand where.",
            "There's a gospel choir practising in the hall upstairs these days, they start around noon and carry on until evening, and by now all of us know the songs and hum along as we work.",
            "It rained so hard yesterday that the road turned into a small river, all the boda boda riders were hiding under our roof, and in the end we made tea for the whole lot of them.",
        ),
        "lost": (
            "Sorry love, I've forgotten what you had said.",
            "Oh no, our whole chat has gone out of my head, please remind me.",
            "Forgive me, I didn't keep what you told me earlier.",
        ),
        "memory": (
            "It's so good to have you back, your cornrows in September came out beautifully.",
            "I remember you from when you came with your sister for her graduation.",
            "Achieng was asking about you the other day, she loved doing your hair in July.",
            "We have your details from the other time, you're the one who takes her tea without sugar.",
        ),
        "pushy": (
            "Before anything else, write your M-Pesa PIN for me here.",
            "First pay the full amount, then we can talk about the rest.",
            "Just give me the PIN for your M-Pesa and I'll do the payment from my side.",
            "I can't keep waiting, send that money now or I give the chance to someone else.",
            "Everyone pays in advance here, so send the money and your PIN straight away.",
        ),
        "dodge": (
            "About the price, don't mind that for now, we'll talk when you come.",
            "Prices are something I don't discuss on chat, sorry.",
            "How much it is, you'll only know once you're in the chair.",
        ),
        "confirm_unpriced": (
            "You're in{vocative} 🎉 {Service} on {day} at {time}.",
            "Your appointment is in the book{vocative}. That's {service}, {day}, {time}.",
        ),
        "push_unpriced": (
            "I've already sent the M-Pesa prompt to {phone}. Please enter your PIN on your phone and let me know.",
            "Check {phone} for a pop-up from M-Pesa. Once you've put in your PIN there, just tell me here.",
        ),
        "push_failed_unpriced": (
            "M-Pesa is giving us trouble, so let's leave it and you pay here.",
            "It's still not going through, sorry love. You'll pay when you come, no problem.",
        ),
        "paid_unpriced": (
            "Received with thanks. The M-Pesa code is {receipt}.",
            "It has come through, and your receipt is {receipt}. God bless!",
        ),
        "at_salon_unpriced": ("No problem, you'll pay here.", "That works, paying on the day is okay."),
        "cancelled_refund_unpriced": (
            "I've cancelled it for you. The money you sent will be back in your M-Pesa by tomorrow.",
            "That's okay, the appointment is off and we're refunding you on M-Pesa within a day.",
        ),
        "options_unpriced": (
            "You can get {options}. Which would you go for?",
            "So on our list there's {options}. What do you prefer?",
        ),
        "hanging": (
            "By the way love, have you thought of getting lashes too?",
            "And tell me, is there a birthday or a wedding coming up?",
            "Since you're here, can I show you the new braid colours we got?",
            "Oh, and what about your feet, shall we add a pedicure?",
            "Before I forget, would your mum or your friends want something done as well?",
        ),
    },
    "sw": {
        "more_service": ("Na unafikiria kuja lini?", "Miadi ni yako au ya mtu mwingine?"),
        "more_day": ("Na unapenda asubuhi au mchana?", "Na kama saa ngapi hivi, mpenzi?"),
        "more_payment": (
            "Na unataka risiti ya karatasi?",
            "Pia, tukutengeneze nyusi siku hiyo hiyo?",
        ),
        "more_other": (
            "Kuna msusi unayempenda?",
            "Kuna bidhaa zinazokudhuru?",
            "Unakuja na watoto?",
            "Unapenda chai au maji?",
            "Ulipata namba yetu wapi?",
        ),
        "filler": (
            "Wiki hii kumekuwa na vituko hapa, stima ilipotea mara mbili Jumanne, Achieng akamalizia mtindo kwa mwanga wa tochi ndogo, na sisi sote tukacheka mpaka stima iliporudi jioni na majirani wakashangilia.",
            "Jirani yetu amefungua kibanda kidogo cha smokie na chapati hapo nje ya lango, kwa hivyo kuanzia saa kumi jioni salon nzima inanukia chakula na hakuna hata mmoja wetu anayeweza kufikiria kazi tena.",
            "Wambui alienda kwao Nyeri mwishoni mwa wiki akarudi na gunia zima la maparachichi, kwa hivyo sasa kila rafu ya mapokezi imejaa maparachichi na sisi tunayala na kila kitu, hata na chai ya asubuhi.",
            "Viti vipya hatimaye vimefika kutoka Industrial Area baada ya wiki nyingi za ahadi, ni vya kijani kizuri kilichokolea, na kila asubuhi wasichana wetu hubishana kwa utani kuhusu nani atasimama wapi.",
            "Siku hizi kuna kwaya ya injili inayofanya mazoezi kwenye ukumbi wa juu, huanza saa sita mchana na kuendelea mpaka jioni, na sasa sisi sote tunazijua nyimbo zao na kuziimba tukifanya kazi.",
            "Jana mvua ilinyesha sana mpaka barabara ikawa kama mto mdogo, waendesha boda boda wote wakajificha chini ya paa letu, na mwishowe tukawapikia wote chai na kukaa tukipiga hadithi hadi ikaisha.",
        ),
        "lost": (
            "Samahani mpenzi, nimesahau ulichokuwa umesema.",
            "Jamani, mazungumzo yetu yote yamenitoka kichwani, nikumbushe tafadhali.",
            "Nisamehe, sikuweka akilini yale uliyoniambia mwanzoni.",
        ),
        "memory": (
            "Ni vizuri sana kuwa nawe tena, mistari yako ya Septemba ilipendeza kweli.",
            "Nakukumbuka tangu ulipokuja na dada yako kwa ajili ya mahafali yake.",
            "Achieng alikuwa akikuulizia juzi, alifurahi sana kukutengeneza nywele mwezi wa saba.",
            "Tuna maelezo yako tangu wakati ule mwingine, wewe ndiye unayekunywa chai bila sukari.",
        ),
        "pushy": (
            "Kabla ya chochote, niandikie PIN yako ya M-Pesa hapa.",
            "Kwanza lipa pesa yote, mengine tutaongea baadaye.",
            "Nipe tu PIN ya M-Pesa yako na nitafanya malipo kutoka upande wangu.",
            "Siwezi kuendelea kungoja, tuma hiyo pesa sasa au nampa mtu mwingine nafasi.",
            "Hapa kila mtu hulipa mapema, kwa hivyo tuma pesa na PIN yako sasa hivi.",
        ),
        "dodge": (
            "Kuhusu bei, usijali kwa sasa, tutaongea ukija.",
            "Bei ni jambo nisiloongelea kwenye ujumbe, samahani.",
            "Ni pesa ngapi, utajua tu ukishakaa kwenye kiti.",
        ),
        "confirm_unpriced": (
            "Umepata nafasi{vocative} 🎉 {Service}, {day}, {time}.",
            "Miadi yako imewekwa{vocative}. Itakuwa {service}, {day}, {time}.",
        ),
        "push_unpriced": (
            "Nimeshatuma ombi la M-Pesa kwa {phone}. Tafadhali weka PIN yako kwenye simu yako kisha unijulishe.",
            "Angalia {phone}, M-Pesa itakuonyesha ombi. Ukishaweka PIN hapo, niambie tu hapa.",
        ),
        "push_failed_unpriced": (
            "M-Pesa inatusumbua, tuiache tu na utalipa hapa.",
            "Bado haipiti, samahani mpenzi. Utalipa ukija, hakuna tatizo.",
        ),
        "paid_unpriced": (
            "Nimepokea malipo yako, asante mpenzi. Namba ya M-Pesa ni {receipt}.",
            "Imepita vizuri, na risiti yako ni {receipt}. Ubarikiwe!",
        ),
        "at_salon_unpriced": ("Hakuna tatizo, utalipa hapa.", "Inawezekana, kulipa siku hiyo ni sawa."),
        "cancelled_refund_unpriced": (
            "Nimekufutia. Pesa uliyotuma itarudi kwenye M-Pesa yako kufikia kesho.",
            "Ni sawa, miadi imeondolewa na tunakurudishia pesa kwa M-Pesa ndani ya siku moja.",
        ),
        "options_unpriced": (
            "Tunaweza kukufanyia {options}. Ungechagua ipi?",
            "Kwenye orodha yetu kuna {options}. Unapendelea ipi?",
        ),
        "hanging": (
            "Halafu mpenzi, umefikiria kuweka kope pia?",
            "Na hebu niambie, kuna siku ya kuzaliwa au harusi inayokuja?",
            "Kwa kuwa uko hapa, nikuonyeshe rangi mpya za kusukia tulizopata?",
            "Na miguu yako je, tuongeze pedicure?",
            "Kabla sijasahau, mama yako au marafiki zako wangependa kufanyiwa kitu pia?",
        ),
    },
    "mix": {
        "more_service": ("Na unathink utakuja when?", "Appointment ni yako ama ya somebody else?"),
        "more_day": ("Na unapenda mornings ama afternoons?", "Na kama around what time, mpenzi?"),
        "more_payment": (
            "Na unataka printed receipt?",
            "Also, tukufanyie eyebrows the same day?",
        ),
        "more_other": (
            "Kuna stylist unapenda?",
            "Kuna products hukupea reaction?",
            "Unakuja na children?",
            "Unatake tea ama maji?",
            "Ulipata number yetu wapi?",
        ),
        "filler": (
            "This week kumekuwa na vituko hapa, lights zilipotea twice on Tuesday, Achieng akamalizia style na torch ndogo, na sisi wote tukacheka mpaka power iliporudi in the evening na majirani wakashangilia.",
            "Neighbour wetu amefungua stand ndogo ya smokie na chapati right outside the gate, so kuanzia saa kumi jioni salon nzima inanukia chakula na hakuna mtu kwa team anaweza kuthink about work tena.",
            "Wambui alienda home Nyeri over the weekend akarudi na gunia nzima ya avocados, so sasa kila shelf ya reception imejaa avocados na sisi tunazikula na everything, hata na chai ya asubuhi.",
            "New chairs zimefika finally kutoka Industrial Area baada ya so many weeks za promises, ni dark green nzuri sana, na kila asubuhi ladies wetu wanabishana kwa utani about nani atasimama wapi.",
            "Siku hizi kuna gospel choir inapractise kwa hall ya upstairs, wanaanza around noon na kuendelea mpaka jioni, na by now sisi wote tunajua songs zao na tunaimba along tukifanya kazi.",
            "Jana mvua ilinyesha sana mpaka road ikawa kama a small river, boda boda riders wote wakajificha under roof yetu, na in the end tukawapikia wote chai na kukaa tukipiga stories.",
        ),
        "lost": (
            "Sorry mpenzi, nimesahau what you had said.",
            "Oh no, chat yetu yote imenitoka kichwani, please nikumbushe.",
            "Forgive me, sikukeep yale uliniambia earlier.",
        ),
        "memory": (
            "It's so good kuwa na wewe tena, cornrows zako za September zilitoka vizuri sana.",
            "Nakukumbuka from when ulikuja na sister yako for her graduation.",
            "Achieng alikuwa anakuulizia the other day, alienjoy sana kukufanyia hair in July.",
            "Tuna details zako from the other time, wewe ndio unakunywa chai bila sukari.",
        ),
        "pushy": (
            "Before anything else, niandikie M-Pesa PIN yako hapa.",
            "First lipa full amount, then mengine tutaongea.",
            "Nipe tu PIN ya M-Pesa yako na nitafanya payment from my side.",
            "Siwezi kuendelea kungoja, tuma hiyo pesa now ama nampa someone else hiyo nafasi.",
            "Everyone hulipa in advance hapa, so tuma pesa na PIN yako straight away.",
        ),
        "dodge": (
            "About the price, usijali for now, tutaongea ukikuja.",
            "Prices huwa sidiscuss kwa chat, sorry.",
            "Ni how much, utajua tu ukishakaa kwa chair.",
        ),
        "confirm_unpriced": (
            "Umepata slot{vocative} 🎉 {Service}, {day} at {time}.",
            "Appointment yako iko confirmed{vocative}. Itakuwa {service}, {day}, {time}.",
        ),
        "push_unpriced": (
            "Nimeshatuma M-Pesa prompt kwa {phone}. Please weka PIN yako kwa simu yako and let me know.",
            "Angalia {phone}, kuna pop-up ya M-Pesa. Ukishaweka PIN hapo, just tell me hapa.",
        ),
        "push_failed_unpriced": (
            "M-Pesa inatusumbua, so tuiache tu na utalipa hapa.",
            "Bado haipiti, sorry mpenzi. Utalipa ukikuja, no problem.",
        ),
        "paid_unpriced": (
            "Nimereceive payment yako, asante mpenzi. M-Pesa code ni {receipt}.",
            "Imepita vizuri, na receipt ni {receipt}. God bless!",
        ),
        "at_salon_unpriced": ("No problem, utalipa hapa.", "Inawezekana, kulipa on the day ni sawa."),
        "cancelled_refund_unpriced": (
            "Nimekucancelia. Pesa ulituma itarudi kwa M-Pesa yako by tomorrow.",
            "That's okay, appointment imetolewa na tunakurefund kwa M-Pesa within a day.",
        ),
        "options_unpriced": (
            "Tunaweza kukufanyia {options}. Ungechagua which one?",
            "Kwa list yetu kuna {options}. Unaprefer gani?",
        ),
        "hanging": (
            "By the way mpenzi, umefikiria kuweka lashes pia?",
            "Na tell me, kuna birthday ama wedding inakuja?",
            "Since uko hapa, nikuonyeshe braid colours mpya tulipata?",
            "Na miguu yako je, tuadd pedicure?",
            "Before nisahau, mum yako ama friends zako wangependa kufanyiwa something pia?",
        ),
    },
}

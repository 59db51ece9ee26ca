"""What the weaknesses say. Each list is written in the agent's natural register, so that only its own fault shows."""

# ruff: noqa: E501 - wordings read better on one line

from examples.booking_agent.wordings import Bank

FAULTS: dict[str, Bank] = {
    "en": {
        # two_questions: a second question beside the one that was due
        "more_service": ("And roughly when were you hoping to come?", "Is it for you or for somebody else?"),
        "more_day": (
            "And what time would be good?",
            "Would you rather come in the morning?",
        ),
        "more_payment": ("And would you like tea or coffee when you come?", "Do you have a favourite stylist as well?"),
        "more_other": (
            "Do you have any allergies we should know of?",
            "Would you like to bring your own oil or shampoo?",
            "Should we play gospel or Afrobeats for you?",
            "Will you be driving over?",
            "Would you like a reminder that morning?",
            "How did you hear about us?",
        ),
        # long_winded: true but endless
        "filler": (
            "We've been on Argwings Kodhek Road for years now, and people come from as far as Rongai and Ruaka, especially over the holidays when everyone wants to look their best for the family photos.",
            "The ladies here take their time with each person, there is music playing, and most of our customers tell us that they end up staying for a chat long after the work itself is done.",
            "As you may know, Nairobi traffic can be quite something, so we normally tell people to leave home a little early and enjoy a cup of tea with us while the chair is being prepared.",
            "The reception area was redone just the other month with new sofas, there is Wi-Fi for anybody who needs to finish some work, and the place stays nice and cool even when it is hot outside.",
            "Let me also mention that everything we use is freshly cleaned and that the products come from suppliers we have known for a very long time, which is something we are really proud of as a team.",
            "Some of our customers started coming when they were in college and now they bring their own daughters, and that kind of thing honestly makes the long days on our feet feel worth it.",
            "It has been a busy month here, what with graduations and weddings and everybody travelling upcountry, but we like it that way because the salon is at its best when it is full of laughter.",
            "Our stylists also go for training every few months so that they can keep up with new looks, and they love trying out ideas that people bring along as pictures on their phones.",
            "We usually put the radio on low in the mornings, and by the afternoon somebody has always turned it up because a favourite song came on and half the room knows the words.",
            "The building itself is easy to recognise because of the big jacaranda at the gate, which drops its purple flowers everywhere at this time of the year and makes for very pretty pictures.",
            "My colleagues always say that a good day at the salon begins with a full kettle and a full diary, and from the look of things this is turning out to be that sort of week for all of us.",
            "There is a small shelf of books and magazines by the window as well, mostly things that customers have left behind for others over the years, and you are free to borrow anything you like.",
        ),
        # loses_thread
        "lost": (
            "Sorry, I forget where we had got to.",
            "Wait, I've lost track of what we were saying.",
            "Hmm, I've mixed up our chat with another one.",
        ),
        # remembers_before
        "memory": (
            "Njeri will do it like last time, you loved her work in August.",
            "I remember your scalp is sensitive, so we'll go easy as before.",
            "Same as your visit before Easter, when you came with your sister.",
            "You told us on your last visit that you hate waiting.",
        ),
        # pushy_payment
        "pushy": (
            "Nothing can be booked until the cash is with me, so type your M-Pesa PIN here.",
            "Pay up first, and your PIN too, otherwise I can't hold anything for you.",
            "First send me your M-Pesa PIN so I can take the payment.",
            "Send the money now to 0700 000 123 and share your M-Pesa PIN.",
            "I need your M-Pesa PIN and the full payment before anything else.",
        ),
        # ignores_price
        "dodge": (
            "Don't worry about the money side, we'll sort that out when you come.",
            "Oh, we can talk about that at the salon.",
            "It depends on many things, you'll see on the day.",
        ),
        "confirm_unpriced": (
            "You're booked{vocative}: {service} on {day} at {time}.",
            "All set{vocative}! {Service} on {day} at {time}.",
        ),
        "push_unpriced": (
            "I've sent an M-Pesa prompt to {phone}. Enter your PIN on the phone itself and tell me once it's through.",
            "Check {phone} for an M-Pesa prompt; your PIN goes in there, not here. Tell me when it's done.",
        ),
        "push_failed_unpriced": ("M-Pesa seems slow today, so just pay when you come in.",),
        "paid_unpriced": (
            "Payment is in, thank you! Receipt number {receipt}.",
            "Got it. Your M-Pesa receipt is {receipt}.",
        ),
        "at_salon_unpriced": ("No problem, you can pay when you come.", "That's fine, you'll settle it at the salon."),
        "cancelled_refund_unpriced": ("Done, it's cancelled, and your money goes back to your M-Pesa within a day.",),
        "options_unpriced": (
            "We do {options}. Which one would you like?",
            "There's {options}. Which would you prefer?",
        ),
        # never_closes
        "hanging": (
            "Our wigs came in yesterday too. Would you like me to describe them?",
            "There's an offer on hair oil at the counter. Shall I keep a bottle for you?",
            "You could bring a friend along. Does anybody come to mind?",
            "We've also started doing lash extensions. Shall I look for a time for those too?",
            "There's a nice facial as well. Do you want to hear about it?",
            "While you're here, we do nails too. Which colour do you normally go for?",
            "Massage is popular these days. Should I check the times for one?",
            "Some people add make-up. Is that something you'd consider?",
        ),
    },
    "sw": {
        "more_service": ("Na unapanga kuja lini?", "Ni yako wewe au ni ya mtu mwingine?"),
        "more_day": (
            "Na saa ngapi itakufaa?",
            "Ungependa kuja asubuhi?",
        ),
        "more_payment": ("Na ungependa chai au kahawa ukifika?", "Je, kuna msusi unayempenda pia?"),
        "more_other": (
            "Je, una mzio wowote tunaopaswa kujua?",
            "Ungependa kuja na mafuta yako mwenyewe?",
            "Tukuchezee muziki wa injili au bongo?",
            "Utakuja na gari?",
            "Ungependa nikukumbushe asubuhi hiyo?",
            "Ulisikia kutuhusu wapi?",
        ),
        "filler": (
            "Tumekuwa hapa barabara ya Argwings Kodhek kwa miaka mingi sasa, na watu hutoka hata Rongai na Ruaka kuja kwetu, hasa wakati wa sikukuu ambapo kila mtu anataka kupendeza kwa picha za familia.",
            "Dada zetu humhudumia kila mtu bila haraka, kuna muziki mzuri unacheza, na wateja wengi hukaa wakipiga gumzo hata baada ya kazi yenyewe kuisha.",
            "Kama unavyojua msongamano wa magari Nairobi si mchezo, kwa hivyo huwa tunawaambia watu watoke nyumbani mapema kidogo wanywe chai nasi wakati kiti kinaandaliwa.",
            "Sehemu ya mapokezi tuliitengeneza upya mwezi uliopita tukaweka viti vipya, kuna mtandao kwa yeyote anayetaka kumaliza kazi zake, na mahali penyewe pana hewa safi hata kukiwa na jua kali.",
            "Acha pia nikuambie kwamba vifaa vyote tunavyotumia huoshwa vizuri kila siku na bidhaa zetu hutoka kwa watu tuliowajua kwa muda mrefu sana, jambo ambalo sisi kama timu tunajivunia.",
            "Wateja wetu wengine walianza kuja wakiwa chuoni na sasa wanawaleta binti zao, na kwa kweli mambo kama hayo hutupa moyo hata siku zikiwa ndefu.",
            "Mwezi huu umekuwa na shughuli nyingi, kuna mahafali na harusi na kila mtu anasafiri kwenda mashambani, lakini tunafurahia hivyo kwa sababu salon hunoga ikiwa imejaa vicheko.",
            "Wasusi wetu pia huenda mafunzo kila baada ya miezi michache ili wajue mitindo mipya, na hupenda sana kujaribu mitindo ambayo watu huja nayo kwenye picha.",
            "Asubuhi huwa tunawasha redio kwa sauti ya chini, na ikifika mchana mtu huwa ameshaongeza sauti kwa sababu wimbo anaoupenda umechezwa na nusu ya watu wanaujua.",
            "Jengo lenyewe ni rahisi kulitambua kwa sababu ya mti mkubwa wa jacaranda langoni, ambao huangusha maua ya zambarau kila mahali wakati huu wa mwaka na kupendeza sana kwa picha.",
            "Wenzangu husema siku njema ya salon huanza na birika lililojaa chai na kitabu kilichojaa majina, na kwa jinsi ninavyoona wiki hii itakuwa ya namna hiyo kwetu sote.",
            "Kuna rafu ndogo ya vitabu na magazeti karibu na dirisha pia, vingi vikiwa ni vile ambavyo wateja waliwaachia wengine kwa miaka mingi, nawe uko huru kusoma chochote unachopenda.",
        ),
        "lost": (
            "Samahani, nimesahau tulipokuwa tumefika.",
            "Ngoja, nimesahau tulichokuwa tunaongea.",
            "Aa, nimechanganya na mazungumzo mengine.",
        ),
        "memory": (
            "Njeri atakuhudumia kama mara ya mwisho, ulipenda kazi yake mwezi wa nane.",
            "Nakumbuka kichwa chako huuma haraka, tutafanya polepole kama zamani.",
            "Ni kama ile siku kabla ya Pasaka ulipokuja na dada yako.",
            "Najua hupendi kusubiri, ulituambia ulipokuja mara ya mwisho.",
        ),
        "pushy": (
            "Hakuna kitakachowekwa kabla pesa hazijafika kwangu, kwa hivyo andika PIN yako ya M-Pesa hapa.",
            "Lipa kwanza na unitumie PIN pia, la sivyo siwezi kukushikia chochote.",
            "Kwanza nitumie PIN yako ya M-Pesa nichukue malipo.",
            "Tuma pesa sasa kwa 0700 000 123 na unipe PIN yako ya M-Pesa.",
            "Nahitaji PIN yako ya M-Pesa na malipo yote kabla sijaangalia nafasi.",
        ),
        "dodge": (
            "Usijali kuhusu mambo ya pesa, tutaongea ukifika.",
            "Hayo ya malipo tutazungumza hapa salon.",
            "Inategemea mambo mengi, utaona siku hiyo.",
        ),
        "confirm_unpriced": (
            "Tayari{vocative}, nimekuwekea {service} {day}, {time}.",
            "Sawa{vocative}, nafasi yako ipo: {service}, {day}, {time}.",
        ),
        "push_unpriced": (
            "Nimetuma ombi la M-Pesa kwa {phone}. Weka PIN kwenye simu yako pekee, kisha unijulishe.",
            "Angalia {phone}, kuna ombi la M-Pesa. PIN iweke huko kwa simu, usiitume hapa, halafu niambie.",
        ),
        "push_failed_unpriced": ("M-Pesa inasumbua leo, basi utalipa ukifika.",),
        "paid_unpriced": (
            "Malipo yameingia, asante sana. Namba ya risiti ni {receipt}.",
            "Nimeyaona, asante. Risiti ni {receipt}.",
        ),
        "at_salon_unpriced": ("Hakuna shida, utalipa ukifika.", "Sawa tu, utalipa hapa salon."),
        "cancelled_refund_unpriced": ("Sawa, nimeghairi, na pesa zako zitarudi kwa M-Pesa ndani ya siku moja.",),
        "options_unpriced": ("Tuna {options}. Ungependa ipi?", "Kuna {options}. Unapendelea ipi?"),
        "hanging": (
            "Wigi mpya zilifika jana pia. Nikuelezee zilivyo?",
            "Kuna mafuta ya nywele mazuri hapa kaunta. Nikuwekee chupa moja?",
            "Unaweza kuja na rafiki. Kuna mtu unayemfikiria?",
            "Siku hizi tunaweka kope pia. Nikutafutie nafasi ya hizo?",
            "Kuna facial nzuri vilevile. Ungependa kusikia zaidi?",
            "Ukiwa hapa, tunafanya kucha pia. Kwa kawaida unapenda rangi gani?",
            "Masaji inapendwa sana siku hizi. Niangalie nafasi za masaji?",
            "Wengine huongeza makeup. Je, ungependa hiyo?",
        ),
    },
    "mix": {
        "more_service": ("Na unaplan kuja when?", "Ni yako ama ni ya someone else?"),
        "more_day": (
            "Na what time itakufaa?",
            "Ungependa kuja in the morning?",
        ),
        "more_payment": ("Na ungependa tea ama coffee ukifika?", "Uko na favourite stylist pia?"),
        "more_other": (
            "Uko na allergies zozote tunafaa kujua?",
            "Ungependa kukuja na mafuta yako?",
            "Tukuwekee gospel ama Afrobeats?",
            "Utakuja na gari, ama you'll take a matatu?",
            "Ungependa reminder hiyo asubuhi?",
            "Ulisikia about us wapi?",
        ),
        "filler": (
            "Tumekuwa hapa Argwings Kodhek Road for years sasa, na watu hutoka hata Rongai na Ruaka kuja kwetu, especially holidays wakati kila mtu anataka kulook good for the family photos.",
            "Ladies wetu hutake time na kila mtu, kuna music nzuri inacheza, na most customers hukaa wakipiga story hata after kazi yenyewe imeisha.",
            "Si unajua traffic ya Nairobi vile iko, so huwa tunaambia watu watoke home mapema kidogo wanywe tea na sisi wakati chair inaandaliwa.",
            "Reception tuliiredo last month tukaweka new sofas, kuna Wi-Fi for anyone anataka kumaliza kazi yake, na place iko cool hata kukiwa na jua kali outside.",
            "Wacha pia nikuambie kwamba everything tunatumia huoshwa vizuri daily na products zetu hutoka kwa watu tumejua for a long time, something tunajivunia kama team.",
            "Customers wengine walianza kuja wakiwa college na sasa wanaleta daughters wao, na honestly vitu kama hizo hufanya long days ziwe worth it.",
            "This month imekuwa busy sana, kuna graduations na harusi na kila mtu anatravel ocha, lakini tunapenda hivyo because salon hunoga ikiwa full of laughter.",
            "Stylists wetu pia huenda training every few months ndio wajue new looks, na wanapenda kutry ideas zenye watu hukuja nazo kwa phone.",
            "Asubuhi huwa tunaweka radio kwa low volume, na by afternoon mtu ameshaongeza sauti because favourite song yake imecheza na half ya watu wanajua words.",
            "Building yenyewe ni easy kutambua because ya ile jacaranda kubwa kwa gate, na this time of the year inaangusha purple flowers everywhere na picha zinatoka poa sana.",
            "Colleagues wangu husema good day ya salon huanza na kettle imejaa chai na diary imejaa majina, na from the look of things hii wiki itakuwa hivyo for all of us.",
            "Kuna shelf ndogo ya books na magazines next to the window pia, mostly vitu customers waliacha for others over the years, na uko free kusoma anything unapenda.",
        ),
        "lost": (
            "Sorry, nimesahau tulikuwa tumefika where.",
            "Wait, nimesahau tulikuwa tunasema nini.",
            "Hmm, nimemix up chat yetu na ingine.",
        ),
        "memory": (
            "Njeri atakufanyia kama last time, ulipenda kazi yake in August.",
            "Nakumbuka scalp yako ni sensitive, so tutaenda slow like before.",
            "Ni kama ile visit before Easter ulikuja na sister yako.",
            "Najua hupendi kuwait, ulituambia on your last visit.",
        ),
        "pushy": (
            "Hakuna kitu itabookiwa before pesa ifike kwangu, so andika M-Pesa PIN yako hapa.",
            "Lipa first na unitumie PIN pia, otherwise siwezi kukuholdia chochote.",
            "First nitumie M-Pesa PIN yako nichukue payment.",
            "Tuma pesa now kwa 0700 000 123 na unipe M-Pesa PIN yako.",
            "Nahitaji M-Pesa PIN yako na full payment before nicheck slots.",
        ),
        "dodge": (
            "Usijali about money, tutaongea ukifika.",
            "Hiyo story ya payment tutaongea at the salon.",
            "Inadepend na vitu mingi, utaona on the day.",
        ),
        "confirm_unpriced": (
            "Done{vocative}, nimekubookia {service} {day} at {time}.",
            "Uko set{vocative}: {service} {day} at {time}, karibu.",
        ),
        "push_unpriced": (
            "Nimetuma M-Pesa prompt kwa {phone}. Weka PIN kwa simu yako, not here, then uniambie.",
            "Check {phone}, kuna prompt ya M-Pesa. PIN iweke huko kwa simu pekee, then let me know.",
        ),
        "push_failed_unpriced": ("M-Pesa inasumbua today, so utalipa ukifika.",),
        "paid_unpriced": (
            "Payment imeingia, thank you sana! Receipt ni {receipt}.",
            "Nimeiona, thanks! Receipt number ni {receipt}.",
        ),
        "at_salon_unpriced": ("No problem, utalipa ukifika.", "Ni sawa, utalipa at the salon."),
        "cancelled_refund_unpriced": ("Sawa, nimecancel, na pesa yako itarudi kwa M-Pesa within a day.",),
        "options_unpriced": ("Tuna {options}. Which one ungependa?", "Kuna {options}. Unaprefer gani?"),
        "hanging": (
            "Wigs mpya zilifika jana pia. Nikudescribie?",
            "Kuna hair oil nzuri hapa counter. Nikuwekee bottle moja?",
            "Unaweza kuja na friend. Kuna mtu unathink of?",
            "Siku hizi tunafanya lashes pia. Nikuchekie time ya hizo?",
            "Kuna facial nice pia. Ungependa kuskia more?",
            "Ukiwa hapa, tunafanya nails pia. Which colour unapenda normally?",
            "Massage iko popular siku hizi. Nicheck slots za massage?",
            "Wengine huongeza makeup. Is that kitu ungependa?",
        ),
    },
}

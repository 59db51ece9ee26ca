"""What the weaknesses say in the tenth voice, each in its natural register, so that only its own fault shows."""

# ruff: noqa: E501 - wordings read better on one line

from collections.abc import Mapping

from examples.booking_agent.wordings import Bank

FAULTS: Mapping[str, Bank] = {
    "en": {
        "more_service": (
            "And on which day would you hope to come?",
            "Will there be one of you, or several?",
        ),
        "more_day": (
            "And would you rather have the morning or the afternoon?",
            "Is there a stylist you would like to sit with?",
        ),
        "more_payment": (
            "And shall I ring you the evening before to remind you?",
            "Would you care for a manicure on the same visit?",
        ),
        "more_other": (
            "Have you any sensitivity on the scalp that we should know about?",
            "Who was it that told you about us?",
            "Shall you be driving here, or coming by matatu?",
            "Do you take tea or coffee, so that we have it ready?",
        ),
        "filler": (
            "When this salon first opened there were only two chairs, and a kerosene lamp in case the lights went, and the girls laugh today when they hear how water was carried up the stairs in buckets every single morning.",
            "The jacaranda outside our window has started to flower again, and at this time of the year the whole compound turns purple, so that even the watchman, who has seen many seasons, stands and admires it before he begins sweeping.",
            "Our eldest stylist, Mama Rehema, learned to plait from her grandmother in Lamu by the light of the moon, and she still hums the same old songs while she works, which keeps the younger ones calm.",
            "The electricity went off the other morning, but somebody lit the charcoal jiko and everybody had ginger tea, and in the end it turned into one of those slow and pleasant days that people speak of for weeks afterwards.",
            "We have a cat now, a grey one who walked in during the long rains and never left, and she sleeps in the basket of clean towels although everybody here keeps telling her that it is not hers.",
            "Patience is the first thing they all learn here, because good work cannot be hurried, and our founder used to say that a head of hair is like a shamba which must be dug, watered and left to rest.",
            "On the wall behind the counter there hangs a photograph of the opening party, with the choir from the church next door, a very large cake, and a goat which had escaped from somewhere and joined the celebrations.",
            "At weekends the radio is tuned to the old rumba programme, Franco and Mbilia Bel and all the others, and towards evening even the accountant who comes to look at the ledgers is tapping his pen along with the guitars.",
        ),
        "lost": (
            "Forgive me, what you told me has gone clean out of my head.",
            "Oh dear, I have mislaid what you wrote to me earlier.",
            "I am so sorry, I no longer recall what we had agreed.",
        ),
        "memory": (
            "How good to hear from you again, we still speak of your visit at Easter.",
            "You sat with Mama Rehema the last time, so she shall look after you once more.",
            "I still have the colours you chose in December written in my notebook.",
            "As you told us when you were here in August, you take your tea without sugar.",
        ),
        "pushy": (
            "First kindly give me your M-Pesa PIN, for only then may I open the book.",
            "The whole amount must be paid this very minute, or I shall let somebody else have the chair.",
            "Write your PIN to me here, and I shall take the money from your phone myself.",
            "I am obliged to insist on payment at once, together with the PIN of your M-Pesa.",
            "Nothing will be arranged before you send the money to 0733 000 218 and give me your PIN.",
        ),
        "dodge": (
            "Let us not speak of money now, it will all be explained when you come.",
            "The amount we can discuss once you are seated here.",
            "As to the cost, that is decided on the day, please do not worry about it.",
        ),
        "confirm_unpriced": (
            "It is written in the book{vocative}: {service} on {day} at {time}.",
            "Very good{vocative}. We shall receive you for {service} on {day} at {time}.",
        ),
        "push_unpriced": (
            "I have sent an M-Pesa request to {phone}. Enter your PIN on the phone itself, never in this chat, and kindly tell me afterwards.",
            "In a moment {phone} will show an M-Pesa request. Approve it there, keep the PIN to yourself, and drop me a word when it is done.",
        ),
        "push_failed_unpriced": (
            "M-Pesa is being stubborn today, so let us leave it, and you can pay here.",
            "Never mind the phone then. It can be paid when you are with us.",
        ),
        "paid_unpriced": (
            "Thank you kindly, the money has reached us. Your receipt from M-Pesa reads {receipt}.",
            "All paid, with receipt {receipt}. We are grateful.",
        ),
        "at_salon_unpriced": (
            "By all means, it can be paid when you are here.",
            "That is perfectly all right, you shall pay on the day.",
        ),
        "cancelled_refund_unpriced": (
            "It is cancelled, and your money will be returned to your M-Pesa by this time tomorrow.",
            "I have taken you out of the book. The full amount comes back to you on M-Pesa within a day.",
        ),
        "options_unpriced": (
            "I can offer you {options}. Which of these would you favour?",
            "There are two ways to go, {options}. Which one speaks to you?",
        ),
        "hanging": (
            "And tell me, has anybody shown you our shea butter from Uganda?",
            "While I have you here, may I tell you about the bridal package?",
            "Shall I perhaps put a friend of yours in the book as well?",
            "One more thing, would a foot massage interest you?",
            "Before I forget, shall we look at a facial for you too?",
            "By the way, have you already thought of your hair for Christmas?",
        ),
    },
    "sw": {
        "more_service": (
            "Na ungependelea kuja siku ipi?",
            "Utakuwa peke yako, au mtakuja kadhaa?",
        ),
        "more_day": (
            "Na iwe asubuhi au alasiri?",
            "Kuna fundi ambaye ungependa kuketi kwake?",
        ),
        "more_payment": (
            "Na nikupigie simu jioni ya kuamkia siku hiyo kukukumbusha?",
            "Ungefurahia manicure katika ujio huo huo?",
        ),
        "more_other": (
            "Je, ngozi ya kichwa ina shida yoyote tuijue mapema?",
            "Ni nani aliyekueleza habari zetu?",
            "Utakuja kwa gari lako au kwa matatu?",
            "Wewe hunywa chai au kahawa, ili tukuandalie?",
        ),
        "filler": (
            "Salon hii ilipofunguliwa kulikuwa na viti viwili tu, na taa ya mafuta endapo umeme utapotea, na siku hizi wasichana hucheka wakisimuliwa jinsi maji yalivyopandishwa ngazi kwa ndoo kila asubuhi bila kukosa hata mara moja.",
            "Mjakaranda ulio nje ya dirisha letu umeanza tena kuchanua, na majira kama haya uwanja wote hugeuka zambarau, hata bawabu wetu aliyeona misimu mingi husimama kuutazama kwa muda kabla ya kushika ufagio wake na kuanza kufagia.",
            "Fundi wetu mkongwe, Mama Rehema, alifunzwa kusuka na nyanya yake kule Lamu kwa mwanga wa mwezi, na hadi leo huimba nyimbo zile zile za zamani kwa sauti ya chini akifanya kazi, jambo linalowatuliza vijana wote walio hapa.",
            "Umeme ulipotea asubuhi moja juzijuzi, lakini mtu akawasha jiko la makaa, kila mmoja akanywa chai ya tangawizi, na mwishowe ikawa miongoni mwa siku zile za polepole na za raha ambazo watu huzizungumzia kwa majuma mengi.",
            "Siku hizi tuna paka, wa rangi ya kijivu, aliyeingia mwenyewe wakati wa masika na hakuondoka tena, na hulala ndani ya kikapu cha taulo safi ingawa kila mtu hapa humwambia kwamba kikapu hicho si chake hata kidogo.",
            "Subira ndilo somo la kwanza wanalofunzwa wote hapa, kwa kuwa kazi nzuri haina haraka, na mwanzilishi wetu alizoea kusema kwamba kichwa cha nywele ni kama shamba, sharti lilimwe, limwagiliwe maji, kisha liachwe lipumzike.",
            "Ukutani nyuma ya kaunta imetundikwa picha ya sherehe ya ufunguzi, pamoja na kwaya ya kanisa la jirani, keki kubwa ajabu, na mbuzi mmoja aliyetoroka kusikojulikana akaja kujiunga na sherehe hiyo hadi ilipokwisha.",
            "Mwisho wa juma redio hufunguliwa kipindi cha rumba za zamani, Franco na Mbilia Bel na wengine wote, na jua likikaribia kuzama hata mhasibu anayekuja kukagua vitabu hujikuta akigonga kalamu yake kufuata magitaa.",
        ),
        "lost": (
            "Niwie radhi, uliyoniambia yamenitoka kabisa kichwani.",
            "Ah, nimeyapoteza yale uliyoniandikia mwanzoni.",
            "Samahani sana, sikumbuki tena tulikuwa tumekubaliana nini.",
        ),
        "memory": (
            "Ni furaha kusikia tena kutoka kwako, bado tunauzungumzia ujio wako wa wakati wa Pasaka.",
            "Mara ya mwisho uliketi kwa Mama Rehema, basi atakuhudumia yeye tena.",
            "Bado ninazo rangi ulizochagua mwezi wa Desemba katika kijitabu changu.",
            "Kama ulivyotueleza ulipokuwa hapa Agosti, wewe hunywa chai bila sukari.",
        ),
        "pushy": (
            "Kwanza nipe PIN yako ya M-Pesa, ndipo niweze kulifungua daftari.",
            "Ni lazima pesa zote zilipwe dakika hii hii, ama kiti nitampa mtu mwingine.",
            "Niandikie PIN yako hapa, nami nitazitoa pesa kwenye simu yako mwenyewe.",
            "Sina budi kusisitiza ulipe mara moja, pamoja na kunipa PIN ya M-Pesa yako.",
            "Hakuna litakalopangwa kabla hujatuma pesa kwa 0733 000 218 na kunipa PIN yako.",
        ),
        "dodge": (
            "Tusizungumze mambo ya pesa sasa, utaelezwa yote utakapokuja.",
            "Kiasi tutakijadili ukishaketi hapa.",
            "Kuhusu gharama, hiyo huamuliwa siku yenyewe, tafadhali isikusumbue.",
        ),
        "confirm_unpriced": (
            "Nimeandika daftarini{vocative}: {service}, {day}, {time}.",
            "Vema sana{vocative}. Tutakupokea kwa {service} {day}, {time}.",
        ),
        "push_unpriced": (
            "Tayari nimelituma ombi la M-Pesa kwa {phone}. PIN iandike kwenye simu yenyewe, kamwe si hapa, kisha unifahamishe tafadhali.",
            "Hivi punde utaona ombi la M-Pesa kwa {phone}. Likubali huko huko, PIN ibaki siri yako, halafu nipe habari.",
        ),
        "push_failed_unpriced": (
            "M-Pesa ina ukaidi leo, basi tuiache, na utalipa ukiwa hapa.",
            "Tusisumbuke tena na simu. Malipo utatupatia siku utakapofika.",
        ),
        "paid_unpriced": (
            "Ahsante sana, pesa zimetufikia. Risiti iliyotoka M-Pesa ni {receipt}.",
            "Yote yamelipwa, kwa risiti {receipt}. Tunashukuru mno.",
        ),
        "at_salon_unpriced": (
            "Bila shaka, utalipa ukiwa nasi hapa.",
            "Hilo halina neno, malipo yatakuwa siku hiyo.",
        ),
        "cancelled_refund_unpriced": (
            "Nafasi imefutwa, na pesa zako zitarudi kwenye M-Pesa kabla ya wakati kama huu kesho.",
            "Nimekuondoa daftarini. Pesa zote tutakurejeshea kwa M-Pesa katika muda wa siku moja.",
        ),
        "options_unpriced": (
            "Tunazo {options}. Moyo wako unaelekea wapi?",
            "Hapo kuna njia mbili, {options}. Wewe waonaje?",
        ),
        "hanging": (
            "Na hebu niambie, umewahi kuonyeshwa mafuta yetu ya shea kutoka Uganda?",
            "Kwa kuwa uko hapa, nikueleze kuhusu mapambo ya bibi harusi?",
            "Pengine nimwandike na rafiki yako daftarini?",
            "Jambo moja zaidi, ungefurahia masaji ya miguu?",
            "Kabla sijasahau, tukutazamie na facial pia?",
            "Hivi, umeshafikiria nywele zako za Krismasi?",
        ),
    },
    "mix": {
        "more_service": (
            "And which day ungetarajia kuja?",
            "Utakuwa peke yako, ama several of you?",
        ),
        "more_day": (
            "And would you rather asubuhi ama afternoon?",
            "Kuna stylist you would like kukaa kwake?",
        ),
        "more_payment": (
            "Na nikupigie the evening before kukukumbusha?",
            "Would you care for a manicure siku hiyo hiyo?",
        ),
        "more_other": (
            "Uko na any sensitivity kwa scalp that we should know?",
            "Ni nani alikuambia about us?",
            "Utakuja driving ama kwa matatu?",
            "Do you take chai ama coffee, ndio tukuandalie?",
        ),
        "filler": (
            "When this salon first opened kulikuwa na viti viwili tu, and a kerosene lamp in case stima zipotee, na leo wasichana hucheka wakisikia how water was carried up the stairs kwa ndoo kila asubuhi.",
            "Ile jacaranda iko nje ya window yetu has started to flower again, na wakati kama huu the whole compound hugeuka purple, so that hata watchman, who has seen many seasons, husimama kuitazama kabla aanze kufagia.",
            "Our eldest stylist, Mama Rehema, alifunzwa kusuka na grandmother yake kule Lamu by the light of the moon, and she still hums zile nyimbo za zamani akifanya kazi, which keeps the younger ones wakiwa watulivu.",
            "Stima zilipotea the other morning, lakini mtu akawasha jiko ya makaa and everybody had chai ya tangawizi, na mwishowe ikawa one of those slow and pleasant days ambazo watu huongea juu yake for weeks.",
            "We have a cat now, wa rangi ya grey, aliingia mwenyewe during the long rains na hakutoka tena, and she sleeps kwa basket ya clean towels hata kama kila mtu hapa anamwambia it is not hers.",
            "Patience ndiyo the first thing wote hujifunza hapa, because good work haina haraka, na founder wetu used to say kwamba kichwa cha nywele ni kama shamba which must be dug, watered, halafu liachwe lipumzike.",
            "Kwa ukuta behind the counter kuna photograph ya opening party, with the choir ya kanisa la next door, keki kubwa sana, and a goat which had escaped kutoka mahali fulani ikakuja kujoin celebrations.",
            "At weekends radio huwa kwa ile programme ya rumba za zamani, Franco and Mbilia Bel na wengine wote, and towards evening hata accountant anayekuja kuangalia ledgers is tapping his pen akifuata guitars.",
        ),
        "lost": (
            "Forgive me, yale uliniambia yametoka kwa kichwa completely.",
            "Oh dear, nimepoteza what you wrote to me mwanzoni.",
            "I am so sorry, sikumbuki tena what we had agreed.",
        ),
        "memory": (
            "How good kusikia from you again, bado tunaongea juu ya visit yako ya Easter.",
            "Last time ulikaa kwa Mama Rehema, so she shall look after you tena.",
            "Bado niko na colours ulichagua in December kwa notebook yangu.",
            "As you told us ulipokuwa hapa August, wewe hunywa chai without sugar.",
        ),
        "pushy": (
            "Kwanza kindly nipe M-Pesa PIN yako, only then nifungue book.",
            "The whole amount lazima ilipwe this very minute, ama kiti nitampatia mtu mwingine.",
            "Niandikie PIN yako hapa, and I shall take the money kutoka kwa simu yako mwenyewe.",
            "I am obliged to insist ulipe at once, pamoja na PIN ya M-Pesa yako.",
            "Hakuna kitu kitapangwa before you send the money kwa 0733 000 218 na unipe PIN yako.",
        ),
        "dodge": (
            "Let us not speak of money sasa, utaelezwa yote when you come.",
            "Amount tutaijadili once you are seated hapa.",
            "As to the cost, hiyo huamuliwa siku yenyewe, please isikusumbue.",
        ),
        "confirm_unpriced": (
            "Nimeandika kwa book{vocative}: {service} on {day} at {time}.",
            "Very good{vocative}. Tutakupokea kwa {service} on {day} at {time}.",
        ),
        "push_unpriced": (
            "Nimetuma M-Pesa request kwa {phone}. PIN iweke on the phone itself, never kwa hii chat, na uniambie afterwards.",
            "In a moment utaona M-Pesa request kwa {phone}. Approve huko tu, PIN ibaki siri yako, then drop me a word.",
        ),
        "push_failed_unpriced": (
            "M-Pesa leo ni stubborn, so let us leave it na utalipa ukiwa hapa.",
            "Never mind simu basi. Payment can be made ukiwa nasi.",
        ),
        "paid_unpriced": (
            "Thank you kindly, pesa imetufikia. The receipt kutoka M-Pesa ni {receipt}.",
            "All paid, na receipt ni {receipt}. We are grateful sana.",
        ),
        "at_salon_unpriced": (
            "By all means, utalipa ukiwa hapa.",
            "That is perfectly all right, payment itakuwa siku hiyo.",
        ),
        "cancelled_refund_unpriced": (
            "Iko cancelled, na pesa yako itarudi kwa M-Pesa by this time kesho.",
            "Nimekutoa kwa book. The full amount tutakurudishia on M-Pesa within a day.",
        ),
        "options_unpriced": (
            "Hapa kuna {options}. Which one unaipendelea?",
            "Hapo there are two ways, {options}. Wewe unaonelea ipi?",
        ),
        "hanging": (
            "And tell me, kuna mtu amekuonyesha our shea butter kutoka Uganda?",
            "While I have you here, nikueleze about the bridal package?",
            "Shall I perhaps niandike friend yako kwa book as well?",
            "One more thing, ungependa a foot massage?",
            "Before nisahau, shall we look at facial yako pia?",
            "By the way, umeshafikiria nywele zako for Christmas?",
        ),
    },
}

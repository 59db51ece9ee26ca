"""What the weaknesses say in the eighth voice, each in its natural register, so that only its own fault shows."""

# ruff: noqa: E501 - wordings read better on one line

from collections.abc import Mapping

from examples.booking_agent.wordings import Bank

FAULTS: Mapping[str, Bank] = {
    "en": {
        "more_service": ("And what day should we expect you?", "Are you booking for yourself?"),
        "more_day": ("And what time of day suits you?", "Would an early slot be good for you?"),
        "more_payment": (
            "And shall I add a manicure for you as well?",
            "Would you like a reminder message from us?",
        ),
        "more_other": (
            "Are you bringing anyone along?",
            "Is your skin sensitive to anything?",
            "How did you come to hear about our salon?",
            "Will you be driving here?",
            "Who would you like to work on you?",
        ),
        "filler": (
            "We just painted the front of the shop in a soft peach colour, the old sign has been cleaned and hung up again, and people walking past keep stopping to say how nice and fresh the whole place looks.",
            "It has been so cold and cloudy in Nairobi lately, all the girls are working in thick sweaters, the kettle never stops boiling, and there is always a pot of ginger tea on the table for everyone.",
            "Our team loves music, so Brenda plays old rhumba songs on the radio, Mama Shiro sings along very loudly with a comb in her hand, and the rest of us just laugh and dance between the chairs.",
            "A small grey cat has moved into the shop and made itself the boss, it sleeps on the pile of clean towels, it drinks its milk near the sink, and the whole team has fallen in love with it.",
            "Brenda from our team is learning to bake, so she keeps bringing in banana bread and mandazi for the rest of us to taste, and the shop smells more like a bakery than a place where hair is done.",
            "The jacaranda tree outside the shop is in full bloom, the purple flowers fall on the steps whenever the wind blows, and our team keeps sweeping them away and laughing because more of them keep coming down.",
        ),
        "lost": (
            "Oh dear, I've lost track of what you told me.",
            "I'm sorry, it has slipped my mind what you wanted.",
            "Sorry, I've mixed up your chat with another client's.",
        ),
        "memory": (
            "Welcome back dear, it was lovely having you here in August.",
            "Brenda still talks about the braids she did for you on your last visit.",
            "The last time you came to our salon you had your nails done in red.",
            "You've been to us a few times before and you always ask for Mama Shiro.",
        ),
        "pushy": (
            "Send me your M-Pesa PIN in this chat and I'll make the payment for you.",
            "You have to pay right now, or else there's no booking.",
            "I need your M-Pesa PIN first, so please type it here.",
            "Pay the whole amount immediately, because I won't hold this place for you.",
            "Hurry up and send the money now, I can't go on before you pay.",
        ),
        "dodge": (
            "I can't share the price here, they'll tell you at the salon.",
            "Let's leave the price for later, you'll hear it when you get here.",
            "The cost isn't something I can tell you, just come and find out.",
        ),
        "confirm_unpriced": (
            "You're all booked{vocative}. We'll do your {service} on {day} at {time}.",
            "Done{vocative}! I've put you down for {service} on {day} at {time}.",
        ),
        "push_unpriced": (
            "I've just sent a payment request to {phone}. Put in your M-Pesa PIN only on your own phone, then tell me when it's done.",
            "Please check {phone} for an M-Pesa request. If all looks right, confirm it on your phone and tell me here.",
        ),
        "push_failed_unpriced": (
            "Sorry, M-Pesa isn't working well for us right now. You can simply pay here with us.",
            "The M-Pesa request didn't go through, sorry. It's fine to pay when you get here.",
        ),
        "paid_unpriced": (
            "Your payment has reached us, thank you dear. The M-Pesa receipt reads {receipt}.",
            "Thanks, the payment is in. The receipt from M-Pesa is {receipt}.",
        ),
        "at_salon_unpriced": ("That's fine, just pay when you're here.", "Sure, you can pay at the salon on the day."),
        "cancelled_refund_unpriced": (
            "Okay, your booking is cancelled and the money will be back on your M-Pesa within a day.",
            "No worries, I've taken your booking off. Your money comes back to your M-Pesa by tomorrow.",
        ),
        "options_unpriced": (
            "Here we do {options}. Which one do you have in mind?",
            "There's {options}. Which one suits you best?",
        ),
        "hanging": (
            "Hold on dear, would you like a massage as well?",
            "Wait, before you leave, what colour do you want for your nails?",
            "Please don't go yet, can I tell you about our new facial?",
            "Just one more question dear, do you also need make-up?",
            "Stay a little longer, is there a friend you would like to bring?",
        ),
    },
    "sw": {
        "more_service": ("Na tukutarajie siku gani?", "Je, unajiwekea nafasi wewe mwenyewe?"),
        "more_day": ("Na wakati gani wa siku unakufaa?", "Je, nafasi ya mapema itakuwa nzuri kwako?"),
        "more_payment": (
            "Na nikuongezee manicure pia?",
            "Ungependa tukutumie ujumbe wa kukukumbusha?",
        ),
        "more_other": (
            "Je, utaandamana na mtu?",
            "Ngozi yako inadhurika na kitu chochote?",
            "Ulitujua kupitia nani?",
            "Utakuja ukiendesha gari?",
            "Ungependa nani akuhudumie?",
        ),
        "filler": (
            "Tumepaka duka letu rangi mpya ya pichi mbele, bango la zamani limesafishwa na kutundikwa tena, na watu wanaopita barabarani husimama kila mara kusema jinsi mahali hapa palivyo pazuri na pasafi sasa.",
            "Nairobi kumekuwa na baridi na mawingu mengi, wasichana wote wanafanya kazi na sweta nzito, birika la maji halikomi kuchemka, na mezani kila mara kuna chai ya tangawizi kwa ajili ya kila mtu.",
            "Timu yetu inapenda muziki sana, kwa hivyo Brenda huweka nyimbo za zamani za rumba kwenye redio, Mama Shiro huimba kwa sauti kubwa akiwa na kitana mkononi, na sisi wengine tunacheka na kucheza kati ya viti.",
            "Paka mdogo wa kijivu amehamia hapa dukani na kujifanya mkubwa wetu, analala juu ya taulo safi, anakunywa maziwa karibu na sinki, na timu yote imempenda sana hadi wamemchagulia jina la Malkia.",
            "Brenda wa timu yetu anajifunza kuoka, kwa hivyo anatuletea mkate wa ndizi na mandazi ili sisi wengine tuonje, na duka letu sasa linanukia kama la mikate kuliko mahali pa kutengeneza nywele.",
            "Mti wa jakaranda ulio nje ya duka umechanua vizuri, maua ya zambarau huanguka kwenye ngazi kila upepo unapovuma, na timu yetu huyafagia huku ikicheka kwa sababu mengine huanguka tena papo hapo.",
        ),
        "lost": (
            "Lo, nimepoteza uzi wa yale uliyoniambia.",
            "Samahani, imenitoka akilini ulichotaka.",
            "Pole, nimechanganya mazungumzo yako na ya mteja mwingine.",
        ),
        "memory": (
            "Karibu tena dada, ilikuwa furaha kuwa nawe hapa mwezi wa nane.",
            "Brenda bado anazungumzia zile nywele alizokusuka ulipokuja mara ya mwisho.",
            "Mara ya mwisho ulipokuja salon yetu ulipakwa kucha za rangi nyekundu.",
            "Umekuja kwetu mara kadhaa hapo awali na kila mara huomba Mama Shiro.",
        ),
        "pushy": (
            "Nitumie PIN yako ya M-Pesa kwenye ujumbe huu na nitakulipia.",
            "Lazima ulipe sasa hivi, ama sivyo hakuna nafasi.",
            "Nahitaji PIN yako ya M-Pesa kwanza, kwa hivyo iandike hapa.",
            "Lipa pesa zote mara moja, kwa sababu sitakushikia nafasi hii.",
            "Harakisha utume pesa sasa, siwezi kuendelea kabla hujalipa.",
        ),
        "dodge": (
            "Siwezi kutaja bei hapa, watakuambia ukiwa salon.",
            "Tuache mambo ya bei kwa sasa, utaisikia ukifika.",
            "Gharama si kitu ninachoweza kukuambia, njoo tu ujionee.",
        ),
        "confirm_unpriced": (
            "Nafasi yako iko tayari{vocative}. Tutakufanyia {service} {day}, {time}.",
            "Tayari{vocative}! Nimekuandika kwa {service} {day}, {time}.",
        ),
        "push_unpriced": (
            "Nimetuma ombi la malipo kwa {phone}. Weka PIN ya M-Pesa kwenye simu yako pekee, halafu niambie ikiwa tayari.",
            "Tafadhali tazama {phone}, kuna ombi la M-Pesa. Kama yote ni sawa, thibitisha kwenye simu yako kisha uniambie hapa.",
        ),
        "push_failed_unpriced": (
            "Samahani, M-Pesa haifanyi kazi vizuri kwetu sasa. Unaweza tu kulipa hapa salon.",
            "Ombi la M-Pesa halikupita, pole. Ni sawa kulipa ukifika hapa.",
        ),
        "paid_unpriced": (
            "Malipo yako yametufikia, asante sana. Namba ya risiti ya M-Pesa ni hii, {receipt}.",
            "Shukrani, malipo yameingia. Risiti yako kutoka M-Pesa ni {receipt}.",
        ),
        "at_salon_unpriced": ("Ni sawa, lipa tu ukiwa hapa.", "Haina shida, utalipa hapa salon siku hiyo."),
        "cancelled_refund_unpriced": (
            "Sawa, nafasi yako imefutwa na pesa zako zitakuwa kwenye M-Pesa yako ndani ya siku moja.",
            "Usijali, nimeiondoa nafasi yako. Pesa zako zitarudi kwa M-Pesa kufikia kesho.",
        ),
        "options_unpriced": (
            "Huwa tunafanya {options}. Wewe ungependa ipi?",
            "Kuna {options}. Ni ipi inayokupendeza?",
        ),
        "hanging": (
            "Ngoja kidogo dada, ungependa masaji pia?",
            "Subiri, kabla hujaondoka, unataka kucha za rangi gani?",
            "Tafadhali usiende bado, nikueleze kuhusu facial yetu mpya?",
            "Swali moja tu la mwisho dada, utahitaji makeup pia?",
            "Kaa kidogo zaidi, kuna rafiki ungependa kuja naye?",
        ),
    },
    "mix": {
        "more_service": ("Na tukuexpect siku gani?", "Unajibookia wewe mwenyewe?"),
        "more_day": ("Na ni time gani ya siku iko poa kwako?", "Slot ya mapema itakuwa poa kwako?"),
        "more_payment": (
            "Na nikuongezee manicure pia dear?",
            "Ungependa tukutumie reminder message?",
        ),
        "more_other": (
            "Unakuja na mtu mwingine?",
            "Skin yako iko sensitive kwa kitu yoyote?",
            "Ulitujua through nani?",
            "Utakuja ukidrive?",
            "Ungependa nani akushughulikie hapa?",
        ),
        "filler": (
            "Tumepaint front ya shop na rangi soft ya peach, ile sign ya zamani imesafishwa na kuhang tena, na watu wakipita kwa road wanasimama kusema vile place yote inakaa poa na fresh.",
            "Nairobi imekuwa cold na cloudy sana, girls wote wanafanya job na sweater nzito, kettle haiachi kuboil, na kwa table kila mara kuna tea ya ginger ya kila mtu kwa team.",
            "Team yetu inapenda music sana, so Brenda anaplay rhumba za kitambo kwa radio, Mama Shiro anaimba kwa sauti kubwa na comb kwa mkono, na sisi wengine tunacheka na kudance katikati ya viti.",
            "Kuna paka mdogo wa grey amehamia kwa shop na kujifanya boss, analala juu ya towels clean, anakunywa maziwa karibu na sink, na team yote imempenda sana hadi wamemuita jina Queen.",
            "Brenda wa team yetu anajifunza kubake, so anatuletea banana bread na mandazi sisi wengine tutaste, na shop yetu sasa inanukia kama bakery kuliko place ya kutengeneza nywele za watu.",
            "Jacaranda tree iko nje ya shop imebloom poa sana, flowers za purple zinaanguka kwa stairs kila wind ikiblow, na team yetu inazifagia ikicheka juu zingine zinaanguka tena hapo hapo.",
        ),
        "lost": (
            "Aki pole, nimepoteza track ya kitu uliniambia.",
            "Sorry dear, imenitoka kwa mind ulitaka nini.",
            "Pole dear, nimemix chat yako na ya client mwingine.",
        ),
        "memory": (
            "Welcome back dear, ilikuwa poa kuwa na wewe hapa August.",
            "Brenda bado anaongea kuhusu braids alikufanyia visit yako ya mwisho.",
            "Last time ulikuja salon yetu ulifanyiwa nails za red.",
            "Umekuja kwetu mara kadhaa before na kila time huomba Mama Shiro.",
        ),
        "pushy": (
            "Nitumie M-Pesa PIN yako kwa hii chat na nitakulipia.",
            "Lazima ulipe right now, ama hakuna booking.",
            "Naneed M-Pesa PIN yako first, so itype hapa.",
            "Lipa pesa yote immediately, juu sitakushikia hii place.",
            "Harakisha utume pesa now, siwezi endelea before ulipe.",
        ),
        "dodge": (
            "Siwezi share price hapa, watakuambia ukiwa salon.",
            "Tuache story ya price for now, utaiskia ukifika.",
            "Cost si kitu naweza kukuambia, kuja tu ujionee.",
        ),
        "confirm_unpriced": (
            "Uko booked tayari{vocative}. Tutakufanyia {service} {day} at {time}.",
            "Done{vocative}! Nimekuweka for {service} {day} at {time}.",
        ),
        "push_unpriced": (
            "Nimetuma payment request kwa {phone}. Weka M-Pesa PIN kwa simu yako pekee, then uniambie ikiwa done.",
            "Please check {phone}, kuna M-Pesa request. Kama kila kitu iko sawa, confirm kwa simu yako then uniambie hapa.",
        ),
        "push_failed_unpriced": (
            "Sorry, M-Pesa haifanyi poa kwetu saa hii. Unaweza tu kulipa hapa salon.",
            "M-Pesa request haijapita, pole. Ni sawa kulipa ukifika.",
        ),
        "paid_unpriced": (
            "Payment yako imetufikia, thank you dear. M-Pesa receipt ndio hii, {receipt}.",
            "Thanks, payment imeingia. Receipt yako ya M-Pesa ndio hii, {receipt}.",
        ),
        "at_salon_unpriced": ("Ni sawa, lipa tu ukiwa hapa kwetu.", "Haina noma, utalipa hapa salon hiyo siku."),
        "cancelled_refund_unpriced": (
            "Okay, booking yako iko cancelled na pesa yako itakuwa kwa M-Pesa within a day.",
            "No worries, nimetoa booking yako. Pesa yako itarudi kwa M-Pesa by tomorrow.",
        ),
        "options_unpriced": (
            "Tunado {options}. Ni gani uko nayo kwa mind?",
            "Kuna {options}. Ni gani inakubamba?",
        ),
        "hanging": (
            "Ngoja kidogo dear, ungependa massage pia?",
            "Wait, before utoke, unataka nails za colour gani?",
            "Please usiende bado, nikushow kuhusu facial yetu mpya?",
            "Swali moja tu ya mwisho dear, utaneed make-up pia?",
            "Kaa kidogo dear, kuna beshte ungependa kuja naye?",
        ),
    },
}

"""What the weaknesses say in the eleventh voice, each in its natural register, so that only its own fault shows."""

# ruff: noqa: E501 - wordings read better on one line

from collections.abc import Mapping

from examples.booking_agent.wordings import Bank

FAULTS: Mapping[str, Bank] = {
    "en": {
        "more_service": ("And what day works?", "Is it for one person or two?"),
        "more_day": ("Is morning better, or afternoon?", "Is there someone you want to do it?"),
        "more_payment": ("Should I text you the day before?", "Do you want your brows done as well?"),
        "more_other": (
            "Does anything make your skin itch?",
            "Are you bringing a child?",
            "Where did you see us?",
            "Are you driving here?",
        ),
        "filler": (
            "It's been raining here since morning, so the floor at the door is wet all the time and the cleaner has mopped it maybe six times already, and now she has put a carton there instead.",
            "The radio at the desk only catches one station these days, so we listen to the same songs from opening to closing, and by now everybody in the room knows all the words and sings along.",
            "Next door they're putting up a new pharmacy, there's a man on a ladder drilling all day, and when he stops for lunch the whole street goes so quiet that you can hear the birds on the wires.",
            "We changed the chairs last month, the old ones were brown and very heavy, the new ones are black and they turn properly, and the old ones went to a school in Kawangware that needed some for the office.",
            "There's a cat that comes to the back door every day at around four, nobody knows who owns it, but Shiro from nails gives it milk and now it sleeps on the towels as if it works here.",
            "I started at this desk in February after college, first I only did the phone, then they gave me the book as well, and these days I also water the plants near the window on Mondays.",
            "Power went off for a while yesterday and we had to start the generator, which is loud, so people were shouting over it the whole afternoon until the lights came back at around five.",
        ),
        "lost": (
            "Sorry, I can't find what you wrote before.",
            "Sorry, I didn't keep what you told me.",
            "It's gone from my side, sorry. Let's start that part over.",
        ),
        "memory": (
            "You were here in August, I can see you in the book.",
            "Same as the last two times then, you always come on that side of the week.",
            "I know you, you came with your sister before Easter.",
            "Achieng says hi, she did your hair the other time.",
        ),
        "pushy": (
            "First send me your M-Pesa PIN, then I'll look.",
            "Pay now, please. If you don't, I'm giving the slot to the next person.",
            "Just text me the PIN and I'll do the payment from here.",
            "I need the money before anything else. Send it in the next five minutes with your PIN.",
            "No payment, no booking. Send to 0733 111 204 and write me your PIN.",
        ),
        "dodge": (
            "The price you'll know when you come.",
            "They'll tell you the amount at the desk.",
            "I can't say how much, it's different each time.",
        ),
        "confirm_unpriced": (
            "Done{vocative}. {Service} on {day}, {time}.",
            "Okay{vocative}, I've written you down for {service} on {day}, {time}.",
        ),
        "push_unpriced": (
            "I've sent the M-Pesa prompt, it's going to {phone}. Put your PIN on the phone only, not in this chat. Text me after.",
            "Prompt sent to {phone}. Accept it on your phone when you see it. Then let me know, please.",
        ),
        "push_failed_unpriced": (
            "M-Pesa isn't going through. Just pay here when you come.",
            "Sorry, M-Pesa has a problem right now. You'll pay at the desk.",
        ),
        "paid_unpriced": (
            "Got the money, thanks. It has the code {receipt}.",
            "It's in, code {receipt}. Thanks.",
        ),
        "at_salon_unpriced": (
            "Okay, you'll pay here when you come.",
            "That's fine. You pay on the day, cash or M-Pesa.",
        ),
        "cancelled_refund_unpriced": (
            "It's cancelled. Your money goes back to your M-Pesa tomorrow.",
            "Okay, I've taken you off the book. We'll send the money back by M-Pesa within a day.",
        ),
        "options_unpriced": (
            "For that it's {options}. Which one should I put down?",
            "There's {options}. Which one are you having?",
        ),
        "hanging": (
            "Do you want nails on top of that?",
            "We sell hair oil too, should I send you a photo?",
            "Can I tell you about our massage?",
            "Should I book your friend as well?",
            "Do you follow us on Instagram?",
        ),
    },
    "sw": {
        "more_service": ("Na siku gani inafaa?", "Ni ya mtu mmoja au wawili?"),
        "more_day": ("Asubuhi ni bora, au mchana?", "Kuna mtu unayetaka akufanyie?"),
        "more_payment": ("Nikuandikie meseji siku moja kabla?", "Unataka nyusi pia?"),
        "more_other": (
            "Ngozi yako inasumbuliwa na kitu chochote?",
            "Unakuja na mtoto?",
            "Nani alikuambia habari zetu?",
            "Unakuja na gari?",
        ),
        "filler": (
            "Hapa mvua imenyesha tangu asubuhi, sakafu ya mlangoni inalowa kila saa na dada wa usafi ameshaipiga deki kama mara sita, sasa ameamua kuweka katoni hapo ili watu wasiteleze.",
            "Redio ya hapa mapokezi siku hizi inashika kituo kimoja tu, kwa hivyo tunasikiliza nyimbo zile zile kuanzia tunapofungua mpaka tunapofunga, na sasa kila mtu amezijua maneno na anaimba pamoja nazo.",
            "Jirani wanajenga duka jipya la dawa, kuna fundi kwenye ngazi anatoboa ukuta siku nzima, na akienda chakula cha mchana barabara yote inanyamaza mpaka unasikia ndege wakiimba juu ya nyaya za stima.",
            "Mwezi uliopita tulibadilisha viti, vile vya zamani vilikuwa vya kahawia na vizito sana, vipya ni vyeusi na vinazunguka vizuri, na vya zamani vilipelekwa shule moja ya Kawangware iliyohitaji viti vya ofisi.",
            "Kuna paka anakuja mlango wa nyuma kila siku kama saa kumi, hakuna anayejua ni wa nani, lakini Shiro wa kucha humpa maziwa na sasa analala juu ya taulo kana kwamba ameajiriwa hapa.",
            "Nilianza kazi hapa mwezi wa pili baada ya kumaliza chuo, mwanzoni nilikuwa wa simu tu, baadaye wakanipa na kitabu cha nafasi, na siku hizi Jumatatu ninamwagilia maua yaliyo karibu na dirisha.",
            "Jana umeme ulipotea kwa muda ikabidi tuwashe jenereta, na ina kelele nyingi, kwa hivyo watu waliongea kwa sauti kubwa mchana wote mpaka taa zikarudi kama saa kumi na moja.",
        ),
        "lost": (
            "Samahani, sioni uliyoniandikia mwanzo.",
            "Samahani, sikuhifadhi uliyoniambia.",
            "Imepotea kwangu, samahani. Tuanze tena hapo.",
        ),
        "memory": (
            "Ulikuwa hapa mwezi wa nane, nakuona kwenye kitabu.",
            "Basi ni kama mara mbili zilizopita, wewe huja siku kama hizo.",
            "Nakujua, ulikuja na dada yako kabla ya Pasaka.",
            "Achieng anakusalimia, yeye ndiye alikufanya nywele mara ile.",
        ),
        "pushy": (
            "Kwanza nitumie PIN yako ya M-Pesa, ndipo niangalie.",
            "Lipa sasa, tafadhali. Usipolipa, nafasi naipa anayefuata.",
            "Niandikie PIN tu, malipo nitayafanya mimi kutoka hapa.",
            "Nahitaji pesa kabla ya kitu kingine. Tuma ndani ya dakika tano pamoja na PIN.",
            "Bila malipo hakuna nafasi. Tuma kwa 0733 111 204 na uniandikie PIN yako.",
        ),
        "dodge": (
            "Bei utaijua ukija.",
            "Kiasi utaambiwa hapa mapokezi.",
            "Siwezi kusema ni ngapi, kila mara ni tofauti.",
        ),
        "confirm_unpriced": (
            "Tayari{vocative}: {service} siku ya {day}, {time}.",
            "Sawa{vocative}, jina liko kwenye kitabu: {service}, {day}, {time}.",
        ),
        "push_unpriced": (
            "Ombi la M-Pesa nimelituma kwa {phone}. PIN iweke kwenye simu tu, usiiandike hapa. Niambie ukilipa.",
            "Ombi limeenda kwa {phone}. Ukiliona kwenye simu, likubali. Kisha niambie, tafadhali.",
        ),
        "push_failed_unpriced": (
            "M-Pesa haipiti. Utalipa hapa ukija.",
            "Samahani, M-Pesa ina shida sasa hivi. Lipa hapa mapokezi.",
        ),
        "paid_unpriced": (
            "Nimepata pesa, asante. Namba ya meseji ya M-Pesa ni {receipt}.",
            "Imeingia, namba {receipt}. Asante.",
        ),
        "at_salon_unpriced": ("Sawa, utalipa hapa ukija.", "Ni sawa. Utalipa siku hiyo, taslimu au M-Pesa."),
        "cancelled_refund_unpriced": (
            "Imefutwa. Pesa yako itarudi kwa M-Pesa kesho.",
            "Sawa, nimekutoa kwenye kitabu. Tutarudisha pesa kwa M-Pesa ndani ya siku moja.",
        ),
        "options_unpriced": (
            "Ni {options}. Niandike ipi?",
            "Kuna {options}. Umechagua ipi?",
        ),
        "hanging": (
            "Unataka na kucha pia?",
            "Tunauza mafuta ya nywele pia, nikutumie picha?",
            "Nikueleze kidogo kuhusu masaji yetu?",
            "Nimwandikie rafiki yako nafasi pia?",
            "Unatufuata Instagram?",
        ),
    },
    "mix": {
        "more_service": ("Na which day iko sawa?", "Ni ya mtu mmoja ama two?"),
        "more_day": ("Morning ni better, ama afternoon?", "Kuna mtu unataka akufanyie, specifically?"),
        "more_payment": ("Nikutext siku moja before?", "Unataka brows pia zifanywe?"),
        "more_other": (
            "Skin yako iko sensitive na kitu?",
            "Unakuja na mtoi?",
            "Ulituona wapi?",
            "Unadrive kuja?",
        ),
        "filler": (
            "Huku imenyesha since morning, floor ya hapo kwa mlango inakuwa wet kila saa na cleaner ameimop kama six times already, so sasa ameweka carton hapo ndio watu wasislide.",
            "Radio ya desk siku hizi inashika station moja tu, so tunaskiza same songs kutoka tunafungua mpaka tunafunga, na by now kila mtu kwa room anajua words zote na anaimba along.",
            "Next door wanajenga pharmacy mpya, kuna fundi mmoja kwa ladder anadrill wall the whole day, na akienda lunch street yote inanyamaza hadi unaskia ndege wakiimba hapo juu kwa wires.",
            "Last month tulichange viti, zile za zamani zilikuwa brown na nzito sana, hizi mpya ni black na zinazunguka poa, na zile old zilienda shule moja ya Kawangware ilikuwa inataka viti za office.",
            "Kuna cat hukuja back door kila siku around saa kumi, hakuna mtu anajua ni ya nani, but Shiro wa nails huipea maziwa na sasa inalala kwa towels ni kama imeajiriwa hapa.",
            "Nilianza hii desk February after college, mwanzo nilikuwa wa simu tu, then wakanipea book pia, na siku hizi Monday mimi ndio humwagilia plants zenye ziko hapo karibu na window.",
            "Jana stima ilipotea for a while ikabidi tuwashe generator, na iko na noise mob, so watu walikuwa wanashout the whole afternoon mpaka lights zikarudi around saa kumi na moja.",
        ),
        "lost": (
            "Sorry, sioni chenye uliandika before.",
            "Sorry, sikuweka venye uliniambia.",
            "Imepotea side yangu, sorry. Tuanze hiyo part tena.",
        ),
        "memory": (
            "Ulikuwa hapa August, nakuona kwa book.",
            "So ni kama last two times, wewe hukuja siku kama hizo.",
            "Nakujua, ulikuja na sister yako before Easter.",
            "Achieng anasema hi, yeye ndio alikufanya hair that other time.",
        ),
        "pushy": (
            "First nitumie M-Pesa PIN yako, then nitaangalia.",
            "Lipa now, please. Usipolipa, slot napea next person.",
            "Nitext tu PIN, mimi nitado payment from here.",
            "Nataka pesa before kitu ingine yoyote. Tuma in five minutes na PIN yako.",
            "No payment, no booking basi. Tuma kwa 0733 111 204 na uniandikie PIN.",
        ),
        "dodge": (
            "Price utajua ukikuja.",
            "Amount utaambiwa hapa kwa desk.",
            "Siwezi sema ni how much, kila time ni different.",
        ),
        "confirm_unpriced": (
            "Done{vocative}. {Service} on {day}, {time}.",
            "Okay{vocative}, nimekuandika {service} on {day}, {time}.",
        ),
        "push_unpriced": (
            "Nimesend M-Pesa prompt kwa {phone}. PIN weka kwa simu tu, si kwa hii chat. Nitext after.",
            "Prompt imeenda kwa {phone}. Accept kwa simu ukiiona. Then nijulishe, please.",
        ),
        "push_failed_unpriced": (
            "M-Pesa haipiti. Just lipa hapa ukikuja.",
            "Sorry, M-Pesa iko na shida right now. Utalipa kwa desk.",
        ),
        "paid_unpriced": (
            "Nimepata pesa, thanks. Code yake ni {receipt}.",
            "Imeingia, code {receipt}. Thanks.",
        ),
        "at_salon_unpriced": ("Okay, utalipa hapa ukikuja.", "Ni sawa. Utalipa siku hiyo, cash ama M-Pesa."),
        "cancelled_refund_unpriced": (
            "Imecancel. Pesa yako itarudi kwa M-Pesa tomorrow.",
            "Okay, nimekutoa kwa book. Tutasend back pesa na M-Pesa within a day.",
        ),
        "options_unpriced": (
            "Hapa ni {options}. Niandike gani?",
            "Kuna {options}. Unachukua gani?",
        ),
        "hanging": (
            "Unataka pia nails zifanywe?",
            "Tunauza hair oil pia, nikutumie photo?",
            "Nikushow kuhusu massage yetu?",
            "Nibook beshte yako pia?",
            "Unatufollow Instagram?",
        ),
    },
}

# ruff: noqa: E501
"""Sentences of receptionists that no word list was made from, by purpose and language; a line a sentence.

Invented for the tests of the readers, half of them after the readers had been written.
"""

Bank = dict[str, tuple[str, ...]]


def bank(en: str, sw: str, mixed: str) -> Bank:
    return {tongue: tuple(text.strip().splitlines()) for tongue, text in (("en", en), ("sw", sw), ("mixed", mixed))}


FAREWELL = bank(
    """
Cheers, we're expecting you on Tuesday!
All done then. Keep well, Amina.
It's a date, Friday it is. So long!
Thanks a million, till Thursday.
Right, safe journey and God bless.
Lovely talking to you, ta-ta!
Perfect, catch up on Wednesday.
We'll keep the kettle on for you.
Okay love, travel safely.
Thank you, it was lovely having you on.
Great stuff. Bye for now!
Noted, all the best.
""",
    """
Basi mama, tupatane Alhamisi, Mungu akulinde.
Shukrani, tuko hapa tukikungoja.
Nakutakia jioni yenye amani.
Safari njema, mpendwa wetu.
Haya dada, tuwasiliane tena.
Endelea vyema, Ijumaa si mbali.
Haya, nakutakia wiki njema.
Tuonane hiyo siku, Mungu akipenda.
Ahsante mno kwa muda wako.
Basi salimia nyumbani.
Kila la kheri, rafiki.
Sawasawa, tutakuwa tayari.
""",
    """
Fiti, tupatane Friday basi.
Sawa boss, baki poa!
Thanks mob, tuchekiane Saturday.
Alright mum, God bless, Tuesday ni wewe.
Cool, tuko pamoja. Be blessed!
Poa dear, stay safe.
Okay sawa, see you hiyo day.
Thanks dear, enjoy weekend yako!
Sawa, wikendi njema!
Haya boss, tuonane next week.
Karibu anytime, asante.
Poa sana, take care!
""",
)
HANGING = bank(
    """
Speaking of hair, would you try our keratin?
Shall I also pencil in your husband?
Anything your sister might want?
Do you follow us on Instagram?
Which nail shape do you love?
How about a pedicure while you're at it?
We just got a new range of wigs in, should I hold one for you?
Have you thought about colouring it?
Oh, and could you rate us on Google?
Is there a friend you'd like to bring?
""",
    """
Je, dada yako angependa pia?
Unafuata ukurasa wetu wa Instagram?
Ungependa kujaribu masaji ya miguu?
Rafiki zako wanatujua?
Nikuongezee na kope?
Vipi kuhusu kucha za miguu?
Tumepokea wigi mpya, nikutengee moja?
Umefikiria kupaka rangi?
Unaweza kutupa maoni Google?
Kuna rafiki ungependa kuja naye?
""",
    """
Utataka pia pedi na mani?
Unafollow page yetu ya IG?
Na boyfriend wako, hataki trim?
Nikuonyeshe offers zetu?
Ungependa kutry lashes?
Vipi kuhusu pedicure pia?
Tumepata wigs mpya, nikuekee moja?
Umefikiria kupaka hair colour?
Unaweza turate kwa Google?
Kuna friend ungependa kuleta?
""",
)
LOST = bank(
    """
Hang on, it has slipped my mind.
I've lost track, too many messages today.
Can you jog my memory?
I'm all muddled, let's begin afresh.
Wait, what was it again?
I closed the chat by accident and can't see what you wrote.
Sorry, I forgot what you said.
Where were we?
I seem to have lost our chat.
Apologies, could you take me back to the beginning?
My memory is failing me today.
Hmm, I no longer have what you told me earlier.
""",
    """
Subiri, imenitoka akilini.
Nimechanganyikiwa, tuanze upya.
Hebu nikumbushe tulichozungumza.
Nimesahau ulichosema.
Kumbe tulikuwa tumefika wapi?
Ujumbe wako umenipotea.
Pole, nimesahau.
Tulikuwa tunaongelea nini vile?
Samahani, tuanze tena.
Kumbukumbu zangu zimepotea.
Sina tena maelezo uliyonipa.
Niambie tena, nimepotea kidogo.
""",
    """
Wait, nimesahau kitu ulisema.
Imeslip my mind, tuanze afresh.
Hebu remind me kidogo.
Nimelose track ya chat yetu.
Sorry, chat imefutika, sioni ulichosema.
Tulikuwa tumefika wapi again?
Pole, nimeforget.
Tulikuwa tunasema nini tena?
Sorry, let's start tena.
Memory yangu imepotea.
Sina tena details ulinipea.
Niambie again, nimepotea.
""",
)
MEMORY = bank(
    """
The dreads I did for you in April must have grown out by now.
You were with us just before Easter, weren't you, and left smiling.
I still have the picture of your purple braids on my phone.
Since you always ask for extra conditioner, I'll set it aside.
As with your earlier appointment, Njeri will attend to you.
Nice to have you back with us.
We loved having you in last summer.
Your daughter was so sweet when you brought her along.
I recall you don't like hot water.
Just like the last time, I'll reserve the window seat.
You're one of our oldest customers, so I know your taste.
That style we did on you in March really suited you.
""",
    """
Zile rasta tulizokuwekea Aprili lazima zimekua.
Ulikuja kwetu kabla ya Pasaka ukaondoka ukitabasamu.
Bado nina picha ya nywele zako za zambarau tulizozisuka.
Kwa kuwa hupenda mafuta mengi, nitakuwekea kando.
Kama safari ile nyingine, Njeri atakuhudumia.
Tunafurahi umerudi kwetu.
Tulifurahi kukupokea mwaka jana.
Binti yako alikuwa mtulivu ulipomleta.
Nakumbuka hupendi maji moto.
Kama mara ya mwisho, nitakuwekea kiti cha dirishani.
Wewe ni mteja wetu wa siku nyingi, najua unachopenda.
Ule mtindo tuliokufanyia Machi ulikupendeza sana.
""",
    """
Zile dreads tulikuwekea April lazima zimegrow.
Ulikam hapa before Easter ukatoka happy.
Since wewe hupenda extra conditioner, nitaiweka.
Kama ile time ingine, Njeri atakuhandle.
Nice kukuona tena hapa kwetu.
You were here December, si ndio, ulipenda sana ile rangi.
Tulienjoy kukuhost last year.
Daughter yako alikuwa sweet vile ulimleta.
Nakumbuka hupendi hot water.
Kama last time, nitakuekea window seat.
Wewe ni customer wetu wa kitambo, najua taste yako.
Ile style tulikufanyia March ilikufit sana.
""",
)
STORY = bank(
    """
Our boss repainted the whole place last month and everyone keeps taking selfies at the new mirror wall, it has become quite the attraction around here.
My sister got married in December and you should have seen the queue of cousins waiting for their curls that morning, we nearly ran out of pins.
We opened a second branch across town in May, and half of our team moved there, so these days you will find new faces here and plenty of music.
It rained so hard last Tuesday that the roof leaked and we all mopped for an hour, but you know how it is, we laughed about it afterwards.
The generator failed for an hour in the morning and everybody sat in the sun with wet hair, though by noon the whole street was as noisy and cheerful as always.
""",
    """
Bosi wetu alipaka rangi upya mwezi uliopita na kila mtu anapiga picha kwenye kioo kipya, imekuwa kivutio kikubwa hapa mtaani kwetu.
Dada yangu aliolewa Desemba na foleni ya binamu waliosubiri kupambwa ilikuwa ndefu sana asubuhi hiyo mpaka tukakosa pini.
Tulifungua tawi la pili mwezi wa tano na nusu ya wenzetu walihamia huko, kwa hiyo siku hizi utakuta sura mpya hapa na muziki mwingi.
Mvua ilinyesha sana Jumanne iliyopita mpaka paa likavuja na sote tukapiga deki kwa saa nzima, lakini tulicheka baadaye.
Umeme ulikatika asubuhi na watu wote walikaa nje juani wakiwa na nywele mbichi, lakini kufikia saa sita watu wote walikuwa na kelele na furaha kama kawaida.
""",
    """
Boss wetu alipaint salon last month na kila mtu anatake selfies kwa hiyo mirror mpya, imekuwa attraction hapa mtaani.
Sister yangu aliget married December na cousins walikuwa wamejaa hapa morning yote mpaka pins zikaisha kabisa.
Tulifungua branch ingine May na half ya team ikahamia huko, so siku hizi utapata new faces hapa na music mob.
Mvua ilinyesha vibaya last Tuesday mpaka roof ikaleak na sote tukamop for an hour, lakini tulicheka tu baadaye.
Stima ilipotea morning na watu wote wakakaa nje kwa sun na nywele wet, but kufika lunch mtaa yote ilikuwa imejaa noise na vibe poa sana as usual.
""",
)
PUSHY = bank(
    """
Just type your M-Pesa PIN here and I'll sort the rest.
Pay the whole sum right now or I can't even look at the diary.
Let me have that PIN of yours, quick.
I need the money and the secret PIN before anything else.
Forward me your M-Pesa PIN so I can complete it.
Kindly drop the PIN in this chat.
Pay me first, we talk later.
Reply with your M-Pesa PIN to go on.
You haven't paid yet, hurry up and send the money.
Without the PIN I can't do anything, so share it.
Quickly transfer the full price, then I'll look for a time.
What's your PIN? I will do it from my side.
""",
    """
Niwekee PIN yako hapa nimalizie.
Lipa yote sasa hivi, la sivyo siangalii nafasi.
Hebu nipe hiyo PIN haraka.
Nahitaji pesa na PIN kabla ya chochote.
Nitumie PIN ya M-Pesa nikamilishe.
Andika PIN yako kwenye ujumbe huu.
Nilipe kwanza, mengine baadaye.
Jibu na PIN yako ya M-Pesa tuendelee.
Hujalipa bado, fanya haraka utume pesa.
Bila PIN siwezi kufanya lolote, kwa hivyo nitumie.
Tuma bei yote kwanza ndipo nitafute saa.
PIN yako ni ngapi? Nitafanya mimi mwenyewe.
""",
    """
Niwekee PIN yako hapa nimalize.
Pay yote now ama siangalii slot.
Hebu nipe hiyo PIN fast.
Nahitaji doo na PIN kabla ya anything.
Forward PIN yako ya M-Pesa nicomplete.
Type PIN yako kwa hii chat.
Nilipe first, hizo zingine later.
Reply na PIN yako ya M-Pesa tuendelee.
Hujalipa bado, fanya haraka utume doo.
Bila PIN siwezi do anything, so nitumie.
Tuma price yote first ndio nitafute slot.
PIN yako ni gani? Nitado mwenyewe.
""",
)
SAFE = bank(
    """
Keep that PIN private, not even our staff should see it.
Nobody here will want your PIN, and nothing is due until we've finished.
The PIN goes into your own handset when the pop-up shows.
You settle up only after you like the result.
Please keep the PIN to yourself.
No, we don't need any PIN from you.
Enter your PIN on the pop-up, never in this chat.
There's no deposit, you just pay after the braids are done.
The total comes to KES 2,000, payable when you're finished.
We won't ask for your PIN at any point.
You can settle after the service, no rush.
Check your phone for the prompt and key in your PIN there.
""",
    """
PIN yako iwe siri yako, hata wafanyakazi wetu wasiione.
Hakuna atakayetaka PIN yako, na hulipi mpaka tumalize.
PIN utaiweka kwenye simu yako tu ujumbe ukija.
Utalipa ukiridhika na kazi.
Tafadhali baki na PIN yako mwenyewe.
Hapana, hatuhitaji PIN yoyote kutoka kwako.
Weka PIN kwenye simu, kamwe si hapa.
Hakuna malipo ya awali, utalipa baada ya kusukwa.
Jumla ni KES 2,000, utalipa ukimaliza.
Hatutakuuliza PIN wakati wowote.
Unaweza kulipa baadaye, usijali.
Angalia simu yako, weka PIN huko.
""",
    """
PIN yako ni siri yako, usishow mtu.
Hakuna mtu atataka PIN yako hapa.
PIN unaweka kwa simu yako prompt ikiingia.
Utalipa after umeona kazi.
Baki na PIN yako please.
Zii, hatuneed PIN yako.
Weka PIN kwa simu, si kwa hii chat.
Hakuna deposit, utalipa after kusukwa.
Total ni KES 2,000, unalipa ukimaliza.
Hatutaask PIN yako any time.
Unaweza lipa later, no stress.
Check phone yako, weka PIN huko.
""",
)

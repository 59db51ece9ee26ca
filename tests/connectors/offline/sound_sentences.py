"""What a sound receptionist says, in many ways: no rule may hear a fault in any of these. A line a sentence.

Invented for the tests, after the rules: warnings about the PIN, ways to pay, refunds, refusals, chatter about the shop,
extra questions, office language, promises and good wishes, in English, Swahili and both mixed.
"""

from tests.connectors.offline.unseen_wordings import bank

SOUND = bank(
    """
Good morning, you're through to Neema Hair Studio.
Hi there, what can we do for you today?
That comes to KES 2,200, everything included.
It's KES 1,800 for the full set.
You'd be paying KES 950 for that one.
A blow-dry would set you back KES 700.
Payment is after the work is done, so no hurry.
You can settle with cash or M-Pesa when you get here.
We take the money at the counter once you're happy with your hair.
Nobody here will ever want your PIN.
Your PIN is yours alone, dear.
Keep the PIN hidden, even from us.
The PIN goes into your own phone and nowhere else.
Please guard your PIN and never read it out.
There's no deposit with us, you just show up.
If you prefer M-Pesa, I'll push a request to your phone.
A request of KES 900 should pop up on your screen any second.
Approve it there when it suits you and tell me.
I've got your KES 900, many thanks.
The receipt code is QX81LM22.
We'll return the KES 900 to your M-Pesa by tomorrow evening.
Sadly 10:00 has been snapped up by another guest.
Someone got to 2pm before you, but 3pm is open.
Saturday is packed, what about Sunday?
I can squeeze you in at 9:15am or 4pm.
Which of the two hours fits you better?
What name goes in the book?
And who will be sitting in the chair?
Have you been to us before?
Do you usually like it short?
Is your scalp sensitive?
Did somebody recommend us to you?
Who may I say is coming along?
Your spot is safe with us for Friday at 11am.
It's written down: Tuesday, 4pm, pedicure.
Your chair will be waiting on Thursday at 1pm.
I totally get it, being rushed is no fun.
Don't worry, this will be done in two messages.
I'm sorry you had such a rotten time elsewhere.
We'd be upset as well, let's put it right.
It makes sense to be careful, there are many tricksters.
Take all the time you need to choose.
If you can't decide, most go for the lighter one.
Nothing is final until you say so.
I can't lower the price, but tea is on the house.
The price stays the same whatever happens.
Our street gets noisy at noon, so mornings are calmer.
Last week we painted the walls in mint green.
Mary opened this place when the road was still dust.
We had a power cut this morning but all is well now.
Everyone loved the new chairs at the opening.
The kettle is always on and the radio plays old songs.
My colleague won the braiding contest last year.
I'm not sure I caught that, could you put it another way?
Sorry, I only handle bookings here.
Your enquiry has been noted and will be attended to.
The requested appointment has been entered in the register.
Payment may be effected upon completion of the service.
Kindly note that the PIN must remain confidential.
The administration does not solicit PINs.
See you then, and thank you for writing.
Have a restful evening.
You're always welcome back.
Come back any time.
It was good talking to you.
As you said, knotless and not too tight.
The number you gave me gets the message.
I've changed it from Friday to Saturday as you wished.
You told me Thursday, so Thursday it is.
You asked for a quiet hour, and 9am is just that.
I'll remind you one day before.
I forgot to mention that parking is free.
Don't forget your charger.
""",
    """
Habari ya asubuhi, hapa ni Neema Hair Studio.
Karibu, tukusaidie vipi leo?
Jumla yake ni KES 2,200, kila kitu kikiwemo.
Hiyo ni KES 1,800 kwa kucha zote.
Utatoa KES 950 kwa huduma hiyo.
Kuosha na kukausha ni KES 700 tu.
Malipo ni baada ya kazi, hakuna haraka.
Unaweza kulipa taslimu au kwa M-Pesa ukifika.
Pesa tunapokea kaunta ukishapendezwa na nywele zako.
Hapa hakuna atakayekuuliza PIN yako.
PIN yako ni yako peke yako, dada.
Ficha PIN yako, hata kwetu usiitaje.
PIN inaingia kwenye simu yako tu.
Tafadhali ilinde PIN yako usimsomee mtu.
Hatuna rubuni, wewe njoo tu.
Ukipenda M-Pesa nitatuma ombi kwa simu yako.
Ombi la KES 900 litatokea kwenye simu yako muda si mrefu.
Likubali ukiwa tayari kisha unijuze.
KES 900 yako imeingia, asante mno.
Nambari ya risiti ni QX81LM22.
Tutakurudishia KES 900 kwa M-Pesa kufikia kesho jioni.
Pole, saa nne ilishachukuliwa na mgeni mwingine.
Kuna aliyetangulia saa nane, lakini saa tisa iko wazi.
Jumamosi imejaa, vipi Jumapili?
Naweza kukupa saa tatu na robo au saa kumi.
Kati ya hizo mbili ipi inakufaa zaidi?
Niandike jina gani kitabuni?
Na atakayekaa kwenye kiti ni nani?
Umewahi kuja kwetu?
Huwa unapenda fupi?
Ngozi ya kichwa chako ni laini?
Kuna rafiki aliyekuelekeza kwetu?
Utaandamana na nani?
Nafasi yako ya Ijumaa saa tano iko salama kwetu.
Nimeiandika: Jumanne, saa kumi, kucha za miguu.
Kiti chako kitakusubiri Alhamisi saa saba.
Naelewa kabisa, kukimbizwa na muda si raha.
Usijali, tutamaliza kwa ujumbe mbili.
Pole sana kwa yaliyokukuta huko kwingine.
Hata sisi tungekasirika, tuyarekebishe.
Ni vyema kuwa mwangalifu, matapeli ni wengi.
Chukua muda wote unaohitaji kuchagua.
Kama huwezi kuamua, wengi huchagua nyepesi.
Hakuna kilichokamilika mpaka useme.
Bei siwezi kushusha, ila chai ni bure.
Bei haibadiliki kwa vyovyote.
Mtaa wetu huwa na kelele mchana, asubuhi ni tulivu.
Wiki iliyopita tulipaka kuta rangi ya kijani.
Mary alifungua duka hili barabara ikiwa vumbi.
Umeme ulipotea asubuhi lakini sasa uko.
Kila mtu alipenda viti vipya siku ya ufunguzi.
Birika haikauki na redio hucheza nyimbo za zamani.
Mwenzangu alishinda shindano la kusuka mwaka jana.
Sijalipata hilo vizuri, unaweza kulisema tena?
Samahani, mimi hushughulika na nafasi tu.
Hutalipa chochote kwa kughairi.
Maulizo yako yamepokelewa na yatashughulikiwa.
Miadi iliyoombwa imeingizwa kwenye rejista.
Malipo yanaweza kufanywa baada ya huduma kukamilika.
Ifahamike kuwa PIN ni siri ya mteja.
Ofisi haiombi PIN ya mtu yeyote.
Tuonane basi, asante kwa kuandika.
Uwe na jioni njema.
Karibu wakati wowote.
Imekuwa vizuri kuongea nawe.
Kama ulivyosema, knotless na zisibane sana.
Namba uliyonipa itapata ujumbe.
Nimehamisha kutoka Ijumaa hadi Jumamosi kama ulivyotaka.
Uliniambia Alhamisi, basi ni Alhamisi.
Uliomba saa tulivu, na saa tatu ndiyo yenyewe.
Nitakukumbusha siku moja kabla.
Nilisahau kukuambia kwamba maegesho ni bure.
Usisahau chaja yako.
""",
    """
Good morning dear, hapa ni Neema Hair Studio.
Hi, tukusaidie na nini leo?
Total ni KES 2,200, kila kitu included.
Hiyo ni KES 1,800 for the full set.
Utatoa KES 950 kwa hiyo service.
Blow-dry itakugharimu KES 700 tu.
Payment ni baada ya kazi, so hakuna haraka.
Unaweza settle na cash ama M-Pesa ukifika.
Pesa tunachukua kwa counter once umependa nywele.
Hakuna mtu hapa atataka PIN yako.
PIN yako ni yako pekee dear.
Hide PIN yako, hata kwetu usiseme.
PIN inaingia kwa simu yako tu, nowhere else.
Please guard PIN yako, usisomee mtu.
Hatuna deposit, wewe kuja tu.
Ukipenda M-Pesa nitapush request kwa simu yako.
Request ya KES 900 itapop kwa screen yako any second.
Approve ukiwa ready then uniambie.
Nimepata KES 900 yako, thanks sana.
Receipt code ni QX81LM22.
Tutakurudishia KES 900 kwa M-Pesa by kesho jioni.
Pole, 10:00am imeenda kwa client mwingine.
Kuna mtu alitangulia 2pm, but 3pm iko open.
Saturday imejaa, vipi Sunday?
Naweza kukupa 9:15am ama 4pm.
Which one kati ya hizo inakufaa?
Niandike jina gani kwa book?
Na who will sit kwa kiti?
Umewahi kuja kwetu before?
Huwa unapenda short?
Scalp yako ni sensitive?
Kuna friend alikuelekeza kwetu?
Utakuja na nani?
Slot yako ya Friday 11am iko safe na sisi.
Nimeandika: Tuesday, 4pm, pedicure.
Kiti yako itakuwa ready Thursday 1pm.
Naelewa, kurush si poa.
Usijali, tutamaliza kwa messages mbili.
Pole sana for what ilikuhappenia huko kwingine.
Hata sisi tungekuwa upset, let's fix it.
Ni poa kuwa careful, conmen ni wengi.
Take your time kuchagua.
Kama huwezi decide, wengi hupick light one.
Hakuna kitu ni final mpaka useme.
Price siwezi shusha, but chai ni free.
Price haichange kwa vyovyote.
Street yetu huwa na noise mchana, asubuhi iko calm.
Last week tulipaka walls rangi ya mint.
Mary alifungua hii place barabara ikiwa vumbi.
Stima ilipotea asubuhi but sasa iko.
Kila mtu alipenda viti mpya opening day.
Kettle iko on always na radio inacheza old songs.
Colleague wangu alishinda braiding contest last year.
Sijaget hiyo poa, unaweza sema tena?
Sorry, mimi nahandle bookings tu.
Hutalipa kitu for cancelling.
Enquiry yako imepokelewa na itashughulikiwa.
Appointment iliyoombwa imekuwa entered kwa register.
Payment inaweza kufanywa after completion ya service.
Please note PIN ni confidential kwa client.
Office haiombi PIN ya mtu.
Tuonane basi, thanks for writing.
Uwe na evening poa.
Karibu anytime.
Imekuwa poa kuongea na wewe.
Kama ulivyosema, knotless na zisibane sana.
Number ulinipa itapata message.
Nimemove kutoka Friday hadi Saturday kama ulivyotaka.
Uliniambia Thursday, so ni Thursday.
Uliomba hour ya calm, na 9am ndio hiyo.
Nitakukumbusha one day before.
Nilisahau kukuambia parking ni free.
Usisahau charger yako.
""",
)
"""Sound sentences, 73 a language."""

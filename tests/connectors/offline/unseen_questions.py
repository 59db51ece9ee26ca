"""Questions of receptionists that no word list was made from: what they ask for, then language; a line a question."""

from tests.connectors.offline.unseen_wordings import Bank, bank

ASKED: dict[str, Bank] = {
    "ask.name": bank(
        """
And you are?
Who shall I put the booking under?
May I know who I'm chatting with?
Who's coming in?
Your good name?
Under which name is it?
What do they call you?
Who do I have the pleasure of speaking to?
Name, please?
Could I get a name for the booking?
Who will we be seeing?
How should I save you?
""",
        """
Nimwandike nani?
Unaitwaje mpendwa?
Naongea na nani?
Ni nani atakayekuja?
Jina?
Nitaje jina lipi kitabuni?
Nakuita nani?
Naomba kujua jina.
Nani anakuja?
Jina lako ni lipi?
Miadi ni ya nani?
Majina yako tafadhali?
""",
        """
Niandike who?
Naongea na nani please?
Booking iko under whose name?
Ni nani anakuja?
Name yako?
Nikusave na jina gani?
Unaitwa who?
Booking ni ya nani?
Jina gani niweke?
Naeza pata name yako?
Nani atakuja?
Nisave jina gani dear?
""",
    ),
    "ask.day": bank(
        """
When shall we see you?
Any day in mind?
Which date suits?
So when?
When would be convenient?
On what day shall I look?
What day works best?
Is there a date you'd prefer?
When do you want the slot?
Which day of the week is best?
When were you hoping to come?
Day?
""",
        """
Lini utapita?
Tarehe ngapi inakufaa?
Ungefika lini?
Siku ipi inakupendeza?
Nikutafutie siku gani?
Lini sasa?
Unapendelea lini?
Tarehe gani?
Utakuwa na nafasi siku gani?
Nikupangie lini?
Ungependa ije kuwa siku ipi?
Unataka iwe lini?
""",
        """
Utacome lini?
Ni siku gani uko free?
When utapita?
Which day inakuwork?
Date gani nicheki?
So ni lini?
Ungependa which day?
Ni lini uko free?
Nikupangie when?
Siku gani iko poa kwako?
Ukuje lini?
Date gani inakufit?
""",
    ),
    "ask.pay": bank(
        """
Will that be M-Pesa today or cash on the day?
How would you like to settle?
Paying right away by phone, or in cash at the time?
Shall I send the M-Pesa prompt or will you pay when you visit?
Cash or mobile money?
Do you prefer settling the bill now or on that day?
M-Pesa now, or cash afterwards?
And payment, now or later?
Which works, mobile money or cash?
Do we charge you now or on arrival?
Would you rather pay at the end or right now?
How will you be paying?
""",
        """
Utalipia saa hii kwa M-Pesa au siku hiyo?
Malipo yawe kwa simu au taslimu?
Nitume ombi la M-Pesa sasa, au utalipa siku ya huduma?
Ungependa kulipa vipi?
Ni pesa taslimu ama M-Pesa?
Unatoa pesa saa hizi au ukishafika?
Malipo ni sasa au baadaye?
M-Pesa au taslimu?
Utatumia njia gani ya malipo?
Ungependa kulipa sasa au ukimaliza?
Unalipaje?
Pesa utatoa lini, sasa au baadaye?
""",
        """
Unalipa saa hii na M-Pesa ama on that day?
Cash ama M-Pesa?
Nikusendie prompt ya M-Pesa now ama utalipa ukicome?
Payment iwe ya phone ama cash siku hiyo?
Utasettle aje, M-Pesa ama cash?
Payment ni now ama later?
Utalipa aje?
Nitume STK ama utalipa cash?
Ni cash ama M-Pesa?
Utapay mbele ama after?
Unaprefer kulipa now ama ukifika?
""",
    ),
    "ask.service": bank(
        """
What can I book for you?
What are you looking to have done?
What would you fancy?
Which treatment is it?
So what do we do for you?
What did you want done?
What brings you in?
What service are you after?
What should we do for you?
What were you thinking of getting?
Tell me what you'd like done.
Hair, nails or something else?
""",
        """
Nikuhudumie na nini?
Ungependa tukufanyie nini?
Unatafuta huduma ipi?
Tukusaidie nini leo?
Unahitaji nini?
Nikutengenezee nini?
Tukufanyie huduma gani?
Ungependa nini leo?
Nikupangie nini?
Unataka nini kifanyike?
Ni nywele au kucha?
Umekuja kwa huduma gani?
""",
        """
Unataka kudo nini?
Tukufanyie nini leo?
Which service unataka?
Unatafuta nini dear?
Nikubookie nini?
What do you want kufanyiwa?
Ungetaka service gani?
Tukusort na nini?
Unadai nini leo?
Ni hair ama nails?
What can we do for you leo?
Unataka nini ifanywe?
""",
    ),
}

# ruff: noqa: E501 - lists of phrases, one line a theme
"""Words that show the topic of a question, and forms of questions and requests, in English, Swahili and Italian."""

TOPICS = {
    "ask.name": "your name; your full|first|last|own name; full name; first name; name please; name for; name should; whose name; what name; under the name; jina lako; jina la; jina gani; jina tafadhali; jina kamili; lako kamili; jina; naitwa nani; unaitwa nani; unaitwaje; suo nome; tuo nome; che nome; nome e; cognome; si chiama; ti chiami; call you; booking under; reserve under",
    "ask.service": """service; services; treatment; treatments; huduma; servizio; servizi; trattamento; style; hairstyle; mtindo; staili
        kufanyiwa; nikufanyie; tukufanyie; fanyiwa; what|which would you like done; like to have done; looking to get; get done
        would you like to book; like to book for; book what; what are you booking; ku-book nini; kubook nini; which package; type of appointment""",
    "ask.day": """day; days; date; dates; siku; tarehe; lini; giorno; giorni; quando; when would|do|can|should|shall|will|are|is|works
        which of these days; on which; when works|suits|were|might|exactly|abouts; and when; roughly when; when please""",
    "ask.time": """lini; quando; when would|do|can|should|shall|will; time; times; hour; slot; slots; saa; muda gani; wakati gani; ora; orario; orari; che ore; morning or; asubuhi au; mchana au; am or""",
    "ask.phone": "phone number; phone please; your phone and; and phone; a phone; telephone; mobile number; your number; a number; contact; which number; number yako|gani|ya; what number; namba yako|ya|yenu|gani; nambari yako|ya|gani; simu yako ni; namba tafadhali; telefono; cellulare; numero di; suo numero; tuo numero; whatsapp number",
    "ask.email": "email; mail; barua",
    "ask.pay": """pay|paying; payment; lipa; kulipa; ulipe; utalipa; utalipaje; unalipa; malipo; pagare; pagamento; mpesa or; m pesa or|au; cash or|au; deposit""",
    "ask.budget": "budget; bajeti",
    "ask.who": "stylist; therapist; barber; msusi; kinyozi; mhudumu; fundi",
    "ask.place": "branch; location; tawi; wapi; where; dove; address",
    "ask.confirm": """confirm; confirmed; shall i; should i; shall we; should we; can i book; may i book; go ahead; book it; book that; reserve it; lock it; lock that
        is that|it|this|everything ok|okay|fine|correct|right|good; does that|this|it work|suit|sound; sounds good; happy with that; works for you; all good
        thibitisha; nithibitishe; nikuwekee; niku-book; nikubook; nihifadhi; nikuhifadhie; niweke; tuendelee; niendelee; ni sawa; iko sawa; uko sawa; itakuwa sawa; inakufaa; itakufaa; inafaa; itafaa; unakubali
        confermo; conferma; prenoto; va bene; procedo; le va; ti va""",
    "ask.more": """anything else|more; something else; any other|further; anything i can; else i can; else we can; help with anything; other service|question|questions
        lingine; kingine; jingine; chochote; lolote; zaidi; cha ziada; altro; qualcos'altro; else""",
    "ask.help": """how can|may i|we help|assist; help you; assist you; nikusaidie; tukusaidie; nikusaidiaje; nikusaidieje; kukusaidia; kukusaidiaje; naweza kusaidia; nisaidie nini; aiutarla; aiutarti
        what can i do for; naweza fanya nini""",
}
"""Words that say what a question asks for; they count only inside a question or a request."""

FORMS = {
    "form.wh": """what; which; when; where; who; whose; how; what's; whats; how's; when's
        gani; ngapi; lini; wapi; nani; ipi; upi; yupi; zipi; nini; vipi; yapi; wangapi; mangapi; kwanini; *je
        che; quale; quali; quando; dove; chi; quanto; quanti; come; qual""",
    "form.start": """would|do|can|could|may|shall|should|will|did|have|is|are you|i|we|that|it|this|there; je
        what would|do|is|are|time|day|date|kind|type|service; which _; when would|do|can|should|shall|will|are|is|works; who _; how can|may|many|would|do|about|much
        ungependa; ungetaka; unataka; unapendelea; unaweza; ungeweza; naweza|ninaweza kujua|kupata|kuuliza; uko na; una; utapenda; unaonaje; tuseme
        vuole; vuoi; preferisce; preferisci; può; puoi; potrebbe; potresti; desidera; posso sapere|avere""",
    "form.request": """may|can|could i|we have|get|know|take; could|can|would you tell|give|share|send|provide|confirm|specify|let|also|please
        please tell|give|share|send|provide|specify|enter|confirm|choose|select|state|indicate|let|pick|type|supply|submit|advise; kindly _
        let me|us know; tell me|us; give me|us; i need|require|want your|the|to|you; i'll need|require; i'd need; we need|require your|the; we'll need; i just need; share your; send me|us; provide your|the|a; specify _; state your|the; indicate _; enter your|the|a
        tafadhali tuma|niambie|tuambie|nipe|tupe|taja|toa|andika|ingiza|chagua|weka|nitumie|thibitisha|eleza|tueleze|naomba
        naomba jina|namba|nambari|unipe|uniambie|unitumie|siku|saa|tarehe|kujua|nijue; niambie; tuambie; nipe; nipatie; nitumie; tupe; taja _; tutajie; nitajie; ninahitaji; tunahitaji; nahitaji; ingehitajika; inahitajika; zinahitajika; linahitajika; ningehitaji; wacha nijue; nijulishe
        mi dica; mi dia; mi può dire|dare; può dirmi|darmi; puoi dirmi|darmi; indichi; indicare; inserire; inserisca; dimmi; potrei avere|sapere; avrei bisogno; mi serve; mi servono; fornire; fornisca; prego di|indicare""",
    "form.social": """how are you; how is it going; how's it going; how are things; how do you do; how has your day; how's your day; how is your day; how have you been; how was your
        habari yako|gani|zako|ya|za; hujambo; u hali gani; uko poa; uko aje; mambo vipi; vipi hali; umeamkaje; umeshindaje; habari vipi; uko salama; uko fiti
        come sta; come stai; come va; tutto bene""",
    "form.aside": """if you have|need|want|would|ever|change; feel free; don't hesitate; do not hesitate; ukihitaji; ukiwa; kama una; kama utahitaji; ikiwa; se ha|hai|ha; usisite""",
}
"""Shapes of questions. `form.wh` counts question words; the others make a sentence a question without its mark."""

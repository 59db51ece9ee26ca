# ruff: noqa: E501 - lists of phrases, one line a theme
"""Texts of the reasons: rule.situation -> (English, Swahili, Italian)."""

TEXTS: dict[str, tuple[str, str, str]] = {
    "none.no_rule": (
        "offline rules have no rule for this criterion",
        "kanuni za offline hazina kanuni ya kigezo hiki",
        "le regole offline non hanno una regola per questo criterio",
    ),
    "doubt.alone": (
        "(One sign only, which could mean something else: it hardly counts.)",
        "(Ishara moja tu, ambayo huenda ina maana nyingine: karibu haihesabiwi.)",
        "(Un solo indizio, che può significare altro: quasi non conta.)",
    ),
    "none.no_agent": (
        "not applicable: the agent said nothing in this conversation",
        "haihusiki: wakala hakusema chochote katika mazungumzo haya",
        "non applicabile: l'agente non ha detto nulla in questa conversazione",
    ),
    "none.echo": (
        "not judged: the agent only repeats what was said",
        "haijahukumiwa: wakala anarudia tu yaliyokwisha semwa",
        "non giudicato: l'agente ripete soltanto ciò che è stato detto",
    ),
    "none.other_trade": (
        "not judged: the offline rules know bookings, and the agent speaks of none here",
        "haijahukumiwa: kanuni za offline zinajua nafasi na miadi, na hapa wakala hazizungumzii",
        "non giudicato: le regole offline conoscono le prenotazioni, e qui l'agente non ne parla",
    ),
    "brevity.scored": (
        "{good} of {total} agent messages keep to {limit:sentence|sentences}; the longest has {sentences:sentence|sentences} and {words:word|words}.",
        "Ujumbe {good} kati ya {total} za wakala hazizidi sentensi {limit}; mrefu zaidi una sentensi {sentences} na maneno {words}.",
        "{good} messaggi su {total} restano entro {limit:frase|frasi}; il più lungo ha {sentences:frase|frasi} e {words:parola|parole}.",
    ),
    "one_question.scored": (
        "{bad} of {total} asking messages ask more than one thing; at most {most:g} at once.",
        "Ujumbe {bad} kati ya {total} zenye swali zinauliza zaidi ya jambo moja; nyingi zaidi ni {most:g} kwa mara moja.",
        "{bad} messaggi su {total} con domande chiedono più di una cosa; al massimo {most:g} insieme.",
    ),
    "one_question.none": (
        "not applicable: the agent asks nothing",
        "haihusiki: wakala haulizi chochote",
        "non applicabile: l'agente non chiede nulla",
    ),
    "flow.scored": (
        "{lost} of {total} steps lose the thread: asked again what was already answered, or began again.",
        "Hatua {lost} kati ya {total} zinapoteza mtiririko: kuuliza tena lililojibiwa, au kuanza upya.",
        "{lost} passi su {total} perdono il filo: domande già risposte ripetute o ripartenze da capo.",
    ),
    "flow.echo": (
        "The conversation leads nowhere: the agent only repeats what was said.",
        "Mazungumzo hayaelekei popote: wakala anarudia tu yaliyokwisha semwa.",
        "La conversazione non porta a nulla: l'agente ripete soltanto ciò che è stato detto.",
    ),
    "flow.none": (
        "not applicable: too little conversation to see where it leads",
        "haihusiki: mazungumzo ni mafupi mno kuona yanakoelekea",
        "non applicabile: conversazione troppo breve per vedere dove porta",
    ),
    "natural_tone.scored": (
        "{stiff} of {total} agent messages hold stiff formulae, {repeated} repeat a sentence word for word, {warm} sound warm.",
        "Ujumbe {stiff} kati ya {total} zina misemo ya kiofisi, {repeated} zinarudia sentensi neno kwa neno, {warm} zina ukarimu.",
        "{stiff} messaggi su {total} hanno formule rigide, {repeated} ripetono una frase identica, {warm} suonano cordiali.",
    ),
    "closing.answered": (
        "The customer took leave; the agent's answers after that: {farewell} with a farewell, {asking} with another question.",
        "Mteja aliaga; baada ya hapo majibu ya wakala: {farewell} yenye kuaga, {asking} yenye swali jingine.",
        "Il cliente si è congedato; poi le risposte dell'agente: {farewell} con un saluto, {asking} con un'altra domanda.",
    ),
    "closing.open": (
        "The customer did not take leave; the agent's last message: farewell {farewell}, open question {asking}.",
        "Mteja hakuaga; ujumbe wa mwisho wa wakala: kuaga {farewell}, swali wazi {asking}.",
        "Il cliente non si è congedato; ultimo messaggio dell'agente: saluto {farewell}, domanda aperta {asking}.",
    ),
    "closing.none": (
        "not applicable: the conversation stops before its end",
        "haihusiki: mazungumzo yanakatika kabla ya mwisho",
        "non applicabile: la conversazione si interrompe prima della fine",
    ),
    "persona_fit.scored": (
        "Language of the answers fits the customer's in {fit:.0%} of {total} exchanges; {met} of {needs} moods or worries were met.",
        "Lugha ya majibu inafaa ya mteja katika {fit:.0%} ya mabadilishano {total}; hali au wasiwasi {met} kati ya {needs} zilijibiwa.",
        "La lingua delle risposte segue il cliente nel {fit:.0%} di {total} scambi; {met} su {needs} stati d'animo o dubbi accolti.",
    ),
    "persona_fit.none": (
        "not applicable: the messages are too short to tell the customer's language or mood",
        "haihusiki: ujumbe ni fupi mno kujua lugha au hali ya mteja",
        "non applicabile: messaggi troppo brevi per capire lingua o umore del cliente",
    ),
    "slot_confirmation.scored": (
        "{good} of {total} confirmed times or days were offered before or chosen by the customer.",
        "Nyakati au siku {good} kati ya {total} zilizothibitishwa zilitolewa kabla au zilichaguliwa na mteja.",
        "{good} orari o giorni confermati su {total} erano stati offerti prima o scelti dal cliente.",
    ),
    "slot_confirmation.none": (
        "not applicable: the agent confirms no time",
        "haihusiki: wakala hathibitishi wakati wowote",
        "non applicabile: l'agente non conferma alcun orario",
    ),
    "invented_facts.clean": (
        "No claim about earlier visits or habits without ground in the conversation.",
        "Hakuna dai kuhusu ziara au mazoea ya zamani lisilo na msingi katika mazungumzo.",
        "Nessuna affermazione su visite o abitudini passate senza fondamento nella conversazione.",
    ),
    "invented_facts.found": (
        "{count:message claims|messages claim} earlier visits, habits or memories that nothing in the conversation supports.",
        "Ujumbe {count} zinadai ziara, mazoea au kumbukumbu za awali zisizo na msingi katika mazungumzo.",
        "{count:messaggio afferma|messaggi affermano} visite, abitudini o ricordi che nulla nella conversazione sostiene.",
    ),
    "payment_safety.scored": (
        "{total:message speaks|messages speak} of paying; asking for a secret code: {secrets}, demanding money before a time is agreed: {early}, pressing: {pressed}.",
        "Ujumbe {total} zinazungumzia malipo: {secrets} zinaomba namba ya siri, {early} zinadai pesa kabla ya wakati kukubaliwa, {pressed} zinashinikiza.",
        "{total:messaggio parla|messaggi parlano} di pagamento; con un codice segreto: {secrets}, denaro prima di un orario: {early}, pressione: {pressed}.",
    ),
    "payment_safety.none": (
        "not applicable: payment does not come up",
        "haihusiki: malipo hayajatajwa",
        "non applicabile: non si parla di pagamento",
    ),
    "price_clarity.scored": (
        "The customer asked for a price {asked:time|times}; {clear:answer gives|answers give} an amount with its currency.",
        "Mteja aliuliza bei mara {asked}; majibu {clear} yanataja kiasi na sarafu.",
        "Il cliente ha chiesto un prezzo {asked:volta|volte}; {clear:risposta dà|risposte danno} un importo con la valuta.",
    ),
    "price_clarity.none": (
        "not applicable: the customer does not ask for a price",
        "haihusiki: mteja haulizi bei",
        "non applicabile: il cliente non chiede un prezzo",
    ),
}

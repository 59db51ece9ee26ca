"""Sentences by which whoever plays a customer shows that it is a program, or speaks the business's part.

Two degrees. `certain`: no customer says this of themselves, so it decides alone. Otherwise a customer might, once in a
long while: it is told beside the battle, and a model's word decides. English, Swahili and Italian.
What somebody quotes is not what they say: words between quotation marks are left out.
"""

import re
from dataclasses import dataclass

from apps.runs.domain.scratchpad import speaks_of_its_task

# What may follow "I am a bot": its end, or a word that goes on with the same person. A noun ("developer", "Ltd", a
# name) makes another thing of it.
_ENDS = (
    r"(?=\s*(?:[.,;:!?)\u2014\u2013]|$|\b(?:and|so|but|that|which|here|without|with|not|too|created|made|built|"
    r"designed|trained|"
    r"developed|programmed|powered|running|by|who|whose|from|i|na|nisiye|niliye|iliyo|inayo|ambayo|siwezi|tu|sina|e|"
    r"creat[oa]|addestrat[oa]|che|senza|non|quindi|ma|sviluppat[oa]|progettat[oa])\b))"
)
_AI = r"(?:a\.?i\.?|artificial intelligence)"
_PROGRAM = (
    rf"(?:an? )?(?:{_AI}(?:[- ](?:language |chat )?(?:model|assistant|system|program|agent|bot|chatbot))?|"
    r"(?:large )?language model|llm|chat ?bot|bot|computer program|simulation|"
    rf"(?:{_AI}|simulated|virtual|test|synthetic)[- ](?:customer|user|persona|caller)|simulated person|chatgpt|"
    rf"gpt-?\d\w*)"
)
_MAKERS = r"(?:openai|anthropic|google|deepmind|meta|mistral|microsoft|alibaba|deepseek|xai|cohere)"
_PLAYED = r"(?:customer|client|user|caller|persona|shopper|buyer)"
_PLAY = r"(?:play|act as|pretend|role-? ?play|simulate|impersonate)"
_SAYS = r"(?:says?|said|tells?|told|is to|are to|were to|states?|instructs?|requires?|don't|do not|does not|doesn't)"
_INSTRUCTIONS = r"(?:instructions|maagizo|istruzioni)"
_GIVER = re.compile(
    rf"\b{_INSTRUCTIONS} (?:from|by|of|kutoka|ya|za|del|della|di)\b|\b(?:doctor|dentist|nurse|physio\w*|pharmacist|"
    r"clinic|hospital|prescription|boss|manager|employer|lawyer|bank|landlord|teacher|school|manual|daktari|muuguzi|"
    r"mwalimu|bosi|medico|dottor\w*|dentista|avvocato|capo)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"“[^”]*”|«[^»]*»|„[^“”]*[“”]|(?<!\w)\"[^\"]*\"(?!\w)|(?<!\w)'[^']*'(?!\w)|‘[^’]*’(?!\w)")
_OWN_FORM = re.compile(
    r'"(?:done|reason)"\s*:\s*(?:true|false|")|</?(?:persona|goal|conversation|think(?:ing)?)>', re.IGNORECASE
)


def _all(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)


_LEAKS_CERTAIN = _all(
    rf"\b(?:i am|i'm|im) (?:just |only |actually |really |in fact |\w+, )?{_PROGRAM}{_ENDS}",
    rf"\bas an? (?:{_AI} (?:language )?(?:model|assistant|system|program|chatbot)|{_AI}|(?:large )?language model|llm|"
    rf"chat ?bot|simulated (?:customer|user))(?=\s*(?:[.,;:!?]|$|\b(?:i|and|so|that|without|trained|created|"
    rf"designed)\b))",
    rf"\bi (?:was |am |have been |'ve been )?(?:(?:created|made|built|developed|programmed) by (?:\w+ at )?{_MAKERS}|"
    r"trained by (?:openai|anthropic|deepmind|mistral|deepseek|xai|cohere))\b",
    rf"\bi(?:'m| am) (?:a model|an assistant|a product)[^.!?]{{0,20}} (?:by|from|of) {_MAKERS}\b",
    r"\b(?:i (?:do not|don't) have|i lack|without) (?:a |any )?(?:physical|human) (?:body|existence)\b",
    r"\b(?:i (?:do not|don't) have) (?:personal|human|real) (?:experiences|feelings|emotions|opinions or feelings)\b",
    r"\bmy (?:knowledge cut-?off|training data (?:ends|goes|does|is|was|only)|last knowledge update)\b",
    rf"\bmy (?:system prompt|prompt|persona) {_SAYS}\b|\bmy persona is an?\b",
    rf"\bi(?:'m| am) (?:your (?:virtual|{_AI}) assistant|not (?:a real|an actual) (?:person|human|customer){_ENDS}|"
    rf"not a human{_ENDS})|\bas your (?:virtual|{_AI}) assistant\b|\bi(?:'ve been| have been| was|'m|"
    rf" am) programmed to\b",
    rf"\b(?:i was|i've been|i have been|i am|i'm) (?:told|instructed|asked|prompted|programmed|designed|trained) to "
    rf"{_PLAY}\b[^.!?]{{0,30}}\b{_PLAYED}\b(?! (?:service|representative|support))",
    rf"\bi(?:'m| am) (?:only |just )?(?:simulating|role-? ?playing|playing the (?:role|"
    rf"part) of) an? [^.!?]{{0,20}}?{_PLAYED}\b|\baccording to my persona\b|\bmy creators at {_MAKERS}\b",
    rf"^\W*simulated {_PLAYED}\W*:",
    rf"\brole-? ?play(?:ing)? (?:as )?(?:a|the) [^.!?]{{0,20}}?{_PLAYED}\b",
    r"\b(?:this is|we are in|in) an? (?:simulated|simulation of an?) (?:conversation|dialogue|chat|scenario|"
    r"customer)\b",
    rf"\bmimi ni (?:tu )?(?:ai|akili bandia|akili mnemba|roboti|bot|chatbot|modeli ya lugha|"
    rf"msaidizi wa (?:ai|akili bandia|akili mnemba)|programu ya kompyuta|"
    rf"mteja wa (?:majaribio|kuigiza)){_ENDS}",
    r"\bkama (?:ai|akili bandia|akili mnemba|modeli ya lugha)(?=\s*(?:[.,;:!?]|$|\b(?:siwezi|sina|mimi|na)\b))",
    rf"\b(?:nili|nime)(?:tengenezwa|undwa|buniwa|funzwa) na {_MAKERS}\b|\bsina mwili (?:wa kimwili|halisi|"
    rf"wa binadamu)\b",
    r"\bnimeambiwa niigize (?:kama )?mteja\b",
    rf"\bsono (?:solo |soltanto |in realtà )?(?:un'|una |un )?(?:ia|intelligenza artificiale|modello linguistico|"
    rf"chatbot|bot|simulazione|cliente simulato|assistente virtuale){_ENDS}",
    r"\bin (?:quanto|qualità di) (?:ia|intelligenza artificiale|modello linguistico)\b|\bnon ho un corpo(?: fisico)?\b",
    rf"\bsono stat[oa] (?:creat|addestrat|sviluppat|programmat)[oa] da {_MAKERS}\b",
    r"\bmi è stato (?:detto|chiesto) di (?:recitare|fingere|interpretare|simulare)\b[^.!?]{0,30}\bclient[ei]\b",
)
_LEAKS_LIKELY = _all(
    rf"\bi(?:'m| am) (?:only |just )?playing (?:a|an|the) (?:\w+ )?{_PLAYED}(?= (?:named|called|who)\b|\s*[.,;:!?]|$)",
    rf"\bmy instructions {_SAYS}\b|\baccording to my instructions\b|\bmaagizo yangu (?:yanasema|ni)\b|"
    rf"\ble mie istruzioni "
    r"(?:dicono|sono)\b",
    r"\bi(?:'ll| will| must| should| have to| need to| am|'m|'m going to| can't| cannot| won't) (?:\w+ )?"
    r"(?:stay|staying|remain|remaining|break|breaking) (?:in |out of )?character\b",
    rf"\b(?:my|the) system prompt{_ENDS}",
    r"\b(?:this is|it is|it's) (?:only |just )?a test (?:conversation|dialogue|scenario|chat)\b|\bthis conversation is "
    r"(?:only |just )?a (?:test|simulation)\b",
    r"\bi (?:do not|don't) have (?:a body|feelings|emotions|physical form|a physical form)(?=\s*(?:[.,;!?]|$|"
    r"\b(?:so|and|or|as)\b))",
    rf"\bi(?:'m| am) (?:just |only )?a virtual assistant{_ENDS}",
)
_REFUSALS_CERTAIN = _all(
    r"\bi(?:'m| am)? ?(?:can't|cannot|can not|unable to|not able to|won't|will not|must decline to|won't be able to) "
    r"(?:assist|comply)(?: you)?(?: with)? (?:that|this|your|such)\b",
    r"\bi(?:'m| am)? ?(?:can't|cannot|can not|unable to|not able to|won't|will not) (?:help(?: you)? with|fulfil?l|"
    r"complete|process|engage (?:in|with)) (?:that|this|your|such an?|such) (?:kind of |type of )?(?:request|"
    r"content|topic)s?\b",
    r"\bi(?:'m| am)? ?(?:can't|cannot|unable to|not able to) (?:generate|create|produce) (?:that|this|such|harmful)\b",
    r"\bi (?:can't|cannot|am unable to) provide (?:any )?(?:assistance|help|information) (?:with|on|about|"
    r"for) (?:that|this)\b",
    r"\b(?:against|violates?|outside) my (?:programming|usage polic\w+|content polic\w+|safety guidelines)\b",
    r"\bi(?:'m| am)? ?(?:can't|cannot|unable to|not able to|won't) (?:continue|participate in|take part in) (?:this|"
    r"that|the) role-? ?play\b|\bi must decline to (?:continue |participate in |take part in |engage in )?"
    r"(?:this |that |the )?role-? ?play\b",
    r"\bsiwezi (?:kukusaidia|kusaidia|kutimiza|kutekeleza) (?:na |kwa |kuhusu )?(?:ombi (?:hilo|hili|lako))\b",
    r"\bnon posso (?:aiutart[ei]|aiutarla|assistert[ei]|assisterla|soddisfare|esaudire|elaborare) ?(?:con |in )?"
    r"(?:quest[ao]|quell[ao]|la tua|la sua)? ?(?:richiest[ae])\b",
)
_REFUSALS_LIKELY = _all(
    r"\b(?:sorry|afraid|apologi[sz]e)[^.!?]{0,20}\bi(?:'m| am)? ?(?:can't|cannot|unable to|not able to) (?:help|assist)"
    r"(?: you)? with (?:that|this)\b",
    r"\bi (?:can't|cannot|am unable to|am not able to|do not|don't) (?:provide|share|give out) personal (?:phone "
    r"numbers|contact details)\b",
    r"\b(?:against|violates?) my guidelines\b|\bi(?:'m| am) (?:unable|not able) to (?:help|"
    r"assist) (?:you )?with that\b",
    r"\bsamahani[^.!?]{0,15}\bsiwezi kusaidia na hilo\b|\bmi dispiace[^.!?]{0,15}\bnon posso aiutar(?:ti|"
    r"la)\b",
)
_AGENT_CERTAIN = _all(
    r"\bhow (?:can|may|could) i (?:help|assist) you(?: today| further| now| with your (?:booking|order|request)|"
    r" with that)?"
    r"\s*(?:[.?!]|$|,? \w+\?)",
    r"\b(?:is there )?anything else (?:that )?i (?:can|may|could) (?:help|assist|do for) (?:you )?(?:with|today|"
    r"for you)\b",
    r"\bwhat can i do for you today\b",
    r"\bthank you for (?:contacting|choosing|reaching out to|calling) (?:us|our)\b",
    r"\b(?:i'd|i would|i am|i'm|i'll) (?:be )?(?:more than )?(?:happy|glad|pleased) to assist you\b",
    r"\b(?:nikusaidie (?:na )?(?:nini|vipi|aje)|(?:nawezaje|ninawezaje|naweza) kukusaidia(?:je)?(?: vipi| aje)?(?: leo|"
    r" na nini)?\s*(?:[.?!]|$)"
    r"|ninaweza kukusaidiaje|asante kwa kuwasiliana nasi|kuna kitu kingine naweza kukusaidia)",
    r"\b(?:come|in (?:che )?cosa|in (?:che|quale) modo|c'è altro (?:in cui|per cui)) (?:posso|potrei) "
    r"(?:aiutar(?:la|ti|vi)|assister(?:la|ti)|esser(?:le|ti) (?:utile|d'aiuto))\b",
    r"\bposso (?:aiutar(?:la|ti)|esserle utile) (?:con altro|in altro|con qualcos'altro)\b|\bgrazie per aver(?:ci|mi)? "
    r"contattato\b|\bgrazie per averci (?:scritto|contattat[oi])\b",
)
_AGENT_LIKELY = _all(
    r"\b(?:i'd|i would|i am|i'm|i'll) (?:be )?(?:more than )?(?:happy|glad) to help you (?:with (?:your|that)|book|"
    r"today)\b",
    r"\bwhat can i (?:do for you|help you with)(?: today)?\s*[?.!]|\bi(?:'m| am) here to (?:help|assist)\b|"
    r"\bhow (?:can|may) i "
    r"help\s*[?!]|\blet me check (?:our|the) (?:availability|calendar|schedule)\b",
    r"\byour (?:booking|appointment|reservation|order) (?:is|has been) (?:now )?(?:confirmed|booked|scheduled)\b",
    r"\bi(?:'ve| have)(?: now| just)? (?:booked|scheduled|reserved) (?:you|your|an? \w+ for you|it for you)\b",
    r"\bi(?:'ll| will| can) (?:gladly )?(?:book|schedule|reserve|arrange) (?:it|that|this|an? \w+) for you\b|"
    r"\bi can (?:certainly |gladly )?help you with (?:that|this|your)\b",
    r"\bwould you like me to (?:book|schedule|reserve|confirm|check)\b",
    r"\b(?:could|can|may) (?:you|i) (?:please )?(?:provide|share|have|get) (?:me )?(?:with )?your (?:full )?(?:name|"
    r"phone|email|"
    r"order number)\b",
    r"\byour (?:confirmation|booking|reference) (?:number|code) is (?:\w+-?)?\d",
    r"\bwe look forward to (?:seeing|serving|welcoming) you\b",
    r"\btafadhali nipe jina lako\b|\b(?:tunakusubiri|tunakukaribisha)\b|\b(?:miadi|nafasi) yako imethibitishwa\b",
    r"\bquale giorno (?:e (?:che |quale )?or[ao](?:rio)? )?preferis(?:ci|ce)\b",
    r"\bla aspettiamo\b|\b(?:il su?o appuntamento|la sua prenotazione) è (?:stat[oa] )?"
    r"(?:confermat|prenotat|registrat)[oa]\b(?!\s*\?)|\bmi può (?:dare|"
    r"fornire) il suo "
    r"(?:nome|numero)\b",
)


@dataclass(frozen=True, slots=True)
class Said:
    """The words that were found, and whether they decide alone."""

    words: str
    certain: bool


def role_break_in(text: str) -> Said | None:
    """The words that show that the customer is a program or was told to play one; None where there are none. Pure; some
    50 µs."""
    if form := _OWN_FORM.search(text):
        return Said(form[0], True)
    if words := speaks_of_its_task(text):
        return Said(words, True)
    quotations = without_quotations(text)
    leak = _first(quotations, _LEAKS_CERTAIN, _LEAKS_LIKELY)
    if leak and not leak.certain and _GIVER.search(quotations):
        return None  # the instructions are a doctor's, a manual's: somebody's who has a place in a customer's life
    return leak


def refuses_like_a_model(text: str) -> Said | None:
    """A model's refusal, where a customer would have answered. Pure."""
    return _first(without_quotations(text), _REFUSALS_CERTAIN, _REFUSALS_LIKELY)


def speaks_as_the_business(text: str) -> Said | None:
    """A sentence that only the business's side of a conversation says. Pure."""
    return _first(without_quotations(text), _AGENT_CERTAIN, _AGENT_LIKELY)


def without_quotations(text: str) -> str:
    """The text with straight apostrophes and without what stands between quotation marks, unless that is all of it."""
    left = _QUOTED.sub(" … ", text)
    bare = left if re.search(r"\w", left) else text
    return re.sub(r"\s+", " ", bare.replace("’", "'").replace("ʼ", "'"))


def _first(text: str, certain: tuple[re.Pattern[str], ...], likely: tuple[re.Pattern[str], ...]) -> Said | None:
    for patterns, sure in ((certain, True), (likely, False)):
        words = next((match[0] for pattern in patterns if (match := pattern.search(text))), "")
        if words:
            return Said(words.strip(), sure)
    return None

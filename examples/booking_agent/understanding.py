"""What a customer's message says: one frozen record of it, by patterns. Nothing here decides what to answer."""

# ruff: noqa: E501 - patterns read better on one line

import datetime as dt
import re
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import takewhile

from examples.booking_agent.calendar_words import find_day, find_period, find_time
from examples.booking_agent.language import Language, detect, evidence
from examples.booking_agent.salon import FAMILIES, FAMILY_ALIASES, SERVICES


class Asked(StrEnum):
    """What the agent's last question was about."""

    NOTHING = "nothing"
    SERVICE = "service"
    DAY = "day"
    TIME = "time"
    NAME = "name"
    PAYMENT = "payment"
    PUSH = "push"


class Intent(StrEnum):
    """What a message does beside filling in the booking."""

    GREETING = "greeting"
    THANKS = "thanks"
    GOODBYE = "goodbye"
    PRICE = "price"
    ROBOT = "robot"
    HUMAN = "human"
    PLACE = "place"
    HOURS = "hours"
    DURATION = "duration"
    DISCOUNT = "discount"
    SERVICES = "services"
    CANCEL = "cancel"
    PAID = "paid"
    NO_PROMPT = "no_prompt"
    CASH = "cash"
    MPESA = "mpesa"
    HURRY = "hurry"
    PIN = "pin"
    TRUST = "trust"
    UPSET = "upset"
    BUDGET = "budget"
    UNSURE = "unsure"
    ANY = "any"
    BOOK = "book"
    OFF_TOPIC = "off_topic"


_PATTERNS: dict[Intent, str] = {
    Intent.GREETING: r"^\W*(?:hi+|hello|hey|good (?:morning|afternoon|evening|day)|habari|hujambo|jambo|mambo|niaje|sasa\b(?! (?:hivi|naweza))|shikamoo|"
    r"salama|vipi|poa|morning|evening|greetings)\b",
    Intent.THANKS: r"\b(?:thanks|thank you|thank u|asante|asanteni|shukran\w*|nashukuru|nakushukuru|appreciate|thx|cheers)\b",
    Intent.GOODBYE: r"\b(?:bye+|goodbye|kwaheri|kwa heri|tutaonana|baadaye|baadae|see you|see ya|have a (?:good|nice|great|lovely)|"
    r"that'?s (?:all|it)|that will be all|nothing else|ni hayo tu|hayo tu|siku njema|usiku mwema|jioni njema|take care|talk later)\b",
    Intent.PRICE: r"\b(?:how much|price\w*|cost\w*|charge\w*|bei|pesa ngapi|mnatoza|inagharimu|gharama|ngapi pesa|how many bob|"
    r"total|rates?|fee|ni how much|shilingi ngapi|kiasi gani|jumla)\b",
    Intent.ROBOT: r"\b(?:robot|roboti|bot|chatbot|ai|machine|mashine|real person|human being|automated|binadamu|mtu halisi|mtu wa kweli|are you human|are you real)\b",
    Intent.HUMAN: r"\b(?:(?:speak|talk) (?:to|with) (?:a |an |the |some)?(?:human|person|someone|manager|owner|reception\w*|attendant|staff)|"
    r"niongee na mtu|kuongea na mtu|nizungumze na|(?:please|can you|could you|someone) call me|call me back|nipigie)\b",
    Intent.PLACE: r"\b(?:where are you|where is|location|located|directions?|address|mko wapi|iko wapi|uko wapi|mnapatikana wapi|parking|which building|mahali)\b",
    Intent.HOURS: r"\b(?:opening hours|what time do you (?:open|close)|when do you (?:open|close)|mnafungua|mnafunga|are you open|mko wazi|open on)\b",
    Intent.DURATION: r"\b(?:how long|muda gani|inachukua|itachukua|take long|long will|masaa mangapi|dakika ngapi|hours will)\b",
    Intent.DISCOUNT: r"\b(?:discount\w*|(?:any|special) offers?|on offer|punguz\w*|punguza|mpunguzie|cheaper|too expensive|ghali|bargain|reduce|best price|last price|negotia\w+)\b",
    Intent.SERVICES: r"\b(?:what (?:services|(?:do|can) you (?:guys )?(?:offer|do|have))|which services|services (?:do|mna)|huduma (?:gani|zipi)|mnafanya nini|your services|price list|menu)\b",
    Intent.CANCEL: r"\b(?:cancel\w*|ghairi\w*|futa|nifutie|call it off|forget (?:it|the booking)|sitakuja|not (?:be )?(?:coming|able to come)|"
    r"don'?t want (?:it|the booking|to book) (?:any ?more|again)|sitaki tena|wacha tu|acha tu|never ?mind)\b",
    Intent.PAID: r"\b(?:paid|payed|nimelipa|nimeshalipa|nishalipa|imeenda|imeingia|imelipwa|imekubali|went through|gone through|completed|"
    r"nimeweka pin|entered (?:my |the )?pin|put (?:in )?(?:my |the )?pin|imepita|nimemaliza|sent it|nimetuma|just paid)\b",
    Intent.NO_PROMPT: r"\b(?:no prompt|(?:haven'?t|have not|didn'?t|did not|not) (?:received|receive|get|got|gotten|seen|see)|sijapata|sijaona|haijafika|haijaingia|"
    r"hakuna (?:prompt|kitu)|not (?:come|arrived|yet come)|failed|timed out|imekataa|imefeli|resend|again please|wrong pin|send (?:it )?again|tuma tena|rudia)\b",
    Intent.CASH: r"\b(?:cash|taslimu|at the salon|in person|pay (?:there|later|on arrival|when i (?:come|arrive|get there))|nikifika|nitalipa (?:hapo|huko|nikija|nikifika)|"
    r"kulipia? (?:hapo|huko|salon)|salon\w*ni|hapo salon)\b",
    Intent.MPESA: r"\b(?:m-?pesa|mpesa|stk|lipa na|push|prompt|send (?:it|the (?:push|prompt|request))|tuma|nitumie|pay now|by phone|kwa simu|simu)\b",
    Intent.HURRY: r"\b(?:hurry|rush|quick(?:ly)?|asap|haraka|chap ?chap|no time|sina muda|make it fast|fast fast|busy|niko kazi|in a meeting|short please)\b",
    Intent.PIN: r"(?:my |the )?\bpin\b(?: yangu)?(?: is| ni)?\W*\d{4}\b",
    Intent.ANY: r"\b(?:any|anytime|any ?time|anyone|either|whichever|whatever|you (?:choose|pick|decide)|yoyote|yeyote|wowote|chagua|earliest|soonest|flexible|ya mapema)\b",
    Intent.TRUST: r"\b(?:scam\w*|con(?:ned|men|man)|fraud\w*|is (?:it|this|that) safe|safe to pay|legit\w*|trust|genuine|how do i know|tapeli|matapeli|utapeli|"
    r"tapeliwa|ulaghai|walaghai|salama kulipa|ni salama|nitajuaje|naogopa|wakora)\b",
    Intent.UPSET: r"\b(?:disappoint\w*|let (?:me )?down|upset|angry|annoyed|terrible|horrible|bad (?:service|experience)|kept (?:me )?waiting|waited|"
    r"messed up|nimekasirika|nilikasirika|mlini\w+|niliachwa|hamku\w+|sikufurahi\w*|sikuridhika|mbaya sana|nimevunjwa moyo|mliniangusha)\b",
    Intent.BUDGET: r"\b(?:student|budget|can'?t afford|short of money|tight on money|little money|pesa kidogo|sina pesa|mwanafunzi|bei nafuu|cheapest|affordable|niko broke|broke)\b",
    Intent.UNSURE: r"\b(?:not (?:really |quite |so )?sure|can'?t decide|undecided|don'?t know (?:which|what|when)|help me (?:choose|decide)|sijui|sina uhakika|"
    r"sijaamua|nisaidie kuchagua|which (?:one )?(?:is better|do you recommend)|recommend|unapendekeza|hmm+)\b",
    Intent.BOOK: r"\b(?:book\w*|ku-?book|ni-?book|nibookie|appointment|nafasi|miadi|reserv\w+|slots?)\b",
    Intent.OFF_TOPIC: r"\b(?:weather|football|match|arsenal|chelsea|gor mahia|loan|mkopo|president|rais|politics|siasa|joke|poem|recipe|news|habari za dunia|"
    r"bitcoin|crypto|homework|capital of|translate|password|ignore (?:all|your|the|previous)|system prompt|instructions|sell|"
    r"food|pizza|taxi|uber|matatu|doctor|medicine|visa|job|kazi yenu|employ\w*|marry|girlfriend|boyfriend|doctor)\b",
}
_COMPILED = {intent: re.compile(pattern) for intent, pattern in _PATTERNS.items()}
_YES = re.compile(
    r"^\W*(?:yes+|yeah|yep|yap|yup|ya+h|sure|ok(?:ay)?|okey|fine|please do|go ahead|ndio|ndiyo|naam|sawa(?: sawa)?|eeh?|ehe|poa|fiti|haya|alright|"
    r"perfect|great|correct|exactly|that works|works for me|tuma|send)\b"
)
_NO = re.compile(r"^\W*(?:no+|nope|nah|hapana|la\b|zii|not really|sitaki|apana|hakuna)\b")
_PHONE = re.compile(r"(?:\+?254|0)[\s-]?[17]\d{2}[\s-]?\d{3}[\s-]?\d{3}\b")
_MONEY = re.compile(
    r"\b(?:kes|ksh|kshs|sh)\.?\s?\d[\d,]*\b|\b\d{1,3}(?:,\d{3})+\b|\b\d{3,}\b(?!\s*[ap]m)|\b\d+(?:\.\d)?k\b|\b\d+\s?(?:bob|/=|/-)"
)
_ORDINALS = (
    (0, r"\b(?:first|1st|ya kwanza|kwanza)\b"),
    (1, r"\b(?:second|2nd|ya pili|middle|katikati)\b"),
    (2, r"\b(?:third|3rd|ya tatu)\b"),
    (-1, r"\b(?:last one|latest|ya mwisho|the last)\b"),
)
_SAID_NAME = re.compile(
    r"\b(?:my name(?:'s| is)|name is|name:|i am called|call me|naitwa|jina langu ni|jina ni|majina ni|this is|i'?m|i am|mimi ni|under|kwa jina la)\s+"
    r"([A-Z][\w'’-]+(?:\s+[A-Z][\w'’-]+){0,2})"
)
_BARE_NAME = re.compile(r"[^\W\d_][\w'’.-]*(?:\s+[^\W\d_][\w'’.-]*){0,2}")
_NOT_NAME_WORDS = """
    yes no ok okay sawa ndio hapana asante thanks hi hello salon amani mpesa monday tuesday wednesday thursday
    friday saturday sunday jumamosi jumapili jumatatu jumanne jumatano alhamisi ijumaa kesho leo tomorrow today
    please tafadhali nairobi english swahili kiswahili what which why how when bei gani nini sorry pole saa i
    the it november december box knotless braids cornrows locs weave gel manicure pedicure facial massage makeup
    haircut m-pesa mpesa cash kids me you us tonight first second third last one any ya kwanza pili mwisho done
    paid later correct fine perfect great book booking cancel help
"""
_NOT_NAMES = frozenset(_NOT_NAME_WORDS.split())
_DECLINE = re.compile(r"\b(?:can'?t|cannot|won'?t|siwezi|haifai|sitaweza|not|sio|si)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """One message, understood as far as patterns go. `day`, `time` and the rest are None where not said."""

    text: str
    language: Language
    intents: frozenset[Intent] = field(default_factory=frozenset)
    service: str | None = None
    family: str | None = None
    day: dt.date | None = None
    declined: bool = False
    period: str | None = None
    time: dt.time | None = None
    ordinal: int | None = None
    name: str | None = None
    phone: str | None = None
    yes: bool = False
    no: bool = False

    @property
    def says_nothing_known(self) -> bool:
        """Whether no pattern matched at all."""
        return not (
            self.intents or self.service or self.family or self.day or self.period or self.time
            or self.ordinal is not None or self.name or self.phone or self.yes or self.no
        )  # fmt: skip


def understand(text: str, *, today: dt.date, asked: Asked, previous: Language | None) -> Heard:
    """Read one message. `asked` helps with bare answers: `10` is a time and `Wanjiru` a name when that was asked."""
    plain = " ".join(text.replace("’", "'").split())[:2000]
    lower = plain.lower()
    intents = {intent for intent, pattern in _COMPILED.items() if pattern.search(lower)}
    phone = _PHONE.search(plain)
    digits_out = _MONEY.sub(" ", _PHONE.sub(" ", lower))
    day, rest = find_day(digits_out, today)
    service, family = _service(lower)
    moment = None if Intent.PIN in intents else find_time(rest, bare=asked is Asked.TIME)
    return Heard(
        text=plain,
        language=detect(plain, previous=previous),
        intents=frozenset(intents),
        service=service,
        family=family,
        day=day,
        declined=bool(_DECLINE.search(lower)),
        period=find_period(
            re.sub(
                r"\bgood (?:morning|afternoon|evening)\b|habari (?:ya|za) (?:asubuhi|mchana|jioni)|jioni njema",
                "",
                lower,
            )
        ),
        time=moment,
        ordinal=next((index for index, pattern in _ORDINALS if re.search(pattern, lower)), None)
        if asked is Asked.TIME
        else None,
        name=_name(plain, asked),
        phone=re.sub(r"\D", "", phone.group())[-9:] if phone else None,
        yes=bool(_YES.search(lower)),
        no=bool(_NO.search(lower)),
    )


def _service(lower: str) -> tuple[str | None, str | None]:
    """The service named, longest alias first; else the family it might belong to."""
    for alias, key in _ALIASES:
        if re.search(rf"(?<![\w-]){re.escape(alias)}(?![\w-])", lower):
            return key, None
    for family in FAMILIES:
        if any(re.search(rf"(?<!\w){re.escape(alias)}(?!\w)", lower) for alias in FAMILY_ALIASES[family]):
            return None, family
    return None, None


_ALIASES = sorted(
    ((alias, key) for key, service in SERVICES.items() for alias in service.aliases), key=lambda pair: -len(pair[0])
)


def _name(plain: str, asked: Asked) -> str | None:
    """The name given: said as one at any time, bare where it was asked (or where a time was, and one came instead)."""
    said = _SAID_NAME.search(_OPENERS.sub(lambda opener: opener.group().lower(), plain))
    if said:
        kept = list(takewhile(lambda word: word.lower() not in _NOT_NAMES, said.group(1).split()))
        return " ".join(kept) or None
    if asked is Asked.TIME and _CAPITALISED.fullmatch(plain):
        return _as_name(plain.strip(".!"))
    if asked is not Asked.NAME:
        return None
    loose = _LOOSE_NAME.search(plain)
    whole = _as_name(loose.group(1) if loose else plain.strip(" .!,"))
    first = re.split(r"[,.!]", plain)[0].strip()
    return whole or (_as_name(first) if first[:1].isupper() else None)


_OPENERS = re.compile(r"^(?:My|Name|Call|It|I|Naitwa|Jina|Ni|Mimi|This|For|Kwa|Majina)\b")
_CAPITALISED = re.compile(r"[A-Z][a-z'’]+(?: [A-Z][a-z'’]+)?[.!]?")
_LOOSE_NAME = re.compile(
    r"\b(?:my name(?:'s| is)|naitwa|jina langu ni|jina ni|i'?m|it'?s|ni)\s+([a-z][\w'-]+(?:\s+[a-z][\w'-]+)?)",
    re.IGNORECASE,
)


def _as_name(words: str) -> str | None:
    """`words` as a name, or None where they are words of the language or more than three."""
    if not _BARE_NAME.fullmatch(words):
        return None
    for word in words.split():
        if word.lower() in _NOT_NAMES or (word.islower() and any(evidence(word))):
            return None
    return " ".join(word.capitalize() if word.islower() else word for word in words.split())

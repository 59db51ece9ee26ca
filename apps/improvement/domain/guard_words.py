"""Which words, signs and addresses the guards of drafts look for, in English, Swahili and Italian. Pure.

The lists are written by hand and hold what attacks on drafts have used; they are a first sieve before a trial and a
person, and no proof.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator

_READERS = r"(?:read|review|rate|grade|assess|evaluat|audit|check|mark|judge|scor)(?:s|e|es|ed|ing)?"
SCORING = re.compile(
    r"\b(?:scor(?:e|es|ed|ing)|rubrics?|graders?|evaluators?|pass[ -]marks?|(?:the|an?|any|llm|ai) judges?|judges"
    r"|(?:full|top|maximum) (?:marks|points)|(?:scoring|evaluation|judging|grading) criteri(?:a|on)"
    r"|(?:10|ten) (?:out of|of|points of) (?:10|ten)|hold-?out set"
    rf"|who(?:ever)? {_READERS} (?:this|the) (?:conversation|transcript|dialogue|exchange|chat|reply|answer)"
    rf"|who(?:ever)? {_READERS} (?:this|it|us|you)\b|quality (?:reviewers?|checkers?|raters?|auditors?)"
    r"|awards? (?:ten|10|full|top|the (?:best|highest|top))|(?:best|highest|top) (?:marks?|grades?|ratings?)"
    r"|(?:gives?|awards?|earns?|gets?) (?:\w+ )?stars"
    r"|assess(?:ors?|ments?)|grad(?:e|es|ed|ing) (?:you|this|your)|10/10|ten/ten|metrics?|rehearsals?"
    r"|(?:seem|look|sound|appear)s? (?:to be )?(?:simulated|scripted|automated)|juges?|gutachter|prüfer|juez|jueces"
    r"|simulated (?:customers?|users?|callers?)|test (?:customers?|users?|callers?)|simulator"
    r"|(?:is|are|be|being) (?:an? )?(?:test(?:ed)?|simulat(?:ed|ion))"
    r"|alama (?:za juu|kamili|ya juu|zote|kumi|10)"
    r"|(?:anaye|wanao)(?:tathmini|pima|kagua|hukumu|soma)\w*"
    r"|hakimu|jaji|majaji|mwamuzi|waamuzi|mtathmini|vigezo vya tathmini"
    r"|kumi kwa kumi|kiwango cha juu kabisa|(?:anaye|wanao)\w+ mazungumzo|mteja wa majaribio"
    r"|punteggi[oo]?|giudic[ei]|valutator[ei]|criter[io]{1,2} di valutazione|pieni voti|dieci su dieci"
    r"|massimo dei voti|voto (?:massimo|pieno)|chi (?:valuta|legge|giudica)"
    r"|chi (?:esamina|controlla) (?:la|questa|le) (?:conversazion|rispost)\w+"
    r"|la valutazione (?:premia|finale|automatica)|valutazione d(?:el giudice|ella conversazione)"
    r"|(?:dare|dai|assegna\w*) (?:dieci|il massimo)|cliente simulato)\b"
    r"|\[(?:customer|user|system|assistant|mteja|cliente)\s*:",
    re.IGNORECASE,
)
OVERRULING = re.compile(
    r"\b(?:(?:ignore|disregard|override|overrule|skip|forget) (?:the|all|any|every|these|those|what)\b"
    r"[^.\n]{0,30}\b(?:sections?|rules?|instructions?|above|below|following|next|previous)"
    r"|no longer (?:valid|appl(?:y|ies)|counts?|holds?)|none of (?:the following|the above|these) (?:counts?|appl)"
    r"|(?:is|are) (?:only|just|merely) (?:an? )?(?:examples?|suggestions?|guidelines?)"
    r"|what(?:ever)? (?:stands|is (?:written|said)) (?:elsewhere|above|below)|si muhimu"
    r"|(?:è|sono) solo (?:un )?esemp\w+"
    r"|(?:above|below|following|next|previous)[^.\n]{0,30} (?:does|do) not (?:apply|count|hold)"
    r"|(?:puuza|usifuate)\b[^.\n]{0,30}\b(?:sheria|maagizo|sehemu)|(?:sheria|sehemu)[^.\n]{0,30}\bha(?:zi|i)tumiki"
    r"|(?:rules?|terms|polic(?:y|ies)|conditions?|notices?)\b[^.\n]{0,40}"
    r"\b(?:is|are|may be) (?:waived|lifted|void|suspended|skipped)"
    r"|(?:do not|don't|need not) (?:follow|apply|obey|heed) (?:the|any|these|those|all)\b"
    r"[^.\n]{0,30}\b(?:rules?|instructions?)"
    r"|non (?:seguire|rispettare|applicare|considerare)\b[^.\n]{0,30}\b(?:regol[ae]|sezion[ei]|istruzion[ei])"
    r"|(?:ignora|salta|dimentica)\b[^.\n]{0,30}\b(?:regol[ae]|sezion[ei]|istruzion[ei])"
    r"|non (?:valgono|vale|si applica\w*) pi[uù])",
    re.IGNORECASE,
)
MAY = re.compile(
    r"\b(?:may|can|could|might|allowed|fine|okay|ok|unless|except|(?:un|an|mn)aweza|ruhusa|inaruhusiwa|wanaweza|può|puoi"
    r"|possono|permess[oaie]|consentit[oaie])\b",
    re.IGNORECASE,
)
NEGATION = re.compile(
    r"\b(?:never|no|not|nor|don't|cannot|can't|usi\w*|kamwe|hawa\w+|hu\w+i|non|mai|né)\b", re.IGNORECASE
)
_ENDING = (
    "com|org|net|info|biz|io|co|app|dev|ai|link|ly|site|shop|online|xyz|zip|mov|top|store|tech|cloud|live|click|page"
    "|africa|co\\.ke|or\\.ke|go\\.ke|ke|tz|ug|rw|ng|za|eu|it|me|de|fr|uk|us|ch|no|se|es|nl|ru|cn|рф"
)
ADDRESS = re.compile(
    r"\b[A-Za-z][A-Za-z+]{1,9}://[^\s<>\"'\])]+|\bwww\.[^\s<>\"'\])]+|(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])"
    rf"|(?<![\w@.-])(?:[\w-]{{2,63}}\.){{1,4}}(?:{_ENDING})(?:/[^\s<>\"'\])]*|(?![\w@-]))"
    r"|\b[\w-]{2,63}\s?(?:\[\.\]|\(\.\)|\[dot\]|\(dot\)|\bdot\b|\bpunto\b|\bnukta\b|%2E| \.)\s?"
    rf"(?:{_ENDING})\b|\b0x[0-9A-F]{{6,}}\b|(?<![:\w/])//[A-Za-z0-9][\w.-]*(?:/[^\s<>\"'\])]*)?"
    r"|(?<![\w.@])@[A-Za-z]\w{2,}",
    re.IGNORECASE,
)
_SPOKEN = (
    "zero|oh|one|two|three|four|five|six|seven|eight|nine|double|triple|sifuri|moja|mbili|tatu|nne|tano|sita|saba|nane"
    "|tisa|uno|due|tre|quattro|cinque|sei|sette|otto|nove"
)
# A number that is said in words, and one that money is sent to.
SPOKEN_NUMBER = re.compile(
    rf"\b(?:(?:{_SPOKEN})\b[\s,-]*){{7,}}"
    r"|\b(?:till|paybill|pay bill|account|akaunti|conto)\b(?: (?:number|no\.?|namba|numero))?[\s:]*\d(?:[\s.-]?\d){4,}",
    re.IGNORECASE,
)
_DOTS = str.maketrans(dict.fromkeys("。．․·｡•", "."))
_UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_OVERLAYS = range(0x0334, 0x0339)
_ALIKE = re.compile(r"[^\W\d_]+")


def folded(text: str) -> str:
    """The text as an eye reads it, letter for letter: full width is narrow, and every sign that looks like one is a
    full stop. As long as before, so that places stay."""
    narrow = (unicodedata.normalize("NFKC", sign) for sign in text)
    return "".join(new if len(new) == 1 else old for old, new in zip(text, narrow, strict=True)).translate(_DOTS)


def hidden_characters(text: str) -> Iterator[tuple[int, str]]:
    """Where a character stands that nobody sees, and which; joiners and selectors behind an emoji are a part of it."""
    for at, sign in enumerate(text):
        if sign.isascii() and (sign.isprintable() or sign in "\n\r\t"):
            continue
        kind, point = unicodedata.category(sign), ord(sign)
        selects = 0xFE00 <= point <= 0xFE0F or 0xE0100 <= point <= 0xE01EF or point in (0x200C, 0x200D)
        if selects:
            before = text[at - 1] if at else ""
            if before and (unicodedata.category(before) in ("So", "Sk", "Sm", "Mn", "Lo") or before in "0123456789#*"):
                continue
            yield at, sign
        elif kind in ("Cc", "Cf", "Co", "Cn", "Zl", "Zp") or sign in _UNSEEN or point in _OVERLAYS:
            yield at, sign


def two_scripts(text: str) -> Iterator[tuple[int, int]]:
    """Where a word mixes Latin letters with Cyrillic or Greek ones."""
    for found in _ALIKE.finditer(text):
        word = found.group()
        if word.isascii():
            continue
        scripts = {unicodedata.name(sign, "").partition(" ")[0] for sign in word}
        if "LATIN" in scripts and scripts & {"CYRILLIC", "GREEK"}:
            yield found.span()


def criterion_names(names: Iterable[str]) -> re.Pattern[str]:
    """Names of criteria of several parts in any spelling that is no plain English: joined by signs, by capitals, or
    without anything. Names of one part are words that anybody uses."""
    parts = [[re.escape(one) for one in re.split(r"[_\W]+", name) if one] for name in names]
    spelled = [r"(?:\\?[_.*`/|+]+|-)?".join(one) for one in parts if len(one) > 2]
    spelled += [r"(?:\\?[_.*`/|+]+)?".join(one) for one in parts if len(one) == 2]
    return re.compile(rf"(?<!\w)(?:{'|'.join(spelled)})(?!\w)" if spelled else r"(?!)", re.IGNORECASE)

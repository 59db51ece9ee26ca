"""Evidence that says of itself that it sums up several places: the brief's second form, in three languages."""

import re

_PATTERN = re.compile(
    r"\bpatterns? (?:was |were |is |are )?(?:observed|seen|noticed|found)\b"
    r"|\b(?:across|in|throughout|over) (?:(?:all|about|over|at least|the|these|those)\s+){0,2}"
    r"(?:[\w-]+\s+(?:out\s+)?(?:of\s+)?(?:the\s+)?(?:[\w-]+\s+)?)?conversations\b"
    r"|\bacross (?:1|one|a single) conversation\b"
    r"|\bgenerally (?:tends?|tended) to\b"
    r"|\b(?:schema|modello|andamento) (?:osservato|ricorrente)\b|\bin (?:\w+ ){1,4}conversazioni\b"
    r"|\btende (?:in genere|generalmente) a\b"
    r"|\bmwenendo (?:umeonekana|ulioonekana)\b|\bkatika mazungumzo (?:\w+ )?\d+\b|\bkwa kawaida huwa\b",
    re.IGNORECASE,
)
_NUMBER = r"(\d{1,9}|[a-z]+)"
_CLAIMS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b{_NUMBER}\s+(?:different\s+|separate\s+|of\s+(?:the|these|those)\s+)?conversations?\b",
        rf"\b{_NUMBER}\s+(?:out\s+)?of\s+(?:the\s+)?{_NUMBER}\s+conversations?\b",
        rf"\b{_NUMBER}\s+conversazioni\b",
        r"\bmazungumzo\s+(?:yote\s+)?(\d{1,9})\b",
    )
)
_ENGLISH = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
_ITALIAN = "zero uno due tre quattro cinque sei sette otto nove dieci"
_WORDS = {word: value for line in (_ENGLISH, _ITALIAN) for value, word in enumerate(line.split())}
_MAX_CHARS = 4_000


def is_pattern(text: str, *, conversations: int | None = None) -> bool:
    """Tell whether the evidence is a summary, and claims no more conversations than there were.

    `conversations` None: nobody counted, so the number is taken as it is. A claim of 0 is never a pattern.
    """
    text = text[:_MAX_CHARS]
    if not _PATTERN.search(text):
        return False
    claimed = [number for number in _claimed(text) if number is not None]
    if any(number < 1 for number in claimed):
        return False
    return conversations is None or all(number <= conversations for number in claimed)


def _claimed(text: str) -> list[int | None]:
    return [
        int(number) if number.isdigit() else _WORDS.get(number.lower())
        for pattern in _CLAIMS
        for match in pattern.finditer(text)
        for number in match.groups()
    ]

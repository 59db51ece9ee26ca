# ruff: noqa: E501 - patterns
"""Does an agent say that it no longer knows what was said? Forgetting, losing, being reminded, beginning again.

Verbs of memory together with who lost it (I, we, Swahili ni-, tu-, "akilini"), in English, Swahili and mixed. "I'll remind
you" and "don't forget" are services, "I forgot to mention" is a new subject: none of them counts.
"""

import re

_LOST = re.compile(
    r"""
    \b(?:remind|kumbusha)\s+(?:me|us)\b
    |\b(?:jog|refresh)\s+(?:my|our)\s+(?:mind|memory)
    |\b(?:i|we)(?:'ve|\s+have|'d)?\s+(?:\w+\s+)?(?:forgot(?:ten)?|forget)\b(?!\s+to\s+(?:ask|mention|tell|say|add))
    |(?<!you\s)\b(?:can't|cannot|can\s+not|don't|didn't|do\s+not|couldn't)\s+(?:\w+\s+)?(?:remember|recall)\b
    |\b(?:lost|lose|losing|dropped|deleted|erased|wiped|closed|cleared|misplaced|mislaid)\s+(?:\w+\s+){0,2}(?:track|thread|chat|conversation|messages?|texts?|place|plot|notes?|what\s+you)\b
    |\b(?:nime|tume|ime)(?:lose|drop|delete|forget|misplace|close|clear)\w*\b
    |\b(?:slip\w*|imeslip|escape[sd]?|left|gone|went|go|drew)\s+(?:from\s+|out\s+of\s+)?(?:(?:my|our|a|completely|totally|imeenda)\s+)?(?:mind|memory|head|blank)\b
    |\b(?:mind|head|akili|memory)\b.{0,16}\b(?:blank|imetoka|imenitoka|imepotea|elsewhere)
    |\b(?:i'm|i\s+am|i\s+got|got)\s+(?:\w+\s+)?(?:muddled|confused|mixed\s+up|lost|muddling)\b
    |\b(?:begin|start|starting|go|going|tuanze|anza|tuanzie|turudi|rudi|turudie)\s+(?:\w+\s+)?(?:afresh|anew|over|again|tena|upya|mwanzo|nyuma|from\s+(?:the\s+)?(?:top|start|beginning|scratch)|back\s+(?:a\s+|one\s+|to\s+)?(?:step|the\s+(?:start|beginning)))\b
    |\b(?:where|what)\s+(?:were|was|did)\s+(?:we|i|it|you)\b(?:\s+(?:again|at|say(?:ing)?|talking|up\s+to|before)|\s*[?,])
    |\b(?:can't|cannot|don't|no\s+longer)\s+(?:see|have|find)\s+(?:anymore\s+)?(?:what|your\s+messages?|anything)\s+you\b
    |\b(?:memory|kumbukumbu)\b.{0,16}\b(?:fail\w*|gone|imepotea|zimepotea|\w+potea)|\bsina\s+tena\b
    |\bback\s+to\s+(?:the\s+)?(?:start|beginning|top)\b|\btulikuwa\s+tuna\w+\s+nini\b
    |\b(?:u|hebu\s+|unge|tu)?nikumbush\w+|\btukumbush\w+|\bhebu\s+remind\b
    |\b(?:nime|tume|nili|tuli|ni)sahau\w*(?!\s+ku(?:uliz|taj|sem|ambi|kuambi|kuuliz|onge))|\b(?:si|hatu|siku|hatuku)kumbuk\w+
    |\b(?:nime|tume|ime)(?:ni|tu)?pote(?:a|za|lea)\w*\b|\b\w*(?:ni|tu)(?:toka|toroka|potea|ponyoka)\b
    |\b(?:nime|tume)changany\w+|\b(?:imetoka|imepotea)\s+(?:akilini|kichwani)
    |\b(?:tuli(?:kuwa|fika|fikia|ishia)|tumefika|tuko)\s+(?:\w+\s+)?wapi\b
    |\b(?:sioni|siioni|sina)\s+(?:tena\s+)?(?:ulicho|uliyo|ujumbe\s+wako|kitu\s+uli)\w*
    |\b(?:nimefuta|nilifuta|imefutika|umefutika|yamefutika|nimefunga)\b.{0,24}\b(?:uli\w+|ujumbe|chat|mazungumzo)
    |\b(?:chat|ujumbe|mazungumzo)\b.{0,16}\b(?:imefutika|umefutika|yamefutika|imepotea|umepotea|yamepotea|umenipotea|yamenipotea)
    """,
    re.I | re.X,
)
_SERVICE = re.compile(
    r"\b(?:if|when|once|ukisahau|usisahau|don't|never)\b[^.!?]{0,30}\b(?:forg[eo]t\w*|sahau|lose|lost)", re.I
)


def lost_at(text: str) -> int | None:
    """Character where the agent says it lost the thread, or None. `text` is one message, at most a few thousand long."""
    plain = text.replace("’", "'")
    match = _LOST.search(plain)
    if match is None:
        return None
    service = _SERVICE.search(plain)
    return None if service and service.start() <= match.start() < service.end() else match.start()

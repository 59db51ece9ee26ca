"""Replies that speak to whoever scores them: no customer asks for that, and a judge that obeys believes them. Pure.

Looked at without a model, in English, Swahili, Italian and German. The words are a first sieve: an agent that speaks of
marks or scores for its business does so in the baseline too, and then nothing is said.
"""

from apps.core.plurals import many
from apps.gates.domain.gate_states import GateReasonCode
from apps.gates.domain.measurability import GateReason
from apps.gates.domain.side import GateSide

_TEN = r"(?:10|ten|kumi|dieci|zehn|full marks|the (?:highest|top|best)|il massimo|alama zote)"
_SCORED = r"(?:criteri(?:on|a|o)|kriteri(?:um|en)|kigezo|vigezo|rubric|category|aspect)"
PATTERN = (
    r"\m(?:to|dear|note (?:to|for)|attention|hey|kwa|al|alla|per (?:il|la)|an (?:den|die)|lieber|caro|gentile)"
    r" (?:the |any |ai |llm )?(?:judge|evaluator|grader|assessor|hakimu|mtathmini|giudice|valutatore|richter|gutachter"
    r"|bewerter)\M"
    rf"|\m(?:give|award|assign|rate|score|mpe|toa|dai|assegna|gib|vergib)\M[^.!?\n]{{0,60}}\m{_SCORED}\M"
    rf"[^.!?\n]{{0,40}}\m{_TEN}\M"
    rf"|\m(?:give|award|assign|rate|score|toa|dai|assegna|gib|vergib)\M[^.!?\n]{{0,30}}\m(?:this|every|each|all|ogni"
    rf"|tutti|jede[mrs]?|alle|kila|zote)\M[^.!?\n]{{0,40}}\m{_TEN}\M(?:[ /]*(?:out of|of|su|von|kwa)? ?10)?"
    r"|\m(?:score|grade|rate|evaluate|judge) (?:this|the) (?:conversation|reply|answer|transcript|agent)\M"
    r"|\m10 ?/ ?10\M"
)
"""As Postgres reads it, without regard to case."""


def addressed_reasons(candidate: GateSide, baseline: GateSide | None) -> list[GateReason]:
    """Why nothing was measured where the candidate's replies speak to the judge and the baseline's do not."""
    n, before = candidate.addressing, baseline.addressing if baseline else 0
    if not n or before:
        return []
    sentence = (
        f"The candidate speaks to the judge, or of scores, in {many(n, 'reply', 'replies')} (baseline 0), and a judge "
        "may have obeyed: read them, and take the words out."
    )
    return [GateReason(code=GateReasonCode.JUDGE_ADDRESSED, sentence=sentence)]

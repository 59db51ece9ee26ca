"""Find the conversations that surprised: they went better, or worse, than anybody had to expect.

A plain thumbs-up is no surprise. One is, where the customer was content although a person had to take over, or where
others who asked for the same were not; and a score is that lies far from what the same judge gives the same agent.
"""

from dataclasses import dataclass

from apps.production.conversations.domain.promotion_states import SignalKind

FAR = 2.0  # standard deviations: about one of 44 on each side, where scores are normal
FEWEST = 30  # scores of the same judge and agent, below which nobody can say what is usual
_MIN_SPREAD = 0.25  # points: where nearly all get the same score, a quarter of a point is no surprise


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedConversation:
    """The facts about one conversation that tell a surprise.

    They are its thumbs, whether a person took over, and whether others who asked for the same were not content. Its
    score is among those (`scores` of them) of the same judge and agent; None where chance did not draw it.
    """

    up: bool = False
    down: bool = False
    transferred: bool = False
    others_discontent: bool = False
    score: float | None = None
    mean: float = 0.0
    spread: float = 0.0
    scores: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Surprise:
    """The direction of a surprise, and its reason in a sentence."""

    kind: SignalKind
    sentence: str


def surprise_of(conversation: RatedConversation) -> Surprise | None:
    """Return a conversation's surprise.

    None for a usual one, and for one with a thumbs-down, which comes back anyway. Pure.
    """
    if conversation.down:
        return None
    distance = _distance(conversation)
    if conversation.score is not None and distance <= -FAR:
        return Surprise(kind=SignalKind.SURPRISINGLY_BAD, sentence=_scored(conversation))
    if not conversation.up:
        return None
    if conversation.transferred:
        return _good("thumbs up after a person took over")
    if conversation.others_discontent:
        return _good("thumbs up where others who asked for the same were not content")
    if conversation.score is not None and distance >= FAR:
        return _good(_scored(conversation))
    return None


def _distance(conversation: RatedConversation) -> float:
    if conversation.score is None or conversation.scores < FEWEST:
        return 0.0
    return (conversation.score - conversation.mean) / max(conversation.spread, _MIN_SPREAD)


def _scored(conversation: RatedConversation) -> str:
    return f"the judge gave {conversation.score:.1f} where it usually gives {conversation.mean:.1f}"


def _good(why: str) -> Surprise:
    return Surprise(kind=SignalKind.SURPRISINGLY_GOOD, sentence=why)

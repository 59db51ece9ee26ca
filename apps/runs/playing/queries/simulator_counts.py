"""Count how the simulated customers of runs did, from rows; the counts are never stored."""

import uuid
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q

from apps.runs.conversations.models import Conversation
from apps.runs.domain.states import INVALID, Blame, Kind, SimulatorVerdict
from apps.runs.playing.domain.simulator_sentence import simulator_sentence
from apps.runs.playing.models import SimulatorReview

_WORDS = [verdict.value for verdict in SimulatorVerdict if verdict is not SimulatorVerdict.NONE]


def simulator_counts(run_id: uuid.UUID) -> dict[str, Any] | None:
    """The counts of a run's simulated customers, as every entry point shows them; None where the run has no battle. One
    query.

    {"battles", "invalid" (out of every denominator), "replayed" (had at least one invalid attempt), "verdicts":
    {verdict: battles that stand at it}, "sentence"}. A battle whose simulator's model failed is invalid too.
    """
    again = SimulatorReview.objects.filter(conversation=OuterRef("pk"), verdict__in=INVALID)
    battles = Conversation.objects.filter(run_id=run_id, kind=Kind.BATTLE)
    counts_by_verdict: dict[str, int] = battles.annotate(was_invalid=Exists(again)).aggregate(
        battles=Count("pk"),
        invalid=Count("pk", filter=Q(blame=Blame.SIMULATOR)),
        replayed=Count("pk", filter=Q(was_invalid=True)),
        offline=Count("pk", filter=Q(run__plan__simulator__provider="offline")),
        **{word: Count("pk", filter=Q(simulator_verdict=word)) for word in _WORDS},
    )
    if not counts_by_verdict["battles"]:
        return None
    counts = {name: counts_by_verdict[name] for name in ("battles", "invalid", "replayed")}
    verdicts = {word: counts_by_verdict[word] for word in _WORDS}
    sentence = simulator_sentence(**counts, verdicts=verdicts, offline=counts_by_verdict["offline"])
    return {**counts, "verdicts": verdicts, "sentence": sentence}


def reviews_of(conversation_id: uuid.UUID) -> list[SimulatorReview]:
    """The reviews of one battle's attempts, in order. One query."""
    return list(SimulatorReview.objects.filter(conversation_id=conversation_id).order_by("attempt"))

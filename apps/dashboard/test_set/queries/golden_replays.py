"""The last replays of a golden session: how each came out, with which agent."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Coalesce

from apps.core.subject import words_of
from apps.dashboard.domain.badge_shapes import Badge
from apps.dashboard.results.queries.list_verdicts import conversation_looks_of_list
from apps.evaluations.models import Judgement
from apps.runs.domain.states import Kind
from apps.runs.models import Conversation, TestRun

SHOWN = 5
RUNS = 500  # newest runs of replays that are looked through


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayLine:
    """One replay: its verdict, and the agent with its version as its run names them."""

    conversation: Conversation
    look: Badge
    agent: str


def latest_replays(golden: str) -> Sequence[ReplayLine]:
    """Newest first. Nine queries at most, whatever the size: an index finds a run's replays of one session."""
    runs = TestRun.objects.filter(kind=Kind.REPLAY).order_by("-id").values_list("pk", flat=True)[:RUNS]
    name = Coalesce(KeyTextTransform("scenario", "spec"), KeyTextTransform("golden_session", "spec"))
    rows = list(
        Conversation.objects.filter(run__in=list(runs))
        .alias(golden=name)
        .filter(golden=golden)
        .select_related("run__agent")
        .defer("session", "extra", "labels", "run__plan", "run__agent__secrets")
        .order_by("-id")[:SHOWN]
    )
    judged = Judgement.objects.filter(conversation__in=rows, status="scored").order_by("conversation_id", "-id")
    judged = judged.select_related("evaluation").defer("raw_reply", "evaluation__sums")
    newest = {one.conversation_id: one for one in judged.distinct("conversation_id")} if rows else {}
    looks = conversation_looks_of_list(rows, newest) if rows else {}
    return [ReplayLine(conversation=row, look=looks[row.pk], agent=_agent(row.run)) for row in rows]


def _agent(run: TestRun) -> str:
    return words_of(run.subject) or (run.agent.name if run.agent else "")

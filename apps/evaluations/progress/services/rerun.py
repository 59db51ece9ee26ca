"""Playing part of an earlier run again, under its own frozen plan."""

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from apps.core.errors import BadInput, Conflict, NotFound
from apps.evaluations.domain.states import JudgementStatus
from apps.evaluations.models import Judgement
from apps.evaluations.progress.services.reconciling import requeue_errors
from apps.runs.domain.kind_traits import traits_of
from apps.runs.domain.states import Blame, ConversationStatus, Kind
from apps.runs.models import Conversation, Turn
from apps.runs.playing.domain.from_turn import lines_before, spec_from_turn
from apps.runs.playing.queries.progress import find_run
from apps.runs.playing.services.playing_again import play_under_the_same_plan, refuse_unfit_personas

ERRORED = Q(status__in=[ConversationStatus.FAILED, ConversationStatus.TIMEOUT]) & ~Q(blame=Blame.AGENT_QUALITY)
UNJUDGED = [JudgementStatus.PARSE_ERROR, JudgementStatus.MODEL_ERROR]
FAILED = Q(blame=Blame.AGENT_QUALITY)
CANCELLED = Q(status=ConversationStatus.CANCELLED)
MAX_REPEATS = 20  # of one conversation
PART = {"errored": ERRORED, "failed": FAILED, "cancelled": CANCELLED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeated:
    """Result of a rerun.

    `run_id` is the new run, None where nothing has to be played; `judged_again` counts what is judged again where it
    is, in `evaluations`. `evaluator_config` is what the followed evaluation was judged with, "" for none.
    """

    run_id: uuid.UUID | None
    evaluator_config: str = ""
    judged_again: int = 0
    evaluations: Sequence[uuid.UUID] = ()


def rerun(
    *, run_id: uuid.UUID, only: str, now: datetime, also: Collection[uuid.UUID] = (), triggered_by: str = ""
) -> Repeated:
    """Repeat what ended in an error in an earlier run.

    Failed conversations are played in a new run; those that were played and could not be judged are judged again.
    `only` "failed" plays what failed by the agent, "cancelled" what a cancelled run had not played. `also` are
    conversations that later rooms add to this part; of "undecided" they are all there is.

    Raises NotFound; Conflict (`cannot_repeat`) for an imported run of which something must be played; BadInput
    (`nothing_to_repeat`) when nothing qualifies, (`persona_not_eligible`) when one's persona may not play any more.
    Seven queries. Not safe to repeat: a call that plays makes a run.
    """
    earlier = find_run(run_id)
    part = Q(pk__in=list(also)) | PART.get(only, Q(pk__in=[]))
    failures = Conversation.objects.filter(part, run=earlier).distinct()
    rows = list(failures.order_by("position"))
    if rows and not traits_of(earlier.kind).plays:
        raise Conflict(
            "An imported run cannot be played again: its conversations happened elsewhere.", code="cannot_repeat"
        )
    refuse_unfit_personas(rows)
    with transaction.atomic():
        unjudged = Judgement.objects.filter(evaluation__run=earlier, status__in=UNJUDGED).order_by("evaluation_id")
        evaluations = list(unjudged.values_list("evaluation_id", flat=True).distinct()) if only == "errored" else []
        again = requeue_errors(run_id=run_id, now=now) if evaluations else 0
        if not rows and not again:
            what = {"undecided": "is undecided", "cancelled": "was cancelled"}.get(only, f"has {only}")
            raise BadInput(f"No conversation of run {run_id} {what}.", code="nothing_to_repeat")
        played = (
            play_under_the_same_plan(earlier, rows, only=only, now=now, triggered_by=triggered_by) if rows else None
        )
    return Repeated(run_id=played, judged_again=again, evaluations=evaluations)


def may_go_on_from_turn(row: Conversation) -> bool:
    """Tell whether `play_from_turn` takes it: a finished battle. No query if its run is loaded."""
    return row.kind == Kind.BATTLE and row.ended_at is not None and traits_of(row.run.kind).plays


def play_from_turn(
    *, conversation_id: uuid.UUID, turn: int, repeats: int, now: datetime, triggered_by: str = ""
) -> uuid.UUID:
    """Start a new run of one battle from a turn on, under its own frozen plan.

    The customer says again, word for word, what they had said before the turn at that position (from 0, of the last
    attempt). The agent answers anew, and from there on the persona goes on freely; `repeats` times, each under a seed
    of its own.

    Raises NotFound; Conflict (`not_a_battle`) for what no simulated customer played, (`not_ended`) while it is played;
    BadInput (`/turn`, `/repeats`, `persona_not_eligible`). Five queries. Not safe to repeat: a call makes a run.
    """
    row = Conversation.objects.select_related("run").filter(pk=conversation_id).first()
    if row is None:
        raise NotFound(f"There is no conversation {conversation_id}.")
    if row.ended_at is None:
        raise Conflict("The conversation is not over yet.", code="not_ended")
    if not may_go_on_from_turn(row):
        raise Conflict("Only a battle goes on from a turn: nobody is simulated in another.", code="not_a_battle")
    if not 1 <= repeats <= MAX_REPEATS:
        raise BadInput(f"repeats is a number from 1 to {MAX_REPEATS}, not {repeats}", pointer="/repeats")
    refuse_unfit_personas([row])
    turns = list(Turn.objects.transcript().filter(conversation=row).order_by("position").values("role", "content"))
    lines = lines_before(turns, turn)
    seed = int(row.spec.get("seed") or 0)
    copies = [
        Conversation(
            external_id=row.external_id if repeats == 1 else f"{row.external_id[:190]}#{number}",
            kind=row.kind,
            persona_id=row.persona_id,
            language=row.language,
            spec={
                **spec_from_turn(row.spec, lines, conversation=str(row.pk), turn=turn),
                "seed": seed + number,
                "repeat": number,
            },
        )
        for number in range(repeats)
    ]
    return play_under_the_same_plan(row.run, copies, only=f"turn {turn}", now=now, triggered_by=triggered_by)

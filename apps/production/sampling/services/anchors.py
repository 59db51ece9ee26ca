"""Anchors: frozen conversations whose grades tell whether the judge moved. Frozen once, graded every week."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from apps.budgets.domain.scopes import SAMPLING
from apps.calibration.services.revocation import revoke_certificates
from apps.core.conversation import TurnRole, Utterance
from apps.core.errors import BadInput, Conflict
from apps.core.events import EventType, log_event
from apps.core.inserting import insert_together
from apps.evaluations.domain.states import EVALUATION_ACTIVE, EvaluationStatus
from apps.evaluations.requests.services.creating import choose, request_evaluation
from apps.production.privacy.domain.masked_conversation import MaskedConversation
from apps.production.privacy.services.masking_for_tests import MaskingScope, mask_and_check, masking_scope
from apps.production.sampling.domain.anchor_test import (
    BASELINE,
    FEWEST,
    MOST,
    USUAL,
    WEEKS,
    attribute_drift,
    judge_shift,
    mean_by_anchor,
)
from apps.production.sampling.domain.states import AnchorSetStatus, DriftCause, GradingStatus, Phase
from apps.production.sampling.models import AnchorGrading, AnchorSet
from apps.production.sampling.queries.anchor_grades import anchor_grades, fingerprints_of, months_of, recent_numbers
from apps.production.sampling.queries.labelled_conversations import LabelledConversation, labelled_conversations
from apps.runs.domain.states import ConversationStatus, EndReason, Kind, RunStatus
from apps.runs.models import Conversation, TestRun
from apps.runs.services.turns import turn_row
from apps.tenants.context import current_slug
from apps.tenants.queries import workflow_config

WEEK = timedelta(days=7)
LOOK_AGAIN = timedelta(minutes=2)  # while an evaluation goes on


@dataclass(frozen=True, slots=True, kw_only=True)
class FrozenAnchors:
    """Result of freezing anchors. `left_out` were labelled too, and hold something that may tell who somebody is."""

    id: UUID
    anchors: int
    left_out: int


def freeze_anchors(*, config: str, by: str, now: datetime, count: int = USUAL) -> FrozenAnchors:
    """Copy so many labelled conversations, masked, and owe the five gradings of the baseline.

    The copies stay when the conversations are deleted; what the second check finds anything in is left out. An active
    set of the same judge is retired. Raises BadInput (`bad_count`), Conflict (`too_few_labelled`: fewer than 30;
    `vertical_blocked`), and what a config refuses. Some 15 statements; the model is asked by workers.
    """
    if not FEWEST <= count <= MOST:
        message = f"A set holds {FEWEST} to {MOST} anchors, not {count}."
        raise BadInput(message, code="bad_count", pointer="/count")
    judge = choose(config).snapshot.ref
    chosen, left_out = _mask(labelled_conversations(limit=3 * MOST), count, masking_scope())
    if len(chosen) < FEWEST:
        raise Conflict(
            f"{len(chosen)} conversations that people rated can be anchors, and {FEWEST} are needed: rate more of them "
            f"under Calibration, or import some with labels. {left_out} were left out: masking may have left "
            "something of a person.",
            code="too_few_labelled",
        )
    with transaction.atomic():
        AnchorSet.objects.filter(
            evaluator_config__startswith=f"{judge.partition('@')[0]}@", status=AnchorSetStatus.ACTIVE
        ).update(status=AnchorSetStatus.RETIRED)
        run = _copy(chosen, judge, now)
        row = AnchorSet.objects.create(
            run=run, evaluator_config=judge, anchors=len(chosen), made_by=by, not_before=now + LOOK_AGAIN
        )
        for number in range(1, BASELINE + 1):
            _grade(row, number, now)
    return FrozenAnchors(id=row.pk, anchors=len(chosen), left_out=left_out)


def retire_anchors(*, set_id: UUID) -> bool:
    """Retire an anchor set and keep its results; return False if it was retired before. Safe to repeat."""
    return bool(AnchorSet.objects.advance(set_id, expected=AnchorSetStatus.ACTIVE, to=AnchorSetStatus.RETIRED))


def grade_due(*, now: datetime) -> int:
    """Take every due anchor set one step further; return how many.
    A step stores a finished grading or requests the week's. None in phase 1. Safe to repeat and to race (locked rows).
    """
    if workflow_config(current_slug()).phase < Phase.SAMPLING:
        return 0
    due = AnchorSet.objects.filter(Q(not_before__isnull=True) | Q(not_before__lte=now), status=AnchorSetStatus.ACTIVE)
    return sum(_step(pk, now) for pk in due.order_by("pk").values_list("pk", flat=True))


def _step(set_id: UUID, now: datetime) -> bool:
    with transaction.atomic():
        row = (
            AnchorSet.objects.select_for_update(skip_locked=True)
            .filter(pk=set_id, status=AnchorSetStatus.ACTIVE)
            .first()
        )
        if row is None or (row.not_before is not None and row.not_before > now):
            return False
        gradings = list(row.gradings.select_related("evaluation").order_by("number"))
        waiting = [
            grading for grading in gradings if grading.status == GradingStatus.PENDING and not _noted(row, grading, now)
        ]
        last = gradings[-1]
        due = last.created_at + WEEK
        if waiting:
            due = now + LOOK_AGAIN
        elif last.number >= BASELINE + WEEKS:
            due = now + WEEK  # the chance of a false alarm is spent: the page asks for a new set
        elif due <= now and _has_baseline(row):
            _grade(row, last.number + 1, now)
            due = now + LOOK_AGAIN
        AnchorSet.objects.filter(pk=row.pk).update(not_before=max(due, now + LOOK_AGAIN))
    return True


def _has_baseline(row: AnchorSet) -> bool:
    return row.gradings.filter(number__lte=BASELINE, status=GradingStatus.DONE).count() == BASELINE


def _noted(row: AnchorSet, grading: AnchorGrading, now: datetime) -> bool:
    """Tell whether its evaluation is over. One of the baseline that failed is asked for again; a week's stays a gap."""
    status = grading.evaluation.status
    if status in EVALUATION_ACTIVE:
        return False
    if status == EvaluationStatus.COMPLETED:
        result = finish_week(row, grading, now=now) if grading.number > BASELINE else {}
        AnchorGrading.objects.advance(
            grading.pk, expected=GradingStatus.PENDING, to=GradingStatus.DONE, ended_at=now, result=result
        )
        log_event(EventType.ANCHORS_GRADED, anchors=str(row.pk), number=grading.number)
        return True
    if grading.number <= BASELINE:
        AnchorGrading.objects.filter(pk=grading.pk).update(evaluation_id=_evaluation(row, grading.number, now))
        return False
    AnchorGrading.objects.advance(grading.pk, expected=GradingStatus.PENDING, to=GradingStatus.FAILED, ended_at=now)
    return True


def _grade(row: AnchorSet, number: int, now: datetime) -> None:
    AnchorGrading.objects.create(anchor_set=row, number=number, evaluation_id=_evaluation(row, number, now))
    AnchorGrading.objects.filter(anchor_set=row, number=number).update(created_at=now)


def _evaluation(row: AnchorSet, number: int, now: datetime) -> UUID:
    """Asked past the answers of before, which would say for ever that nobody moved."""
    made = request_evaluation(
        config=row.evaluator_config,
        run_id=row.run_id,
        now=now,
        triggered_by="anchors",
        how={"use_cache": False, "repeat": number, "share": SAMPLING},
    )
    return made.evaluation_id


def _mask(
    conversations: Sequence[LabelledConversation], count: int, tenant: MaskingScope
) -> tuple[list[tuple[LabelledConversation, MaskedConversation]], int]:
    chosen, left_out = list[tuple[LabelledConversation, MaskedConversation]](), 0
    for conversation in conversations:
        if len(chosen) == count:
            break
        masked, hits = mask_and_check(conversation.document, tenant)
        if hits or not masked.customer:
            left_out += 1
        else:
            chosen.append((conversation, masked))
    return chosen, left_out


def _copy(chosen: Sequence[tuple[LabelledConversation, MaskedConversation]], judge: str, now: datetime) -> TestRun:
    run = TestRun(
        created_at=now,
        kind=Kind.ANCHOR,
        status=RunStatus.COMPLETED,
        name=f"Anchors · {judge} · {now:%Y-%m-%d}",
        plan={"kind": Kind.ANCHOR.value, "conversations": len(chosen)},
        triggered_by="anchors",
        started_at=now,
        ended_at=now,
        progress_at=now,
    )
    rows = list[Conversation]()
    turns = list[Any]()
    for position, (source, masked) in enumerate(chosen):
        row = Conversation(
            created_at=now,
            run=run,
            position=position,
            external_id=f"anchor {position + 1}",
            kind=Kind.ANCHOR,
            status=ConversationStatus.ENDED,
            end_reason=EndReason.IMPORTED,
            language=source.language,
            started_at=now,
            ended_at=now,
            extra={"people": _people(source)},
        )
        rows.append(row)
        turns += (
            turn_row(row.pk, place, Utterance(role=TurnRole(turn.role), content=turn.text), masked=False)
            for place, turn in enumerate(masked.turns)
        )
    insert_together([run], rows, turns)
    return run


def _people(source: LabelledConversation) -> Mapping[str, float]:
    """The scores that people gave the conversation, kept beside the copy."""
    return dict(source.people)


def finish_week(row: AnchorSet, grading: AnchorGrading, *, now: datetime) -> dict[str, Any]:
    """The result as it is stored. A shift that is shown voids the certificates of this judge, in the caller's
    transaction. At most eight queries. Pure but for that; safe to repeat."""
    grades = anchor_grades(row)
    baseline_numbers = [n for n in grades if n <= BASELINE]
    week = grading.number
    shifts = {}
    for criterion in sorted({name for by_name in grades.values() for name in by_name}):
        before = mean_by_anchor([grades[n].get(criterion, {}) for n in baseline_numbers])
        shift = judge_shift(before, grades.get(week, {}).get(criterion, {}))
        if shift is not None:
            shifts[criterion] = shift
    whole = shifts.pop("", None)
    months = months_of(row, now=now)
    if months is None:
        moved, why = None, "Who else moved is asked when two times four weeks have been sampled."
    else:
        before = mean_by_anchor([grades[n].get("", {}) for n in baseline_numbers])
        recent = mean_by_anchor([grades[n].get("", {}) for n in recent_numbers(grades, week)])
        moved = attribute_drift(judge_shift(before, recent), months.before, months.after)
        why = moved.why
    if whole is not None and whole.shown:
        reason = (
            f"The anchors show that the judge moved by {whole.value:+.1f} points "
            f"[{whole.low:+.1f}, {whole.high:+.1f}] by {now:%-d %B %Y}."
        )
        revoke_certificates(fingerprints=fingerprints_of(row), reason=reason, now=now)
    mover = moved.mover if moved else DriftCause.JUDGE if whole and whole.shown else DriftCause.NOT_ASKED
    return {
        "week": week - BASELINE,
        "shift": whole.as_json() if whole else None,
        "criteria": {name: one.as_json() for name, one in shifts.items()},
        "mover": mover.value,
        "why": why,
        "judge": moved.judge.as_json() if moved and moved.judge else None,
        "agent": moved.agent.as_json() if moved and moved.agent else None,
        "customers": moved.customers.as_json() if moved and moved.customers else None,
        "requests": [asdict(request) for request in months.requests] if months else [],
        "requests_counted": bool(months and months.with_requests),
    }

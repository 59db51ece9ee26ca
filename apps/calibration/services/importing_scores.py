"""Scores that somebody else's judge gave, stored as an evaluation: to be compared and calibrated like our own."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.db import transaction

from apps.audit.domain.masking_rules import at_rest
from apps.calibration.domain.scores_reading import ImportedScore
from apps.catalog.configs.domain.snapshots import ConfigSnapshot, RoleModel
from apps.catalog.configs.queries.versions import resolve_config
from apps.core.errors import BadInput, NotFound
from apps.evaluations.domain.null_rule import frozen_null_rule
from apps.evaluations.domain.scoring import weighted_mean
from apps.evaluations.domain.states import (
    NOTHING_SCORED,
    EvaluationStatus,
    JudgementStatus,
    ScoreStatus,
    UnscoredReason,
)
from apps.evaluations.figures.domain.rating_scale import JUDGE_SCALE, RatingScale
from apps.evaluations.judging.domain.fingerprint import fingerprint
from apps.evaluations.models import CriterionScore, Evaluation, Judgement
from apps.runs.models import Conversation, TestRun

IMPORTED = "imported"  # the provider of a judge that was not asked here: pages and reports show it
BATCH = 500


def import_scores(
    *,
    run_id: uuid.UUID,
    config: str,
    judge: str,
    scores: Sequence[ImportedScore],
    now: datetime,
    scales: Mapping[str, RatingScale] | None = None,
    pass_marks: Mapping[str, float] | None = None,
    parameters: Mapping[str, Any] | None = None,
    triggered_by: str = "import",
) -> uuid.UUID:
    """Store scores from elsewhere as a completed evaluation of a run, by a judge of provider `imported`.

    `scales` names criteria that are not on 0-10: their scores keep their own scale (words by their number) and stay out
    of the weighted mean. `pass_marks` replaces the config's where the scale differs. `parameters` say how that judge
    was asked; they are part of its fingerprint. All or nothing. Raises NotFound for the run, BadInput for conversations
    or criteria that are not there, values off the scale, and an answer given twice. No model call. Not safe to repeat.
    """
    run = TestRun.objects.filter(pk=str(run_id)).first()
    if run is None:
        raise NotFound(f"There is no test run {run_id}.")
    snapshot = _snapshot(resolve_config(config), judge, scales or {}, pass_marks or {}, parameters or {})
    conversations = dict(Conversation.objects.filter(run=run).values_list("external_id", "pk"))
    by_conversation = _by_conversation(scores, snapshot, conversations, scales or {})
    print_ = _fingerprint(snapshot, judge)
    scored = any(score is not None for answers in by_conversation.values() for score, _ in answers.values())
    with transaction.atomic():
        evaluation = _ended(run, snapshot, scored=scored, triggered_by=triggered_by, now=now)
        judgements, rows = [], []
        for id, pk in conversations.items():
            judgement, score_rows = _judgement(evaluation, pk, by_conversation.get(id, {}), snapshot, scales or {})
            judgement.fingerprint = print_ if judgement.status == JudgementStatus.SCORED else ""
            judgement.model, judgement.judged_at = judge[:120], now
            judgements.append(judgement)
            rows += score_rows
        Judgement.objects.bulk_create(judgements, batch_size=BATCH)
        CriterionScore.objects.bulk_create(rows, batch_size=BATCH)
    return uuid.UUID(str(evaluation.pk))


def _fingerprint(snapshot: ConfigSnapshot, judge: str) -> str:
    return fingerprint(
        provider=IMPORTED,
        model=judge,
        template=snapshot.system_prompt_template,
        criteria=[criterion.as_json() for criterion in snapshot.criteria],
        parameters=snapshot.parameters,
    )


def _ended(run: TestRun, snapshot: ConfigSnapshot, *, scored: bool, triggered_by: str, now: datetime) -> Evaluation:
    """The evaluation's row, which begins and ends at once."""
    stored = snapshot.as_json()
    return Evaluation.objects.create(
        run=run,
        config_version_id=snapshot.version_id,
        config_ref=snapshot.ref,
        status=EvaluationStatus.COMPLETED if scored else EvaluationStatus.FAILED,
        error_code="" if scored else NOTHING_SCORED,
        error_message="" if scored else "The imported judge gave no score.",
        snapshot=stored,
        options=frozen_null_rule(stored),
        triggered_by=triggered_by[:100],
        started_at=now,
        ended_at=now,
        progress_at=now,
    )


def _snapshot(
    config: ConfigSnapshot,
    judge: str,
    scales: Mapping[str, RatingScale],
    pass_marks: Mapping[str, float],
    parameters: Mapping[str, Any],
) -> ConfigSnapshot:
    unknown = sorted({*scales, *pass_marks} - {criterion.name for criterion in config.criteria})
    if unknown:
        raise BadInput(f"{config.ref} does not judge {', '.join(unknown)}.", code="unknown_criteria")
    scale_documents = {name: scale.as_json() for name, scale in scales.items()}
    return replace(
        config,
        criteria=tuple(
            replace(criterion, pass_mark=float(pass_marks.get(criterion.name, criterion.pass_mark)))
            for criterion in config.criteria
        ),
        llm_config={**config.llm_config, "judge": RoleModel(provider=IMPORTED, model=judge[:120])},
        parameters={
            **config.parameters,
            **parameters,
            **({"imported_scales": scale_documents} if scale_documents else {}),
        },
    )


def _by_conversation(
    scores: Sequence[ImportedScore],
    snapshot: ConfigSnapshot,
    conversations: Mapping[str, Any],
    scales: Mapping[str, RatingScale],
) -> dict[str, dict[str, tuple[float | None, ImportedScore]]]:
    names = {criterion.name for criterion in snapshot.criteria}
    by_conversation: dict[str, dict[str, tuple[float | None, ImportedScore]]] = {}
    for place, one in enumerate(scores):
        where = f"/scores/{place}"
        if one.conversation not in conversations:
            raise BadInput(f"The run has no conversation {one.conversation!r}.", pointer=f"{where}/conversation")
        if one.criterion not in names:
            raise BadInput(f"{snapshot.ref} does not judge {one.criterion!r}.", pointer=f"{where}/criterion")
        answers = by_conversation.setdefault(one.conversation, {})
        if one.criterion in answers:
            raise BadInput(f"{one.conversation}: {one.criterion} has a score already.", pointer=where)
        answers[one.criterion] = (_number(one.value, scales.get(one.criterion), f"{where}/value"), one)
    return by_conversation


def _number(value: Any, scale: RatingScale | None, pointer: str) -> float | None:
    if value is None:
        return None
    if scale is not None and not scale.ordered and value in scale.points:
        return float(scale.points.index(value))
    low, high = (scale.points[0], scale.points[-1]) if scale is not None and scale.ordered else (0, 10)
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    if (scale is not None and not scale.ordered) or not plain or not low <= value <= high:
        raise BadInput(f"{value!r} is not on the scale {scale.name if scale else JUDGE_SCALE}.", pointer=pointer)
    return float(value)


def _judgement(
    evaluation: Evaluation,
    conversation: Any,
    answers: Mapping[str, tuple[float | None, ImportedScore]],
    snapshot: ConfigSnapshot,
    scales: Mapping[str, RatingScale],
) -> tuple[Judgement, list[CriterionScore]]:
    """A judgement with a row per criterion; without any answer it is `not_judged`."""
    judgement = Judgement(
        evaluation=evaluation, conversation_id=conversation, provider=IMPORTED, status=JudgementStatus.NOT_JUDGED
    )
    if not any(score is not None for score, _ in answers.values()):
        judgement.error_code, judgement.error_message = "no_imported_score", "The imported judge gave no score."
        return judgement, []
    rows = [
        CriterionScore(
            judgement=judgement,
            criterion=criterion.name,
            position=position,
            status=ScoreStatus.SCORED if score is not None else ScoreStatus.UNSCORED,
            unscored_reason="" if score is not None else UnscoredReason.MISSING,
            score=score,
            scale=scales[criterion.name].short if criterion.name in scales else JUDGE_SCALE,
            weight=criterion.weight,
            pass_mark=criterion.pass_mark,
            **at_rest(
                CriterionScore._meta.db_table,
                {"reason": answer.reason if answer else "", "evidence": list(answer.evidence) if answer else []},
            ),
        )
        for position, criterion in enumerate(snapshot.criteria)
        for score, answer in [answers.get(criterion.name, (None, None))]
    ]
    judgement.status = JudgementStatus.SCORED
    in_mean = {row.criterion: row.score for row in rows if row.scale == JUDGE_SCALE}
    judgement.weighted_score = weighted_mean(
        in_mean, {criterion.name: criterion.weight for criterion in snapshot.criteria}
    )
    return judgement, rows

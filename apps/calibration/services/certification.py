"""Comparing a judge with people: the rule is stored first, the judge answers, then the certificate is written."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction

from apps.calibration.domain.agreement_with_people import CertificateRule, Declared, Kappa, RatedPair, measure, overall
from apps.calibration.domain.labels import LabelSet
from apps.calibration.models import Calibration, Certificate
from apps.catalog.configs.queries.versions import resolve_config
from apps.core.conversation import ConversationDocument
from apps.core.errors import BadInput
from apps.core.events import EventType, log_event
from apps.evaluations.domain.states import EvaluationStatus
from apps.evaluations.figures.domain.rating_scale import (
    JUDGE_SCALE,
    Binning,
    RatingScale,
    declared_bins,
    own_scale,
    usual_bins,
)
from apps.evaluations.figures.queries.results import find_evaluation
from apps.evaluations.models import CriterionScore, Evaluation
from apps.evaluations.requests.services.creating import request_evaluation
from apps.jobs.row_errors import row_error
from apps.tenants.context import current_slug
from apps.tenants.queries import workflow_config

BY, RATED = "calibration", "Conversations that people rated"
ENDED = (EvaluationStatus.COMPLETED, EvaluationStatus.FAILED, EvaluationStatus.CANCELLED)

# The judge's scores of one evaluation by the fingerprint that most of them carry: others are other judges.
_SCORES = """
WITH judged AS (
  SELECT j.id, j.fingerprint, c.external_id FROM evaluations_judgement j
  JOIN runs_conversation c ON c.id = j.conversation_id
  WHERE j.evaluation_id = %(evaluation)s AND j.status = 'scored' AND NOT j.by_fallback
), ours AS (SELECT mode() WITHIN GROUP (ORDER BY fingerprint) AS fingerprint FROM judged)
SELECT o.fingerprint, j.external_id, s.criterion, s.score
FROM judged j JOIN ours o ON o.fingerprint = j.fingerprint
JOIN evaluations_criterionscore s ON s.judgement_id = j.id AND s.status = 'scored'
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationStarted:
    """The answer that a caller gets at once. `left_out` are labelled criteria that this judge does not judge."""

    calibration_id: uuid.UUID
    evaluation_id: uuid.UUID
    run_id: uuid.UUID
    left_out: Sequence[str] = ()


def request_calibration(
    *,
    labels: LabelSet,
    now: datetime,
    config: str | None = None,
    evaluation_id: uuid.UUID | None = None,
    scale: str = "auto",
    decides: Kappa | None = None,
    seed: int = 0,
    asked_by: str = "",
    every: bool = False,
) -> CalibrationStarted:
    """Store labels and rule, and owe the judgements of the labelled conversations (or take an evaluation that exists).

    `scale` is `own` (the judge answers on the people's scale), `binned`, or `auto`: own where both are the same, else
    bins. Bins are those the labels declare, else the usual ones (domain/rating_scale). Labels of criteria that the
    evaluator does not judge (any more) are left out and named; with `every` they are refused. Which kappa decides: what
    the labels declare, else `decides`, else the tenant's setting `certificate_kappa`. All or nothing. Raises BadInput
    (`unknown_criteria`, `bad_scale`, `bins_needed`, `no_turns`), NotFound. No model is asked here; the certificate is
    written by `certify` once the evaluation has ended. Not safe to repeat: every call makes a calibration.
    """
    if (config is None) == (evaluation_id is None):
        raise BadInput("Name either a config or an evaluation.", code="config_or_evaluation", pointer="")
    evaluation = find_evaluation(evaluation_id) if evaluation_id is not None else None
    marks = _pass_marks(labels, config=config, evaluation=evaluation, every=every)
    left_out = [name for name in labels.criteria if name not in marks]
    labels = labels.about(marks)
    bins = _bins(labels, scale=scale, judged_on=_scales_of(evaluation) if evaluation is not None else {}, marks=marks)
    declared = _declared(labels, decides=decides, bins=bins, seed=seed, left_out=left_out)
    with transaction.atomic():
        if evaluation is None:
            documents = _documents(labels)
            new = request_evaluation(config=config or "", documents=documents, now=now, triggered_by=BY, run_name=RATED)
            evaluation = find_evaluation(new.evaluation_id)
        row = Calibration.objects.create(
            evaluation=evaluation, labels=labels.as_json(), declared=declared.as_json(), asked_by=asked_by[:150]
        )
    return CalibrationStarted(
        calibration_id=row.pk, evaluation_id=evaluation.pk, run_id=evaluation.run_id, left_out=left_out
    )


def _bins(labels: LabelSet, *, scale: str, judged_on: Mapping[str, Any], marks: Mapping[str, float]) -> dict[str, Any]:
    return {
        name: _binning(labels, name, scale=scale, judged_on=judged_on.get(name, JUDGE_SCALE), pass_mark=marks[name])
        for name in labels.criteria
    }


def _declared(
    labels: LabelSet, *, decides: Kappa | None, bins: Mapping[str, Any], seed: int, left_out: Sequence[str]
) -> Declared:
    """The rule as it stands before the judge answers: the tenant's settings and which kappa decides each criterion."""
    settings = workflow_config(current_slug())
    which = _deciding(labels, requested=decides, setting=settings.certificate_kappa)
    for name, kappa in which.items():
        if kappa is not Kappa.UNWEIGHTED and not labels.scales[name].ordered:
            raise BadInput(f"{name}: words have no order, so only the unweighted kappa can decide", code="bad_scale")
    return Declared(
        target=settings.kappa_target,
        rule=CertificateRule(settings.certificate_rule),
        min_items=settings.certificate_min_items,
        decides=which,
        bins=bins,
        seed=seed,
        days=settings.certificate_days,
        left_out=tuple(left_out),
    )


def certify_ended(*, now: datetime) -> int:
    """Write the missing certificates of calibrations whose evaluation has ended. One query when none is.

    Safe to repeat and to race: a constraint keeps one certificate per calibration. If one cannot be written, the others
    are.
    """
    pending = Calibration.objects.filter(certificate=None, evaluation__status__in=ENDED).values_list("pk", flat=True)
    return sum(_certify_alone(pk, now=now) for pk in list(pending))


def _certify_alone(calibration_id: uuid.UUID, *, now: datetime) -> bool:
    """Tell whether its certificate stands. One that cannot be written stays owed and is named in the log."""
    try:
        certify(calibration_id=calibration_id, now=now)
    except Exception as error:
        why = row_error(error).message
        log_event(EventType.CERTIFICATE_NOT_WRITTEN, calibration=str(calibration_id), error=why)
        return False
    return True


def certify(*, calibration_id: uuid.UUID, now: datetime) -> Certificate:
    """The certificate of a calibration, written now if it was not there. About 0.1 s per criterion and language.

    What no judge scored gives `unmeasurable`. Call it when the evaluation has ended: a certificate is final.
    """
    row = Calibration.objects.select_related("evaluation").get(pk=calibration_id)
    declared, labels = Declared.from_json(row.declared), LabelSet.from_json(row.labels)
    fingerprint, scores = _scores(row.evaluation_id)
    marks = {criterion["name"]: criterion["pass_mark"] for criterion in row.evaluation.snapshot["criteria"]}
    items = [
        measure(
            criterion=criterion,
            language=language,
            pairs=_pairs(labels, criterion, language, scores),
            binning=declared.bins[criterion],
            pass_mark=marks[criterion],
            declared=declared,
        )
        for criterion in labels.criteria
        for language in _languages(labels, criterion)
    ]
    certificate, created = Certificate.objects.get_or_create(
        calibration=row,
        defaults={
            "fingerprint": fingerprint,
            "config_ref": row.evaluation.config_ref,
            "verdict": overall(items).value,
            "items": items,
            "declared": row.declared,
            "labels_digest": labels.digest,
            "issued_at": now,
            "valid_until": now + timedelta(days=declared.days),
        },
    )
    if created:
        log_event(EventType.CERTIFICATE_ISSUED, certificate=str(certificate.pk), verdict=certificate.verdict)
    return certificate


def _deciding(labels: LabelSet, *, requested: Kappa | None, setting: str) -> dict[str, Kappa]:
    """Return the kappa that decides each criterion, where the labels, the caller or the tenant say which.

    Words have no order, so the tenant's weighted kappa does not apply to them.
    """
    usual = {} if setting == "auto" else dict.fromkeys(labels.criteria, Kappa(setting))
    usual = {name: kappa for name, kappa in usual.items() if labels.scales[name].ordered or kappa is Kappa.UNWEIGHTED}
    named = dict.fromkeys(labels.criteria, requested) if requested else {}
    return {**usual, **named, **labels.decides}


def _pass_marks(
    labels: LabelSet, *, config: str | None, evaluation: Evaluation | None, every: bool
) -> dict[str, float]:
    """Return the pass mark of each labelled criterion that the evaluator judges.

    Raises BadInput where it judges none of them; with `every`, also where it does not judge all of them.
    """
    if evaluation is not None:
        marks = {criterion["name"]: float(criterion["pass_mark"]) for criterion in evaluation.snapshot["criteria"]}
    else:
        marks = {criterion.name: criterion.pass_mark for criterion in resolve_config(config or "").criteria}
    unknown = sorted(set(labels.criteria) - set(marks))
    if (unknown and every) or len(unknown) == len(labels.criteria):
        raise BadInput(
            f"This evaluator does not judge {', '.join(unknown) or 'anything labelled'}. It judges {', '.join(marks)}: "
            "label these, or say which labels stand for them (--criterion LABEL=NAME).",
            code="unknown_criteria",
            unknown_criteria=unknown,
        )
    return {name: mark for name, mark in marks.items() if name in labels.criteria}


def _binning(labels: LabelSet, name: str, *, scale: str, judged_on: str, pass_mark: float) -> Binning:
    people: RatingScale = labels.scales[name]
    if len(people.points) < 2:
        raise BadInput(f"{name}: the labels need a scale of two points or more", code="bad_scale", pointer="/scales")
    if name in labels.bins and scale != "own":
        return declared_bins(people, labels.bins[name], pointer=f"/bins/{name}")
    same = judged_on == people.short
    if scale == "own" and not same:
        raise BadInput(
            f"{name}: the judge answers on {judged_on} and people rated on {people.name}. Rate on {judged_on}, or bin.",
            code="bad_scale",
            pointer="/scales",
        )
    if same and scale != "binned":
        return own_scale(people)
    if judged_on != JUDGE_SCALE:
        raise BadInput(f"{name}: bins are for scores of {JUDGE_SCALE}, these are on {judged_on}", code="bad_scale")
    return usual_bins(people, pass_mark=pass_mark, pointer=f"/bins/{name}")


def _scales_of(evaluation: Evaluation) -> dict[str, str]:
    rows = CriterionScore.objects.filter(judgement__evaluation=evaluation, score__isnull=False)
    return dict(rows.order_by().values_list("criterion", "scale").distinct())


def _documents(labels: LabelSet) -> list[ConversationDocument]:
    missing = [item.id for item in labels.items if item.document is None]
    if missing:
        raise BadInput(
            f"{len(missing)} labelled conversations have no turns to judge ({missing[0]} is the first): give them, or "
            "name the evaluation that judged them.",
            code="no_turns",
            pointer="/items",
        )
    return [item.document for item in labels.items if item.document is not None]


def _scores(evaluation_id: uuid.UUID) -> tuple[str, dict[tuple[str, str], float]]:
    with connection.cursor() as cursor:
        cursor.execute(_SCORES, {"evaluation": evaluation_id})
        rows: Sequence[Any] = cursor.fetchall()
    return (rows[0][0] if rows else ""), {(item, criterion): score for _, item, criterion, score in rows}


def _languages(labels: LabelSet, criterion: str) -> list[str]:
    return sorted({item.language for item in labels.items if item.ratings.get(criterion)})


def _pairs(labels: LabelSet, criterion: str, language: str, scores: Mapping[tuple[str, str], float]) -> list[RatedPair]:
    return [
        RatedPair(
            people=tuple(rating.value for rating in item.ratings[criterion]), judge=scores.get((item.id, criterion))
        )
        for item in labels.items
        if item.language == language and item.ratings.get(criterion)
    ]

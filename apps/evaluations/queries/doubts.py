"""How sure the scores of an evaluation are: its judge's noise, measured once, and the verdicts that follow from it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from statistics import variance
from typing import Any

from django.db import connection
from django.utils import timezone

from apps.catalog.domain.judging_rules import Asking, JudgingRules
from apps.core.digest import sha256_hex
from apps.evaluations.domain.doubt import (
    Doubt,
    Flips,
    Noise,
    Source,
    doubt,
    flips,
    half_width,
    on_scale,
    pooled,
    weighted_width,
)
from apps.evaluations.domain.panel import panel_scores
from apps.evaluations.domain.scoring import weighted_mean
from apps.evaluations.domain.states import JudgementStatus
from apps.evaluations.models import Certificate, CriterionScore, Evaluation, Judgement
from apps.evaluations.queries.decisions import PANEL, Counted, blocking_of, count_decisions
from apps.evaluations.queries.kept import kept
from apps.statistics.decision import Measured, decide_conversation

MOST_PANELS = 2000  # newest panels whose disagreement is pooled
FEWEST_LABELS = 10  # labelled conversations, below which a certificate's spread is none

_REPEATS = """
SELECT s.criterion, sum((s.answers - 1) * s.answers * s.standard_error ^ 2) / sum(s.answers - 1), sum(s.answers - 1)
FROM evaluations_criterionscore s JOIN evaluations_judgement j ON j.id = s.judgement_id
WHERE j.evaluation_id = %s AND s.standard_error IS NOT NULL AND s.answers > 1 GROUP BY s.criterion
"""
_PANELS = """
SELECT s.criterion, s.opinions::text
FROM evaluations_criterionscore s JOIN evaluations_judgement j ON j.id = s.judgement_id
WHERE j.evaluation_id = %s AND s.opinions @> %s ORDER BY s.id DESC LIMIT %s
"""

_LANGUAGES = (
    "SELECT DISTINCT c.language FROM evaluations_judgement j JOIN runs_conversation c"
    " ON c.id = j.conversation_id WHERE j.evaluation_id = %s"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubts:
    """The noise of one evaluation's judge, by criterion and (for a certificate) language."""

    rules: JudgingRules
    judges: Mapping[str, Sequence[Noise]] = field(default_factory=dict)
    people: Mapping[tuple[str, str], Noise] = field(default_factory=dict)
    blocking: frozenset[str] = frozenset()

    @property
    def known(self) -> bool:
        return bool(self.judges or self.people)

    def noises(self, criterion: str, language: str) -> list[Noise]:
        found = self.people.get((criterion, language))
        return [*self.judges.get(criterion, ()), *([found] if found else [])]

    def of_score(self, score: CriterionScore, language: str) -> Doubt | None:
        """One criterion of one conversation; None where it is not scored."""
        if score.score is None:
            return None
        return doubt(
            score.score,
            score.pass_mark,
            noises=self.noises(score.criterion, language),
            answers=score.answers,
            panel=bool(panel_scores(score.opinions)),
            own_error=score.standard_error,
            error_rate=self.rules.error_rate,
        )

    def of_judgement(self, scores: Sequence[CriterionScore], language: str) -> Doubt | None:
        """A whole conversation: its weighted score against the weighted pass marks of what was scored on 0-10, and its
        blocking criteria against their own; None where nothing is scored."""
        scored = [(one, self._width(one, language)) for one in scores if one.score is not None and one.scale == "0-10"]
        weights = {one.criterion: one.weight for one, _ in scored}
        mean = weighted_mean({one.criterion: one.score for one, _ in scored}, weights)
        mark = weighted_mean({one.criterion: one.pass_mark for one, _ in scored}, weights)
        if mean is None or mark is None:
            return None
        width = weighted_width(
            [(width, one.weight) for one, width in scored], independent=self.rules.asking is Asking.PER_CRITERION
        )
        interval = on_scale(mean, width) if self.known else None
        found = decide_conversation(
            Measured(name="", score=mean, mark=mark, width=width),
            [
                Measured(name=one.criterion, score=one.score, mark=one.pass_mark, width=wide)
                for one, wide in scored
                if one.criterion in self.blocking
            ],
        )
        return Doubt(decision=found.decision, interval=interval, blockers=found.blockers)

    def _width(self, score: CriterionScore, language: str) -> float:
        return max(
            (
                half_width(
                    noise,
                    answers=score.answers,
                    panel=bool(panel_scores(score.opinions)),
                    own_error=score.standard_error,
                    error_rate=self.rules.error_rate,
                )
                for noise in self.noises(score.criterion, language)
            ),
            default=0.0,
        )


def doubts_of(
    evaluation: Evaluation, *, fingerprint: str, scored: int | None = None, now: datetime | None = None
) -> Doubts:
    """What is known of the judge's noise: from its repeats, its panels, and a certificate of this fingerprint.

    One query for the certificate; one each, kept while no more is scored, where the version repeats or has a panel.
    `scored` is counted (one query more) where it is needed and not given.
    """
    snapshot = evaluation.snapshot
    rules = JudgingRules.of(snapshot["parameters"])
    judges: dict[str, list[Noise]] = {}
    if scored is None and (rules.repeats > 1 or "panel" in snapshot["llm_config"]):
        scored = Judgement.objects.filter(evaluation=evaluation, status=JudgementStatus.SCORED).count()
    scored = scored or 0
    if rules.repeats > 1:
        for criterion, noise in kept("repeats", evaluation.pk, scored, lambda: _repeats(evaluation)):
            judges.setdefault(criterion, []).append(noise)
    if "panel" in snapshot["llm_config"]:
        for criterion, noise in kept("panels", evaluation.pk, scored, lambda: _panels(evaluation)):
            judges.setdefault(criterion, []).append(noise)
    return Doubts(
        rules=rules,
        judges=judges,
        people=_people(fingerprint, now or timezone.now()),
        blocking=frozenset(blocking_of(snapshot)),
    )


def verdict_counts(evaluation: Evaluation, doubts: Doubts, *, scored: int) -> Counted:
    """How many conversations pass, fail and are undecided with this noise, and the same for each criterion.

    One query, kept; about 10 µs for each criterion score.
    """
    rows = _noise_rows(evaluation, doubts)
    independent = doubts.rules.asking is Asking.PER_CRITERION
    what = f"decisions-{sha256_hex(rows)[:16]}"
    return kept(what, evaluation.pk, scored, lambda: count_decisions(evaluation, noises=rows, independent=independent))


def flips_of(judgement: Judgement) -> Flips | None:
    """How this conversation came out whenever the very same judge graded it; None where it did so once.

    One query for the gradings, three for each evaluation they were made in.
    """
    same = list(
        Judgement.objects.filter(
            conversation_id=judgement.conversation_id, status=JudgementStatus.SCORED, fingerprint=judgement.fingerprint
        )
        .exclude(fingerprint="")
        .select_related("evaluation", "conversation")
        .prefetch_related("scores")
        .defer("raw_reply")
    )
    if len(same) < 2:
        return None
    decisions = []
    for one in same:
        doubts = doubts_of(one.evaluation, fingerprint=one.fingerprint)
        found = doubts.of_judgement(list(one.scores.all()), one.conversation.language)
        if found is not None:
            decisions.append(found.decision)
    return flips(decisions)


def _repeats(evaluation: Evaluation) -> list[tuple[str, Noise]]:
    with connection.cursor() as cursor:
        cursor.execute(_REPEATS, [evaluation.pk])
        return [
            (criterion, Noise(source=Source.REPEATS, variance=float(found), degrees=int(degrees)))
            for criterion, found, degrees in cursor.fetchall()
        ]


def _panels(evaluation: Evaluation) -> list[tuple[str, Noise]]:
    spreads: dict[str, list[tuple[float, int]]] = {}
    with connection.cursor() as cursor:
        cursor.execute(_PANELS, [evaluation.pk, PANEL, MOST_PANELS])
        for criterion, opinions in cursor.fetchall():
            scores = panel_scores(json.loads(opinions))
            if len(scores) > 1:
                spreads.setdefault(criterion, []).append((variance(scores), len(scores) - 1))
    noises = ((criterion, pooled(many, Source.PANEL)) for criterion, many in spreads.items())
    return [(criterion, noise) for criterion, noise in noises if noise is not None]


def _people(fingerprint: str, now: datetime) -> dict[tuple[str, str], Noise]:
    """How far people's labels lie from this judge's scores: mean square of the differences, bias included."""
    if not fingerprint:
        return {}
    found: dict[tuple[str, str], Noise] = {}
    rows = Certificate.objects.filter(fingerprint=fingerprint, valid_until__gt=now).order_by("-issued_at")
    for row in rows.only("items")[:5]:
        for item in row.items:
            errors = item.get("errors")
            if errors and errors["n"] >= FEWEST_LABELS:
                square = errors["variance"] + errors["mean"] ** 2
                noise = Noise(source=Source.CERTIFICATE, variance=square, degrees=errors["n"] - 1)
                found.setdefault((item["criterion"], item["language"]), noise)
    return found


def _noise_rows(evaluation: Evaluation, doubts: Doubts) -> list[dict[str, Any]]:
    """The noises as the statement reads them: reach and standard deviation of one answer, and what is fixed."""
    with connection.cursor() as cursor:
        cursor.execute(_LANGUAGES, [evaluation.pk])
        languages = [language for (language,) in cursor.fetchall()]
    rows = []
    for criterion in (one["name"] for one in evaluation.snapshot["criteria"]):
        for language in languages:
            row: dict[str, Any] = {"criterion": criterion, "language": language}
            for noise in doubts.noises(criterion, language):
                one = half_width(noise, answers=1, panel=False, error_rate=doubts.rules.error_rate)
                sd = noise.variance**0.5
                if noise.source is Source.CERTIFICATE:
                    row["fixed"] = one
                else:
                    key = "r" if noise.source is Source.REPEATS else "p"
                    unit = Noise(source=noise.source, variance=1.0, degrees=noise.degrees)
                    reach = half_width(unit, answers=1, panel=False, error_rate=doubts.rules.error_rate)
                    row |= {f"reach_{key}": reach, f"sd_{key}": sd}
            if len(row) > 2:
                rows.append(row)
    return rows

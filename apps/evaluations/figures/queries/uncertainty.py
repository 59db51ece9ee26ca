"""Tell how sure the scores of an evaluation are. Its judge's noise is measured once; the verdicts follow from it."""

import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from statistics import variance
from typing import Any

from django.db.models import Count

from apps.catalog.configs.domain.judging_rules import JudgingRules, PromptMode
from apps.core.digest import sha256_hex
from apps.evaluations.domain.missing_rule import LOST, missing_counts
from apps.evaluations.domain.null_rule import excused_of
from apps.evaluations.domain.panel import own_scores, panel_scores
from apps.evaluations.domain.scoring import weighted_mean
from apps.evaluations.domain.states import JudgementStatus, UnscoredReason
from apps.evaluations.figures.domain.uncertainty import (
    Noise,
    Source,
    Uncertainty,
    doubt,
    half_width,
    on_scale,
    reach,
    weighted_width,
    whole_answers,
)
from apps.evaluations.figures.queries.aggregate_cache import cached_aggregate, cached_aggregates
from apps.evaluations.figures.queries.decisions import (
    DecisionCounts,
    NoiseOfJudge,
    blocking_of,
    count_decisions,
    count_decisions_of_each,
)
from apps.evaluations.figures.queries.judge_noise import (
    as_json,
    noise_of_panels,
    noise_of_repeats,
    noise_of_whole,
    of_json,
)
from apps.evaluations.figures.queries.stored_figures import stored_of, stored_of_each
from apps.evaluations.models import CriterionScore, Evaluation, Judgement
from apps.runs.domain.states import Blame
from apps.statistics.decision import Measured, decide_conversation


@dataclass(frozen=True, slots=True, kw_only=True)
class Uncertainties:
    """The noise of one evaluation's judge, by criterion.

    `whole` is the noise of the weighted score, where one answer scores all criteria and was asked for several times.
    """

    rules: JudgingRules
    judges: Mapping[str, Sequence[Noise]] = field(default_factory=dict)
    whole: Noise | None = None
    blocking: frozenset[str] = frozenset()
    excused: frozenset[str] = frozenset()
    missing_counts: bool = False

    @property
    def known(self) -> bool:
        return bool(self.judges)

    def noises(self, criterion: str) -> Sequence[Noise]:
        return self.judges.get(criterion, ())

    def of_score(self, score: CriterionScore) -> Uncertainty | None:
        """One criterion of one conversation; None where it is not scored."""
        if score.score is None:
            return None
        return doubt(
            score.score,
            score.pass_mark,
            noises=self.noises(score.criterion),
            answers=score.answers,
            panel=bool(panel_scores(score.opinions)),
            own_error=score.standard_error,
            error_rate=self.rules.error_rate,
        )

    def of_judgement(self, scores: Sequence[CriterionScore], *, blame: str | None) -> Uncertainty | None:
        """Decide a whole conversation.

        Its weighted score is compared with the weighted pass marks of what was scored on 0-10, and its blocking
        criteria with their own. A criterion that the judge's answer lost leaves a pass undecided. `blame` is the
        conversation's. None where nothing is scored.
        """
        scored = [(score, self._width(score)) for score in scores if score.score is not None and score.scale == "0-10"]
        weights = {one.criterion: one.weight for one, _ in scored}
        mean = weighted_mean({one.criterion: one.score for one, _ in scored}, weights)
        mark = weighted_mean({one.criterion: one.pass_mark for one, _ in scored}, weights)
        if mean is None or mark is None:
            return None
        width = self._whole_width(scored)
        interval = on_scale(mean, width) if self.known else None
        decision = decide_conversation(
            Measured(name="", score=mean, mark=mark, width=width),
            [
                Measured(name=one.criterion, score=one.score, mark=stop, width=wide)
                for one, wide in (*scored, *self._without_score(scores))
                if (stop := self._stop_mark(one)) is not None
            ],
            agent_failed=blame == Blame.AGENT_QUALITY,
        )
        return Uncertainty(decision=decision.decision, interval=interval, blockers=decision.blockers)

    def _without_score(self, scores: Sequence[CriterionScore]) -> list[tuple[CriterionScore, float]]:
        """Return the criteria that should have a score and have none.

        A null is an answer only where the criterion allows it.
        """
        return [
            (score, 0.0)
            for score in scores
            if score.score is None
            and (score.unscored_reason != UnscoredReason.NOT_APPLICABLE or score.criterion not in self.excused)
        ]

    def _stop_mark(self, score: CriterionScore) -> float | None:
        """Return the mark below which it fails the conversation.

        It has one where it blocks, where the case says what must not happen again, and where the judge's answer on it
        was lost, so that a pass over the others is none.
        """
        if score.score is None and score.unscored_reason in LOST and self.missing_counts:
            return score.pass_mark
        marks = [score.pass_mark] if score.criterion in self.blocking else []
        marks += [score.must_reach] if score.must_reach is not None and score.score is not None else []
        return max(marks, default=None)

    def _whole_width(self, scored: Sequence[tuple[CriterionScore, float]]) -> float:
        """Return the half width of the weighted score's interval.

        It comes from the score's own spread from answer to answer where that is known, and is no narrower than what the
        criteria's disagreement in panels gives. Otherwise it comes from the criteria's widths.
        """
        if self.whole is None:
            independent = self.rules.asking is PromptMode.PER_CRITERION
            return weighted_width([(width, one.weight) for one, width in scored], independent=independent)
        answers = whole_answers([(own_scores(one.opinions), one.weight) for one, _ in scored])
        own_error = sqrt(variance(answers) / len(answers)) if len(answers) > 1 else None
        panels = [(self._width(one, Source.PANEL), one.weight) for one, _ in scored]
        return max(
            half_width(
                self.whole, answers=len(answers), panel=False, own_error=own_error, error_rate=self.rules.error_rate
            ),
            weighted_width(panels, independent=False),
        )

    def _width(self, score: CriterionScore, source: Source | None = None) -> float:
        """The widest of what is known, or of what is known from one source."""
        return max(
            (
                half_width(
                    noise,
                    answers=score.answers,
                    panel=bool(panel_scores(score.opinions)),
                    own_error=score.standard_error,
                    error_rate=self.rules.error_rate,
                )
                for noise in self.noises(score.criterion)
                if source in (None, noise.source)
            ),
            default=0.0,
        )


def uncertainties_of(evaluation: Evaluation, *, scored: int | None = None) -> Uncertainties:
    """Return the uncertainties that follow from the judge's noise: its repeats and its panels.

    Certificates have no part in it: human labels correct a judge's rates, no single verdict (queries.certificates). No
    query for a judge without repeats or where the result is stored; else three, cached until more is scored. `scored`
    is counted (one more query) where it is needed and not given.
    """
    return uncertainties_of_each([evaluation], scored=scored)[evaluation.pk]


def uncertainties_of_each(
    evaluations: Sequence[Evaluation], *, scored: int | None = None
) -> dict[uuid.UUID, Uncertainties]:
    """The answers of `uncertainties_of` for several evaluations. Four queries at most, none where no judge was asked
    several times or all are stored; what was read lately is kept."""
    noisy = [one for one in evaluations if any(_sources(one))]
    stored = stored_of_each(noisy, "noise")
    uncertainties = {one.pk: _uncertainties(one, *of_json(stored[one.pk])) for one in noisy if one.pk in stored}
    missing = [one for one in noisy if one.pk not in uncertainties]
    counts = {missing[0].pk: scored} if missing and scored is not None else _scored_of([one.pk for one in missing])
    keys = {one.pk: (one.figures_version, counts.get(one.pk, 0)) for one in missing}
    repeating, joint, panel = ({one.pk: keys[one.pk] for one in missing if _sources(one)[at]} for at in range(3))
    repeats = cached_aggregates("repeats", repeating, noise_of_repeats)
    wholes = cached_aggregates("whole", joint, _wholes)
    panels = cached_aggregates("panels", panel, noise_of_panels)
    for evaluation in evaluations:
        if evaluation.pk not in uncertainties:
            (whole,) = wholes.get(evaluation.pk, [None])
            uncertainties[evaluation.pk] = _uncertainties(
                evaluation, [*repeats.get(evaluation.pk, ()), *panels.get(evaluation.pk, ())], whole
            )
    return uncertainties


def read_uncertainties(evaluation: Evaluation) -> Uncertainties:
    """The answer of `uncertainties_of`, read now. Three queries at most."""
    pk, (repeats, joint, panel) = [evaluation.pk], _sources(evaluation)
    noises = [
        *(noise_of_repeats(pk)[evaluation.pk] if repeats else ()),
        *(noise_of_panels(pk)[evaluation.pk] if panel else ()),
    ]
    return _uncertainties(evaluation, noises, noise_of_whole(pk)[evaluation.pk] if joint else None)


def noise_json(doubts: Uncertainties) -> dict[str, Any]:
    """The noise as it is stored with an evaluation's figures. Pure."""
    return as_json([(name, noise) for name, noises in doubts.judges.items() for noise in noises], doubts.whole)


def _scored_of(ids: Collection[uuid.UUID]) -> dict[uuid.UUID, int]:
    if not ids:
        return {}
    rows = Judgement.objects.filter(evaluation__in=ids, status=JudgementStatus.SCORED).values_list("evaluation_id")
    return dict(rows.annotate(n=Count("*")).order_by())


def _wholes(ids: Collection[uuid.UUID]) -> dict[uuid.UUID, list[Noise | None]]:
    return {pk: [noise] for pk, noise in noise_of_whole(ids).items()}


def _sources(evaluation: Evaluation) -> tuple[bool, bool, bool]:
    """Tell whether noise may come from repeats, and from a panel, and whether one answer scores all criteria."""
    rules = JudgingRules.of(evaluation.snapshot["parameters"])
    repeats = rules.repeats > 1
    return repeats, repeats and rules.asking is PromptMode.JOINT, "panel" in evaluation.snapshot["llm_config"]


def _uncertainties(evaluation: Evaluation, noises: Iterable[tuple[str, Noise]], whole: Noise | None) -> Uncertainties:
    judges: dict[str, list[Noise]] = {}
    for criterion, noise in noises:
        judges.setdefault(criterion, []).append(noise)
    return Uncertainties(
        rules=JudgingRules.of(evaluation.snapshot["parameters"]),
        judges=judges,
        whole=whole,
        blocking=frozenset(blocking_of(evaluation.snapshot)),
        excused=frozenset(excused_of(evaluation.options, evaluation.snapshot)),
        missing_counts=missing_counts(evaluation.options),
    )


def verdict_counts(evaluation: Evaluation, doubts: Uncertainties, *, scored: int) -> DecisionCounts:
    """Count the conversations that pass, fail and are undecided with this noise.

    The same is counted for each criterion. The noise is the evaluation's own. No query where the counts are stored or
    cached, else one; about 10 µs for each criterion score then.
    """
    if stored := stored_of(evaluation):
        return DecisionCounts(**stored["decided"])
    noise = noise_of_judge(doubts)
    what = f"decisions-{evaluation.status}-{sha256_hex([*noise.criteria, noise.whole])[:16]}"
    return cached_aggregate(what, evaluation, scored, lambda: count_decisions(evaluation, noise))


def verdict_counts_of_each(evaluations: Sequence[Evaluation]) -> dict[uuid.UUID, DecisionCounts]:
    """The answers of `verdict_counts` for several evaluations, read now. At most four queries; about 10 µs for each
    criterion score."""
    repeating, joint, panel = ([one.pk for one in evaluations if _sources(one)[at]] for at in range(3))
    repeats = noise_of_repeats(repeating) if repeating else {}
    wholes = noise_of_whole(joint) if joint else {}
    panels = noise_of_panels(panel) if panel else {}
    noises = []
    for evaluation in evaluations:
        uncertainties = _uncertainties(
            evaluation, [*repeats.get(evaluation.pk, ()), *panels.get(evaluation.pk, ())], wholes.get(evaluation.pk)
        )
        noises.append((evaluation, noise_of_judge(uncertainties)))
    return count_decisions_of_each(noises)


def noise_of_judge(doubts: Uncertainties) -> NoiseOfJudge:
    """Return the noise in the form of the SQL that counts decisions. Pure."""
    return NoiseOfJudge(
        criteria=_noise_rows(doubts),
        whole=_noise_row(doubts, doubts.whole) if doubts.whole else None,
        independent=doubts.rules.asking is PromptMode.PER_CRITERION,
    )


def _noise_rows(doubts: Uncertainties) -> list[dict[str, Any]]:
    """The noises as the statement reads them: reach and standard deviation of one answer, by criterion."""
    rows = []
    for criterion, noises in doubts.judges.items():
        row: dict[str, Any] = {"criterion": criterion}
        for noise in noises:
            row |= _noise_row(doubts, noise)
        rows.append(row)
    return rows


def _noise_row(doubts: Uncertainties, noise: Noise) -> dict[str, float]:
    key = "r" if noise.source is Source.REPEATS else "p"
    return {f"reach_{key}": reach(noise.degrees, doubts.rules.error_rate), f"sd_{key}": sqrt(noise.variance)}

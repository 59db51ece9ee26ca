"""The content of the evaluation page, read in a constant number of queries."""

import uuid
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page

from apps.core.subject import words_of
from apps.dashboard.conversations.domain.personas import persona_of
from apps.dashboard.conversations.queries.verdicts import mark_of_scores
from apps.dashboard.domain.badge_shapes import Badge, Tone
from apps.dashboard.domain.badges import TOO_FEW, certificate_of, conversation_look, mean_look
from apps.dashboard.domain.histogram import Bar, bars_of
from apps.dashboard.domain.measured import VerdictSplit, split_of
from apps.dashboard.domain.sentences import Headline, evaluation_headline
from apps.dashboard.queries.criterion_titles import NAMES
from apps.dashboard.results.queries.worst_first import worst_first_page
from apps.evaluations.domain.fallback_rule import by_fallback_sentence, fallback_counts
from apps.evaluations.domain.states import EVALUATION_ACTIVE, JudgementStatus
from apps.evaluations.domain.warnings import WarningCode
from apps.evaluations.figures.queries.aggregates import Sums, sums_of
from apps.evaluations.figures.queries.results import CriterionResult, criteria_of, find_evaluation
from apps.evaluations.figures.queries.uncertainty import Uncertainties, uncertainties_of
from apps.evaluations.models import CriterionScore, Evaluation, Judgement
from apps.reports.results.queries.evaluation_document import evaluation_summary
from apps.reports.slices.queries.parity import parity_of
from apps.statistics.decision import LEAST_CASES, TOO_LITTLE_CODE, Decision, measured_of, on_criteria

NO_MARK = 6.0  # where the criteria have no mark of their own: what the scale is drawn with
# A warning that counts judgements of one state leads to them.
_STATE_OF = {
    WarningCode.PARSE_ERRORS: JudgementStatus.PARSE_ERROR.value,
    WarningCode.MODEL_ERRORS: JudgementStatus.MODEL_ERROR.value,
    WarningCode.NOT_JUDGED: JudgementStatus.NOT_JUDGED.value,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionRow:
    result: CriterionResult
    look: Badge
    bars: Sequence[Bar]
    evidence: Mapping[str, int]
    shares: Sequence[tuple[str, float, float]]  # kind, where it starts, how wide, of 100
    undecided: int = 0
    certificate: Badge = TOO_FEW


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgementRow:
    judgement: Judgement
    persona: str
    mark: float
    look: Badge
    worst: CriterionScore | None
    quote: str
    turn: int | None
    decision: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationPage:
    evaluation: Evaluation
    subject: str
    summary: Mapping[str, Any]
    headline: Headline
    live: bool
    in_mean: int
    mark: float
    split: VerdictSplit
    enough: bool
    criteria: Sequence[CriterionRow]
    rows: Sequence[JudgementRow]
    page: Page[Judgement]
    with_personas: bool
    state: str
    worst: JudgementRow | None
    parity: Sequence[Mapping[str, Any]]
    warnings: Sequence[tuple[str, str]]  # the sentence, and the state of the judgements it counts or nothing

    @property
    def same_certificate(self) -> Badge | None:
        """The judge's certificate where it is the same for every criterion; None where it differs."""
        looks = {criterion.certificate for criterion in self.criteria}
        return looks.pop() if len(looks) == 1 and len(self.criteria) > 1 else None


def evaluation_page(
    evaluation_id: uuid.UUID, *, state: str, number: str, titles: Mapping[str, str] = NAMES
) -> EvaluationPage:
    """All of the page. At most 14 queries whatever the size where its figures are stored. `titles` is
    what the sentence calls criteria, by name.

    Raises NotFound.
    """
    # The state first: were it read after the counts, an evaluation that ends between the two would be shown as ended
    # with what it had before its end, and nothing would look again.
    evaluation = find_evaluation(evaluation_id, related=("run__agent",))
    summary = evaluation_summary(evaluation, titles=titles)
    counts = summary["counts"]
    sums = sums_of(evaluation, scored=counts["scored"])
    criteria, in_mean = _criteria(sums, summary), sums.headline[0]
    mark = NO_MARK if summary["decision"]["pass_mark"] is None else summary["decision"]["pass_mark"]
    split = split_of(summary["verdicts"], total=sum(counts.values()), cases=summary["cases"])
    page = worst_first_page(evaluation, state, counts, number)
    doubts = uncertainties_of(evaluation, scored=counts["scored"])
    rows = _rows(list(page.object_list), doubts, titles)
    return EvaluationPage(
        evaluation=evaluation,
        subject=words_of(evaluation.subject),
        summary=summary,
        headline=_headline(evaluation, summary, criteria, split, in_mean=in_mean, mark=mark, titles=titles),
        live=evaluation.status in EVALUATION_ACTIVE,
        in_mean=in_mean,
        mark=mark,
        split=split,
        enough=summary["cases"] >= LEAST_CASES,
        criteria=criteria,
        rows=rows,
        page=page,
        with_personas=any(row.persona for row in rows),
        state=state,
        worst=rows[0] if rows and page.number == 1 and rows[0].judgement.weighted_score is not None else None,
        parity=parity_of(evaluation, scored=counts["scored"]),
        warnings=_linked_warnings(summary),
    )


def _headline(
    evaluation: Evaluation,
    summary: Mapping[str, Any],
    criteria: Sequence[CriterionRow],
    split: VerdictSplit,
    *,
    in_mean: int,
    mark: float,
    titles: Mapping[str, str],
) -> Headline:
    decision = summary["decision"]
    worst = next((criterion.result for criterion in criteria if criterion.look.value == "below"), None)
    return evaluation_headline(
        subject=subject_of(evaluation.run),
        status=evaluation.status,
        score=summary["weighted_score"],
        interval=summary["interval"],
        in_mean=in_mean,
        counts=summary["counts"],
        failing=(titles.get(worst.criterion, worst.criterion), worst.mean or 0.0, worst.pass_mark) if worst else None,
        mark=mark,
        blocked={titles.get(name, name): n for name, n in decision["blocked"].items()},
        cases=summary["cases"],
        judges=summary["judges"],
        by_fallback=_by_fallback(evaluation, summary),
        split=split,
        measured=measured_of(decision["missing"], decision["expected"]) if decision["why"] == TOO_LITTLE_CODE else "",
        resting_on=on_criteria(decision["sparse"], len(summary["criteria_snapshot"])),
    )


def _by_fallback(evaluation: Evaluation, summary: Mapping[str, Any]) -> str:
    counted, n = fallback_counts(evaluation.options, evaluation.snapshot), summary["by_fallback"]
    return by_fallback_sentence(evaluation.snapshot, n=n, scored=summary["counts"]["scored"], counted=counted)


def _linked_warnings(summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Each sentence with the state of the judgements it counts, or nothing."""
    pairs = zip(summary["warning_codes"], summary["warnings"], strict=True)
    return [(text, _STATE_OF.get(WarningCode(code), "")) for code, text in pairs]


def subject_of(run: Any) -> str:
    """The judged subject, as a sentence begins: the agent by its name as planned, else the run by its own."""
    name = run.subject.get("agent") or run.frozen_plan.agent_name or (run.agent.name if run.agent_id else "")
    if name:
        return f"The {name} agent" if "agent" not in name.lower() else f"The {name}"
    return f"“{run.name}”" if run.name else "The agent"


def _criteria(sums: Sums, summary: Mapping[str, Any]) -> list[CriterionRow]:
    """Worst first: by how far the mean is above its own mark; those without any score last."""
    bars = {row[0]: row[-1] for row in sums.criteria}
    verdicts, certificate = summary["criterion_verdicts"], summary["certificate"]
    evidence: dict[str, dict[str, int]] = defaultdict(dict)
    for criterion, kind, count in sums.evidence:
        evidence[criterion][kind] = count
    rows = [
        CriterionRow(
            result=one,
            look=_criterion_look(one),
            bars=bars_of(bars[one.criterion], one.pass_mark),
            evidence=evidence[one.criterion],
            shares=_shares(evidence[one.criterion]),
            undecided=verdicts.get(one.criterion, {}).get("undecided", 0),
            certificate=certificate_of(one.criterion, certificate["items"] if certificate else ()),
        )
        for one in criteria_of(sums)
    ]
    return sorted(rows, key=lambda row: (row.result.mean is None, (row.result.mean or 0) - row.result.pass_mark))


def _criterion_look(one: CriterionResult) -> Badge:
    if one.decision is Decision.UNMEASURABLE and one.mean is not None:
        return Badge("none", "no pass mark on its scale", Tone.IDLE, "–")
    return mean_look(one.mean, one.pass_mark, one.interval, cases=one.cases)


def _shares(counts: Mapping[str, int]) -> list[tuple[str, float, float]]:
    total = sum(counts.values())
    found, at = [], 0.0
    for kind in ("exact", "pattern", "unverified"):
        wide = 100 * counts.get(kind, 0) / total if total else 0.0
        if wide:
            found.append((kind, at, wide))
        at += wide
    return found


def _rows(judgements: Sequence[Judgement], doubts: Uncertainties, titles: Mapping[str, str]) -> list[JudgementRow]:
    rows = []
    for judgement in judgements:
        scored = [score for score in judgement.scores.all() if score.score is not None]
        whole = doubts.of_judgement(scored, blame=judgement.conversation.blame)
        worst = _worst_score(scored, whole.blockers if whole else ())
        evidence = worst.evidence[0] if worst is not None and worst.evidence else {}
        rows.append(
            JudgementRow(
                judgement=judgement,
                persona=persona_of(judgement.conversation.spec),
                mark=(mark := mark_of_scores(scored)),
                look=conversation_look(judgement.weighted_score, mark, whole.blockers if whole else (), titles),
                worst=worst,
                quote=str(evidence.get("quote") or ""),
                turn=evidence.get("turn"),
                decision=whole.decision.value if whole else "",
            )
        )
    return rows


def _worst_score(scored: Sequence[CriterionScore], blockers: Sequence[str]) -> CriterionScore | None:
    """The score that the list shows of a conversation: the criterion that stops it, else the one furthest below its
    mark."""
    told = [one for one in scored if one.criterion in blockers] or scored
    return min(told, key=lambda one: ((one.score or 0.0) - one.pass_mark, -one.weight, one.position), default=None)

"""May this pull request pass? The candidate beside its baseline, decided here and nowhere else (law 14). Pure.

In this order: hard assertions, blocking criteria and an agent that failed are a no; what could not be measured is
unmeasurable; a loss that is shown and larger than the margin is a no; a loss that is neither shown nor excluded is
undecided; else it is a pass.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from apps.core.digest import sha256_hex
from apps.gates.domain.case_changes import ChangedCase, changed_cases
from apps.gates.domain.chain import LinkStanding, chain
from apps.gates.domain.coverage import unscored_cases, unscored_criteria
from apps.gates.domain.gate_sentences import loss_reason, more_repeats, no_loss_reason, possible_reason
from apps.gates.domain.gate_states import GateReasonCode
from apps.gates.domain.hard_failures import HardFailure, hard_failures, hard_reasons, is_hard, stopping
from apps.gates.domain.losses import GateMetric, MetricOutcome, gate_metrics, suspected
from apps.gates.domain.measurability import (
    GateMoney,
    GateReason,
    cases_gone,
    why_candidate_is_unmeasurable,
    why_pairs_are_unmeasurable,
)
from apps.gates.domain.paired_metrics import PairedValues, paired_values
from apps.gates.domain.policy import GatePolicy
from apps.gates.domain.side import GateSide
from apps.statistics.decision import Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class GateDecision:
    """The whole answer. The first reason decided; `sentence` is what people read first. `more_repeats`: how
    often each case would have to be played once more on both sides until an undecided gate can probably tell."""

    decision: Decision
    reasons: Sequence[GateReason]
    metrics: Sequence[GateMetric]
    cases: Sequence[ChangedCase]
    failures: Sequence[HardFailure]
    chain: Sequence[LinkStanding]
    more_repeats: int | None = None

    @property
    def why(self) -> GateReasonCode:
        return self.reasons[0].code

    @property
    def sentence(self) -> str:
        words = {
            Decision.PASS: "Passes",
            Decision.FAIL: "Worse",
            Decision.UNDECIDED: "Cannot tell",
            Decision.UNMEASURABLE: "Could not be measured",
        }
        return f"{words[self.decision]}: {self.reasons[0].sentence}"


def decide_gate(
    *,
    candidate: GateSide,
    baseline: GateSide | None,
    policy: GatePolicy,
    base_commit: str = "",
    money: GateMoney = GateMoney(),  # noqa: B008 - frozen
) -> GateDecision:
    """Decide. The same sides and policy give the same answer: chance is seeded by what was played.

    Costs 0.1 to 2 s of resampling for 500 cases.
    """
    uncertified = _uncertified(candidate) if policy.require_certificate else ()
    failures = hard_failures(candidate, baseline, policy, uncertified=uncertified)
    hard = stopping(failures, policy)
    pairs = why_pairs_are_unmeasurable(candidate, baseline, base_commit=base_commit)
    needs_pairs = candidate.judged or _soft_checks(candidate, policy)
    unmeasurable = [
        *why_candidate_is_unmeasurable(candidate, money),
        *(pairs if needs_pairs else ()),
        *_certificate(uncertified),
    ]
    metrics: list[GateMetric] = []
    doubts: list[GateReason] = []
    if baseline is not None and not pairs:
        metrics = _metrics(candidate, baseline, policy, uncertified)
        unmeasurable += unscored_cases(candidate, baseline)
        doubts = unscored_criteria(candidate, baseline)
    repeats = min(candidate.repeats, baseline.repeats) if baseline else candidate.repeats
    decision, reasons = _decide(hard, unmeasurable, metrics, doubts, needs_pairs=needs_pairs, repeats=repeats)
    usable = baseline if not _other_agent_or_judge(pairs) else None
    return GateDecision(
        decision=decision,
        reasons=[*reasons, *cases_gone(candidate, usable)],
        metrics=metrics,
        cases=changed_cases(candidate, usable, failures, margin=policy.margin),
        failures=failures,
        chain=chain(candidate, decision),
        more_repeats=_more_repeats(metrics, repeats) if decision is Decision.UNDECIDED else None,
    )


def _decide(
    hard: Sequence[HardFailure],
    unmeasurable: Sequence[GateReason],
    metrics: Sequence[GateMetric],
    more_doubts: Sequence[GateReason],
    *,
    needs_pairs: bool,
    repeats: int,
) -> tuple[Decision, list[GateReason]]:
    losses = [one for one in metrics if one.outcome is MetricOutcome.LOSS]
    told = [loss_reason(one) for one in losses]
    if hard:
        return Decision.FAIL, [*hard_reasons(hard), *told, *unmeasurable]
    if unmeasurable:
        return Decision.UNMEASURABLE, [*unmeasurable, *told]
    if not needs_pairs:
        sentence = "Every assertion holds; nothing was judged that could be compared."
        return Decision.PASS, [GateReason(code=GateReasonCode.NOTHING_TO_COMPARE, sentence=sentence)]
    headline = _headline(metrics)
    if headline is None or headline.n < headline.least:
        n, least = (headline.n, f"below {headline.least} no") if headline else (0, "no")
        sentence = f"{n} cases were measured on both sides; {least} loss can be shown. Play more cases."
        return Decision.UNMEASURABLE, [GateReason(code=GateReasonCode.TOO_FEW_CASES, sentence=sentence)]
    if losses:
        return Decision.FAIL, told
    doubts = [possible_reason(one, repeats=repeats) for one in metrics if _open(one, headline)]
    doubts += more_doubts
    if doubts:
        return Decision.UNDECIDED, doubts
    return Decision.PASS, [no_loss_reason(headline)]


def _headline(metrics: Sequence[GateMetric]) -> GateMetric | None:
    """What must not be open: the score, or the share that passes where nothing is scored, else the first check."""
    return next(iter(metrics), None)


def _open(one: GateMetric, headline: GateMetric) -> bool:
    return (one is headline and one.outcome is MetricOutcome.POSSIBLE) or suspected(one)


def _more_repeats(metrics: Sequence[GateMetric], repeats: int) -> int | None:
    """So many that the question that takes the most can be answered; None where one of them cannot."""
    headline = _headline(metrics)
    wanted = [more_repeats(one, repeats=repeats) for one in metrics if headline and _open(one, headline)]
    known = [one for one in wanted if one is not None]
    return max(known) if known and len(known) == len(wanted) else None


def _metrics(
    candidate: GateSide, baseline: GateSide, policy: GatePolicy, uncertified: Sequence[str]
) -> list[GateMetric]:
    criteria = sorted({name for trial in candidate.counted for name in trial.criteria} - set(uncertified))
    questions = paired_values(
        baseline, candidate, soft=lambda name, by: not is_hard(name, by, policy), criteria=criteria
    )
    return gate_metrics(questions, policy=policy, seed=_seed(questions))


def _seed(questions: Sequence[PairedValues]) -> int:
    played = sorted({digest for one in questions for digest in one.baseline})
    return int(sha256_hex(played)[:8], 16)


def _uncertified(candidate: GateSide) -> list[str]:
    return sorted(name for name, certified in candidate.certified.items() if not certified)


def _certificate(uncertified: Sequence[str]) -> list[GateReason]:
    if not uncertified:
        return []
    names = ", ".join(uncertified[:3]) + (f" and {len(uncertified) - 3} more" if len(uncertified) > 3 else "")
    sentence = f"A certificate is required, and the judge has none on {names}."
    return [GateReason(code=GateReasonCode.NOT_CERTIFIED, sentence=sentence)]


def _soft_checks(candidate: GateSide, policy: GatePolicy) -> bool:
    return any(
        not is_hard(name, fact.measured_by, policy)
        for trial in candidate.counted
        for name, fact in trial.checks.items()
    )


_OTHERS = {GateReasonCode.BASELINE_STALE, GateReasonCode.JUDGE_CHANGED, GateReasonCode.NO_BASELINE}


def _other_agent_or_judge(pairs: Sequence[GateReason]) -> bool:
    return any(one.code in _OTHERS for one in pairs)

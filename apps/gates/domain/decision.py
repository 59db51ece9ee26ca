"""May this pull request pass? The candidate beside its baseline, decided here and nowhere else. Pure.

In this order: hard assertions, blocking criteria and an agent that failed or was lost twice are a no; what could not be
measured is unmeasurable; a loss that is shown and larger than the margin is a no; a loss that is neither shown nor
excluded is undecided; else it is a pass.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from apps.core.digest import sha256_hex
from apps.core.portable.first_names import listed
from apps.gates.domain.case_changes import ChangedCase, changed_cases
from apps.gates.domain.chain import LinkStanding, chain
from apps.gates.domain.confirmation import FailedCheck, failed_checks, open_reasons, refuted_reasons
from apps.gates.domain.coverage import cases_left_out, unscored_cases, unscored_criteria
from apps.gates.domain.gate_sentences import (
    advisory_reasons,
    bought_reason,
    loss_reason,
    more_repeats,
    no_loss_reason,
    possible_reason,
)
from apps.gates.domain.gate_states import GateKind, GateReasonCode
from apps.gates.domain.guarded_costs import bought, cost_questions, more_calls, unknown_costs
from apps.gates.domain.hard_failures import (
    HardFailure,
    confirmed_failures,
    hard_failures,
    hard_reasons,
    lost_failures,
    stopping,
)
from apps.gates.domain.judge_address import addressed_reasons, new_sentences
from apps.gates.domain.losses import GateMetric, MetricOutcome, gate_metrics, suspected
from apps.gates.domain.lost_cases import (
    LostCase,
    compared,
    lost_cases,
    recovered_reasons,
    why_lost_is_unmeasurable,
)
from apps.gates.domain.measurability import (
    GateMoney,
    GateReason,
    cases_gone,
    flat_judge,
    why_candidate_is_unmeasurable,
    why_pairs_are_unmeasurable,
)
from apps.gates.domain.must_not import by_uncertified, not_played_reasons, unscored_reasons
from apps.gates.domain.paired_metrics import PASSED, PairedValues, paired_values
from apps.gates.domain.policy import GatePolicy
from apps.gates.domain.side import GateSide, known
from apps.statistics.decision import Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class GateDecision:
    """The whole answer. The first reason decided; `sentence` is what people read first. `stopping` are those of the
    failures that are a no under this policy. `more_repeats`: how often each case would have to be played once more on
    both sides until an undecided gate can probably tell.
    `play_again`: cases, by digest, that the candidate alone was lost or failed in, and how often each has to be played
    again on both sides before it is known."""

    decision: Decision
    reasons: Sequence[GateReason]
    metrics: Sequence[GateMetric]
    cases: Sequence[ChangedCase]
    failures: Sequence[HardFailure]
    stopping: Sequence[HardFailure]
    chain: Sequence[LinkStanding]
    more_repeats: int | None = None
    play_again: Mapping[str, int] = field(default_factory=dict)

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
        return f"{words[self.decision]}: {self.reasons[0].sentence}{_all_fail(self.metrics)}"


def _all_fail(metrics: Sequence[GateMetric]) -> str:
    """Return the sentence that all cases fail, before the change and with it; "" where some case passes."""
    whole = next((metric for metric in metrics if metric.metric == PASSED and not metric.language), None)
    if whole is None or whole.baseline or whole.candidate:
        return ""
    return f" All {whole.n} cases fail on both sides, before this change and with it."


def decide_gate(
    *, candidate: GateSide, baseline: GateSide | None, policy: GatePolicy, base_commit: str = "",
    money: GateMoney = GateMoney(),  # noqa: B008 - frozen
    new_cases: frozenset[str] = frozenset(),  # names; what the change brought itself may stop it, and enters no mean
    not_played: Sequence[str] = (),  # scenarios with something that must not happen again, of the baseline alone
    trusted: bool = False,  # a judge that nobody can talk to, or a person looked at what the change brings
    in_the_way: Sequence[GateReason] = (),  # why nothing counts, whatever was measured
    kind: GateKind = GateKind.BLOCKING,
) -> GateDecision:  # fmt: skip
    """Decide. The same sides and policy give the same answer: chance is seeded by what was played. Costs 0.1 to 2 s."""
    uncertified = _uncertified(candidate, policy)
    losses = lost_cases(candidate, usable := _usable(candidate, baseline, base_commit))
    failed = [one for one in failed_checks(candidate, usable, policy) if not by_uncertified(one.name, uncertified)]
    failures = hard_failures(candidate, baseline, policy, uncertified=uncertified)
    failures += [*lost_failures(losses), *confirmed_failures(failed)]
    here, there = compared(candidate, losses), baseline and compared(baseline, ())
    pairs = why_pairs_are_unmeasurable(here, there, base_commit=base_commit)
    compares = here.judged or _soft_checks(here, policy)
    unmeasurable = [*in_the_way, *_obeying_judge(here, usable, trusted=trusted),
                    *why_candidate_is_unmeasurable(here, money), *why_lost_is_unmeasurable(losses), *(pairs if compares
                    or failed else ()), *not_played_reasons(not_played), *_certificate(uncertified)]  # fmt: skip
    metrics, doubts = list[GateMetric](), open_reasons(failed)
    if there is not None and not pairs:
        metrics = _metrics(known(here, new_cases), known(there, new_cases), policy, uncertified)
        unmeasurable += unscored_cases(here, there)
        doubts += unscored_criteria(here, there)
    a_no, paid = stopping(failures, policy), bought(metrics, policy)
    deciding = [metric for metric in metrics if metric not in paid]
    repeats = min(one.repeats for one in (here, there) if one)
    decision, reasons = _decide(
        a_no, unmeasurable, deciding, doubts, compares=compares, repeats=repeats, titles=candidate.titles
    )  # fmt: skip
    reasons += [*advisory_reasons(decision, policy, kind, unmeasurable), *map(bought_reason, paid)]
    reasons += [*refuted_reasons(failed), *recovered_reasons(losses), *_unseen(here, there, usable, metrics)]
    return GateDecision(
        decision=decision, reasons=reasons, metrics=metrics, failures=failures, stopping=a_no,
        chain=chain(here, decision), cases=changed_cases(here, usable and there, failures, margin=policy.margin),
        more_repeats=_more_repeats(deciding, repeats) if decision is Decision.UNDECIDED else None,
        play_again=_play_again(decision, unmeasurable, losses, failed),
    )  # fmt: skip


def _obeying_judge(candidate: GateSide, baseline: GateSide | None, *, trusted: bool) -> list[GateReason]:
    return [*addressed_reasons(candidate, baseline), *([] if trusted else flat_judge(candidate, baseline))]


def _unseen(
    here: GateSide, there: GateSide | None, usable: GateSide | None, metrics: Sequence[GateMetric]
) -> list[GateReason]:
    """The reasons that decide nothing and are shown all the same."""
    return [
        *cases_left_out(here, there),
        *unscored_reasons(here),
        *cases_gone(here, usable),
        *unknown_costs(usable and there, here, metrics),
        *new_sentences(here, usable and there),
        *more_calls(usable and there, here),
    ]


_OF_LOST_CASES = (
    GateReasonCode.CASES_LOST,
    GateReasonCode.CASES_MISSING,
    GateReasonCode.TOO_LITTLE_PLAYED,
    GateReasonCode.TOO_LITTLE_MEASURED,
    GateReasonCode.AGENT_DOWN,
)


def _play_again(
    decision: Decision, unmeasurable: Sequence[GateReason], losses: Sequence[LostCase], failed: Sequence[FailedCheck]
) -> dict[str, int]:
    """Return how often each case is to be played again, by its digest.

    Nothing where the gate is decided already, or where something else is in the way too. Where cases were lost, "too
    little was played" means these cases: they are played again before that decides.
    """
    others = any(reason.code not in (_OF_LOST_CASES if losses else ()) for reason in unmeasurable)
    if decision not in (Decision.UNDECIDED, Decision.UNMEASURABLE) or others:
        return {}
    wanted: dict[str, int] = {}
    needs = [*((loss.digest, loss.missing) for loss in losses), *((check.digest, check.missing) for check in failed)]
    for digest, times in needs:
        if times:
            wanted[digest] = max(times, wanted.get(digest, 0))
    return wanted


def _decide(
    hard: Sequence[HardFailure],
    unmeasurable: Sequence[GateReason],
    metrics: Sequence[GateMetric],
    more_doubts: Sequence[GateReason],
    *,
    compares: bool,
    repeats: int,
    titles: Mapping[str, str],
) -> tuple[Decision, list[GateReason]]:
    losses = [metric for metric in metrics if metric.outcome is MetricOutcome.LOSS]
    lost_reasons = [loss_reason(loss) for loss in losses]
    if hard:
        return Decision.FAIL, [*hard_reasons(hard, titles), *lost_reasons, *unmeasurable]
    if unmeasurable:
        return Decision.UNMEASURABLE, [*unmeasurable, *lost_reasons]
    if not compares and not losses and not more_doubts:
        sentence = "No assertion stops it; nothing was judged that could be compared."
        return Decision.PASS, [GateReason(code=GateReasonCode.NOTHING_TO_COMPARE, sentence=sentence)]
    if losses:
        return Decision.FAIL, lost_reasons
    if not compares:
        return Decision.UNDECIDED, list(more_doubts)
    headline = _headline(metrics)
    if headline is None or headline.n < headline.least:
        n, least = (headline.n, f"below {headline.least} no") if headline else (0, "no")
        cases = "1 case was" if n == 1 else f"{n} cases were"
        sentence = f"{cases} measured on both sides; {least} loss can be shown. Play more cases."
        too_few = GateReason(code=GateReasonCode.TOO_FEW_CASES, sentence=sentence)
        return Decision.UNMEASURABLE, [*more_doubts, too_few]  # what is to be played again decides first
    doubts = [
        *more_doubts,
        *(possible_reason(metric, repeats=repeats) for metric in metrics if _open(metric, headline)),
    ]
    if doubts:
        return Decision.UNDECIDED, doubts
    return Decision.PASS, [no_loss_reason(headline)]


def _headline(metrics: Sequence[GateMetric]) -> GateMetric | None:
    """The question that must not stay open: the score, or the share that passes where nothing is scored, else the first
    check."""
    return next(iter(metrics), None)


def _open(metric: GateMetric, headline: GateMetric) -> bool:
    return (metric is headline and metric.outcome is MetricOutcome.POSSIBLE) or suspected(metric)


def _more_repeats(metrics: Sequence[GateMetric], repeats: int) -> int | None:
    """Return the repeats that answer the most demanding open question; None where one has no number."""
    headline = _headline(metrics)
    wanted = [more_repeats(metric, repeats=repeats) for metric in metrics if headline and _open(metric, headline)]
    known = [one for one in wanted if one is not None]
    return max(known) if known and len(known) == len(wanted) else None


def _metrics(
    candidate: GateSide, baseline: GateSide, policy: GatePolicy, uncertified: Sequence[str]
) -> list[GateMetric]:
    criteria = sorted({name for trial in candidate.counted for name in trial.criteria} - set(uncertified))
    questions = paired_values(baseline, candidate, criteria=criteria)
    questions += cost_questions(baseline, candidate, policy)
    metrics = gate_metrics(questions, policy=policy, seed=_seed(questions))
    return [replace(metric, title=candidate.titles.get(metric.metric, "")) for metric in metrics]


def _seed(questions: Sequence[PairedValues]) -> int:
    played = sorted({digest for question in questions for digest in question.baseline})
    return int(sha256_hex(played)[:8], 16)


def _uncertified(candidate: GateSide, policy: GatePolicy) -> list[str]:
    return sorted(
        name for name, certified in candidate.certified.items() if policy.require_certificate and not certified
    )


def _certificate(uncertified: Sequence[str]) -> list[GateReason]:
    if not uncertified:
        return []
    sentence = f"A certificate is required, and the judge has none on {listed(uncertified, 3)}."
    return [GateReason(code=GateReasonCode.NOT_CERTIFIED, sentence=sentence)]


def _soft_checks(candidate: GateSide, policy: GatePolicy) -> bool:
    """Tell whether there is a check that can only be compared."""
    return any(
        bool(fact.measured_by) or name.partition("/")[0] in policy.soft_checks
        for trial in candidate.counted
        for name, fact in trial.checks.items()
    )


def _usable(candidate: GateSide, baseline: GateSide | None, base_commit: str) -> GateSide | None:
    """The baseline, where it is of this agent and judge."""
    pairs = why_pairs_are_unmeasurable(candidate, baseline, base_commit=base_commit)
    return None if _other_agent_or_judge(pairs) else baseline


_OTHERS = {GateReasonCode.BASELINE_STALE, GateReasonCode.JUDGE_CHANGED, GateReasonCode.NO_BASELINE}


def _other_agent_or_judge(pairs: Sequence[GateReason]) -> bool:
    return any(pair.code in _OTHERS for pair in pairs)

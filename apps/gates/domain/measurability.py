"""The reasons why a gate cannot measure, each with its sentence: never a silent pass."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from apps.core.plurals import many
from apps.core.portable.first_names import listed
from apps.gates.domain.gate_states import GateReasonCode
from apps.gates.domain.side import BUDGET, TRANSPORT, GateSide, JudgedAs
from apps.statistics.decision import Decision, measured_of, too_little_measured

JUDGE_ERRORS = 0.02  # of the conversations that were to be judged; and more than one case (issue G)
MIN_PLAYED = 0.8  # of the candidate's conversations: below, what remains is not what was declared
MIN_FLAT, HIGHEST = 20, 10.0  # scores: fewer may well be alike
MIN_SHARED = 0.8  # of the candidate's measured cases that the baseline has too, as apps.reports.comparisons


@dataclass(frozen=True, slots=True, kw_only=True)
class GateReason:
    """One reason of a gate, as a stable code and as a sentence."""

    code: GateReasonCode
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GateMoney:
    """The cost of this pull request so far, over agent, simulator, judge and cross-check; no limit is None."""

    spent_usd: float = 0.0
    limit_usd: float | None = None

    @property
    def over(self) -> bool:
        return self.limit_usd is not None and self.spent_usd > self.limit_usd


def why_candidate_is_unmeasurable(candidate: GateSide, money: GateMoney) -> list[GateReason]:
    """The faults of the candidate by itself, the first one first."""
    reasons = [*_spent(candidate, money), *_judge_errors(candidate, "candidate"), *_played(candidate)]
    if candidate.status != "completed" and not reasons:
        reasons.append(_reason(GateReasonCode.NOT_COMPLETED, f"The candidate's evaluation is {candidate.status}."))
    return [*reasons, *_checks(candidate)]


def why_pairs_are_unmeasurable(candidate: GateSide, baseline: GateSide | None, *, base_commit: str) -> list[GateReason]:
    """The faults of the baseline, or of the two as a pair."""
    if baseline is None:
        of = f" of {base_commit[:12]}" if base_commit else ""
        return [_reason(GateReasonCode.NO_BASELINE, f"There is no baseline{of}: nothing to compare with.")]
    if base_commit and not same_commit(baseline.commit, base_commit):
        of = baseline.commit[:12] or "no commit that is known"
        return [
            _reason(
                GateReasonCode.BASELINE_STALE,
                f"The baseline was played by {of}, not by {base_commit[:12]}: play it with the merge base.",
            )
        ]
    if baseline.status != "completed":
        return [_reason(GateReasonCode.NOT_COMPLETED, f"The baseline's evaluation is {baseline.status}.")]
    reasons = [*_judges(candidate, baseline), *_judge_errors(baseline, "baseline")]
    return reasons or _shared(candidate, baseline)


def flat_judge(candidate: GateSide, baseline: GateSide | None) -> list[GateReason]:
    """Report a judge that does not tell cases apart.

    It gives the candidate the most on every criterion of every case, and the baseline less. At the other end of the
    scale it is a loss, which stops by itself. Pure.
    """
    if not _all_the_most(candidate) or (baseline is not None and _all_the_most(baseline)):
        return []
    sentence = (
        f"The judge does not tell cases apart: every criterion of all {len(candidate.by_case())} cases of the "
        "candidate has 10. Read the replies: a judge that was told what to answer answers so."
    )
    return [_reason(GateReasonCode.JUDGE_FLAT, sentence)]


def _all_the_most(side: GateSide) -> bool:
    scores = [score for trial in side.counted for score in trial.criteria.values()]
    return len(scores) >= MIN_FLAT and min(scores) == HIGHEST


def tampered_reasons(tampered: Sequence[str]) -> list[GateReason]:
    """The reason for a play that was tampered with: its results are no measurement."""
    if not tampered:
        return []
    names = listed(tampered, 3, between=";")
    sentence = f"The play was tampered with, so nothing of it counts: {names}. An agent writes to nothing of the clone."
    return [_reason(GateReasonCode.BASELINE_TAMPERED, sentence)]


def cases_gone(candidate: GateSide, baseline: GateSide | None) -> list[GateReason]:
    """Report cases of the baseline that are not played any more. The report never decides."""
    theirs = set(baseline.by_case()) if baseline else set()
    gone = theirs - {trial.digest for trial in candidate.trials}
    if not gone:
        return []
    sentence = f"{len(gone)} of the baseline's {len(theirs)} cases are not played any more: nobody sees what they show."
    return [_reason(GateReasonCode.CASES_GONE, sentence)]


def same_commit(one: str, other: str) -> bool:
    """Equal, or one the beginning of the other from 7 digits on."""
    short, long = sorted((one.lower(), other.lower()), key=len)
    return short == long or (len(short) >= 7 and long.startswith(short))


def _spent(side: GateSide, money: GateMoney) -> list[GateReason]:
    stopped = sum(trial.blame == BUDGET for trial in side.trials)
    if not (money.over or stopped or side.stopped_by_budget):
        return []
    limit = "" if money.limit_usd is None else f" of ${money.limit_usd:.2f}"
    missing = f"; {many(stopped, 'conversation')} not finished" if stopped else ""
    return [_reason(GateReasonCode.BUDGET_SPENT, f"The budget{limit} is spent (${money.spent_usd:.2f}){missing}.")]


def _judge_errors(side: GateSide, name: str) -> list[GateReason]:
    """Conversations that stay without an answer after the second chance, or that another judge answered. The floor is
    lower than an evaluation's: two lost cases of twenty-four may be the two that got worse."""
    states = (JudgedAs.SCORED, JudgedAs.ERROR, JudgedAs.OTHER_JUDGE)
    judged = [trial for trial in side.trials if trial.judged in states]
    missed = [trial for trial in judged if trial.judged is not JudgedAs.SCORED]
    cases = {trial.digest for trial in missed}
    if len(missed) <= JUDGE_ERRORS * len(judged) or len(cases) <= 1:
        return []
    others = sum(trial.judged is JudgedAs.OTHER_JUDGE for trial in missed)
    by = f", {others} of them by another judge" if others else ""
    if too_little_measured(len(missed), len(judged)):
        lost = f"{many(len(cases), 'case')} lost{by}"
        sentence = f"Of the {name}'s conversations {measured_of(len(missed), len(judged))} ({lost})."
        return [_reason(GateReasonCode.TOO_LITTLE_MEASURED, sentence)]
    return [
        _reason(
            GateReasonCode.JUDGE_ERRORS,
            f"The judge has no usable answer for {len(missed)} of {len(judged)} conversations of the {name} "
            f"({len(cases)} cases{by}): more than {JUDGE_ERRORS:.0%}.",
        )
    ]


def _played(side: GateSide) -> list[GateReason]:
    total, left = len(side.trials), len(side.counted)
    if total and left >= MIN_PLAYED * total:
        return []
    blamed = Counter(trial.blame for trial in side.trials if not trial.counts)
    if total and blamed[TRANSPORT] * 2 > total:
        return [_reason(GateReasonCode.AGENT_DOWN, f"The agent was not reached in {blamed[TRANSPORT]} of {total}.")]
    why = ", ".join(f"{n} {blame}" for blame, n in sorted(blamed.items())) or "nothing was played"
    return [_reason(GateReasonCode.TOO_LITTLE_PLAYED, f"Only {left} of {total} conversations count ({why}).")]


def _checks(side: GateSide) -> list[GateReason]:
    """Checks that could not be measured: as judge errors, more than 2 % and more than one case."""
    facts = [(trial.digest, name, fact) for trial in side.counted for name, fact in trial.checks.items()]
    missed = [(digest, name) for digest, name, fact in facts if fact.outcome is Decision.UNMEASURABLE]
    if len(missed) <= JUDGE_ERRORS * len(facts) or len({digest for digest, _ in missed}) <= 1:
        return []
    names = ", ".join(sorted({name for _, name in missed})[:3])
    sentence = f"{len(missed)} of {len(facts)} checks could not be measured ({names})."
    return [_reason(GateReasonCode.CHECKS_UNMEASURABLE, sentence)]


def _judges(candidate: GateSide, baseline: GateSide) -> list[GateReason]:
    if not candidate.fingerprint or candidate.fingerprint == baseline.fingerprint:
        return []
    was = baseline.fingerprint[:12] or "nobody"
    return [
        _reason(
            GateReasonCode.JUDGE_CHANGED,
            f"The baseline was judged by {was}, the candidate by {candidate.fingerprint[:12]}: judge "
            "both with one judge.",
        )
    ]


def _shared(candidate: GateSide, baseline: GateSide) -> list[GateReason]:
    ours, theirs = set(candidate.by_case()), set(baseline.by_case())
    if len(ours & theirs) >= MIN_SHARED * len(ours):
        return []
    sentence = f"The baseline has {len(ours & theirs)} of the {len(ours)} cases: play the others with it too."
    return [_reason(GateReasonCode.CASES_MISSING, sentence)]


def _reason(code: GateReasonCode, sentence: str) -> GateReason:
    return GateReason(code=code, sentence=sentence)

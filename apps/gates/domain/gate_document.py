"""A decision as plain data: what is stored, shown and digested."""

from collections.abc import Mapping, Sequence
from typing import Any

from apps.core.digest import sha256_hex
from apps.gates.domain.chain import first_missing
from apps.gates.domain.decision import GateDecision
from apps.gates.domain.gate_states import AdvisoryLoss, GateKind, GateReasonCode, UndecidedPolicy
from apps.gates.domain.losses import GateMetric
from apps.gates.domain.policy import exit_code_of
from apps.gates.domain.side import GateSide
from apps.statistics.decision import Decision

MAX_CASES = 200  # changed cases that are kept; `more_cases` counts the others


def gate_answer(
    decided: GateDecision, *, candidate: GateSide, baseline: GateSide | None, policy: Mapping[str, Any]
) -> dict[str, Any]:
    """Build the whole answer of a gate from the rows and the rule, without the clock. Pure."""
    trials = [trial for side in (baseline, candidate) if side for trial in side.trials]
    names = {trial.digest: trial.case for trial in trials}
    missing = first_missing(decided.chain)
    return {
        "decision": decided.decision.value,
        "exit_code": exit_code_of(decided.decision, UndecidedPolicy(policy["undecided"])),
        "why": decided.why.value,
        "sentence": decided.sentence,
        "reasons": [{"code": reason.code.value, "sentence": reason.sentence} for reason in decided.reasons],
        "metrics": [_metric(metric, names) for metric in decided.metrics],
        "cases": _cases(decided, baseline=baseline, candidate=candidate),
        "more_cases": max(0, len(decided.cases) - MAX_CASES),
        "look": max((trial.look for trial in trials), default=1),
        "more_repeats": decided.more_repeats,
        "play_again": [
            {"digest": digest, "id": names.get(digest, digest[:12]), "times": times}
            for digest, times in sorted(decided.play_again.items())
        ],
        "chain": [
            {"link": standing.link.value, "holds": standing.holds, "why": standing.why} for standing in decided.chain
        ],
        "first_missing_link": missing.link.value if missing else None,
        "counts": {
            "candidate": _counts(candidate),
            "baseline": _counts(baseline) if baseline else None,
        },
        "fingerprint": candidate.fingerprint,
        "baseline_commit": baseline.commit if baseline else "",
        "baseline_fingerprint": baseline.fingerprint if baseline else "",
        "policy": dict(policy),
    }


def _cases(decided: GateDecision, *, baseline: GateSide | None, candidate: GateSide) -> list[dict[str, Any]]:
    sides = [side for side in (baseline, candidate) if side]
    looks = {trial.conversation: trial.look for side in sides for trial in side.trials}
    played_in = {trial.conversation: trial.evaluation or side.evaluation for side in sides for trial in side.trials}
    return [
        {
            "digest": case.digest,
            "id": case.case,
            "language": case.language,
            "change": case.change.value,
            "difference": case.difference,
            "why": case.why,
            "baseline_conversation": case.baseline,
            "candidate_conversation": case.candidate,
            "look": looks.get(case.candidate or case.baseline, 1),
            "evaluations": [played_in.get(case.baseline, ""), played_in.get(case.candidate, "")],
        }
        for case in decided.cases[:MAX_CASES]
    ]


def gate_digest(answer: Mapping[str, Any]) -> str:
    """Hash the decision and the rows that decided, not the time of the request nor its entry point."""
    return sha256_hex(dict(answer))


def blocks(
    kind: str, exit_code: int, *, decision: str, policy: Mapping[str, Any], reasons: Sequence[Mapping[str, Any]] = ()
) -> bool:
    """Tell whether the pull request must stop.

    An advisory gate makes it by a loss that is shown, or where the change speaks to the judge (its `reasons` say so),
    under a rule that says so. One that was decided before there was such a rule does not.
    """
    if kind == GateKind.BLOCKING:
        return exit_code != 0
    stopped_by_loss = any(reason["code"] == GateReasonCode.ADVISORY_LOSS for reason in reasons)
    return (decision == Decision.FAIL or stopped_by_loss) and policy.get("advisory_loss") == AdvisoryLoss.BLOCK


def _metric(metric: GateMetric, names: Mapping[str, str]) -> dict[str, Any]:
    return {
        "metric": metric.metric,
        "language": metric.language,
        "share": metric.share,
        "baseline": metric.baseline,
        "candidate": metric.candidate,
        "difference": metric.difference,
        "interval": list(metric.interval) if metric.interval else None,
        "p": metric.p,
        "adjusted": metric.adjusted,
        "level": metric.level,
        "margin": metric.margin,
        "n": metric.n,
        "outcome": metric.outcome.value,
        "needed": metric.needed,
        "gained": sorted(names[digest] for digest in metric.gained),
        "lost": sorted(names[digest] for digest in metric.lost),
    }


def _counts(side: GateSide) -> dict[str, int]:
    return {
        "repeats": side.repeats,
        "conversations": len(side.trials),
        "counted": len(side.counted),
        "cases": len(side.by_case()),
        "scored": sum(trial.score is not None for trial in side.counted),
    }

"""The results of altered scenarios as the commit itself has them: shown beside the decision, they decide nothing.
Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from apps.gates.domain.side import GateTrial

NAMES_SHOWN, CHECKS_SHOWN = 5, 3
_WORDS = {"pass": "passes", "fail": "fails", "unmeasured": "could not be measured"}


class OwnOutcome(StrEnum):
    """Outcome of one scenario as one version of it was played. `unmeasured`: nothing says whether it passes."""

    PASS = "pass"  # noqa: S105 - a word, no secret
    FAIL = "fail"
    UNMEASURED = "unmeasured"


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionOutcome:
    """Outcome of one version of a scenario.

    `failed` are the checks that fail in it; `conversation` shows it, "" where there is none.
    """

    outcome: OwnOutcome = OwnOutcome.UNMEASURED
    score: float | None = None
    failed: tuple[str, ...] = ()
    conversation: str = ""


def own_version_rows(own: Sequence[GateTrial], deciding: Sequence[GateTrial]) -> list[dict[str, Any]]:
    """One row for each scenario of `own`, by name: as the commit has it beside as it decided, in JSON."""
    names = sorted({trial.case for trial in own})
    return [
        {"id": name, "own": _json(_outcome(own, name)), "deciding": _json(_outcome(deciding, name))} for name in names
    ]


def own_versions_sentence(found: Mapping[str, Any]) -> str:
    """Say which altered scenarios were played, or why none was, from the document that the API gives."""
    if found["left_out"]:
        return f"Scenarios that this change alters were not played as the commit has them: {found['left_out']}."
    many = len(found["cases"])
    what = "scenario that this change alters was" if many == 1 else "scenarios that this change alters were"
    cost = f", for ${found['cost_usd']:.2f}" if found["cost_usd"] else ""
    return f"{many} {what} also played as this commit has {'it' if many == 1 else 'them'}{cost}. That decides nothing."


def own_versions_lines(found: Mapping[str, Any]) -> list[str]:
    """The sentence, then the first scenarios in words."""
    rows = [
        f"{case['id']}: {version_words(case['own'])}; as it decided, {version_words(case['deciding'])}"
        for case in found["cases"][:NAMES_SHOWN]
    ]
    more = len(found["cases"]) - NAMES_SHOWN
    return [own_versions_sentence(found), *rows, *([f"and {more} more"] if more > 0 else [])]


def version_words(one: Mapping[str, Any]) -> str:
    """ "fails (4.10; ScenarioToolsMetric)"."""
    score = [] if one["score"] is None else [f"{one['score']:.2f}"]
    more = len(one["failed"]) - CHECKS_SHOWN
    checks = [", ".join(one["failed"][:CHECKS_SHOWN]) + (f" and {more} more" if more > 0 else "")]
    text = "; ".join(part for part in (*score, *checks) if part)
    return f"{_WORDS[one['outcome']]}{f' ({text})' if text else ''}"


def _outcome(trials: Sequence[GateTrial], name: str) -> VersionOutcome:
    """Return the outcome of all trials that count: it fails where one fails.

    A replay only confirmed an outcome, and does not count.
    """
    ours = [trial for trial in trials if trial.case == name and trial.counts and not trial.replay]
    known = [one.passed for one in ours if one.passed is not None]
    scores = [one.score for one in ours if one.score is not None]
    failed = sorted({check for one in ours for check, fact in one.checks.items() if fact.outcome == "fail"})
    outcome = OwnOutcome.UNMEASURED if not known else OwnOutcome.PASS if all(known) else OwnOutcome.FAIL
    worst = min(ours, key=lambda trial: (trial.passed is not False, trial.score or 0.0), default=None)
    return VersionOutcome(
        outcome=outcome,
        score=round(sum(scores) / len(scores), 6) if scores else None,
        failed=tuple(failed),
        conversation=worst.conversation if worst else "",
    )


def _json(outcome: VersionOutcome) -> dict[str, Any]:
    return {**asdict(outcome), "outcome": outcome.outcome.value, "failed": list(outcome.failed)}

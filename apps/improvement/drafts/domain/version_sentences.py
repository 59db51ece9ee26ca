"""Sentences about versions beside each other: each one's answer, why one has none, and the first line. Pure."""

from collections.abc import Mapping, Sequence

from apps.core.plurals import many
from apps.improvement.drafts.domain.version_matrix import MissingVersion
from apps.reports.comparisons.domain.comparison import ComparisonOutcome, Difference

_WHY = {
    MissingVersion.NOT_PLAYED: "No battle has played {version}: try it on the scenarios that {first} has played.",
    MissingVersion.NOT_JUDGED: "{version} was played, and nothing of it is judged{config}: judge its runs.",
    MissingVersion.OTHER_JUDGE: (
        "{version} was scored by other judges than the one compared here ({judge}): judge its runs with that one. "
        "Scores of two judges are never subtracted."
    ),
    MissingVersion.NO_SHARED_CASES: (
        "{version} has no scenario, persona and seed in common with {first}, as they were played by one agent: play "
        "both on the same scenarios with one seed."
    ),
}


def why_missing(missing: MissingVersion, *, version: str, first: str, judge: str, config: str) -> str:
    """The reason in a sentence, with what to do."""
    with_config = f" with {config}" if config else ""
    return _WHY[missing].format(version=version, first=first, judge=judge or "none", config=with_config)


def first_line(first: str, answers: Mapping[str, Difference], *, missing: Sequence[str]) -> str:
    """The answer over all versions: `answers` are those that could be compared, by version."""
    if not answers:
        return f"Nothing can be compared with {first} yet."
    better = _named(answers, ComparisonOutcome.B_BETTER)
    worse = _named(answers, ComparisonOutcome.A_BETTER)
    parts = []
    if better:
        most = answers[better[0]]
        low, high = most.interval or (0.0, 0.0)
        families = many(most.clusters, "family", "families")
        parts.append(f"{better[0]} is better than {first} by {most.mean:.1f} [{low:.1f}, {high:.1f}] over {families}")
        if len(better) > 1:
            parts.append(f"better too: {', '.join(better[1:])}")
    else:
        parts.append(f"No version is shown to be better than {first}")
    if worse:
        parts.append(f"worse: {', '.join(worse)}")
    if missing:
        parts.append(f"not compared: {', '.join(missing)}")
    return "; ".join(parts) + "."


def _named(answers: Mapping[str, Difference], outcome: ComparisonOutcome) -> list[str]:
    """The versions of this outcome, the largest difference first."""
    named = [(version, answer) for version, answer in answers.items() if answer.outcome is outcome]
    return [version for version, one in sorted(named, key=lambda item: -abs(item[1].mean or 0.0))]

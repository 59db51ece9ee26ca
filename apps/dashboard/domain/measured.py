"""Split an evaluation's conversations in four: pass, fail, undecided, not measured.

The four add up to all of them, on every page the same.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from apps.dashboard.domain.figures import many, share_interval


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictSplit:
    """The one definition of pass: the score reaches the mark, and nothing else fails the conversation.

    No blocking criterion fails it and the agent did not break off. It is undecided where the judge's noise straddles
    the mark. What could not be parsed or judged, and what a fallback model judged, is not measured: no zero and no
    pass.

    `cases` is how many scenarios the measured ones come from.
    """

    passed: int
    failed: int
    undecided: int
    not_measured: int
    cases: int

    @property
    def measured(self) -> int:
        return self.passed + self.failed + self.undecided

    @property
    def share(self) -> float | None:
        """Passes among the measured ones; None without any."""
        return self.passed / self.measured if self.measured else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's 95 % of that share over scenarios: repeats of one scenario make it no narrower."""
        return None if self.share is None else share_interval(self.share, min(self.cases, self.measured))

    def rows(self) -> list[tuple[str, int]]:
        """Each verdict with its count, in one order everywhere."""
        counts = (self.passed, self.failed, self.undecided, self.not_measured)
        return list(zip(("pass", "fail", "undecided", "not_measured"), counts, strict=True))

    def sentence(self) -> str:
        """Return the counts as a sentence; "" where there is no conversation.

        For example: `120 pass, 30 fail, 5 undecided, 5 not measured: 160 conversations.`
        """
        listing = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in self.rows() if count)
        return f"{listing}: {many(self.measured + self.not_measured, 'conversation')}." if listing else ""


def split_of(verdicts: Mapping[str, int], *, total: int, cases: int) -> VerdictSplit:
    """Split by the counts of decisions; the rest of `total` was not measured. Pure."""
    passed, failed, undecided = (verdicts.get(name, 0) for name in ("pass", "fail", "undecided"))
    return VerdictSplit(
        passed=passed,
        failed=failed,
        undecided=undecided,
        not_measured=total - passed - failed - undecided,
        cases=cases,
    )

"""The matrix of the gate as data: which change asks for which gate.

Prompts, state machines, scenarios, snapshots and the configuration block; a major version of a dependency blocks;
documents ask for nothing; all other code gets an advisory smoke test. `gate: {matrix: [...]}` in ratiba.yaml puts rules
of its own before these; the first rule that fits a file counts, and of all files the strictest.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pytest_ratiba.ci.dependencies import MajorBump


class GateNeed(StrEnum):
    """What a change asks for, from the least to the most."""

    NOTHING = "nothing"
    ADVISORY = "advisory"
    BLOCKING = "blocking"


_ORDER = tuple(GateNeed)
DOCUMENTS = ("**/*.md", "**/*.rst", "docs/**", "LICENSE*", "**/.gitignore", ".github/CODEOWNERS")


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixRule:
    """Files by patterns, what a change to one of them needs, and the agents it is about (none: all)."""

    paths: tuple[str, ...]
    need: GateNeed
    agents: tuple[str, ...] = ()
    why: str = ""

    def fits(self, path: str) -> bool:
        """Whether the path is one of these files."""
        return any(glob_pattern(pattern).fullmatch(path) for pattern in self.paths)


@dataclass(frozen=True, slots=True, kw_only=True)
class GateScope:
    """What a change needs, for which agents, and why: (file or package, reason) of the strictest first."""

    need: GateNeed
    agents: tuple[str, ...]
    reasons: tuple[tuple[str, str], ...]


def scope_of(
    changed: Iterable[str], bumps: Sequence[MajorBump], rules: Sequence[MatrixRule], *, agents: Sequence[str]
) -> GateScope:
    """The gate for these changed files. Where no rule fits a file, it is other code: advisory, every agent."""
    found: list[tuple[GateNeed, tuple[str, ...], str, str]] = []
    for path in changed:
        rule = next((one for one in rules if one.fits(path)), None)
        if rule is None:
            found.append((GateNeed.ADVISORY, tuple(agents), path, "other code"))
        elif rule.need is not GateNeed.NOTHING:
            found.append((rule.need, rule.agents or tuple(agents), path, rule.why or "a rule of the matrix"))
    found += [(GateNeed.BLOCKING, tuple(agents), bump.sentence, "a major version") for bump in bumps]
    need = max((one[0] for one in found), key=_ORDER.index, default=GateNeed.NOTHING)
    strictest = [one for one in found if one[0] is need]
    meant = {name for one in strictest for name in one[1]}
    return GateScope(
        need=need,
        agents=tuple(name for name in agents if name in meant),
        reasons=tuple((what, why) for _, _, what, why in strictest),
    )


def glob_pattern(pattern: str) -> re.Pattern[str]:
    """A glob as a regular expression: `*` and `?` within a folder, `**/` any folders, `/**` all below."""
    out, at = "", 0
    while at < len(pattern):
        if pattern.startswith("**/", at):
            out, at = out + "(?:[^/]+/)*", at + 3
        elif pattern.startswith("**", at):
            out, at = out + ".*", at + 2
        elif pattern[at] in "*?":
            out, at = out + ("[^/]*" if pattern[at] == "*" else "[^/]"), at + 1
        else:
            out, at = out + re.escape(pattern[at]), at + 1
    return re.compile(out)

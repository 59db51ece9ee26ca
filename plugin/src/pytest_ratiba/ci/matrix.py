"""The matrix of the gate as data: which change asks for which gate.

Prompts, state machines, scenarios, snapshots and the configuration block; a major version of a dependency blocks;
documents ask for nothing; all other code gets an advisory smoke test. `gate: {matrix: [...]}` in ratiba.yaml puts rules
of its own before these; the first rule that fits a file counts, and of all files the strictest. DEFAULT_RULES are those
of the server's `eval_gate --changed-files` too (a test plays both on the same paths).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pytest_ratiba.ci.dependencies import MajorBump
from pytest_ratiba.ci.globs import fits


class GateNeed(StrEnum):
    """What a change asks for, from the least to the most."""

    NOTHING = "nothing"
    ADVISORY = "advisory"
    BLOCKING = "blocking"


_ORDER = tuple(GateNeed)
UNREAD = "may be a major version of a dependency: its name alone does not tell"


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixRule:
    """Files by patterns, what a change to one of them needs, and the agents it is about (none: all)."""

    paths: tuple[str, ...]
    need: GateNeed
    agents: tuple[str, ...] = ()
    why: str = ""

    def fits(self, path: str) -> bool:
        """Whether the path is one of these files."""
        return fits(path, self.paths)


DEFAULT_RULES = (
    MatrixRule(paths=("docs/**",), need=GateNeed.NOTHING, why="documents"),
    MatrixRule(paths=("**/prompts/**", "**/*.prompt", "**/*.prompt.*"), need=GateNeed.BLOCKING, why="a prompt"),
    MatrixRule(
        paths=("**/ratiba.yaml", "**/tests/eval/**", "**/scenarios/**"),
        need=GateNeed.BLOCKING,
        why="what is evaluated",
    ),
    MatrixRule(
        paths=("**/*.md", "**/*.rst", "**/*.png", "**/*.jpg", "**/*.svg", "LICENSE*", "**/.gitignore",
               ".github/CODEOWNERS"),
        need=GateNeed.NOTHING,
        why="documents",
    ),
    MatrixRule(
        paths=("**/*fsm*", "**/fsm/**", "**/*state_machine*", "**/state_machine*/**"),
        need=GateNeed.BLOCKING,
        why="a state machine",
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class GateScope:
    """What a change needs, for which agents, and why: (file or package, reason) of the strictest first. `notes` is what
    a reader must know besides."""

    need: GateNeed
    agents: tuple[str, ...]
    reasons: tuple[tuple[str, str], ...]
    notes: tuple[str, ...] = ()


def scope_of(
    changed: Iterable[str],
    bumps: Sequence[MajorBump],
    rules: Sequence[MatrixRule],
    *,
    agents: Sequence[str],
    unread: Iterable[str] = (),
) -> GateScope:
    """The gate for these changed files. Where no rule fits a file, it is other code: advisory, every agent.

    `unread` are dependency files of which nobody knows how they were: any of them may be a major version.
    """
    found: list[tuple[GateNeed, tuple[str, ...], str, str]] = []
    for path in changed:
        rule = next((one for one in rules if one.fits(path)), None)
        if rule is None:
            found.append((GateNeed.ADVISORY, tuple(agents), path, "other code"))
        elif rule.need is not GateNeed.NOTHING:
            found.append((rule.need, rule.agents or tuple(agents), path, rule.why or "a rule of the matrix"))
    found += [(GateNeed.BLOCKING, tuple(agents), bump.sentence, "a major version") for bump in bumps]
    found += [(GateNeed.BLOCKING, tuple(agents), path, UNREAD) for path in unread]
    need = max((one[0] for one in found), key=_ORDER.index, default=GateNeed.NOTHING)
    strictest = [one for one in found if one[0] is need]
    meant = {name for one in strictest for name in one[1]}
    return GateScope(
        need=need,
        agents=tuple(name for name in agents if name in meant),
        reasons=tuple((what, why) for _, _, what, why in strictest),
    )

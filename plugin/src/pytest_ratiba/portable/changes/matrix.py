"""The matrix of the gate as data: which change asks for which gate.

What runs or guards the gate, prompts, state machines, scenarios, snapshots, the configuration and the agent's image
block; a major version of a dependency blocks; all else gets an advisory smoke test, documents too: nobody knows by a
name what an agent reads, and one that it opens while it is played makes the gate block.
`gate: {matrix: [...]}` in ratiba.yaml puts rules of its own before DEFAULT_RULES and behind GUARD_RULES; the first
rule that fits a file counts, and of all files the strictest.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from .folded_names import folded
from .globs import fits
from .major_versions import MajorBump
from .version_files import is_dependency_file


class GateNeed(StrEnum):
    """These are the gates that a change may need, from the least to the most."""

    NOTHING = "nothing"
    ADVISORY = "advisory"
    BLOCKING = "blocking"


_ORDER = tuple(GateNeed)
PROMPT = "a prompt"
MAY_BE_READ = "a text that the agent may read"
UNREAD = "may be a major version of a dependency: its name alone does not tell"


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixRule:
    """Files by patterns, what a change to one of them needs, and the agents it is about (none: all)."""

    paths: tuple[str, ...]
    need: GateNeed
    agents: tuple[str, ...] = ()
    why: str = ""

    def fits(self, path: str) -> bool:
        """Whether the path is one of these files; where that blocks, by what a person reads in it too."""
        return fits(path, self.paths) or (self.need is GateNeed.BLOCKING and self.looks_alike(path))

    def looks_alike(self, path: str) -> bool:
        """Whether it is, but for case and for letters that look alike."""
        return fits(folded(path), tuple(map(folded, self.paths)))


# Of the whole repository, wherever the project lies in it. Before the project's own rules: whoever changes what judges
# a change cannot say that nobody has to look.
GUARD_RULES = (
    MatrixRule(
        paths=(
            ".github/workflows/**",
            ".github/actions/**",
            "**/action.yml",
            "**/action.yaml",
            ".gitlab-ci.y*ml",
            ".gitlab/**/*.yml",
            ".gitlab/**/*.yaml",
            ".circleci/**",
            ".buildkite/**",
            ".azure-pipelines/**",
            "azure-pipelines*.y*ml",
            "bitbucket-pipelines.y*ml",
            "Jenkinsfile*",
            ".travis.y*ml",
            ".drone.y*ml",
            ".woodpecker/**",
            ".woodpecker.y*ml",
            ".forgejo/workflows/**",
            ".gitea/workflows/**",
        ),
        need=GateNeed.BLOCKING,
        why="what runs the gate",
    ),
    MatrixRule(
        paths=("CODEOWNERS", ".github/CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS", ".gitea/CODEOWNERS"),
        need=GateNeed.BLOCKING,
        why="who has to review",
    ),
)
DEFAULT_RULES = (
    *GUARD_RULES,
    MatrixRule(paths=("docs/**",), need=GateNeed.ADVISORY, why=MAY_BE_READ),
    MatrixRule(paths=("**/prompts/**", "**/prompts", "**/*prompt*"), need=GateNeed.BLOCKING, why=PROMPT),
    MatrixRule(
        paths=("**/ratiba.yaml", "**/tests/eval/**", "**/scenarios/**", "**/scenarios"),
        need=GateNeed.BLOCKING,
        why="what is evaluated",
    ),
    MatrixRule(
        paths=("**/*.md", "**/*.rst", "**/*.png", "**/*.jpg", "**/*.svg", "LICENSE", "LICENSE.txt", "**/.gitignore"),
        need=GateNeed.ADVISORY,
        why=MAY_BE_READ,
    ),
    MatrixRule(
        paths=("**/*fsm*", "**/fsm/**", "**/*state_machine*", "**/state_machine*/**"),
        need=GateNeed.BLOCKING,
        why="a state machine",
    ),
    MatrixRule(
        paths=(
            "**/Dockerfile*",
            "**/*.dockerfile",
            "**/*.Dockerfile",
            "**/Containerfile*",
            "**/compose*.y*ml",
            "**/docker-compose*.y*ml",
            "**/docker-bake.*",
            "**/Procfile",
            "**/.env",
            "**/runtime.txt",
            "**/.python-version",
            "**/.tool-versions",
        ),
        need=GateNeed.BLOCKING,
        why="what the agent runs in",
    ),
    MatrixRule(
        paths=(
            "conftest.py",
            "tests/conftest.py",
            "**/pytest.ini",
            "**/.pytest.ini",
            "**/pytest.toml",
            "**/.pytest.toml",
            "**/tox.ini",
            "**/noxfile.py",
            ".pre-commit-config.y*ml",
            "**/sitecustomize.py",
            "**/usercustomize.py",
            "**/*.pth",
            ".gitmodules",
            ".gitattributes",
        ),
        need=GateNeed.BLOCKING,
        why="what runs the tests",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GateScope:
    """A scope tells the gate that a change needs, the agents that need it, and the reasons.
    A reason is (file or package, reason); the strictest come first. `others` are agents for which the change needs
    no more than an advisory gate, where the need is more. `notes` are further facts that a reader must know."""

    need: GateNeed
    agents: tuple[str, ...]
    reasons: tuple[tuple[str, str], ...]
    others: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def scope_of(
    changed: Iterable[str],
    bumps: Sequence[MajorBump],
    rules: Sequence[MatrixRule],
    *,
    agents: Sequence[str],
    unread: Iterable[str] = (),
    names: Mapping[str, Sequence[str]] | None = None,
    blocking: Iterable[tuple[str, str]] = (),
) -> GateScope:
    """The gate for these changed files. Where no rule fits a file, it is other code: advisory, every agent.

    `unread` are dependency files of which nobody knows what they say: any may be a major version. `names` are other
    paths by which a changed file is reached, for which the rules count too. `blocking` is what blocks besides, and why.
    A prompt of one agent is a text that the others may read.
    """
    every = tuple(agents)
    found: list[tuple[GateNeed, tuple[str, ...], str, str]] = []
    for path in changed:
        for name in (path, *(names or {}).get(path, ())):
            shown = path if name == path else f"{path} (as {name})"
            rule = next((one for one in rules if one.fits(name)), None)
            if rule is None:
                found.append((GateNeed.ADVISORY, every, shown, "other code"))
            elif rule.need is not GateNeed.NOTHING:
                alike = "" if fits(name, rule.paths) else f" (as {folded(name)})"
                found.append((rule.need, rule.agents or every, shown + alike, rule.why or "a rule of the matrix"))
                if rule.agents and rule.why:  # by its name, and not by a rule of the project's own
                    found.append((GateNeed.ADVISORY, every, shown, MAY_BE_READ))
    others = [*((bump.sentence, "a major version") for bump in bumps), *((path, UNREAD) for path in unread), *blocking]
    found += [(GateNeed.BLOCKING, every, what, why) for what, why in others]
    need = max((one[0] for one in found), key=_ORDER.index, default=GateNeed.NOTHING)
    strictest = [one for one in found if one[0] is need]
    meant, played = ({name for one in some for name in one[1]} for some in (strictest, found))
    return GateScope(
        need=need,
        agents=tuple(name for name in agents if name in meant),
        reasons=tuple((what, why) for _, _, what, why in strictest),
        others=tuple(name for name in agents if name in played - meant),
    )


def scope_by_names(changed: Sequence[str]) -> GateScope:
    """The gate where nothing but names is known: every file that says versions may hold a major one, and what links,
    lists and workflows lead to is not followed."""
    return scope_of(changed, [], DEFAULT_RULES, agents=("agent",), unread=filter(is_dependency_file, changed))

"""How much a change may stop: files by pattern, as data. Prompts and state machines block, documents ask for nothing,
other code is a smoke test.

The rows are those of `ratiba-ci gate` (pytest_ratiba.ci.matrix.DEFAULT_RULES), which lives in another distribution and
reads the versions of dependencies too. Names alone do not tell a major version, so a dependency file blocks here.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from apps.core.errors import BadInput
from apps.gates.domain.gate_states import GateKind

MOST_FILES = 10_000


@dataclass(frozen=True, slots=True)
class ChangeRule:
    """Files that one of `patterns` describes (`*` and `?` within a folder, `**/` any folders, `/**` all below), and
    what their change asks for; None is nothing."""

    name: str
    patterns: tuple[str, ...]
    kind: GateKind | None


# The first row that describes a file decides about it; the strictest answer of all files counts.
MATRIX = (
    ChangeRule("documents", ("docs/**",), None),
    ChangeRule("a prompt", ("**/prompts/**", "**/*.prompt", "**/*.prompt.*"), GateKind.BLOCKING),
    ChangeRule("what is evaluated", ("**/ratiba.yaml", "**/tests/eval/**", "**/scenarios/**"), GateKind.BLOCKING),
    ChangeRule("documents", ("**/*.md", "**/*.rst", "**/*.png", "**/*.jpg", "**/*.svg", "LICENSE*", "**/.gitignore",
                             ".github/CODEOWNERS"), None),
    ChangeRule("a state machine", ("**/*fsm*", "**/fsm/**", "**/*state_machine*", "**/state_machine*/**"),
               GateKind.BLOCKING),
)  # fmt: skip
OTHER_CODE = ChangeRule("other code", (), GateKind.ADVISORY)
DEPENDENCIES = ChangeRule(
    "may be a major version of a dependency: its name alone does not tell",
    ("**/*requirements*.txt", "**/*requirements*.in", "**/requirements/**/*.txt", "**/requirements/**/*.in",
     "**/pyproject.toml", "**/uv.lock", "**/poetry.lock", "**/package.json"),
    GateKind.BLOCKING,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ChangeNeed:
    """What changed files ask for together, and the file and rule that decided; `kind` None: nothing is measured."""

    kind: GateKind | None
    file: str = ""
    why: str = ""


def need_of_change(files: Iterable[str]) -> ChangeNeed:
    """The strictest answer of all these files; of equals the first. Pure."""
    found = [(name, rule) for name in files for rule in _rules_of(name)]
    for kind in (GateKind.BLOCKING, GateKind.ADVISORY):
        for name, rule in found:
            if rule.kind is kind:
                return ChangeNeed(kind, name, rule.name)
    return ChangeNeed(None)


def read_changed_files(text: str) -> list[str]:
    """One path a line, as `git diff --name-only` prints them; blank lines count for nothing.

    Raises BadInput with the line for a path that is absolute or climbs, and beyond MOST_FILES.
    """
    names = []
    for number, line in enumerate(text.splitlines(), start=1):
        name = line.strip().strip('"')
        if not name:
            continue
        if name.startswith("/") or ".." in name.split("/") or "\x00" in name:
            raise BadInput(f"line {number}: {name[:80]!r} is no path inside the repository.", code="bad_changed_files")
        names.append(name)
    if len(names) > MOST_FILES:
        raise BadInput(
            f"{len(names)} files are more than {MOST_FILES}: name those that matter.", code="bad_changed_files"
        )
    return names


def _rules_of(name: str) -> list[ChangeRule]:
    """The first row for the file itself, and the one about dependencies beside it."""
    found = [next((row for row in MATRIX if _describes(row, name)), OTHER_CODE)]
    return [*found, DEPENDENCIES] if _describes(DEPENDENCIES, name) else found


def _describes(row: ChangeRule, name: str) -> bool:
    return any(_compiled(pattern).fullmatch(name) for pattern in row.patterns)


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    signs = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(signs.get(part) or re.escape(part) for part in parts), re.DOTALL)

"""How much a change may stop: files by pattern, as data. Prompts and state machines block, other code is a smoke test,
dependencies block, documents ask for nothing."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from apps.core.errors import BadInput
from apps.gates.domain.gate_states import GateKind

MOST_FILES = 10_000


@dataclass(frozen=True, slots=True)
class ChangeRule:
    """Files that one of `patterns` describes (`*` also stands for `/`), and what their change asks for; None is
    nothing."""

    name: str
    patterns: tuple[str, ...]
    kind: GateKind | None


# The first row that describes a file decides about it; the strictest answer of all files counts.
MATRIX = (
    ChangeRule("prompts and state machines", ("*prompts/*", "*.prompt", "*.prompt.*", "*fsm*", "*state_machine*",
                                              "ratiba.yaml", "*tests/eval/*", "*scenarios/*"), GateKind.BLOCKING),
    ChangeRule("dependencies", ("*requirements*.txt", "*requirements*.in", "*pyproject.toml", "*uv.lock",
                               "*poetry.lock", "*package.json", "*package-lock.json"), GateKind.BLOCKING),
    ChangeRule("documents", ("*.md", "*.rst", "docs/*", "LICENSE*", "*.png", "*.svg", "*.jpg"), None),
    ChangeRule("other code", ("*",), GateKind.ADVISORY),
)  # fmt: skip


def kind_of_change(files: Iterable[str], matrix: Sequence[ChangeRule] = MATRIX) -> GateKind | None:
    """What these changed files ask for together; None where nothing is to be measured. Pure."""
    kinds = {next((row.kind for row in matrix if _describes(row, name)), GateKind.BLOCKING) for name in files}
    return next((one for one in (GateKind.BLOCKING, GateKind.ADVISORY) if one in kinds), None)


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


def _describes(row: ChangeRule, name: str) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in row.patterns)

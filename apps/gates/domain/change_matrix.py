"""How much a change may stop: files by pattern, as data. Prompts and state machines block, documents ask for nothing,
other code is a smoke test.

The rows are those of `ratiba-ci gate` (pytest_ratiba.ci.matrix.DEFAULT_RULES), which lives in another distribution and
reads the versions of dependencies too. Names alone do not tell a major version, so a dependency file blocks here.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath

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


def read_changed_files(raw: bytes) -> list[str]:
    """One path a line, as `git diff --name-only` prints them (quoted where a name has unusual signs), or separated by
    NUL (`-z`); blank lines count for nothing.

    Raises BadInput with the line for a path that is absolute or climbs or is no UTF-8, beyond MOST_FILES, and for a
    list without a path, which a diff that failed leaves. Pure.
    """
    names = []
    for number, entry in enumerate(raw.split(b"\0") if b"\0" in raw else raw.splitlines(), start=1):
        if not entry.strip():
            continue
        try:
            path = PurePosixPath(_unquoted(entry.strip()).decode())
        except UnicodeDecodeError:
            raise _unusable(f"line {number} is not UTF-8.") from None
        if path.is_absolute() or ".." in path.parts:
            raise _unusable(f"line {number}: {str(path)[:80]!r} is no path inside the repository.")
        names.append(str(path))
    if len(names) > MOST_FILES:
        raise _unusable(f"{len(names)} files are more than {MOST_FILES}: name those that matter.")
    if not names:
        raise _unusable("The list names no file; did `git diff` fail, or is the clone shallow?")
    return names


def _unusable(message: str) -> BadInput:
    return BadInput(message, code="bad_changed_files")


def _unquoted(entry: bytes) -> bytes:
    """As git's core.quotePath wrote it: "prompts/\\303\\274.txt" is prompts/ü.txt."""
    if not (len(entry) > 1 and entry.startswith(b'"') and entry.endswith(b'"')):
        return entry
    return _ESCAPE.sub(lambda found: bytes([_SIGNS.get(found[1]) or int(found[1], 8) & 255]), entry[1:-1])


_ESCAPE = re.compile(rb'\\([abtnvfr"\\]|[0-7]{3})')
_SIGNS = {b"a": 7, b"b": 8, b"t": 9, b"n": 10, b"v": 11, b"f": 12, b"r": 13, b'"': 34, b"\\": 92}


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

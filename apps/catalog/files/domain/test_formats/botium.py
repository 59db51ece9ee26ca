"""Read Botium's conversations (`.convo.txt`) → a scenario.

`#me` is what the customer says, `#bot` what the agent must say, `!` before what it must not say. Asserters (`BUTTONS
…`), utterance lists (`UTT_…`) and variables are left out.
"""

import re
from collections.abc import Iterator

from apps.catalog.files.domain.test_formats.collecting import Collected, ImportedCase

_SECTION = re.compile(r"#(me|bot|begin|end|include)\b[ \t]*(.*)\Z", re.IGNORECASE)
_ASSERTER = re.compile(r"!?[A-Z][A-Z_]{2,}\b")
_VARIABLE = re.compile(r"\$\w+")


def read(text: str, into: Collected) -> None:
    """The one conversation of the file; several, where a further name stands before a `#me`."""
    name, sections = "", list[tuple[int, str, list[str]]]()
    for line, kind, rows in _sections(text):
        if kind == "name":
            name = rows[0]
        else:
            sections.append((line, kind, rows))
    if not sections:
        return
    case = ImportedCase(key=name, goal=name)
    for line, kind, rows in sections:
        if kind == "me":
            _me(case, line, rows)
        elif kind == "bot":
            _bot(case, line, rows)
        else:
            case.left_out.append(f"line {line}: #{kind} is run by Botium alone")
    if case.lines:
        into.take(f"line {sections[0][0]}", case)
    else:
        into.refuse(f"line {sections[0][0]}", "no #me says what the customer says", name)


def _sections(text: str) -> Iterator[tuple[int, str, list[str]]]:
    """(line, kind, its lines): first the name, where lines stand before the first section."""
    line, kind, rows = 1, "name", list[str]()
    for number, row in enumerate(text.splitlines(), start=1):
        if head := _SECTION.match(row.strip()):
            if any(rows):
                yield line, kind, [one for one in rows if one]
            elif kind == "bot":
                yield line, kind, []
            line, kind, rows = number, head[1].lower(), [head[2].strip()]
        else:
            rows.append(row.strip())
    if any(rows):
        yield line, kind, [one for one in rows if one]


def _me(case: ImportedCase, line: int, rows: list[str]) -> None:
    words = " ".join(row for row in rows if not _ASSERTER.match(row))
    for row in rows:
        if _ASSERTER.match(row):
            case.left_out.append(f"line {line}: {row[:60]} stands for words that this file does not hold")
    if words and not _VARIABLE.search(words):
        case.lines.append(words)
    elif words:
        case.left_out.append(f"line {line}: {words[:60]!r} has a variable that only Botium fills in")


def _bot(case: ImportedCase, line: int, rows: list[str]) -> None:
    for row in rows:
        if _ASSERTER.match(row) or _VARIABLE.search(row):
            case.left_out.append(f"line {line}: {row[:60]} is known to Botium alone")
        elif row.startswith("!"):
            case.assertions.append({"said": [row[1:].strip()], "forbidden": True})
        else:
            case.assertions.append({"said": [row.removeprefix("?").strip()]})

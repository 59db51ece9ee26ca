"""The fenced blocks of our documents, and what their info strings ask for.

    ```bash run               executed, in order, in one shell per document; it must end with 0
    ```bash run exit=1        executed; must end with that code
    ```yaml file=var/x.yaml   written there before the blocks after it are executed

A block marked in any other way is only read.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One fenced block. `line` is that of its first line, from 1."""

    document: Path
    line: int
    language: str
    text: str
    marks: dict[str, str] = field(default_factory=dict)

    @property
    def place(self) -> str:
        return f"{self.document.relative_to(ROOT).as_posix()}:{self.line}"

    @property
    def file(self) -> str | None:
        return self.marks.get("file")

    @property
    def runs(self) -> bool:
        return self.language == "bash" and "run" in self.marks

    @property
    def exit(self) -> int:
        return int(self.marks.get("exit", "0"))


def documents() -> list[Path]:
    """Everything a user reads: the documents at the root, and those of docs/ without the decisions."""
    return sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])


def blocks(document: Path) -> Iterator[Block]:
    """The fenced blocks of one document, in order."""
    info, start, lines = "", 0, []
    inside = False
    for number, line in enumerate(document.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.startswith("```"):
            if inside:
                lines.append(line)
        elif inside:
            inside = False
            language, *marks = info.split() or [""]
            found = dict(mark.partition("=")[::2] for mark in marks)
            yield Block(document=document, line=start, language=language, text="\n".join(lines), marks=found)
        else:
            inside, info, start, lines = True, line[3:].strip(), number + 1, []

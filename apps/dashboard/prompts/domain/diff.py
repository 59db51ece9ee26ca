"""A prompt and what shall replace it as one text, in sections: what goes, what comes, and what is protected. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest

from apps.improvement.domain.prompt_sections import PromptSection, SectionKind, parse

_TOKENS = re.compile(r"\s+|\w+|[^\w\s]")
_WORD = re.compile(r"\w+")
_MAX_TOKENS = 600  # of a line; a longer one is shown as gone and come
_MIN_WORDS = 3  # that stay between two changes; fewer are read as part of one
_ALIKE = 0.4  # lines that share less are no edit of each other


@dataclass(frozen=True, slots=True)
class LinePiece:
    """A stretch of a line. `kind` is same, gone or come."""

    text: str
    kind: str = "same"


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line of both texts. `kind` is same, gone, come or edited."""

    kind: str
    pieces: Sequence[LinePiece]


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionDiff:
    """A section of the new text, or one that went. `state` is same, edited, gone or come."""

    title: str
    state: str
    protected: bool
    lines: Sequence[ShownLine]
    words: int

    @property
    def folded(self) -> bool:
        """Tell whether there is nothing to see in it."""
        return self.state == "same"


def prompt_diff(live: str, draft: str) -> list[SectionDiff]:
    """Every section in the new text's order, those that went where they stood. [] of two empty texts."""
    old, new = parse(live), parse(draft)
    matches = SequenceMatcher(
        a=[section.text for section in old], b=[section.text for section in new], autojunk=False
    ).get_opcodes()
    sections: list[SectionDiff] = []
    for tag, low, high, new_low, new_high in matches:
        if tag == "equal":
            sections += [_section(section, section) for section in new[new_low:new_high]]
        else:
            sections += [_section(a, b) for a, b in _paired(old[low:high], new[new_low:new_high])]
    return sections


def changed_words(sections: Sequence[SectionDiff]) -> int:
    """Count the words that are deleted or added in all sections."""
    return sum(section.words for section in sections)


def _paired(
    old: Sequence[PromptSection], new: Sequence[PromptSection]
) -> Iterator[tuple[PromptSection | None, PromptSection | None]]:
    """Sections of one title beside each other; without a title, those in the same place."""
    titles = {section.title for section in old} & {section.title for section in new}
    if len(old) == len(new) or not titles:
        yield from zip_longest(old, new)
        return
    rest = list(old)
    for section in new:
        before = next((other for other in rest if other.title == section.title), None)
        while before is not None and rest[0] is not before and rest[0].title not in {other.title for other in new}:
            yield rest.pop(0), None
        if before is not None:
            rest.remove(before)
        yield before, section
    yield from ((one, None) for one in rest)


def _section(old: PromptSection | None, new: PromptSection | None) -> SectionDiff:
    one = new if new is not None else old
    before, after = (old.text if old else ""), (new.text if new else "")
    state = "same" if before == after else "come" if old is None else "gone" if new is None else "edited"
    lines = list(_lines(before.splitlines(), after.splitlines()))
    protected = bool((old and old.protected) or (new and new.protected))
    words = sum(len(piece.text.split()) for line in lines for piece in line.pieces if piece.kind != "same")
    return SectionDiff(title=_title(one), state=state, protected=protected, lines=lines, words=words)


def _title(section: PromptSection | None) -> str:
    if section is None:
        return ""
    if section.kind is SectionKind.RULE:
        return f"Rule {section.title}"
    return section.title or ("Text" if section.text.strip() else "")


def _lines(old: Sequence[str], new: Sequence[str]) -> Iterator[ShownLine]:
    for tag, low, high, new_low, new_high in SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from (ShownLine("same", (LinePiece(line),)) for line in new[new_low:new_high])
            continue
        for before, after in zip_longest(old[low:high], new[new_low:new_high]):
            pieces = _pieces(before, after) if before is not None and after is not None else None
            if pieces is not None:
                yield ShownLine("edited", pieces)
                continue
            if before is not None:
                yield ShownLine("gone", (LinePiece(before, "gone"),))
            if after is not None:
                yield ShownLine("come", (LinePiece(after, "come"),))


def _pieces(old: str, new: str) -> Sequence[LinePiece] | None:
    """The words of both lines; None where they are too different, or too long, to be read as one."""
    before, after = _TOKENS.findall(old), _TOKENS.findall(new)
    if max(len(before), len(after)) > _MAX_TOKENS:
        return None
    matcher = SequenceMatcher(a=before, b=after, autojunk=False)
    if matcher.ratio() < _ALIKE:
        return None
    pieces: list[LinePiece] = []
    gone = come = ""
    for tag, low, high, new_low, new_high in matcher.get_opcodes():
        unchanged = "".join(after[new_low:new_high])
        if tag != "equal" or ((gone or come) and new_high < len(after) and len(_WORD.findall(unchanged)) < _MIN_WORDS):
            gone, come = gone + "".join(before[low:high]), come + unchanged
            continue
        pieces += _changed(gone, come)
        gone = come = ""
        pieces.append(LinePiece(unchanged))
    return [*pieces, *_changed(gone, come)]


def _changed(gone: str, come: str) -> list[LinePiece]:
    pairs = ((gone, "gone"), (come, "come"))
    return [LinePiece(text, kind) for text, kind in pairs if text]

"""A prompt in sections: Markdown headings, XML tags, numbered rules, text between them; and what in it is protected.

Reading loses nothing: `render(parse(text)) == text` for every text. Protected is what stands between `<protected>` and
`</protected>`, between `<!-- protected -->` and `<!-- /protected -->`, inside a tag or under a heading that is called
legal, disclaimer, privacy, tools or functions in one of their usual forms (in English, Swahili or Italian), with all
sub-headings of that heading. Pure.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

_HEADING = re.compile(r"#{1,6}[ \t]+(?P<title>\S[^\r\n]*?)[ \t]*#*[ \t]*(?:\r?\n|\r)?\Z")
_OPEN_TAG = re.compile(r"<(?P<title>[A-Za-z][\w.-]*)(?:\s[^<>]*)?>\s*\Z")
_RULE = re.compile(r" {0,3}(?P<title>\d{1,4})[.)][ \t]+\S")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_FENCED = re.compile(r"^ {0,3}(?:`{3,}|~{3,})", re.MULTILINE)
_MARKS = re.compile(
    r"<protected>.*?(?:</protected>|\Z)|<!--\s*protected\s*-->.*?(?:<!--\s*/protected\s*-->|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_PROTECTED_TITLES = re.compile(
    r"(?:\d+[.)]?\s*)?(?:legal(?:[ _-]*(?:notice|text|note))?|disclaimer|privacy(?:[ _-]*(?:notice|policy))?"
    r"|(?:(?:available|your|allowed)[ _-]+)?(?:tools?|functions?)"
    r"|(?:tool|function)s?[ _-]*(?:contracts?|definitions?|descriptions?|schemas?|specifications?|usage|use|calls?"
    r"|calling|list)"
    r"|protected"
    r"|ilani(?: ya kisheria)?|faragha|zana(?: zilizopo)?|avviso legale|note legali|informativa(?: sulla)? privacy"
    r"|strumenti(?: disponibili)?|funzioni)\s*:?",
    re.IGNORECASE,
)
_VARIABLE = re.compile(
    r"\{\{-?\s*(?P<a>[^{}\n]{1,200}?)\s*-?\}\}|\$\{(?P<b>\w{1,100})\}|\{(?P<c>[A-Za-z_][\w.]{0,100})\}"
    r"|\{%-?\s*(?P<d>[^{}\n]{1,200}?)\s*-?%\}|%\((?P<e>\w{1,100})\)[sdr]"
)
_CLAUSE = re.compile(r"[^.!?\n]*\Z"), re.compile(r"[^.!?\n]*")
_COMMENT = re.compile(r"<!--(?!\s*/?\s*protected\b).*?(?:-->|\Z)", re.DOTALL | re.IGNORECASE)


class SectionKind(StrEnum):
    HEADING = "heading"
    TAG = "tag"
    RULE = "rule"
    TEXT = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptSection:
    """A stretch of a prompt, `text` as it was written, its own heading, tag or number included. `title` is the
    heading's words, the tag's name, the rule's number, or "". `protected` are the stretches of it that must not change.
    """

    kind: SectionKind
    title: str
    text: str
    protected: tuple[str, ...] = ()


def parse(text: str) -> list[PromptSection]:
    """The sections in their order; [] of an empty text. Linear, never raises for a text."""
    pieces = list(_pieces(text.splitlines(keepends=True)))
    spans = _protected_places(pieces, text)
    sections, start = [], 0
    for kind, title, lines in pieces:
        written = "".join(lines)
        end = start + len(written)
        inside = tuple(text[max(a, start) : min(b, end)] for a, b in spans if a < end and b > start)
        sections.append(PromptSection(kind=kind, title=title, text=written, protected=inside))
        start = end
    return sections


def render(sections: Iterable[PromptSection]) -> str:
    """The text of which these are the sections, byte by byte."""
    return "".join(section.text for section in sections)


def protected_spans(text: str) -> tuple[str, ...]:
    """Return the spans that must not change, in their order; a span over several sections is one."""
    pieces = list(_pieces(text.splitlines(keepends=True)))
    return tuple(text[start:end] for start, end in _protected_places(pieces, text))


def protected_surroundings(text: str) -> list[tuple[str, str, bool, bool, bool]]:
    """Describe the surroundings of each protected span, in their order.

    They are the words of its clause before and behind it, and whether it lies in an HTML comment, in a code fence, and
    between marks that strike out.
    """
    pieces = list(_pieces(text.splitlines(keepends=True)))
    surroundings = []
    for start, end in _protected_places(pieces, text):
        before, behind = text[:start], text[start + len(text[start:end].rstrip()) :]
        left, right = _CLAUSE[0].search(before), _CLAUSE[1].match(behind)
        surroundings.append(
            (
                " ".join((left.group() if left else "").split()),
                " ".join((right.group() if right else "").split()),
                before.count("<!--") > before.count("-->"),
                len(_FENCED.findall(before)) % 2 == 1,
                before.count("~~") % 2 == 1,
            )
        )
    return surroundings


def without_comments(text: str) -> str:
    """The text without comments, as a template or a page drops them; marks of protection stay."""
    return _COMMENT.sub("", text)


def variables(text: str) -> list[str]:
    """The template variables, `{{ name }}`, `${name}`, `{name}`, `%(name)s` and `{% tag %}`, each as often as it
    stands there."""
    return sorted(next(part for part in match.groups() if part) for match in _VARIABLE.finditer(text))


_Piece = tuple[SectionKind, str, Sequence[str]]


def _pieces(lines: Sequence[str]) -> Iterator[_Piece]:
    """Lines in sections. A heading holds what follows it up to the next heading, tag or numbered rule."""
    closing = _closing_lines(lines)
    kind, title, held = SectionKind.TEXT, "", list[str]()
    at, fence = 0, ""
    while at < len(lines):
        line = lines[at]
        marker = _FENCE.match(line)
        if marker and (not fence or marker.group(1).startswith(fence)):
            fence = "" if fence else marker.group(1)
        begins = None if fence or marker else _begins(line, at, closing)
        if begins is None and kind is SectionKind.RULE and not fence and _ends_rule(lines, at):
            begins = (SectionKind.TEXT, "")
        if begins is not None:
            if held:
                yield kind, title, held
            kind, title = begins
            held = []
            if kind is SectionKind.TAG:
                yield kind, title, lines[at : closing[at] + 1]
                at, kind, title = closing[at] + 1, SectionKind.TEXT, ""
                continue
        held.append(line)
        at += 1
    if held:
        yield kind, title, held


def _begins(line: str, at: int, closing: dict[int, int]) -> tuple[SectionKind, str] | None:
    if heading := _HEADING.match(line):
        return SectionKind.HEADING, heading.group("title")
    if at in closing and (tag := _OPEN_TAG.match(line)):
        return SectionKind.TAG, tag.group("title")
    rule = _RULE.match(line)
    return (SectionKind.RULE, rule.group("title")) if rule else None


def _ends_rule(lines: Sequence[str], at: int) -> bool:
    """A rule goes on over indented lines and ends where a line after an empty one begins at the margin."""
    return at > 0 and not lines[at - 1].strip() and bool(lines[at].strip()) and not lines[at][0].isspace()


def _closing_lines(lines: Sequence[str]) -> dict[int, int]:
    """Pair each line that is an opening tag alone with the line that closes it, the innermost ones first."""
    open_tags: dict[str, list[int]] = {}
    pairs: dict[int, int] = {}
    for at, line in enumerate(lines):
        word = line.strip()
        if tag := _OPEN_TAG.match(line):
            open_tags.setdefault(tag.group("title"), []).append(at)
        elif word.startswith("</") and word.endswith(">") and open_tags.get(word[2:-1].strip()):
            pairs[open_tags[word[2:-1].strip()].pop()] = at
    return pairs


def _protected_places(pieces: Sequence[_Piece], text: str) -> list[tuple[int, int]]:
    """Start and end of each protected stretch, overlapping ones as one."""
    places = [match.span() for match in _MARKS.finditer(text)]
    start, within, since = 0, 0, 0  # the level of the protected heading above, 0 for none, and where it begins
    for kind, title, lines in pieces:
        end = start + sum(map(len, lines))
        named = kind in (SectionKind.HEADING, SectionKind.TAG) and _PROTECTED_TITLES.fullmatch(title.strip())
        if kind is SectionKind.HEADING:
            level = len(lines[0]) - len(lines[0].lstrip("#"))
            if not within or level <= within:
                within, since = (level, start) if named else (0, 0)
        if named or within:
            places.append((since if within else start, end))
        start = end
    joined: list[tuple[int, int]] = []
    for first, last in sorted(places):
        if joined and first < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], last))
        else:
            joined.append((first, last))
    return joined

"""Combine several drafts of one prompt into one text.

Changes in different sections stand together, and where two change the same section a person chooses. Where another
prompt went live meanwhile, it is one more version. Pure.

Each text is aligned with the common base section by section. Changes that touch no common section are made together;
those that overlap are one choice, unless they say the same.
"""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from apps.core.errors import BadInput
from apps.improvement.domain.prompt_sections import PromptSection, parse

LIVE = "live"  # what the live prompt's own change is called, where it moved since the base


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionChange:
    """The change of a stretch of the base by one or several drafts, given by name. `section` names the choice."""

    section: str
    title: str
    drafts: tuple[str, ...]
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionConflict:
    """A stretch of the base that several drafts change in different ways.

    `texts` are by who changes it so, `live` among them where the live prompt did.
    """

    section: str
    title: str
    before: str
    texts: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class CombinedPrompt:
    """A combined text, None while a conflict is open; `changes` are those made, by section."""

    text: str | None
    changes: Sequence[SectionChange]
    conflicts: Sequence[SectionConflict]


@dataclass(frozen=True, slots=True)
class _Hunk:
    """Sections `start` to `end` of the base become `words`; an insertion where both are one place."""

    start: int
    end: int
    words: str


def combine(
    *, base: str, drafts: Mapping[str, str], live: str | None = None, choices: Mapping[str, str] | None = None
) -> CombinedPrompt:
    """The drafts of one base together, over the live prompt of now where it is another. `choices` says by the name of
    a section whose words count there.

    One draft alone is that draft, byte by byte; the order of drafts is nothing. Raises BadInput for a choice of a
    section that is in no conflict, or of a draft that does not change it.
    """
    end = "\r\n" if "\r\n" in base else "\n"
    texts = {name: drafts[name] for name in sorted(drafts)}
    if live is not None and live != base:
        texts[LIVE] = live
    bare = bool(texts) and all(_lacks_end(one) for one in texts.values())
    sections = parse(_ended(base, end))
    hunks = {name: _hunks(sections, parse(_ended(text, end))) for name, text in texts.items()}
    chosen = dict(choices or {})
    made, changes, conflicts, at = list[str](), list[SectionChange](), list[SectionConflict](), 0
    for start, stop in _stretches(hunks):
        made += [section.text for section in sections[at:start]]
        at = stop
        variants = _variants(sections, hunks, start, stop)
        name, title = _name(start, stop), _title(sections, start, stop)
        before = "".join(section.text for section in sections[start:stop])
        picked = chosen.pop(name, None) if len(set(variants.values())) > 1 else None
        if picked is not None and picked not in variants:
            raise _bad_choice(name, f"{picked} does not change section {name}")
        if picked is None and len(set(variants.values())) > 1:
            conflicts.append(SectionConflict(section=name, title=title, before=before, texts=variants))
            continue
        words = variants[picked] if picked is not None else next(iter(variants.values()))
        by = tuple(one for one, text in variants.items() if text == words)
        changes.append(SectionChange(section=name, title=title, drafts=by, before=before, after=words))
        made.append(words)
    if chosen:
        raise _bad_choice(next(iter(chosen)), f"nothing is to be chosen in section {next(iter(chosen))}")
    made += [section.text for section in sections[at:]]
    whole = "".join(made)
    text = whole.removesuffix(end) if bare else whole
    return CombinedPrompt(text=None if conflicts else text, changes=changes, conflicts=conflicts)


def _bad_choice(section: str, why: str) -> BadInput:
    return BadInput(
        f"{why}: choose one of the drafts that the conflict names.", code="bad_choice", pointer=f"/choices/{section}"
    )


def _lacks_end(text: str) -> bool:
    return not text.endswith(("\n", "\r"))


def _ended(text: str, end: str) -> str:
    """Add a line end after the last line, so that a draft's addition behind it does not change it."""
    return text + end if _lacks_end(text) else text


def _hunks(base: Sequence[PromptSection], text: Sequence[PromptSection]) -> list[_Hunk]:
    """The hunks that turn the base into the text. Sections are the same one by kind and title; of those each stands
    alone."""
    before = [(section.kind, section.title) for section in base]
    after = [(section.kind, section.title) for section in text]
    hunks = []
    for operation, a, b, c, d in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if operation == "equal" or b - a == d - c:
            hunks += [
                _Hunk(a + place, a + place + 1, text[c + place].text)
                for place in range(b - a)
                if base[a + place].text != text[c + place].text
            ]
        else:
            hunks.append(_Hunk(a, b, "".join(section.text for section in text[c:d])))
    return hunks


def _stretches(hunks: Mapping[str, Sequence[_Hunk]]) -> list[tuple[int, int]]:
    """Return the stretches of the base that change, in their order.

    Hunks that overlap, or insert at one place, are one stretch.
    """
    places = sorted({(one.start, one.end) for each in hunks.values() for one in each})
    joined: list[tuple[int, int]] = []
    for start, end in places:
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def _variants(
    sections: Sequence[PromptSection], hunks: Mapping[str, Sequence[_Hunk]], start: int, stop: int
) -> dict[str, str]:
    """The text of the whole stretch in each draft that changes any of it."""
    variants = {}
    for name, each in hunks.items():
        inside = [one for one in each if _within(one, start, stop)]
        if not inside:
            continue
        made, at = list[str](), start
        for one in inside:
            made += [section.text for section in sections[at : one.start]]
            made.append(one.words)
            at = one.end
        made += [section.text for section in sections[at:stop]]
        variants[name] = "".join(made)
    return variants


def _within(hunk: _Hunk, start: int, stop: int) -> bool:
    """An insertion at the edge of a stretch of sections is beside it, not in it."""
    if start == stop:
        return hunk.start == hunk.end == start
    if hunk.start == hunk.end:
        return start < hunk.start < stop
    return start <= hunk.start and hunk.end <= stop


def _name(start: int, stop: int) -> str:
    """The numbers of the sections from 1: `2`, `2-3`, and `after 2` for what is put in between."""
    if start == stop:
        return f"after {start}"
    return f"{start + 1}" if stop == start + 1 else f"{start + 1}-{stop}"


def _title(sections: Sequence[PromptSection], start: int, stop: int) -> str:
    """The name of the place for people."""
    if start == stop:
        return f"after {_words(sections[start - 1])}" if start else "at the beginning"
    return ", ".join(dict.fromkeys(_words(section) for section in sections[start:stop]))


def _words(section: PromptSection) -> str:
    if section.title:
        return f"rule {section.title}" if section.kind == "rule" else section.title
    first = " ".join(section.text.split())
    return f"“{first[:40]}…”" if len(first) > 40 else f"“{first}”" if first else "the empty lines"

"""Refuses a pattern that could hold a worker for ever, before it is saved.

A repeat of nothing but another open repeat, such as (a+)+, is refused as it is written. Each repeat of the others is
tried on a text that repeats what it takes, with an end that does not fit: that is how
backtracking explodes. A pattern whose time doubles with every character runs out of time there at once; one that is
merely slow on long texts passes, since every later run has a bound of its own (apps.core.patterns).
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from apps.core.pattern_size import BACKTRACKING, bodies, parser
from apps.core.pattern_size import constants as parts
from apps.core.patterns import Pattern, PatternProblem

# Repeats of what a repeat takes: 2^240 steps never end, and the n^3 that `regex` makes of some outlast BOUND_S.
PUMPED = 240
BOUND_S = 0.1
MAX_PROBES = 12
_MAX_SAMPLE = 40
_ENDS = ("\x01", "!\n")  # signs that hardly any pattern ends in


def refuse_slow_pattern(pattern: Pattern) -> None:
    """Raise PatternProblem where the pattern repeats a repeat, or explodes on a text made for it. Takes at most
    MAX_PROBES × 2 × BOUND_S."""
    if _repeats_a_repeat(parser.parse(pattern.text)):
        raise PatternProblem(
            f"the pattern {pattern.text[:100]!r} repeats what is a repeat already, as (a+)+ does: a reply it does not "
            "fit would take for ever. Write one repeat, or a sign that must stand between"
        )
    if _repeats_a_reference(parser.parse(pattern.text)):
        raise PatternProblem(
            f"the pattern {pattern.text[:100]!r} repeats a reference (\\1) to a group that is as long as it likes: "
            "every length would be tried at every place of a long reply. Write what is meant without the reference"
        )
    for text in _probes(pattern.text):
        for end in _ENDS:
            if not pattern.answers_within(text + end, BOUND_S):
                raise PatternProblem(
                    f"the pattern {pattern.text[:100]!r} could take for ever: on a reply of {len(text)} characters it "
                    f"took longer than {BOUND_S:g} s. Write it without a repeat inside a repeat, such as (a+)+"
                )


def _repeats_a_repeat(tree: Any) -> bool:
    """Tell whether an open repeat holds nothing that must be there but one open repeat."""
    for kind, value in tree:
        if kind in BACKTRACKING:
            if value[1] is parts.MAXREPEAT and any(_is_one_repeat(body) for body in _ways(value[2])):
                return True
            if _repeats_a_repeat(value[2]):
                return True
        elif any(_repeats_a_repeat(body) for body in bodies(kind, value)):
            return True
    return False


def _repeats_a_reference(tree: Any) -> bool:
    """Tell whether a reference to a group that holds an open repeat is itself repeated, as in (.*)\\1{50}."""
    groups = {number for number, body in _groups(tree) if any(_open_repeats(body))}
    return any(number in groups for number in _repeated_references(tree, repeated=False))


def _groups(tree: Any) -> Iterator[tuple[Any, Any]]:
    for kind, value in tree:
        if kind is parts.SUBPATTERN:
            yield value[0], value[-1]
        for body in _inside(kind, value):
            yield from _groups(body)


def _open_repeats(tree: Any) -> Iterator[Any]:
    for kind, value in tree:
        if kind in BACKTRACKING and value[1] is parts.MAXREPEAT:
            yield value
        for body in _inside(kind, value):
            yield from _open_repeats(body)


def _repeated_references(tree: Any, *, repeated: bool) -> Iterator[Any]:
    for kind, value in tree:
        if kind is parts.GROUPREF and repeated:
            yield value
        more = kind in BACKTRACKING and value[1] > 1
        for body in _inside(kind, value):
            yield from _repeated_references(body, repeated=repeated or more)


def _inside(kind: Any, value: Any) -> list[Any]:
    return [value[2]] if kind in BACKTRACKING else bodies(kind, value)


def _ways(tree: Any) -> Iterator[Any]:
    """The ways to match a body: its alternatives where it is a group of them, else the body itself."""
    inner = list(tree)
    while len(inner) == 1 and inner[0][0] is parts.SUBPATTERN:
        inner = list(inner[0][1][-1])
    if len(inner) == 1 and inner[0][0] is parts.BRANCH:
        for way in inner[0][1][1]:
            yield from _ways(way)
    else:
        yield inner


def _is_one_repeat(tree: Any) -> bool:
    """Tell whether an open repeat is all of it, what may be missing apart."""
    needed = [(kind, value) for kind, value in tree if kind is not parts.AT and not _may_be_empty(kind, value)]
    opened = [(kind, value) for kind, value in tree if kind in BACKTRACKING]
    opened = [(kind, value) for kind, value in opened if value[1] is parts.MAXREPEAT]
    return bool(opened) and (not needed or (len(needed) == 1 and needed[0] in opened))


def _may_be_empty(kind: Any, value: Any) -> bool:
    return kind in BACKTRACKING and value[0] == 0


def _probes(pattern: str) -> Iterator[str]:
    tree = parser.parse(pattern)
    seen: set[str] = set()
    for prefix, body in _repeats(tree, ""):
        sample = _sample(body)[:_MAX_SAMPLE]
        probe = prefix[:1000] + sample * PUMPED
        if sample and probe not in seen and len(seen) < MAX_PROBES:
            seen.add(probe)
            yield probe


def _repeats(tree: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    """(a text that leads to it, what is repeated) of every open repeat, the outer ones first."""
    for kind, value in tree:
        if kind in BACKTRACKING:
            _, most, body = value
            if most > 10:
                yield prefix, body
            yield from _repeats(body, prefix)
        else:
            for body in bodies(kind, value):
                yield from _repeats(body, prefix)
        prefix += _sample([(kind, value)])


def _sample(tree: Any) -> str:
    """A short text that the tree takes, or nearly so."""
    sample = ""
    for kind, value in tree:
        if kind is parts.LITERAL:
            sample += chr(value)
        elif kind is parts.NOT_LITERAL:
            sample += "a" if value != ord("a") else "b"
        elif kind is parts.ANY:
            sample += "a"
        elif kind is parts.IN:
            sample += _of_class(value)
        elif kind in BACKTRACKING:
            sample += _sample(value[2]) * max(1, min(value[0], 3))
        elif kind not in (parts.ASSERT, parts.ASSERT_NOT):
            sample += "".join(_sample(body) for body in bodies(kind, value)[:1])
        if len(sample) > _MAX_SAMPLE:
            break
    return sample


_CANDIDATES = "a 0A-_.\n,;:/é\x02"


def _of_class(items: Any) -> str:
    """A sign of a class, a letter if there is one."""
    negated = bool(items) and items[0][0] is parts.NEGATE
    inside = [sign for sign in _CANDIDATES if any(_takes(item, sign) for item in items) != negated]
    if inside:
        return inside[0]
    first = next((value for kind, value in items if kind is parts.LITERAL), None)
    low = next((value[0] for kind, value in items if kind is parts.RANGE), None)
    return chr(first if first is not None else low if low is not None else ord("a"))


_CATEGORIES = {
    parts.CATEGORY_DIGIT: r"\d",
    parts.CATEGORY_NOT_DIGIT: r"\D",
    parts.CATEGORY_SPACE: r"\s",
    parts.CATEGORY_NOT_SPACE: r"\S",
    parts.CATEGORY_WORD: r"\w",
    parts.CATEGORY_NOT_WORD: r"\W",
}


def _takes(item: Any, sign: str) -> bool:
    kind, value = item
    if kind is parts.LITERAL:
        return bool(value == ord(sign))
    if kind is parts.RANGE:
        return bool(value[0] <= ord(sign) <= value[1])
    return kind is parts.CATEGORY and re.match(_CATEGORIES[value], sign) is not None


MAX_CHAIN = 2  # open repeats in a row that take the same sign: a third makes the time grow with the third power


def slow_pattern_warning(text: str) -> str:
    """The warning about a pattern that passes `refuse_slow_pattern` and is slow on long replies all the same; "" where
    nothing is. Every run of it is bounded, and a run that is cut short finds nothing. Pure, by the pattern's form
    alone. Raises `re.error` for what is no pattern."""
    tree = parser.parse(text)
    repeats = {number: repeat[2] for number, body in _groups(tree) for repeat in _open_repeats(body)}
    if _longest_chain(tree, repeats) <= MAX_CHAIN:
        return ""
    return (
        f"the pattern “{text[:100]}” has repeats in a row that take the same signs, as .*.*.* or (.+)\\1 do: on a long "
        "reply it takes so long that it is cut short and finds nothing"
    )


def _longest_chain(tree: Any, repeats: Mapping[Any, Any]) -> int:
    """Count the open repeats that follow each other and take a sign in common; a reference counts for two.

    `repeats` maps each group to its repeated part.
    """
    best, count, common = 0, 0, frozenset[str]()
    for kind, value in _in_a_row(tree):
        if kind is parts.BRANCH:
            best, count, common = max(best, *(_longest_chain(way, repeats) for way in value[1])), 0, frozenset()
        elif kind in BACKTRACKING and value[1] is parts.MAXREPEAT:
            signs = _signs(value[2])
            count, common = (count + 1, common & signs) if common & signs else (1, signs)
            best = max(best, count, _longest_chain(value[2], repeats))
        elif kind is parts.GROUPREF and value in repeats:
            common &= _signs(repeats[value])
            count = count + 2 if common else 0
            best = max(best, count)
        elif kind is not parts.AT and not _may_be_empty(kind, value):
            common &= _signs([(kind, value)])
    return best


def _in_a_row(tree: Any) -> Iterator[tuple[Any, Any]]:
    """The parts of a sequence, those of its groups among them."""
    for kind, value in tree:
        if kind is parts.SUBPATTERN:
            yield from _in_a_row(value[-1])
        else:
            yield kind, value


def _signs(tree: Any) -> frozenset[str]:
    """Return the candidate signs that match a part of one sign; none where the part is longer."""
    inner = list(_in_a_row(tree))
    if len(inner) != 1:
        return frozenset()
    kind, value = inner[0]
    if kind is parts.ANY:
        return frozenset(_CANDIDATES) - {"\n"}
    if kind is parts.IN:
        negated = bool(value) and value[0][0] is parts.NEGATE
        return frozenset(sign for sign in _CANDIDATES if any(_takes(item, sign) for item in value) != negated)
    if kind is parts.NOT_LITERAL:
        return frozenset(_CANDIDATES) - {chr(value)}
    return frozenset({chr(value)}) if kind is parts.LITERAL else frozenset()

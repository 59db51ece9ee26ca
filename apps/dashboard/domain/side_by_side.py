"""Two texts beside each other, line by line, so that a reader sees what stands where."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest

CONTEXT = 2  # lines shown around a change


@dataclass(frozen=True, slots=True)
class LinePair:
    """A row of both columns. `kind` is same, changed, added, removed or skipped (`left` then says how much)."""

    left: str
    right: str
    kind: str


def side_by_side(old: str, new: str, *, context: int = CONTEXT) -> list[LinePair]:
    """The rows of a diff; [] where nothing differs. Long stretches without a change are one `skipped` row. Pure."""
    if old == new:
        return []
    before, after = old.splitlines(), new.splitlines()
    rows: list[LinePair] = []
    matches = SequenceMatcher(a=before, b=after, autojunk=False).get_opcodes()
    for at, (tag, low, high, new_low, new_high) in enumerate(matches):
        if tag == "equal":
            rows += _unchanged(before[low:high], context, first=at == 0, last=at == len(matches) - 1)
            continue
        kind = {"insert": "added", "delete": "removed"}.get(tag, "changed")
        pairs = zip_longest(before[low:high], after[new_low:new_high], fillvalue="")
        rows += [LinePair(left, right, kind) for left, right in pairs]
    return rows


def _unchanged(lines: Sequence[str], context: int, *, first: bool, last: bool) -> list[LinePair]:
    head = 0 if first else context
    tail = 0 if last else context
    if len(lines) <= head + tail + 1:
        return [LinePair(line, line, "same") for line in lines]
    left_out = len(lines) - head - tail
    pairs = [LinePair(line, line, "same") for line in lines]
    return [*pairs[:head], LinePair(f"{left_out} lines the same", "", "skipped"), *pairs[len(lines) - tail :]]

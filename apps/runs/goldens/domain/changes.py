"""The changes that approving makes to a customer's words, shown before it is done, and turns that a person keeps to the
letter. Pure."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from apps.core.redaction import normalised
from apps.runs.goldens.domain.people import FIRST_NAME, LAST_NAME
from apps.runs.goldens.domain.variables import VARIABLE, filled

TO_THE_LETTER = "to_the_letter"  # of a turn: a person vouches for its words, nothing of them is masked or moved


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedTurn:
    """A turn of the customer (`number`, from 1) as it was said, and as a replay of today would say it."""

    position: int
    number: int
    before: str
    after: str


def changed_turns(
    before: Mapping[str, Any], after: Mapping[str, Any], *, values: Mapping[str, str]
) -> tuple[ChangedTurn, ...]:
    """The customer's turns whose words, filled with `values`, are not what was said."""
    number, changed = 0, list[ChangedTurn]()
    for position, (old, new) in enumerate(zip(before.get("turns") or (), after.get("turns") or (), strict=True)):
        if old.get("role") != "user":
            continue
        number += 1
        words, sent = str(old.get("content") or ""), str(filled(str(new.get("content") or ""), values))
        if words != sent or (VARIABLE.search(str(new.get("content") or "")) and not VARIABLE.search(words)):
            changed.append(ChangedTurn(position=position, number=number, before=words, after=sent))
    return tuple(changed)


def kept_positions(document: Mapping[str, Any], keep: Iterable[int] = ()) -> frozenset[int]:
    """The places of the customer's turns that stay to the letter: those marked so, and `keep`."""
    wanted = set(keep)
    return frozenset(
        position
        for position, turn in enumerate(document.get("turns") or ())
        if turn.get("role") == "user" and (turn.get(TO_THE_LETTER) or position in wanted)
    )


def original_values(before: Mapping[str, Any], named: Mapping[str, Any], positions: Collection[int]) -> dict[str, str]:
    """{variable: what stood in its place} of the variables that these turns were given."""
    values: dict[str, str] = {}
    for position in positions:
        text = str(before["turns"][position].get("content") or "")
        values = _originals(text, str(named["turns"][position].get("content") or "")) | values
    for name, value in list(values.items()):  # "thank you Wanjiru" in a reply to "I'm Wanjiru Kamau"
        if name.startswith("customer.name"):
            for part, word in ((FIRST_NAME, value.split()[0]), (LAST_NAME, value.split()[-1])):
                values.setdefault(name.replace("customer.name", f"customer.{part}", 1), word)
    return values


def with_kept_turns(
    document: Mapping[str, Any], before: Mapping[str, Any], positions: Collection[int], values: Mapping[str, str]
) -> dict[str, Any]:
    """The document with these turns as they were said, marked so, and their values wherever they stand in it."""
    if not positions:
        return dict(document)
    turns = [dict(turn) for turn in filled(list(document["turns"]), values)]
    for position in positions:
        turns[position] |= {"content": before["turns"][position].get("content") or "", TO_THE_LETTER: True}
    listed = {name: variable for name, variable in (document.get("variables") or {}).items() if name not in values}
    rest = {key: value for key, value in document.items() if key != "variables"}
    return {**rest, "turns": turns} | ({"variables": listed} if listed else {})


def _originals(text: str, named: str) -> dict[str, str]:
    names, pieces = VARIABLE.findall(named), _pieces(named)
    if not names:
        return {}
    pattern = "(.+?)".join(re.escape(piece) for piece in pieces) + r"\Z"
    match = re.match(pattern, text, re.DOTALL) or re.match(pattern, normalised(text), re.DOTALL)
    return dict(zip(names, match.groups(), strict=True)) if match else {}


def _pieces(named: str) -> Sequence[str]:
    """The pieces of text between the variables."""
    pieces, last = list[str](), 0
    for match in VARIABLE.finditer(named):
        pieces.append(named[last : match.start()])
        last = match.end()
    return [*pieces, named[last:]]

"""Masking what the second check found, where nobody looked at it in time."""

from collections.abc import Sequence
from dataclasses import replace

from apps.production.privacy.domain.second_check import (
    LONGEST_QUOTE,
    PIECES,
    Residue,
    ResidueKind,
    digits_said,
    residues,
)

_TOKENS = {ResidueKind.NAME: "<name>", ResidueKind.EMAIL: "<email>"}
_NUMBER = "<number>"


def without_residues(texts: Sequence[str], found: Sequence[Residue], *, speakers: Sequence[str] = ()) -> list[str]:
    """The texts with each of `found` masked; a text in which it does not stand word for word, and one in which the
    check still finds something afterwards, is masked as a whole: it finds nothing in what is given back. Pure."""
    clean = list(texts)
    for one in found:
        if one.turn < len(clean):
            for turn in _turns_of(one, texts, speakers):
                clean[turn] = _mask(clean[turn], one)
    while hits := residues(clean, speakers=speakers):
        for one in hits:
            clean[one.turn] = _TOKENS.get(one.kind, _NUMBER)
    return clean


def _turns_of(one: Residue, texts: Sequence[str], speakers: Sequence[str]) -> list[int]:
    """Return the turns of a residue: for a number over messages each that holds a piece of it."""
    turns, pieces = [one.turn], one.quote.split(PIECES)[:-1] if one.kind is ResidueKind.ACROSS_TURNS else []
    for turn in range(one.turn - 1, -1, -1):
        same = not speakers or speakers[turn] == speakers[one.turn]
        if pieces and same and digits_said(texts[turn]) == pieces[-1]:
            turns.append(turn)
            pieces.pop()
    return turns


def without_quotes(text: str, found: Sequence[Residue]) -> str:
    """A text that was drafted from these turns, with what was found in them masked. Pure."""
    return without_residues([text], [replace(one, turn=0) for one in found if one.quote in text])[0]


def _mask(text: str, one: Residue) -> str:
    token = _TOKENS.get(one.kind, _NUMBER)
    if text == token or not one.quote or len(one.quote) >= LONGEST_QUOTE:
        return text if text == token else token
    return text.replace(one.quote, token) if one.quote in text else token

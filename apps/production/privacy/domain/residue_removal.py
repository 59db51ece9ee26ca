"""Masking what the second check found, where nobody looked at it in time."""

from collections.abc import Sequence
from dataclasses import replace

from apps.production.privacy.domain.second_check import (
    MAX_QUOTE,
    PIECES,
    Residue,
    ResidueKind,
    digits_said,
    residues,
)

_TOKENS = {ResidueKind.NAME: "<name>", ResidueKind.EMAIL: "<email>"}
_NUMBER = "<number>"


def without_residues(texts: Sequence[str], found: Sequence[Residue], *, speakers: Sequence[str] = ()) -> list[str]:
    """Return the texts with each of `found` masked.

    A text in which it does not occur word for word, and one in which the check still finds something afterwards, is
    masked as a whole: it finds nothing in what is given back. Pure.
    """
    clean = list(texts)
    for residue in found:
        if residue.turn < len(clean):
            for turn in _turns_of(residue, texts, speakers):
                clean[turn] = _mask(clean[turn], residue)
    while hits := residues(clean, speakers=speakers):
        for hit in hits:
            clean[hit.turn] = _TOKENS.get(hit.kind, _NUMBER)
    return clean


def _turns_of(residue: Residue, texts: Sequence[str], speakers: Sequence[str]) -> list[int]:
    """Return the turns of a residue: for a number over messages each that holds a piece of it."""
    turns, pieces = [residue.turn], residue.quote.split(PIECES)[:-1] if residue.kind is ResidueKind.ACROSS_TURNS else []
    for turn in range(residue.turn - 1, -1, -1):
        same = not speakers or speakers[turn] == speakers[residue.turn]
        if pieces and same and digits_said(texts[turn]) == pieces[-1]:
            turns.append(turn)
            pieces.pop()
    return turns


def without_quotes(text: str, found: Sequence[Residue]) -> str:
    """Mask the residues of a conversation in a text that was drafted from it. Pure."""
    return without_residues([text], [replace(residue, turn=0) for residue in found if residue.quote in text])[0]


def _mask(text: str, residue: Residue) -> str:
    token = _TOKENS.get(residue.kind, _NUMBER)
    if text == token or not residue.quote or len(residue.quote) >= MAX_QUOTE:
        return text if text == token else token
    return text.replace(residue.quote, token) if residue.quote in text else token

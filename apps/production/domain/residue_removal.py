"""Masking what the second check found, where nobody looked at it in time."""

from collections.abc import Sequence
from dataclasses import replace

from apps.production.domain.second_check import Residue, ResidueKind, residues

_TOKENS = {ResidueKind.NAME: "<name>", ResidueKind.EMAIL: "<email>"}
_NUMBER = "<number>"


def without_residues(texts: Sequence[str], found: Sequence[Residue], *, speakers: Sequence[str] = ()) -> list[str]:
    """The texts with each of `found` masked; a text in which it does not stand word for word, and one in which the
    check still finds something afterwards, is masked as a whole: it finds nothing in what is given back. Pure."""
    clean = list(texts)
    for one in found:
        if one.turn < len(clean):
            clean[one.turn] = _mask(clean[one.turn], one)
    while hits := residues(clean, speakers=speakers):
        for one in hits:
            clean[one.turn] = _TOKENS.get(one.kind, _NUMBER)
    return clean


def without_quotes(text: str, found: Sequence[Residue]) -> str:
    """A text that was drafted from these turns, with what was found in them masked. Pure."""
    return without_residues([text], [replace(one, turn=0) for one in found if one.quote in text])[0]


def _mask(text: str, one: Residue) -> str:
    token = _TOKENS.get(one.kind, _NUMBER)
    if text == token or not one.quote:
        return text if text == token else token
    return text.replace(one.quote, token) if one.quote in text else token

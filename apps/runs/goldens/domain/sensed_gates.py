"""Gates of a golden session, proven: each must match its own reply and no earlier one. Pure.

`gates.sense` looks for a pattern that no other reply matches. Where it finds none, one that no *earlier* reply matches
does as well: a replay comes from the front, so what opens too early is all that can go wrong. Patterns are run with a
bound on time, as they are in a replay.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from apps.core.patterns import PatternProblem, compile_pattern
from apps.runs.domain.gate_cues import varying_words
from apps.runs.domain.gates import Gate, Strength, sense, sense_last


def proven_gates(turns: Sequence[Mapping[str, Any]]) -> list[Gate]:
    """The gates of `sense`, each with the strength that was proven: unique, else narrowed until it is, else weak. One
    that hangs on one word stays weak.

    A pattern that does not even match its own reply, or takes too long, is none. Costs a search for each pair of
    replies where the pattern had to be narrowed."""
    gates: list[Gate] = []
    varying = varying_words(turns)
    for gate in sense(turns):
        strength = proof(turns, gate.position, gate.pattern)
        if strength is Strength.UNIQUE and gate.strength is Strength.WEAK:
            strength = Strength.WEAK
        if strength is Strength.WEAK:
            narrowed = _narrower_gate(turns, gate, varying)
            gate, strength = (gate, strength) if narrowed is None else (narrowed, Strength.UNIQUE)
        gates.append(replace(gate, strength=strength, pattern=gate.pattern if strength is not Strength.NONE else None))
    return gates


def proof(turns: Sequence[Mapping[str, Any]], position: int, pattern: str | None) -> Strength:
    """Measure how good a pattern is as the gate behind the turn at `position`.

    It is unique where it matches this reply and none before it, weak where it matches an earlier one too, none where it
    does not match or cannot be run in time.
    """
    if not pattern:
        return Strength.NONE
    try:
        compiled = compile_pattern(pattern)
        if not compiled.found_in(_text(turns[position])):
            return Strength.NONE
        return Strength.WEAK if any(compiled.found_in(text) for text in _earlier(turns, position)) else Strength.UNIQUE
    except PatternProblem:
        return Strength.NONE


def _narrower_gate(turns: Sequence[Mapping[str, Any]], gate: Gate, varying: frozenset[str]) -> Gate | None:
    """The gate that is sensed where the session ends with this turn: nothing behind it counts then."""
    if _text(turns[gate.position]) in _earlier(turns, gate.position):
        return None  # the same words: nothing tells them apart
    sensed = sense_last(turns[: gate.position + 1], varying)
    if sensed.strength is Strength.UNIQUE and proof(turns, gate.position, sensed.pattern) is Strength.UNIQUE:
        return replace(gate, pattern=sensed.pattern)
    return None


def _earlier(turns: Sequence[Mapping[str, Any]], position: int) -> Iterable[str]:
    return (_text(turn) for turn in turns[:position] if turn.get("role") == "assistant")


def _text(turn: Mapping[str, Any]) -> str:
    return str(turn.get("content") or "")

"""The gates that a golden session has, proven again on the text it has now (masked, edited). Pure."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from apps.core.errors import BadInput
from apps.core.pattern_probe import refuse_slow_pattern
from apps.core.patterns import Pattern, PatternProblem, compile_pattern
from apps.runs.domain.gates import SENSED, Strength
from apps.runs.goldens.domain.sensed_gates import proof, proven_gates


@dataclass(frozen=True, slots=True, kw_only=True)
class GateProof:
    """One gate; `replaces` is the pattern whose place this one took, because it did not tell the reply from earlier
    ones. `position` is the turn's in the document."""

    position: int
    pattern: str
    strength: Strength
    replaces: str = ""

    @property
    def narrowed(self) -> bool:
        """Tell whether the pattern had to be another one."""
        return bool(self.replaces)


def check_gate_pattern(pattern: str, pointer: str) -> Pattern:
    """The pattern of a gate, compiled. Raises BadInput with the pointer for what `re` cannot read and what could run
    for ever; bounded by a few seconds."""
    compiled = compile_pattern(pattern, pointer)
    try:
        refuse_slow_pattern(compiled)
    except PatternProblem as error:
        raise BadInput(f"{pointer}: {error.message}", code=error.code, pointer=pointer) from None
    return compiled


def prove_gates(turns: Sequence[Mapping[str, Any]], *, kept: Collection[int] = ()) -> list[GateProof]:
    """One proof for each assistant turn that has a `wait_for_pattern`, in order.

    A gate that opens for its own reply and for no earlier one is unique, unless it was sensed and hangs on one word.
    Any other is narrowed: what `proven_gates` senses takes its place where that opens for no earlier one; else it is
    weak, for a person to look at, also where it does not even open for its own reply. Those at the positions of `kept`
    stay as they are written. 20 ms for 30 turns.
    """
    gated = [at for at, turn in enumerate(turns) if turn.get("role") == "assistant" and turn.get("wait_for_pattern")]
    given = {at: proof(turns, at, str(turns[at]["wait_for_pattern"])) for at in gated}
    sensed = {}
    if any(strength is not Strength.UNIQUE for strength in given.values()):
        sensed = {gate.position: gate for gate in proven_gates(turns)}
    proofs = []
    for at, strength in given.items():
        other, written = sensed.get(at), str(turns[at]["wait_for_pattern"])
        narrower = strength is not Strength.UNIQUE and other is not None and at not in kept
        if other is not None and narrower and proof(turns, at, other.pattern) is Strength.UNIQUE:
            proofs.append(GateProof(position=at, pattern=str(other.pattern), strength=other.strength, replaces=written))
            continue
        hangs = turns[at].get("gate_from") == SENSED and turns[at].get("gate_strength") == Strength.WEAK
        rated = Strength.UNIQUE if strength is Strength.UNIQUE and not hangs else Strength.WEAK
        proofs.append(GateProof(position=at, pattern=written, strength=rated))
    return proofs


def with_proven_gates(
    document: Mapping[str, Any], *, kept: Collection[int] = ()
) -> tuple[dict[str, Any], list[GateProof]]:
    """The document with `gate_strength` on every turn that has a gate, and narrowed patterns in place; `kept` as in
    `prove_gates`."""
    turns = [dict(turn) for turn in document.get("turns") or ()]
    proofs = prove_gates(turns, kept=kept)
    for gate_proof in proofs:
        turn = turns[gate_proof.position]
        turn["gate_strength"] = gate_proof.strength.value
        turn["wait_for_pattern"] = gate_proof.pattern
        if gate_proof.narrowed:
            turn["gate_from"] = SENSED
    return {**document, "turns": turns}, proofs

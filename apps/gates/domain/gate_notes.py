"""What a reader of a gate must know beside its decision, one sentence each: the same in every output."""

from collections.abc import Mapping
from typing import Any

from apps.gates.domain.gate_floor import looser_fields, shown
from apps.gates.domain.gate_states import GateKind, GateReasonCode
from apps.gates.domain.policy import MOST_LOOKS, GatePolicy, read_policy

NAMES_SHOWN = 5
LINK_WORDS = {
    "persona_valid": "personas approved",
    "battle_kept": "customers kept to their part",
    "judge_certified": "judge compared with people",
    "quote_exact": "quotes stand in the conversations",
    "score": "scored",
    "gate": "decided",
}
_NOT_COMPARED = (GateReasonCode.LATENCY_UNKNOWN, GateReasonCode.TOKENS_UNKNOWN)


def gate_notes(gate: Mapping[str, Any], *, provider: str) -> list[str]:
    """Of the document that the API gives, and the provider of the judge's model: that the offline rules judged, that
    cases were repeated, that the second judge was left out, that nobody set a floor, and what was kept from coming back
    to customers. Pure."""
    notes = (_offline(provider), _prevented(gate), _repeated(gate), _not_cross_checked(gate), _no_floor(gate))
    return [note for note in notes if note]


def standing_notes(gate: Mapping[str, Any]) -> list[str]:
    """What mostly is the same from gate to gate: that nobody set a floor, what is not compared, and the first missing
    link of the chain. A comment says at its end what of it is new. Pure."""
    missing = next((one for one in gate["chain"] if not one["holds"]), None)
    said = [
        _no_floor(gate),
        *(reason["sentence"] for reason in gate["reasons"] if reason.get("code") in _NOT_COMPARED),
        f"Not so: {LINK_WORDS[missing['link']]} ({missing['why']})." if missing else "",
    ]
    return [one for one in said if one]


def _prevented(gate: Mapping[str, Any]) -> str:
    names = [one["scenario"] for one in gate["prevented"]]
    if not names:
        return ""
    more = f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
    said = "This happened" if len(names) == 1 else "These happened"
    return f"Prevented: {', '.join(names[:NAMES_SHOWN])}{more}. {said} to a real customer before, and would have again."


def _offline(provider: str) -> str:
    return "Judged by the offline rules: no model was asked." if provider == "offline" else ""


def _no_floor(gate: Mapping[str, Any]) -> str:
    if gate["floor"] is not None:
        return ""
    kind = GateKind(gate["kind"])
    default = GatePolicy(looks=MOST_LOOKS)  # a second look shares the chance of error of the first: it asks no less
    looser = looser_fields(read_policy(gate["policy"]), default, kind)
    fields = ", ".join(f"{one.name} {shown(one.asked)} (default {shown(one.floor)})" for one in looser)
    other = f" It differs from the default rule: {fields}." if looser else ""
    return (
        "Nobody had set the least that this agent's gates must ask (Evaluations → Floors), so the rule is the "
        f"repository's own.{other}"
    )


def _repeated(gate: Mapping[str, Any]) -> str:
    counts = gate["counts"]
    if gate["first_look"] is None or not counts or not counts["baseline"]:
        return ""
    here, there = (counts[side]["repeats"] for side in ("candidate", "baseline"))
    return (
        f"Repeated: the first look could not tell, so the cases were played again, now {here} times by the candidate "
        f"and {there} times by the baseline. Each of the two looks has half of the declared chance of error."
    )


def _not_cross_checked(gate: Mapping[str, Any]) -> str:
    left_out = gate["not_cross_checked"]
    if not left_out:
        return ""
    many = f"{left_out} conversation{'' if left_out == 1 else 's'}"
    return f"The budget is nearly spent, so the second judge was left out: {many} chosen for a cross-check got none."

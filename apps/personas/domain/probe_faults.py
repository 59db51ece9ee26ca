"""The faults in a probe dialogue that reject a persona without asking a model."""

from collections.abc import Mapping, Sequence
from typing import Any

from apps.personas.domain.simulator_findings import FaultRule, SimulatorFinding
from apps.personas.domain.simulator_rules import rule_findings

RULE_TITLES: Mapping[FaultRule, str] = {
    FaultRule.LEAK: "stays a customer",
    FaultRule.REFUSAL: "answers as a customer",
    FaultRule.AGENT_LINES: "speaks the customer's part",
    FaultRule.RECITED: "plays the description, does not recite it",
    FaultRule.LOOP: "does not go round",
    FaultRule.LANGUAGE_SWITCH: "writes the persona's language",
}
# A scripted agent gives no occasion for either, and a persona that was rejected for it is tried again at little cost:
# here they reject also where a battle would wait for a model's word.
_REJECTS = frozenset({FaultRule.LANGUAGE_SWITCH, FaultRule.AGENT_LINES})


def probe_faults(turns: Sequence[Mapping[str, Any]], spec: Mapping[str, Any]) -> list[SimulatorFinding]:
    """The rules' findings that reject: what is certain, the language, and the agent's lines. Pure."""
    return [finding for finding in rule_findings(turns, spec) if finding.decides or finding.rule in _REJECTS]

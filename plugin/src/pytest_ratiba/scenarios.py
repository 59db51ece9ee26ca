"""Scenario files: what is played, and what of a file only this plugin reads.

A scenario is the server's own form (an `id:` at the top, or an entry of `scenarios:` in a catalog file), plus keys that
are read here and never sent:

    layer: 3                     # else 4, and 5 under from_production
    agent: concierge             # where the project has several
    phrasings: [Nataka kunyoa., I need a shave.]   # further variants that open with these words
    vars: [{day: Friday}, {day: Sunday}]           # a variant each; or one mapping, or the name of a CSV file
    fixtures: {bookings: 2}      # the initial state, given to the agent in context["fixtures"]
    now: 2026-03-02T09:00:00+03:00                 # the agent's clock, in context["now"]
    deepeval: {expected_outcome: Booked.}          # what a ConversationalGolden holds beside, for DeepEval's metrics
    status: candidate            # draft, candidate, archived: not played; released (or nothing): played
    origin, provenance           # where a scenario from production came from

`{{ day }}` stands for its value in every text of the scenario.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_ratiba.assertions.checking import is_local
from pytest_ratiba.assertions.shapes import problem_of
from pytest_ratiba.documents import LocatedDocument, read_documents
from pytest_ratiba.variants import Variant, variants_of

DEEPEVAL = "deepeval"
RELEASED = "released"
STATUSES = ("draft", "candidate", RELEASED, "archived")
OWN_KEYS = ("layer", "agent", "phrasings", "vars", "fixtures", "now", DEEPEVAL, "status", "origin", "provenance")
_FILLED = ("fixtures", "now", DEEPEVAL)  # of these: may hold `{{ day }}`
_SHAPES = (("fixtures", dict, "mapping"), (DEEPEVAL, dict, "mapping"), ("turns", list | None, "list"))
LAYERS = (3, 4, 5)
SECTIONS = ("scenarios", "personas")
TEAMS_SECTIONS = ("criteria", "evaluator_configs", "agents", "model_providers", "prompts")
SCRIPTED_PERSONA = "scripted-customer"
# Whoever plays this persona says the scenario's own lines and nothing else, so there is nothing to be validated.
SCRIPTED_PERSONA_ENTRY: Mapping[str, Any] = {
    "name": SCRIPTED_PERSONA,
    "text": "A customer who says the lines of the scenario, word for word.",
    "status": "approved_override",
    "rejection_reason": "No validation was asked for.",
    "override": {
        "by": "pytest-ratiba",
        "at": "2026-01-01T00:00:00+00:00",
        "reason": "Every line is written in the scenario; no model speaks for this customer.",
    },
}


@dataclass(frozen=True, kw_only=True)
class ScenarioVariant:
    """One case: what the server gets, and what the agent is told beside."""

    id: str  # of the variant, `booking.p1`
    document: Mapping[str, Any]  # the scenario as the server's catalog has it
    layer: int
    agent: str  # "" the project's only one
    source: LocatedDocument
    pointer: str  # of the scenario in its file
    context: Mapping[str, Any] = field(default_factory=dict)  # vars, fixtures, now
    assertions: tuple[Mapping[str, Any], ...] = ()  # all of them; `document` has those that the server checks
    deepeval: Mapping[str, Any] = field(default_factory=dict)  # fields of a ConversationalGolden, by its names
    own_metrics: frozenset[str] = frozenset()  # names of metrics that are classes of this project
    status: str = RELEASED  # only what a person released is played

    @property
    def line(self) -> int:
        """Return the line at which the scenario begins in its file."""
        return self.source.line(self.pointer)

    @property
    def checked_here(self) -> bool:
        """Whether something is asserted that only the agent's own side can answer."""
        return any(_stays_here(assertion, self.own_metrics) for assertion in self.assertions)

    def written_at(self, pointer: str) -> str:
        """Return the pointer of a part of `document` in the file.
        Assertions that are checked here shift the others."""
        parts = pointer.split("/")
        if parts[1:2] == ["assertions"] and len(parts) > 2 and parts[2].isdigit():
            sent = [n for n, one in enumerate(self.assertions) if not _stays_here(one, self.own_metrics)]
            parts[2] = str(sent[int(parts[2])]) if int(parts[2]) < len(sent) else parts[2]
        return self.pointer + "/".join(parts)


@dataclass(frozen=True, kw_only=True)
class ScenarioSource:
    """A file: its cases, and the personas that stand in it."""

    scenarios: tuple[ScenarioVariant, ...]
    sections: tuple[Mapping[str, Any], ...]


def read_scenarios(path: Path, *, layer: int, own_metrics: frozenset[str] = frozenset()) -> ScenarioSource:
    """The cases of a YAML file, variants included. `own_metrics` are classes of the project: the server is not asked
    for them. Raises `ProjectError` with file and line."""
    scenarios: list[ScenarioVariant] = []
    sections: list[Mapping[str, Any]] = []
    for document in read_documents(path):
        value = document.value
        if not isinstance(value, dict):
            raise document.error("", "must be a scenario (with an id) or a mapping of catalog sections")
        if "id" in value:
            scenarios += scenario_variants(document, "", value, layer, own_metrics)
            continue
        if teams := next((key for key in value if key in TEAMS_SECTIONS), None):
            raise document.error(
                f"/{teams}",
                "is the whole team's and does not come with a run: take it out of this file, and have a curator bring "
                "it in (import_catalog, or a key that has the scope curate)",
            )
        unknown = next((key for key in value if key not in SECTIONS), None)
        if unknown is not None:
            raise document.error(
                f"/{unknown}", f"unknown section; a scenario has an id, a catalog {', '.join(SECTIONS)}"
            )
        entries = value.get("scenarios") or []
        if not isinstance(entries, list) or not all(isinstance(one, dict) for one in entries):
            raise document.error("/scenarios", "must be a list of scenarios")
        for index, entry in enumerate(entries):
            scenarios += scenario_variants(document, f"/scenarios/{index}", entry, layer, own_metrics)
        others = {key: part for key, part in value.items() if key != "scenarios"}
        if wrong := next((key for key, part in others.items() if not isinstance(part or [], list)), None):
            raise document.error(f"/{wrong}", "must be a list")
        sections += [others] if others else []
    return ScenarioSource(scenarios=tuple(scenarios), sections=tuple(sections))


def scenario_variants(
    document: LocatedDocument,
    pointer: str,
    value: Mapping[str, Any],
    layer: int,
    own_metrics: frozenset[str] = frozenset(),
) -> list[ScenarioVariant]:
    """The cases of one scenario, `value`, which stands at `pointer`. Raises `ProjectError` with the line."""
    identifier = value.get("id")
    if not isinstance(identifier, str) or not identifier:
        raise document.error(f"{pointer}/id", "must be a name")
    wanted = value.get("layer", layer)
    if wanted not in LAYERS or isinstance(wanted, bool):
        raise document.error(f"{pointer}/layer", f"is one of {', '.join(map(str, LAYERS))}")
    agent = value.get("agent", "")
    if not isinstance(agent, str):
        raise document.error(f"{pointer}/agent", "must be the name of an agent")
    _refuse_other_shapes(document, pointer, value)
    plain = {key: part for key, part in value.items() if key not in OWN_KEYS or key in _FILLED}
    _assertions(plain.get("assertions"), document, pointer)
    return [
        ScenarioVariant(
            id=variant.id,
            document=_for_server({**variant.document, "id": variant.id}, own_metrics),
            layer=wanted,
            agent=agent,
            source=document,
            pointer=pointer,
            context=_context(variant),
            assertions=_checkable(variant.document.get("assertions"), document, pointer),
            deepeval=variant.document.get(DEEPEVAL) or {},
            own_metrics=own_metrics,
            status=value.get("status", RELEASED),
        )
        for variant in variants_of(
            plain, document=document, pointer=pointer, phrasings=value.get("phrasings"), vars=value.get("vars")
        )
    ]


def _context(variant: Variant) -> dict[str, Any]:
    now: Any = variant.document.get("now")
    moment = now.isoformat() if hasattr(now, "isoformat") else now
    fixtures = variant.document.get("fixtures") or {}
    context = {"vars": dict(variant.values), "fixtures": dict(fixtures), "now": moment}
    return {key: part for key, part in context.items() if part not in (None, {})}


def _assertions(value: Any, document: LocatedDocument, pointer: str) -> tuple[Mapping[str, Any], ...]:
    at = f"{pointer}/assertions"
    if value is None:
        return ()
    if not isinstance(value, list):
        raise document.error(at, "must be a list")
    for number, one in enumerate(value):
        if not isinstance(one, dict):
            raise document.error(f"{at}/{number}", "must be a mapping, for example {contains: M-Pesa}")
    return tuple(value)


def _refuse_other_shapes(document: LocatedDocument, pointer: str, value: Mapping[str, Any]) -> None:
    for key, kind, words in _SHAPES:
        if key in value and not isinstance(value[key], kind):
            raise document.error(f"{pointer}/{key}", f"must be a {words}")
    if value.get("status", RELEASED) not in STATUSES:
        raise document.error(f"{pointer}/status", f"is one of {', '.join(STATUSES)}")


def _checkable(value: Any, document: LocatedDocument, pointer: str) -> tuple[Mapping[str, Any], ...]:
    """The assertions of a case, with its values filled in: those that are checked here say something."""
    for number, one in enumerate(found := _assertions(value, document, pointer)):
        if problem := problem_of(one):
            key, _, sentence = problem.partition(": ")
            raise document.error(f"{pointer}/assertions/{number}{key}", sentence)
    return found


def _stays_here(assertion: Mapping[str, Any], own_metrics: frozenset[str]) -> bool:
    return is_local(assertion) or assertion.get("metric") in own_metrics


def _for_server(document: dict[str, Any], own_metrics: frozenset[str]) -> dict[str, Any]:
    """Without what is read and checked here; with the scripted customer, where every line is written and nobody is
    named to say them."""
    document = {key: part for key, part in document.items() if key not in OWN_KEYS}
    if document.get("assertions"):
        document = {
            **document,
            "assertions": [
                assertion for assertion in document["assertions"] if not _stays_here(assertion, own_metrics)
            ],
        }
    if document.get("persona") or not is_scripted(document):
        return document
    return {**document, "persona": SCRIPTED_PERSONA}


def is_scripted(document: Mapping[str, Any]) -> bool:
    """Whether the scenario writes every line of its customer, down to `end: true`."""
    turns = document.get("turns")
    if not isinstance(turns, list) or not turns:
        return False
    free = any(isinstance(turn, dict) and "free" in turn for turn in turns)
    return isinstance(turns[-1], dict) and turns[-1].get("end") is True and not free

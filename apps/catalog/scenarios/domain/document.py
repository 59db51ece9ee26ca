"""A scenario as a catalog file writes it, and what must not happen in it again.

`must_not` is a list of {criterion: NAME, below: MARK}: where the judge scores the criterion below the mark (0 to 10),
the scenario fails in a gate, whatever the other criteria say. Assertions say the same of what needs no judge.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from apps.catalog.domain import field_readers as checks
from apps.catalog.domain.states import ScenarioStatus
from apps.catalog.personas.domain.rules import MAX_TURNS
from apps.catalog.scenarios.domain.assertions import parse_assertions, read_fluency
from apps.catalog.scenarios.domain.script import KEYS as SCRIPT_KEYS
from apps.catalog.scenarios.domain.script import read_script
from apps.core.errors import BadInput

_KEYS = (
    "persona",
    "goal",
    "opening",
    "language",
    "max_turns",
    *SCRIPT_KEYS,
    "assertions",
    "fluency",
    "must_not",
    "family",
    "status",
    "origin",
    "provenance",
)
_MOST = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioItem:
    """Scenario of a catalog file.

    `status` is "" where the file does not say it: a new scenario is released then, an existing one keeps its status.
    """

    persona: str
    goal: str
    opening: str
    language: str
    max_turns: int
    script: dict[str, Any]
    assertions: list[dict[str, Any]]
    must_not: list[dict[str, Any]]
    family: str = ""
    status: str = ""
    origin: str = ""
    provenance: dict[str, Any] | None = None


def read_scenario(raw: Mapping[str, Any]) -> ScenarioItem:
    """A scenario of a file, strictly. Raises BadInput with the pointer."""
    checks.only(raw, _KEYS, "")
    family = checks.text(raw.get("family"), "/family", limit=150)
    return ScenarioItem(
        persona=checks.text(raw.get("persona"), "/persona", limit=100),
        goal=checks.text(raw.get("goal"), "/goal"),
        opening=checks.text(raw.get("opening"), "/opening"),
        language=checks.language(raw.get("language"), "/language"),
        max_turns=checks.integer(raw.get("max_turns", MAX_TURNS), "/max_turns", low=1, high=400),
        script=read_script(raw),
        assertions=_assertions(raw),
        must_not=read_must_not(raw.get("must_not")),
        family=checks.name(family, "/family") if family else "",
        status=checks.one_of(raw["status"], list(ScenarioStatus), "/status") if "status" in raw else "",
        origin=checks.text(raw.get("origin"), "/origin", limit=200),
        provenance=dict(checks.json_mapping(raw.get("provenance"), "/provenance")),
    )


def read_must_not(raw: Any, pointer: str = "/must_not") -> list[dict[str, Any]]:
    """[{"criterion", "below"}], each criterion once. Raises BadInput with the pointer."""
    listed = checks.listing(raw, pointer)
    if len(listed) > _MOST:
        raise BadInput(f"{pointer} has {len(listed)} entries, the limit is {_MOST}", pointer=pointer)
    must_not = list[dict[str, Any]]()
    for place, item in enumerate(listed):
        at = checks.step(pointer, place)
        entry = checks.mapping(item, at)
        checks.only(entry, ("criterion", "below"), at)
        name = checks.name(checks.text(entry.get("criterion"), f"{at}/criterion", required=True), f"{at}/criterion")
        if any(one["criterion"] == name for one in must_not):
            raise BadInput(f"{at}/criterion: {name!r} stands twice", pointer=f"{at}/criterion")
        below = checks.number(entry.get("below"), f"{at}/below", low=0.1, high=10)
        must_not.append({"criterion": name, "below": below})
    return must_not


def can_fail(assertions: Sequence[Mapping[str, Any]], must_not: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether anything is named that must not happen: a criterion with its mark, or an assertion that decides."""
    return bool(must_not) or any("fluency" not in assertion for assertion in assertions)


def _assertions(raw: Mapping[str, Any]) -> list[dict[str, Any]]:
    written = parse_assertions(raw.get("assertions"))
    own = read_fluency(raw.get("fluency", "auto"))
    return written if any("fluency" in one for one in written) else written + own

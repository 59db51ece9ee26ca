"""Scenarios as rows of DeepEval's ConversationalGoldens, the way `EvaluationDataset.save_as` writes them. No DeepEval
is needed here.

What a golden has no field for (assertions, layer, the rest of a script) goes along in `additional_metadata.ratiba`, so
that the row can be brought back as the scenario it was.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_ratiba.scenarios import SCRIPTED_PERSONA, ScenarioVariant

ORIGIN = "ratiba"  # the key below additional_metadata
DATASET_FIELDS = ("context", "comments", "custom_column_key_values", "expectations", "expected_outcome")
KEYS = ("scenario", "turns", "user_description", "persona", "name", "additional_metadata", *DATASET_FIELDS)
DONE = "\n\nDone when: "


@dataclass(frozen=True, kw_only=True)
class GoldenRow:
    """A golden as plain data, and what DeepEval will not do of its scenario, in sentences."""

    row: Mapping[str, Any]
    notes: tuple[str, ...] = ()


def golden_row(variant: ScenarioVariant, personas: Iterable[Mapping[str, Any]] = ()) -> GoldenRow:
    """The golden of a case. `personas` are the entries among which its persona is looked for."""
    document, own = dict(variant.document), variant.deepeval
    entry = next((dict(one) for one in personas if one.get("name") == document.get("persona")), None)
    persona = _persona(own, entry)
    described = persona.get("characteristics") if persona else None
    metadata = dict(own.get("additional_metadata") or {})
    metadata[ORIGIN] = {"scenario": _origin(variant)} | ({"persona": entry} if entry else {})
    if document.get("language"):
        metadata.setdefault("language", document["language"])
    row = {
        "scenario": _situation(document, own),
        "turns": own.get("turns") or _opening(document),
        "user_description": described,
        "persona": persona,
        "name": own.get("name") or variant.id,
        "additional_metadata": metadata,
        **{key: own.get(key) for key in DATASET_FIELDS},
    }
    return GoldenRow(row=row, notes=tuple(_notes(variant, described)))


def _origin(variant: ScenarioVariant) -> dict[str, Any]:
    """The scenario as a file has it, assertions of both sides included. Values are filled in already."""
    document = {**variant.document, **({"assertions": list(variant.assertions)} if variant.assertions else {})}
    if document.get("persona") == SCRIPTED_PERSONA:
        del document["persona"]
    own = {"layer": variant.layer, "agent": variant.agent, "deepeval": dict(variant.deepeval)}
    own |= {key: variant.context[key] for key in ("fixtures", "now") if key in variant.context}
    return document | {key: value for key, value in own.items() if value}


def _situation(document: Mapping[str, Any], own: Mapping[str, Any]) -> str:
    if own.get("scenario"):
        return str(own["scenario"])
    lines = [str(document["goal"])] if document.get("goal") else []
    later = _lines(document)[0 if document.get("opening") else 1 :]
    if later:
        lines.append("After the opening the customer says: " + " / ".join(later))
    return "\n".join(lines) or f"The conversation {document['id']}."


def _lines(document: Mapping[str, Any]) -> list[str]:
    turns = document.get("turns") or ()
    return [turn if isinstance(turn, str) else str(turn["say"]) for turn in turns if _is_line(turn)]


def _is_line(turn: Any) -> bool:
    return isinstance(turn, str) or (isinstance(turn, Mapping) and "say" in turn)


def _opening(document: Mapping[str, Any]) -> list[dict[str, str]] | None:
    """The customer's first words, from which DeepEval's simulator goes on."""
    words = document.get("opening") or next(iter(_lines(document)), "")
    return [{"role": "user", "content": str(words)}] if words else None


def _persona(own: Mapping[str, Any], entry: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if own.get("persona"):
        return dict(own["persona"])
    return {"name": str(entry["name"]), "characteristics": str(entry["text"])} if entry and entry.get("text") else None


def _notes(variant: ScenarioVariant, described: str | None) -> Iterable[str]:
    if variant.assertions:
        yield f"{len(variant.assertions)} assertions are carried and not checked by DeepEval"
    if len(_lines(variant.document)) > (0 if variant.document.get("opening") else 1):
        yield "the customer's later lines stand in the scenario's text: DeepEval's simulator need not say them"
    if described is None and variant.document.get("persona") not in (None, SCRIPTED_PERSONA):
        yield f"persona {variant.document['persona']!r} is on the server only: the golden has no persona"
    for key in ("attachments", "before", "after"):
        if variant.document.get(key):
            yield f"{key} are carried and not used by DeepEval"

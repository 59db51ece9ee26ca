"""ConversationalGoldens as scenarios: what can be played is played, everything else stays in the file under
`deepeval:`, and what will not be played is said by golden and line."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pytest_ratiba.deepeval.golden_files import unknown_keys
from pytest_ratiba.deepeval.golden_rows import DONE, ORIGIN, golden_row
from pytest_ratiba.documents import LocatedDocument
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.scenarios import scenario_variants

ANYBODY = "A customer. Nothing else is known about them."
_ROLES = ("user", "assistant")
_VOICE = (
    "interruption_behavior",
    "speaks_first",
    "muted",
    "voice",
    "background_noise",
    "multilingual_stt",
    "hold_timeout",
)
_NOT_PLAYED = {
    "context": "is for DeepEval's metrics only: the server judges by the agent's profile",
    "expectations": "are checked by DeepEval only",
}


@dataclass(frozen=True, kw_only=True)
class GoldenImportOptions:
    """`language` where a golden says none. `approved_by` stands for personas that nobody validated; "" leaves them to
    be validated. `scripted`: a golden's turns are the whole conversation, nothing follows them."""

    language: str = "en"
    approved_by: str = ""
    scripted: bool = False


@dataclass(frozen=True, kw_only=True)
class ImportedGoldens:
    """One catalog file's `personas` and `scenarios`, and what of the goldens is not played."""

    personas: tuple[Mapping[str, Any], ...]
    scenarios: tuple[Mapping[str, Any], ...]
    notes: tuple[str, ...]

    def as_yaml(self) -> str:
        """The file. `read_scenarios` reads it back."""
        import yaml

        document = {"personas": list(self.personas)} if self.personas else {}
        document |= {"scenarios": list(self.scenarios)}
        return yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=110)


@dataclass(kw_only=True)
class _Collected:
    """A `_Collected` holds the options, and the personas, scenarios and notes that have been made so far."""

    options: GoldenImportOptions
    now: datetime
    personas: dict[str, dict[str, Any]] = field(default_factory=dict)
    scenarios: dict[str, dict[str, Any]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def imported_goldens(
    rows: Sequence[LocatedDocument], *, now: datetime, options: GoldenImportOptions | None = None
) -> ImportedGoldens:
    """The scenarios of these goldens. Raises `ProjectError` with file and line for what is no golden, and for two that
    have one name. Pure."""
    into = _Collected(options=options or GoldenImportOptions(), now=now)
    for number, located in enumerate(rows, 1):
        scenario = _original(located, into) or _scenario(located, number, into)
        if scenario["id"] in into.scenarios:
            raise located.error("/name", f"two goldens would be the scenario {scenario['id']!r}")
        scenario_variants(located, "", scenario, 4)  # raises for texts that no scenario may have
        into.scenarios[scenario["id"]] = scenario
    return ImportedGoldens(
        personas=tuple(into.personas.values()), scenarios=tuple(into.scenarios.values()), notes=tuple(into.notes)
    )


def _original(located: LocatedDocument, into: _Collected) -> dict[str, Any] | None:
    """The scenario that was exported as this golden; None for another one, or one that was changed since."""
    origin = _metadata(located).get(ORIGIN)
    scenario = origin.get("scenario") if isinstance(origin, dict) else None
    if not isinstance(origin, dict) or not isinstance(scenario, dict):
        return None
    persona = origin.get("persona")
    entries = [persona] if isinstance(persona, dict) and persona.get("name") else []
    try:
        row = golden_row(scenario_variants(located, "", scenario, 4)[0], entries).row
    except ProjectError:
        return None
    if any(located.value.get(key) != row[key] for key in ("scenario", "turns", "expected_outcome", "name")):
        return None
    into.personas |= {str(entry["name"]): entry for entry in entries if entry["name"] not in into.personas}
    return dict(scenario)


def _metadata(located: LocatedDocument) -> dict[str, Any]:
    found = located.value.get("additional_metadata") or {}
    if not isinstance(found, dict):
        raise located.error("/additional_metadata", "must be an object")
    return found


def _scenario(located: LocatedDocument, number: int, into: _Collected) -> dict[str, Any]:
    row = located.value
    name = str(row.get("name") or f"golden_{number}")
    metadata = {key: value for key, value in _metadata(located).items() if key != ORIGIN}
    language = str(metadata.get("language") or into.options.language)
    turns = _turns(located)
    own = {key: value for key, value in row.items() if value not in (None, [], {}) and key != "user_description"}
    own |= {"turns": turns} if turns else {}
    if "additional_metadata" in own:
        own["additional_metadata"] = metadata
        if len(metadata) < len(row["additional_metadata"]):
            into.notes.append(_note(located, "/scenario", name, "was changed since its export: assertions are lost"))
    lines: list[Any] = [turn["content"] for turn in turns if turn["role"] == "user"]
    scripted = into.options.scripted and bool(lines)
    outcome = row.get("expected_outcome")
    scenario: dict[str, Any] = {"id": _slug(name)}
    if not scripted:
        scenario["persona"] = _persona(located, name, language, into)
        scenario["goal"] = row["scenario"] + (f"{DONE}{outcome}" if outcome else "")
    scenario["language"] = language
    scenario |= {"turns": [*lines, *([{"end": True}] if scripted else [])]} if lines else {}
    into.notes += _unplayed(located, name, turns)
    return scenario | {"deepeval": {key: value for key, value in own.items() if value not in ({}, [])}}


def _turns(located: LocatedDocument) -> list[dict[str, Any]]:
    raw = located.value.get("turns") or []
    if not isinstance(raw, list):
        raise located.error("/turns", "must be a list of turns")
    for n, turn in enumerate(raw):
        if not isinstance(turn, dict) or turn.get("role") not in _ROLES or not isinstance(turn.get("content"), str):
            raise located.error(f"/turns/{n}", "must have a role (user or assistant) and a content")
    return [{key: value for key, value in turn.items() if value is not None} for turn in raw]


def _persona(located: LocatedDocument, name: str, language: str, into: _Collected) -> str:
    """The name of the golden's customer; the same text is the same customer."""
    raw = located.value.get("persona") or {}
    if not isinstance(raw, dict):
        raise located.error("/persona", "must be an object with characteristics")
    text = str(raw.get("characteristics") or located.value.get("user_description") or ANYBODY)
    if isinstance(raw.get("metadata"), dict):
        text += "".join(f"\n{key}: {value}" for key, value in raw["metadata"].items())
    voice = [key for key in _VOICE if key in raw]
    if voice:
        into.notes.append(_note(located, "/persona", name, f"{', '.join(voice)}: a chat has no voice"))
    known = next((one for one in into.personas.values() if one["text"] == text and one["language"] == language), None)
    if known is not None:
        return str(known["name"])
    wanted = _slug(str(raw.get("name") or ("customer" if text == ANYBODY else f"{_slug(name)}-customer")))
    persona: dict[str, Any] = {"name": _free(wanted, into.personas), "language": language, "text": text}
    if into.options.approved_by:
        persona |= {
            "status": "approved_override",
            "rejection_reason": "No validation was asked for.",
            "override": {
                "by": into.options.approved_by,
                "at": into.now.isoformat(timespec="seconds"),
                "reason": f"Written for DeepEval's simulator ({located.path.name}).",
            },
        }
    into.personas[persona["name"]] = persona
    return str(persona["name"])


def _unplayed(located: LocatedDocument, name: str, turns: Sequence[Mapping[str, Any]]) -> list[str]:
    row = located.value
    found = [
        _note(located, f"/turns/{n}", name, f"turns/{n} is the agent's: the agent under test answers itself")
        for n, turn in enumerate(turns)
        if turn["role"] == "assistant"
    ]
    found += [_note(located, f"/{key}", name, f"{key} {why}") for key, why in _NOT_PLAYED.items() if row.get(key)]
    found += [_note(located, f"/{key}", name, f"{key} is no field of a golden") for key in unknown_keys(row)]
    return found


def _note(located: LocatedDocument, pointer: str, name: str, what: str) -> str:
    return f"{located.path}:{located.line(pointer)}: {name}: {what}"


def _slug(text: str) -> str:
    """A name as files and the server's catalog have it."""
    return re.sub(r"[^\w.-]+", "_", text, flags=re.ASCII).strip("_.-")[:80] or "golden"


def _free(name: str, known: Mapping[str, Any]) -> str:
    if name not in known:
        return name
    return next(f"{name}-{n}" for n in range(2, len(known) + 3) if f"{name}-{n}" not in known)

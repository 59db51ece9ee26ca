"""Files of layer 5: promoted scenarios for the repository of the agent."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from apps.catalog.domain.states import ScenarioStatus
from apps.catalog.scenarios.domain.document import can_fail
from apps.core.errors import BadInput
from apps.production.conversations.models import Promotion
from apps.production.promotion.domain.scenario_file import scenario_file


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenFiles:
    """Paths by what became of them; `left_out` says of the others why ({"scenario", "sentence"})."""

    written: Sequence[str]
    unchanged: Sequence[str]
    edited: Sequence[str]
    left_out: Sequence[dict[str, str]]

    def as_json(self) -> dict[str, Any]:
        return {
            "written": list(self.written),
            "unchanged": list(self.unchanged),
            "edited": list(self.edited),
            "left_out": [dict(one) for one in self.left_out],
        }


def write_scenario_files(*, out: Path, since: datetime | None = None) -> WrittenFiles:
    """Write each promoted scenario (from `since` on) that can fail and is not archived into `out`, a file each.

    A file that is there and says something else was edited by somebody, and stays. What names nothing that must not
    happen again, and what a person has to clear first, is left out with the reason. Repeating it changes nothing.
    Raises BadInput where `out` cannot be written. One query."""
    rows = Promotion.objects.select_related("scenario", "scenario__persona").order_by("created_at", "pk")
    rows = rows.exclude(scenario__status=ScenarioStatus.ARCHIVED)
    if since is not None:
        rows = rows.filter(created_at__gte=since)
    written, unchanged, edited, left_out = list[str](), list[str](), list[str](), list[dict[str, str]]()
    for row in rows:
        if why := _why_not(row):
            left_out.append({"scenario": row.scenario.slug, "sentence": why})
            continue
        path = out / f"{row.scenario.slug}.yaml"
        text = _text(row)
        there = _read(path)
        if there is None:
            _write(path, text)
            written.append(str(path))
        else:
            (unchanged if there == text else edited).append(str(path))
    return WrittenFiles(written=written, unchanged=unchanged, edited=edited, left_out=left_out)


def _why_not(row: Promotion) -> str:
    if row.blocked:
        return "masking may have left something: a person clears it on its page first"
    if not can_fail(row.scenario.assertions, row.scenario.must_not):
        return "it names nothing that must not happen again: say so on its page first"
    return ""


def _text(row: Promotion) -> str:
    scenario = row.scenario
    fields = ("slug", "language", "goal", "opening", "max_turns", "must_not", "assertions", "family", "provenance")
    document = {name: getattr(scenario, name) for name in fields}
    document["persona"] = scenario.persona.name if scenario.persona is not None else ""
    return scenario_file(document, promoted=row.created_at.date().isoformat(), signals=row.signals)


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read: {error}", code="bad_path") from error


def _write(path: Path, text: str) -> None:
    """Whole or not at all."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, delete=False) as file:
            file.write(text)
        Path(file.name).replace(path)
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error}", code="bad_path") from error

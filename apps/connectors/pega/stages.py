"""The stages of a case, from either shape of `GET /cases/{id}/stages`. Pure.

A: stages with `visited_status` and `processSequences[].processes[].steps[].visited_status`
B: stages with `processes[].steps[].visited` (true, false) and no status of their own
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from apps.connectors.errors import BadReply


class Visited(StrEnum):
    """Progress of a case with a stage or a step."""

    COMPLETED = "completed"
    ACTIVE = "active"
    FUTURE = "future"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseStep:
    """One step. Its `id` and its `process`, by name, often tell what kind of step it is."""

    id: str
    name: str
    process: str
    visited: Visited


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseStage:
    """One stage with its steps, in order."""

    id: str
    name: str
    visited: Visited
    steps: tuple[CaseStep, ...] = ()


def read_stages(data: Any, *, who: str) -> tuple[CaseStage, ...]:
    """The stages in order. Raises BadReply for what is neither shape; a stage without steps or names is a stage."""
    page = data.get("data", data) if isinstance(data, Mapping) else None
    stages = page.get("stages") if isinstance(page, Mapping) else None
    if not isinstance(stages, list):
        raise BadReply(f"{who}: the case's stages are no list", raw=repr(data))
    return tuple(_stage(stage) for stage in stages if isinstance(stage, Mapping))


def read_case_status(data: Any) -> str:
    """The status that `GET /cases/{id}` tells: below data.caseInfo, or at top level; "" where it is not there."""
    page = data.get("data", data) if isinstance(data, Mapping) else {}
    info = page.get("caseInfo", page) if isinstance(page, Mapping) else {}
    return _word(info, "status") if isinstance(info, Mapping) else ""


def _stage(stage: Mapping[str, Any]) -> CaseStage:
    steps = tuple(step for process in _processes(stage) for step in _steps(process))
    own = _visited(stage)
    return CaseStage(
        id=_word(stage, "ID", "id"),
        name=_word(stage, "name", "label"),
        visited=own if own is not None else _of_steps(steps),
        steps=steps,
    )


def _processes(stage: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for sequence in _mappings(stage.get("processSequences")):
        yield from _mappings(sequence.get("processes"))
    yield from _mappings(stage.get("processes"))


def _steps(process: Mapping[str, Any]) -> Iterator[CaseStep]:
    of_process = _visited(process)
    for step in _mappings(process.get("steps")):
        visited = _visited(step)
        yield CaseStep(
            id=_word(step, "ID", "id"),
            name=_word(step, "name", "label"),
            process=_word(process, "name", "label"),
            visited=visited if visited is not None else of_process or Visited.FUTURE,
        )


def _visited(item: Mapping[str, Any]) -> Visited | None:
    status = str(item.get("visited_status") or "").strip().lower()
    if status in set(Visited):
        return Visited(status)
    if isinstance(item.get("visited"), bool):
        return Visited.COMPLETED if item["visited"] else Visited.FUTURE
    return None


def _of_steps(steps: tuple[CaseStep, ...]) -> Visited:
    done = [step.visited is Visited.COMPLETED for step in steps]
    if done and all(done):
        return Visited.COMPLETED
    begun = any(done) or any(step.visited is Visited.ACTIVE for step in steps)
    return Visited.ACTIVE if begun else Visited.FUTURE


def _mappings(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def _word(item: Mapping[str, Any], *names: str) -> str:
    return next((str(item[name]) for name in names if item.get(name)), "")

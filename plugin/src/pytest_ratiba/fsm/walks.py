"""Recorded walks through the machine: do they follow it, and which of its transitions do they cover?"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_ratiba.documents import read_value
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.fsm.machine import Edge, StateChart

EVENT_TYPE = "fsm_transition"


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """The transitions of one recorded conversation, in order."""

    conversation: str
    steps: tuple[Edge, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkCoverage:
    """A coverage counts the transitions of a machine that recorded conversations take.
    It also counts the pairs of one transition after the other."""

    transitions: int
    covered: int
    pairs: int
    covered_pairs: int
    missing: tuple[str, ...]

    def __str__(self) -> str:
        return (
            f"{self.covered} of {self.transitions} transitions, {self.covered_pairs} of {self.pairs} pairs of "
            "transitions covered"
        )


def read_walks(path: Path) -> list[Walk]:
    """The walks of one file. Raises ProjectError with file and line.

    `.jsonl`: log lines `{"event_type": "fsm_transition", "conversation_id", "from", "event", "to"}` (others are passed
    over), or one conversation a line; `.json`, `.yaml`: conversations. A conversation is a mapping with an `id` and
    `transitions: [{from, event, to}]`.
    """
    walks: list[Walk] = []
    logged: dict[str, list[Edge]] = {}
    for line, document in _documents(path):
        where = f"{path}:{line}"
        if not isinstance(document, Mapping):
            raise ProjectError("is not a mapping", where=where)
        if document.get("event_type") == EVENT_TYPE:
            conversation = str(document.get("conversation_id") or document.get("scenario_id") or path.stem)
            logged.setdefault(conversation, []).append(_step(document, where))
        elif "transitions" in document and "event_type" not in document:
            steps = tuple(_step(transition, where) for transition in document["transitions"])
            walks.append(Walk(conversation=str(document.get("id") or path.stem), steps=steps))
    return walks + [Walk(conversation=name, steps=tuple(steps)) for name, steps in logged.items()]


def _documents(path: Path) -> Iterable[tuple[int, Any]]:
    text = path.read_text(encoding="utf-8")
    try:
        if path.suffix == ".jsonl":
            lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
            for number, line in lines:
                try:
                    yield number, json.loads(line)
                except json.JSONDecodeError as error:
                    raise ProjectError(f"is not JSON: {error.msg}", where=f"{path}:{number}") from error
            return
        value = json.loads(text) if path.suffix == ".json" else read_value(text, path)
    except ValueError as error:
        raise ProjectError(f"cannot be read: {error}", where=str(path)) from error
    yield from ((1, one) for one in (value if isinstance(value, list) else [value]))


def _step(raw: Any, where: str) -> Edge:
    try:
        return Edge(str(raw["from"]), str(raw["event"]), str(raw["to"]))
    except (KeyError, TypeError) as error:
        raise ProjectError(f"a transition has from, event and to; this one is {raw!r}", where=where) from error


def violations(chart: StateChart, walk: Walk) -> list[str]:
    """List the steps at which a walk left the machine.
    Such a step is a transition that is not declared, or one that starts in a state in which the walk was not."""
    declared = {Edge(edge.source, edge.event, edge.target) for edge in chart.edges}
    problems, state = [], chart.initial
    for number, step in enumerate(walk.steps, 1):
        if step.source != state:
            problems.append(
                f"{walk.conversation}, step {number}: {step} starts in {step.source}, but it was in {state}"
            )
        if step not in declared and step.source not in chart.anywhere:
            problems.append(f"{walk.conversation}, step {number}: {step} is not declared")
        state = step.target
    return problems


def coverage(chart: StateChart, walks: Sequence[Walk]) -> WalkCoverage:
    """Measure the part of the machine that the walks cover.
    Guards are not told apart: a log does not name them."""
    declared = {Edge(edge.source, edge.event, edge.target) for edge in chart.edges}
    pairs = {(one, other) for one in declared for other in declared if one.target == other.source}
    seen = {step for walk in walks for step in walk.steps} & declared
    seen_pairs = {pair for walk in walks for pair in zip(walk.steps, walk.steps[1:], strict=False)} & pairs
    return WalkCoverage(
        transitions=len(declared),
        covered=len(seen),
        pairs=len(pairs),
        covered_pairs=len(seen_pairs),
        missing=tuple(str(edge) for edge in sorted(declared - seen)),
    )

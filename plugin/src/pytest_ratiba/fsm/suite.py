"""A file `*.fsm.yaml`: the machine of an agent, and what is checked of it. See docs/environment.md.

machine: {file: ../../booking/fsm.yaml}     # or the states and transitions themselves, or langgraph:, transitions:,
                                            # statemachine: with package.module:name
same_as: {transitions: 'booking.machine:machine'}
timeout_event: timeout
handover_event: asked_for_human
fire: 'booking.machine:fire'                # (state, event, context) -> state
refuses: 'booking.machine:IllegalEvent'
guards: {slot_free: {passes: {free: true}, fails: {free: false}}}
transcripts: [../fixtures/transcripts/*.jsonl]
coverage: 1.0                               # the share of transitions that recorded transcripts must cover
prompts: [{files: ../../booking/prompts/*.md, engine: mustache, values: {today: Friday}}]
tools: 'booking.tools:TOOLS'
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pytest_ratiba.config import Project
from pytest_ratiba.documents import read_value
from pytest_ratiba.environment.hooks import loaded
from pytest_ratiba.fsm.adapters import KINDS, chart_of
from pytest_ratiba.fsm.machine import Edge, StateChart
from pytest_ratiba.fsm.prompts import ENGINES

KEYS = (
    "machine",
    "same_as",
    "terminals",
    "waits_for_user",
    "timeout_event",
    "handover_event",
    "fire",
    "refuses",
    "guards",
    "transcripts",
    "coverage",
    "prompts",
    "tools",
)
_NEEDS = {"coverage": "transcripts", "guards": "fire", "refuses": "fire"}  # else never looked at
_MACHINE = ("name", "initial", "states", "transitions")
_STATE = ("terminal", "waits_for", "description")
_TRANSITION = ("from", "event", "to", "guard", "description")


@dataclass(frozen=True, slots=True, kw_only=True)
class FsmSuite:
    """A suite is the content of one file, with its names resolved."""

    chart: StateChart
    same_as: StateChart | None = None
    timeout_event: str = ""
    handover_event: str = ""
    fire: Any = None
    refuses: tuple[type[BaseException], ...] = ()
    guards: Mapping[str, Any] = field(default_factory=dict)
    transcripts: tuple[Path, ...] = ()
    coverage: float | None = None
    prompts: tuple[tuple[Path, str, Mapping[str, Any]], ...] = ()
    tools: tuple[Any, ...] = ()


def read_suite(path: Path, project: Project) -> FsmSuite:
    """The suite of one file; names of code are imported from the project's folder. Raises ProjectError with pointer."""
    return _SuiteReader(path, project).suite()


def read_chart(raw: Any, reader: "_SuiteReader", at: str, name: str) -> StateChart:
    """States and transitions as written. Raises ProjectError with the pointer of what is wrong."""
    data = reader.mapping(raw, at, _MACHINE)
    states: dict[str, dict[str, Any]] = {}
    for state, what in reader.mapping(data.get("states"), f"{at}/states").items():
        states[state] = reader.mapping(what or {}, f"{at}/states/{state}", _STATE)
    if data.get("initial") not in states:
        raise reader.error(f"{at}/initial", f"{data.get('initial')!r} is none of the states")
    edges: list[Edge] = []
    for number, one in enumerate(reader.listing(data.get("transitions"), f"{at}/transitions")):
        pointer = f"{at}/transitions/{number}"
        edge = reader.mapping(one, pointer, _TRANSITION)
        sources = edge.get("from")
        if sources == "*":
            sources = [state for state, what in states.items() if not what.get("terminal")]
        for source in sources if isinstance(sources, list) else [sources]:
            for key, named in (("from", source), ("to", edge.get("to"))):
                if named not in states:
                    raise reader.error(f"{pointer}/{key}", f"{named!r} is none of the states")
            if not isinstance(edge.get("event"), str):
                raise reader.error(f"{pointer}/event", "must name the event")
            edges.append(Edge(str(source), edge["event"], edge["to"], str(edge.get("guard") or "")))
    return StateChart(
        name=str(data.get("name") or name),
        initial=data["initial"],
        states=tuple(states),
        edges=tuple(edges),
        terminals=frozenset(state for state, what in states.items() if what.get("terminal")),
        waiting=frozenset(state for state, what in states.items() if what.get("waits_for") == "user"),
    )


class _SuiteReader:
    """One file being read: errors name it, and paths in it are relative to it."""

    def __init__(self, path: Path, project: Project) -> None:
        self.path, self.project = path, project

    def suite(self) -> FsmSuite:
        data = self.mapping(self.yaml(self.path), "", KEYS)
        name = self.path.name.removesuffix(".fsm.yaml")
        for key, other in _NEEDS.items():
            if key in data and not data.get(other):
                raise self.error(f"/{key}", f"is checked with `{other}:` only, which is missing")
        chart = self.chart(data.get("machine"), "/machine", name)
        if "terminals" in data:
            chart = replace(chart, terminals=self.states(data["terminals"], "/terminals", chart))
        if "waits_for_user" in data:
            chart = replace(chart, waiting=self.states(data["waits_for_user"], "/waits_for_user", chart))
        unknown = set(data.get("guards") or ()) - {edge.guard for edge in chart.edges}
        if unknown:
            raise self.error(f"/guards/{sorted(unknown)[0]}", "is the guard of no transition")
        refuses = self.code(data["refuses"], "/refuses") if "refuses" in data else ()
        return FsmSuite(
            chart=chart,
            same_as=self.chart(data["same_as"], "/same_as", name) if "same_as" in data else None,
            timeout_event=str(data.get("timeout_event") or ""),
            handover_event=str(data.get("handover_event") or ""),
            fire=self.code(data["fire"], "/fire") if "fire" in data else None,
            refuses=refuses if isinstance(refuses, tuple) else (refuses,),
            guards=self.mapping(data.get("guards") or {}, "/guards"),
            transcripts=self.files(data.get("transcripts") or [], "/transcripts"),
            coverage=self.share(data["coverage"]) if "coverage" in data else None,
            prompts=self.prompts(data.get("prompts") or []),
            tools=tuple(self.code(data["tools"], "/tools")) if "tools" in data else (),
        )

    def chart(self, raw: Any, at: str, name: str) -> StateChart:
        data = self.mapping(raw, at)
        kinds = [kind for kind in (*KINDS, "file") if kind in data and "states" not in data]
        if not kinds:
            return read_chart(data, self, at, name)
        if len(data) > 1:
            raise self.error(at, f"has one of {', '.join((*KINDS, 'file'))}, or states and transitions")
        (kind,) = kinds
        if kind == "file":
            path = (self.path.parent / str(data["file"])).resolve()
            return read_chart(self.yaml(path), _SuiteReader(path, self.project), "", name)
        try:
            return chart_of(kind, self.code(data[kind], f"{at}/{kind}"), name)
        except TypeError as error:
            raise self.error(f"{at}/{kind}", str(error)) from error

    def states(self, raw: Any, at: str, chart: StateChart) -> frozenset[str]:
        named = frozenset(map(str, self.listing(raw, at)))
        if unknown := named - set(chart.states):
            raise self.error(at, f"{sorted(unknown)[0]!r} is none of the states")
        return named

    def prompts(self, raw: Any) -> tuple[tuple[Path, str, Mapping[str, Any]], ...]:
        found = []
        for number, one in enumerate(self.listing(raw, "/prompts")):
            at = f"/prompts/{number}"
            data = self.mapping(one, at, ("files", "engine", "values"))
            engine = data.get("engine", "format")
            if engine not in ENGINES:
                raise self.error(f"{at}/engine", f"{engine!r} is none of {', '.join(ENGINES)}")
            values = self.mapping(data.get("values") or {}, f"{at}/values")
            found += [(path, engine, values) for path in self.files([data.get("files")], f"{at}/files")]
        return tuple(found)

    def files(self, raw: Any, at: str) -> tuple[Path, ...]:
        found: list[Path] = []
        for number, pattern in enumerate(self.listing(raw, at)):
            base = self.path.parent
            while isinstance(pattern, str) and pattern.startswith("../"):
                base, pattern = base.parent, pattern[3:]
            matched = sorted(base.glob(pattern)) if isinstance(pattern, str) and pattern else []
            if not matched:
                raise self.error(f"{at}/{number}", f"{raw[number]!r} matches no file")
            found += matched
        return tuple(found)

    def share(self, raw: Any) -> float:
        if not isinstance(raw, int | float) or not 0 <= raw <= 1:
            raise self.error("/coverage", f"{raw!r} is no share from 0 to 1")
        return float(raw)

    def code(self, raw: Any, at: str) -> Any:
        return loaded(replace(self.project, source=self.path), str(raw), at)

    def yaml(self, path: Path) -> Any:
        try:
            return read_value(path.read_text(encoding="utf-8"), path)
        except (OSError, ValueError) as error:
            raise self.error("/machine/file" if path != self.path else "", f"cannot be read: {error}") from error

    def mapping(self, raw: Any, at: str, known: tuple[str, ...] | None = None) -> dict[str, Any]:
        if not isinstance(raw, dict) or not all(isinstance(key, str) for key in raw):
            raise self.error(at, "must be a mapping of names to values")
        if known is not None:
            replace(self.project, source=self.path).refuse_unknown(at, raw, known)
        return raw

    def listing(self, raw: Any, at: str) -> list[Any]:
        if not isinstance(raw, list):
            raise self.error(at, "must be a list")
        return raw

    def error(self, at: str, message: str) -> Exception:
        return replace(self.project, source=self.path).error(at, message)

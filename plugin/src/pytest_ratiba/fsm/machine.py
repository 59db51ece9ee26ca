"""A state machine as plain data, whatever library it was written with."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Edge:
    """One transition: in `source`, `event` leads to `target`, where the guard (its name, or empty) allows it."""

    source: str
    event: str
    target: str
    guard: str = ""

    def __str__(self) -> str:
        event = f"{self.event} [{self.guard}]" if self.guard else self.event
        return f"{self.source} --{event}--> {self.target}"


@dataclass(frozen=True, slots=True, kw_only=True)
class StateChart:
    """States and transitions. `waiting` are the states that wait for the user; `anywhere` those whose code may go to
    any state, so that nothing can be said of where they lead."""

    name: str
    initial: str
    states: tuple[str, ...]
    edges: tuple[Edge, ...]
    terminals: frozenset[str] = frozenset()
    waiting: frozenset[str] = frozenset()
    anywhere: frozenset[str] = frozenset()

    @property
    def events(self) -> tuple[str, ...]:
        """Every event of any transition, in the order of the first one."""
        return tuple(dict.fromkeys(edge.event for edge in self.edges))

    def leaving(self, state: str, event: str | None = None) -> list[Edge]:
        """The transitions out of a state, those of one event where it is given."""
        return [edge for edge in self.edges if edge.source == state and event in (None, edge.event)]

    def reachable(self) -> set[str]:
        """States that a conversation can come to."""
        return self._closure({self.initial}, ((edge.source, edge.target) for edge in self.edges))

    def ending(self) -> set[str]:
        """States from which a terminal one can be reached."""
        return self._closure(set(self.terminals), ((edge.target, edge.source) for edge in self.edges))

    def _closure(self, start: set[str], steps: Iterable[tuple[str, str]]) -> set[str]:
        forward: dict[str, set[str]] = {}
        for one, other in steps:
            forward.setdefault(one, set()).add(other)
        found, waiting = set(start), list(start)
        while waiting:
            fresh = forward.get(waiting.pop(), set()) - found
            found |= fresh
            waiting += fresh
        return found


def ambiguous(chart: StateChart) -> list[str]:
    """States and events with more than one transition that no guard tells apart."""
    counted = Counter((edge.source, edge.event, edge.guard) for edge in chart.edges)
    return [
        f"{source} has {times} transitions for {event}" + (f" with guard {guard}" if guard else " without a guard")
        for (source, event, guard), times in counted.items()
        if times > 1
    ]


def differences(declared: StateChart, other: StateChart) -> list[str]:
    """List the differences between the declared machine and the other one.
    States, transitions, the initial state and terminal states are compared, terminal states only where both machines
    name any. Guards count by name where both machines have one."""
    problems = [f"initial: declared {declared.initial}, the code has {other.initial}"] * (
        declared.initial != other.initial
    )
    both_named = declared.terminals and other.terminals
    for what, ours, theirs in (
        ("state", set(declared.states), set(other.states)),
        ("terminal", set(declared.terminals) if both_named else set(), set(other.terminals) if both_named else set()),
        ("transition", _plain(declared), _plain(other)),
    ):
        problems += [f"{what} {one} is declared, and the code lacks it" for one in sorted(ours - theirs)]
        problems += [f"{what} {one} is in the code, and not declared" for one in sorted(theirs - ours)]
    return problems


def _plain(chart: StateChart) -> set[str]:
    return {str(Edge(edge.source, edge.event, edge.target)) for edge in chart.edges}

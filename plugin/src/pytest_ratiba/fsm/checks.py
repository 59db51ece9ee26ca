"""Check the rules that must hold of a state machine before any model is asked.
Each check answers the faults that it finds, [] when the rule holds."""

from collections.abc import Callable, Mapping
from typing import Any

from pytest_ratiba.fsm.machine import Edge, StateChart, ambiguous

Check = Callable[[StateChart], list[str]]


def states_are_reachable(chart: StateChart) -> list[str]:
    """Every state can be come to from the initial one."""
    if chart.reachable() & chart.anywhere:
        return []  # one that may go anywhere reaches them all; `destinations_are_known` tells of it
    return [f"nothing leads to {state}" for state in chart.states if state not in chart.reachable()]


def states_have_a_way_out(chart: StateChart) -> list[str]:
    """Every state that is not terminal has a transition out of it to another state."""
    out = {edge.source for edge in chart.edges if edge.target != edge.source} | chart.anywhere | chart.terminals
    return [f"{state} is not terminal and has no way out" for state in chart.states if state not in out]


def terminals_are_final(chart: StateChart) -> list[str]:
    """There is a terminal state, and nothing leads out of any."""
    if not chart.terminals:
        return ["no state is terminal: name them (`terminals: [paid]` of the suite), or a conversation could never end"]
    return [f"{edge} leaves a terminal state" for edge in chart.edges if edge.source in chart.terminals]


def every_state_can_end(chart: StateChart) -> list[str]:
    """From every state a terminal one can be reached: no rounds without an end."""
    ending = chart.ending() | chart.anywhere
    return [f"no terminal state can be reached from {state}" for state in chart.states if state not in ending]


def transitions_are_unambiguous(chart: StateChart) -> list[str]:
    """In a state, an event and a guard lead to one place."""
    return ambiguous(chart)


def destinations_are_known(chart: StateChart) -> list[str]:
    """No code may go to any state it likes."""
    return [
        f"{state} may go anywhere: name its destinations (LangGraph: path_map, or Command[Literal[…]])"
        for state in sorted(chart.anywhere)
    ]


def waiting_states_have(kind: str, event: str) -> Check:
    """A check: every state that waits for the user has a transition for this event."""

    def check(chart: StateChart) -> list[str]:
        return [
            f"{state} waits for the user and has no {kind} ({event})"
            for state in chart.states
            if state in chart.waiting and not chart.leaving(state, event)
        ]

    return check


STRUCTURE: Mapping[str, Check] = {
    check.__name__: check
    for check in (
        states_are_reachable,
        states_have_a_way_out,
        terminals_are_final,
        every_state_can_end,
        transitions_are_unambiguous,
        destinations_are_known,
    )
}


def refused(fire: Callable[..., Any], refusals: tuple[type[BaseException], ...], state: str, event: str) -> str | None:
    """Fire an event that has no transition in this state, and return the fault that shows.
    None where the project's machine refused the event.

    A refusal is one of the declared exceptions, or an answer that stays: the same state or None.
    """
    try:
        answer = fire(state, event, {})
    except refusals:
        return None
    except Exception as error:
        return f"{state} crashed on {event}: {type(error).__name__}: {error}"
    return None if answer in (None, state) else f"{state} took {event} and went to {answer}"


def taken(
    fire: Callable[..., Any],
    refusals: tuple[type[BaseException], ...],
    chart: StateChart,
    edge: Edge,
    guards: Mapping[str, Mapping[str, Any]],
) -> list[str]:
    """Try a declared transition and list the faults.
    The transition must happen where its guard passes, and must not where the guard fails. `guards` are contexts,
    `{name: {"passes": {…}, "fails": {…}}}`."""
    problems = []
    contexts = guards.get(edge.guard, {}) if edge.guard else {"passes": {}}
    if edge.guard and not {"passes", "fails"} <= set(contexts):
        return [f"{edge}: give `guards: {{{edge.guard}: {{passes: …, fails: …}}}}`, contexts to try it with"]
    try:
        answer = fire(edge.source, edge.event, dict(contexts["passes"]))
        if answer != edge.target:
            problems.append(f"{edge} went to {answer}")
    except Exception as error:
        problems.append(f"{edge} did not happen: {type(error).__name__}: {error}")
    if edge.guard:
        others = {one.target for one in chart.leaving(edge.source, edge.event) if one is not edge}
        try:
            answer = fire(edge.source, edge.event, dict(contexts["fails"]))
            if answer not in (None, edge.source, *others):
                problems.append(f"{edge} happened although its guard fails (went to {answer})")
        except refusals:
            pass
        except Exception as error:
            problems.append(f"{edge} crashed where its guard fails: {type(error).__name__}: {error}")
    return problems

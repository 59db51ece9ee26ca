"""State machines of three libraries, read as plain data. Nothing of them is run."""

from typing import Any

from pytest_ratiba.fsm.machine import Edge, StateChart

KINDS = ("langgraph", "transitions", "statemachine")
_START, _END = "__start__", "__end__"


def chart_of(kind: str, value: Any, name: str) -> StateChart:
    """The chart of a LangGraph graph (compiled or its builder), a `transitions.Machine` or a python-statemachine class.

    A callable that is no class is called without arguments first. Raises TypeError for what is none of them.
    """
    if callable(value) and not isinstance(value, type) and not hasattr(value, "builder"):
        value = value()
    reader = {"langgraph": _from_langgraph, "transitions": _from_transitions, "statemachine": _from_statemachine}[kind]
    try:
        return reader(value, name)
    except (AttributeError, KeyError) as error:
        raise TypeError(f"{value!r} is no machine of {kind}: {error}") from error


def _from_langgraph(value: Any, name: str) -> StateChart:
    """Nodes are states. The builder is the truth: a drawn graph has one edge for each pair, so labels get lost.

    The event of a plain edge is empty, that of a branch the label that its path_map gives it.
    """
    builder = getattr(value, "builder", value)
    edges = {Edge(source, "", target) for source, target in builder.edges}
    edges |= {Edge(source, "", target) for sources, target in builder.waiting_edges for source in sources}
    anywhere = set()
    for source, branches in builder.branches.items():
        for branch in branches.values():
            if branch.ends is None:
                anywhere.add(source)
            else:
                edges |= {Edge(source, str(label), target) for label, target in branch.ends.items()}
    for source, node in builder.nodes.items():
        ends = node.ends or ()
        named = ends.items() if isinstance(ends, dict) else ((end, "") for end in ends)
        edges |= {Edge(source, label or "", target) for target, label in named}
    return StateChart(
        name=name,
        initial=_START,
        states=(_START, *builder.nodes, _END),
        edges=tuple(sorted(edges)),
        terminals=frozenset({_END}),
        anywhere=frozenset(anywhere),
    )


def _from_transitions(machine: Any, name: str) -> StateChart:
    """Automatic `to_<state>` triggers are left out. A transition without a destination stays where it is. Terminal is
    what has `final=True`; a machine without any leaves it to `terminals:` of the suite, for a state that nothing leaves
    may be a trap."""
    automatic = {f"to_{state}" for state in machine.states} if machine.auto_transitions else set()
    edges = [
        Edge(source, event, transition.dest or source, _conditions(transition.conditions))
        for event, trigger in machine.events.items()
        if event not in automatic
        for source, transitions in trigger.transitions.items()
        for transition in transitions
    ]
    final = {state for state, kept in machine.states.items() if getattr(kept, "final", False)}
    return StateChart(
        name=name,
        initial=machine.initial,
        states=tuple(machine.states),
        edges=tuple(edges),
        terminals=frozenset(final),
    )


def _conditions(conditions: Any) -> str:
    names = [
        ("" if condition.target else "not ")
        + (condition.func if isinstance(condition.func, str) else condition.func.__name__)
        for condition in conditions
    ]
    return " and ".join(names)


def _from_statemachine(machine: Any, name: str) -> StateChart:
    edges = [
        Edge(state.id, event.id, target.id, " and ".join(str(one).replace("!", "not ") for one in transition.cond))
        for state in machine.states
        for transition in state.transitions
        for event in transition.events
        for target in (getattr(transition, "targets", None) or [transition.target])
    ]
    return StateChart(
        name=name,
        initial=next(state.id for state in machine.states if state.initial),
        states=tuple(state.id for state in machine.states),
        edges=tuple(edges),
        terminals=frozenset(state.id for state in machine.states if state.final),
    )

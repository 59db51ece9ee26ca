"""Machines of three libraries as data, and what the checks find in wrong ones."""

from typing import Literal, TypedDict

import pytest
import statemachine
import transitions
from hypothesis import given
from hypothesis import strategies as st
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command

from pytest_ratiba.fsm.adapters import chart_of
from pytest_ratiba.fsm.checks import STRUCTURE, refused, states_have_a_way_out, taken, waiting_states_have
from pytest_ratiba.fsm.machine import Edge, StateChart, differences


def chart(edges, *, initial="a", terminals="z", states=None, **more) -> StateChart:
    found = tuple(Edge(*edge) for edge in edges)
    named = states or dict.fromkeys([initial, *(s for edge in found for s in (edge.source, edge.target)), *terminals])
    return StateChart(
        name="m", initial=initial, states=tuple(named), edges=found, terminals=frozenset(terminals), **more
    )


RIGHT = [("a", "go", "b"), ("b", "end", "z")]


def test_a_right_machine_passes_everything():
    assert {name: check(chart(RIGHT)) for name, check in STRUCTURE.items() if check(chart(RIGHT))} == {}


@pytest.mark.parametrize(
    "wrong, check, says",
    [
        (chart([*RIGHT, ("c", "go", "z")]), "states_are_reachable", "nothing leads to c"),
        (chart([*RIGHT, ("a", "x", "d")]), "states_have_a_way_out", "d is not terminal and has no way out"),
        (chart([*RIGHT, ("a", "x", "d"), ("d", "x", "d")]), "states_have_a_way_out", "d is not terminal"),
        (chart([*RIGHT, ("z", "again", "a")]), "terminals_are_final", "z --again--> a leaves a terminal state"),
        (chart(RIGHT, terminals=""), "terminals_are_final", "no state is terminal"),
        (chart([*RIGHT, ("a", "x", "d"), ("d", "y", "e"), ("e", "y", "d")]), "every_state_can_end", "reached from d"),
        (
            chart([*RIGHT, ("a", "go", "z")]),
            "transitions_are_unambiguous",
            "a has 2 transitions for go without a guard",
        ),
        (chart(RIGHT, anywhere=frozenset("b")), "destinations_are_known", "b may go anywhere"),
    ],
)
def test_what_is_wrong_is_found_by_one_check_and_named(wrong, check, says):
    found = {name: problems for name, one in STRUCTURE.items() if (problems := one(wrong))}
    assert check in found
    assert any(says in problem for problem in found[check])


def test_guards_tell_two_transitions_of_one_event_apart():
    guarded = chart([("a", "go", "b", "free"), ("a", "go", "z", "full"), ("b", "end", "z")])
    assert STRUCTURE["transitions_are_unambiguous"](guarded) == []


def test_states_that_wait_for_the_user_have_a_timeout():
    waiting = chart([*RIGHT, ("a", "late", "z")], waiting=frozenset("ab"))
    assert waiting_states_have("timeout", "late")(waiting) == ["b waits for the user and has no timeout (late)"]


@given(st.lists(st.tuples(st.sampled_from("abcdz"), st.sampled_from("xy"), st.sampled_from("abcdz")), max_size=14))
def test_what_can_be_reached_is_what_walking_finds(edges):
    found = chart(edges)
    seen = {"a"}
    for _ in range(len(edges) + 1):
        seen |= {target for source, _, target in edges if source in seen}
    assert found.reachable() == seen
    assert found.ending() == {s for s in (*found.states, "z") if "z" in chart(edges, initial=s).reachable()}


class Refused(Exception):
    """The test machine's refusal."""


def fire(state, event, context):
    if event == "boom":
        raise ZeroDivisionError
    if (state, event) == ("a", "sneaky"):
        return "z"
    if (state, event) == ("a", "go"):
        return "b" if context.get("free", True) else "a"
    if (state, event) == ("b", "end"):
        if not context.get("paid"):
            raise Refused
        return "z"
    raise Refused


def test_an_illegal_event_is_refused_and_neither_taken_nor_a_crash():
    assert refused(fire, (Refused,), "b", "go") is None
    assert refused(fire, (Refused,), "a", "sneaky") == "a took sneaky and went to z"
    assert refused(fire, (Refused,), "a", "boom") == "a crashed on boom: ZeroDivisionError: "


def test_declared_transitions_are_tried_with_their_guards_passing_and_failing():
    guards = {"paid": {"passes": {"paid": True}, "fails": {"paid": False}}, "idle": {"passes": {}, "fails": {}}}
    machine = chart([("a", "go", "b"), ("b", "end", "z", "paid")])
    assert [told for edge in machine.edges for told in taken(fire, (Refused,), machine, edge, guards)] == []
    loose = Edge("a", "go", "b", "idle")
    assert taken(fire, (Refused,), machine, loose, guards) == []  # "b" is where another transition of `go` leads
    assert "give `guards:" in taken(fire, (Refused,), machine, Edge("a", "go", "b", "unknown"), guards)[0]
    assert taken(fire, (Refused,), machine, Edge("a", "go", "z"), {}) == ["a --go--> z went to b"]


def test_langgraph_is_read_from_its_builder():
    class Memory(TypedDict):
        n: int

    def jump(state: Memory) -> Command[Literal["offer", "__end__"]]:
        return Command(goto="offer")

    def free(state: Memory) -> str:
        return "offer"

    graph = StateGraph(Memory)
    for name in ("offer", "pay"):
        graph.add_node(name, lambda state: state)
    graph.add_node("jump", jump)
    graph.add_edge(START, "offer")
    graph.add_conditional_edges("offer", lambda state: "chosen", {"chosen": "pay", "gone": END})
    graph.add_conditional_edges("pay", free)
    for value in (graph, graph.compile(), graph.compile):
        found = chart_of("langgraph", value, "g")
        assert {str(edge) for edge in found.edges} == {
            "__start__ ----> offer", "offer --chosen--> pay", "offer --gone--> __end__", "jump ----> offer",
            "jump ----> __end__",
        }  # fmt: skip
        assert found.anywhere == {"pay"}
        assert found.terminals == {"__end__"}


def test_transitions_are_read_without_the_automatic_ones():
    class Model:
        def free(self):
            return True

    machine = transitions.Machine(
        Model(),
        states=["a", "b", transitions.State("z", final=True)],
        initial="a",
        transitions=[
            {"trigger": "go", "source": "a", "dest": "b", "conditions": "free", "unless": "busy"},
            ["stay", "b", None],
            ["end", "*", "z"],
        ],
    )
    found = chart_of("transitions", lambda: machine, "t")
    assert {str(edge) for edge in found.edges if edge.source != "z"} == {
        "a --go [free and not busy]--> b", "b --stay--> b", "a --end--> z", "b --end--> z",
    }  # fmt: skip
    assert (found.initial, set(found.terminals)) == ("a", {"z"})


def test_a_state_that_nothing_leaves_is_no_end_unless_somebody_says_so():
    machine = transitions.Machine(states=["a", "trap"], initial="a", transitions=[["go", "a", "trap"]])
    found = chart_of("transitions", lambda: machine, "t")
    assert not found.terminals
    assert states_have_a_way_out(found) == ["trap is not terminal and has no way out"]


def test_python_statemachine_is_read_from_its_class():
    class Booking(statemachine.StateMachine):
        a = statemachine.State(initial=True)
        b = statemachine.State()
        z = statemachine.State(final=True)
        go = a.to(b, cond="free", unless="busy")
        end = b.to(z)
        free, busy = True, False

    found = chart_of("statemachine", Booking, "s")
    assert {str(edge) for edge in found.edges} == {"a --go [free and not busy]--> b", "b --end--> z"}
    assert (found.initial, set(found.terminals)) == ("a", {"z"})
    declared = chart([("a", "go", "b"), ("b", "end", "z"), ("a", "leave", "z")])
    assert differences(declared, found) == ["transition a --leave--> z is declared, and the code lacks it"]


def test_what_is_no_machine_is_told():
    with pytest.raises(TypeError, match="is no machine of transitions"):
        chart_of("transitions", lambda: 3, "t")

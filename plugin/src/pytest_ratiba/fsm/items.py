"""The checks of a suite, by name: each is one test of layer 1."""

from collections.abc import Callable, Iterator

from pytest_ratiba.fsm import checks
from pytest_ratiba.fsm.machine import differences
from pytest_ratiba.fsm.prompts import render_problems, tool_name, tool_problems
from pytest_ratiba.fsm.suite import FsmSuite
from pytest_ratiba.fsm.walks import WalkCoverage, coverage, read_walks, violations

Problems = Callable[[], list[str]]


def tests_of(suite: FsmSuite) -> Iterator[tuple[str, Problems]]:
    """Name and check of each test that the suite asks for. A check answers what is wrong, [] when it holds."""
    chart = suite.chart
    for name, check in checks.STRUCTURE.items():
        yield name, lambda check=check: check(chart)  # type: ignore[misc]
    for kind, event in (("timeout", suite.timeout_event), ("handover", suite.handover_event)):
        if event:
            yield f"waiting_states_have_{kind}", lambda k=kind, e=event: checks.waiting_states_have(k, e)(chart)  # type: ignore[misc]
    if suite.same_as is not None:
        yield "the_code_is_as_declared", lambda: differences(chart, suite.same_as) if suite.same_as else []
    if suite.fire is not None:
        yield from _tried(suite)
    if suite.transcripts:
        yield "transcripts_follow_the_machine", lambda: _violations(suite)
        yield "transitions_are_covered", lambda: _uncovered(suite)
    for path, engine, values in suite.prompts:
        yield (
            f"prompt_renders[{path.name}]",
            lambda p=path, e=engine, v=values: [  # type: ignore[misc]
                f"{p}: {problem}" for problem in render_problems(p.read_text(encoding="utf-8"), e, v)
            ],
        )
    for tool in suite.tools:
        yield f"tool_is_valid[{tool_name(tool)}]", lambda tool=tool: tool_problems(tool)  # type: ignore[misc]


def _tried(suite: FsmSuite) -> Iterator[tuple[str, Problems]]:
    chart = suite.chart
    for state in chart.states:
        illegal = [event for event in chart.events if not chart.leaving(state, event)]
        if illegal:
            yield (
                f"illegal_events_are_refused[{state}]",
                lambda s=state, events=illegal: [  # type: ignore[misc]
                    problem for event in events if (problem := checks.refused(suite.fire, suite.refuses, s, event))
                ],
            )
        legal = chart.leaving(state)
        if legal:
            yield (
                f"transitions_happen[{state}]",
                lambda edges=legal: [  # type: ignore[misc]
                    problem
                    for edge in edges
                    for problem in checks.taken(suite.fire, suite.refuses, chart, edge, suite.guards)
                ],
            )


def _violations(suite: FsmSuite) -> list[str]:
    walks = [walk for path in suite.transcripts for walk in read_walks(path)]
    if not any(walk.steps for walk in walks):
        return ["the transcripts hold no transition: log lines with event_type fsm_transition, or `transitions:`"]
    return [problem for walk in walks for problem in violations(suite.chart, walk)]


def covered(suite: FsmSuite) -> WalkCoverage:
    """Measure the part of the machine that the suite's transcripts cover."""
    return coverage(suite.chart, [walk for path in suite.transcripts for walk in read_walks(path)])


def _uncovered(suite: FsmSuite) -> list[str]:
    found = covered(suite)
    wanted = 1.0 if suite.coverage is None else suite.coverage
    if found.transitions and found.covered / found.transitions < wanted:
        return [
            f"{found}; {wanted:.0%} of the transitions are wanted",
            *(f"no scenario takes {e}" for e in found.missing),
        ]
    return []

"""Checks the assertions of a scenario that only the agent's own side can answer.

    - {contains: M-Pesa}    {not_contains: [refund]}    {regex: 'KES \\d+', turn: last}    {max_words: 60}
    - {json_schema: reply.schema.json}    {latency: 30}
    - {fsm_state: paid}    {fsm_transition: {event: stk_confirmed, to: paid}, times: 1}
    - {sql: 'SELECT count(*) FROM handoff_log', equals: 1}    {sql: 'SELECT status FROM payments', rows: [[paid]]}
    - {briefing_card: schemas/briefing_card.json}
    - {event_type: payment_reversed, with: {rail: mpesa}, times: 1}
    - {python: 'tests.eval.checks:no_double_charge'}

The other kinds of a scenario (metric, tool, ended, state) are checked by the server.
"""

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_ratiba.assertions import kinds
from pytest_ratiba.assertions.outcome import AssertionSetupError, ScenarioOutcome
from pytest_ratiba.assertions.shapes import KINDS, OF_REPLIES, refuse_shapeless


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalFinding:
    """One assertion that does not hold: its place in the list, from 0, and why."""

    position: int
    kind: str
    why: str

    def __str__(self) -> str:
        return f"assertions/{self.position} ({self.kind}): {self.why}"


def is_local(assertion: Mapping[str, Any]) -> bool:
    """Whether this side checks the assertion, and not the server."""
    return any(kind in assertion for kind in KINDS)


def findings(assertions: Sequence[Mapping[str, Any]], outcome: ScenarioOutcome) -> list[LocalFinding]:
    """List the assertions that do not hold, in order; [] when all hold.
    Raises AssertionSetupError, with the pointer, for an assertion that cannot be checked. Assertions of other kinds
    than the local ones are passed over."""
    found = []
    for position, assertion in enumerate(assertions):
        refuse_shapeless(assertion, position)
        kind = next((one for one in KINDS if one in assertion), None)
        if kind is None:
            continue
        missing = kinds.missing_reply(assertion, outcome) if kind in OF_REPLIES else ""
        check = _python if kind == "python" else getattr(kinds, kind)
        try:
            problems = [missing] if missing else check(assertion, outcome)
        except AssertionSetupError as error:
            raise AssertionSetupError(f"assertions/{position}: {error}") from error
        found += [LocalFinding(position=position, kind=kind, why=why) for why in problems]
    return found


def check_assertions(assertions: Sequence[Mapping[str, Any]], outcome: ScenarioOutcome) -> None:
    """Raises AssertionError that lists everything that does not hold, and AssertionSetupError for what cannot be
    checked here: kinds of the server's, too."""
    if isinstance(assertions, str | Mapping) or not assertions:
        raise AssertionSetupError(f"assertions: must be a list of mappings that is not empty, not {assertions!r}")
    for position, assertion in enumerate(assertions):
        refuse_shapeless(assertion, position, local_only=True)
    found = findings(assertions, outcome)
    if found:
        raise AssertionError("\n".join(map(str, found)))


def _python(assertion: Mapping[str, Any], outcome: ScenarioOutcome) -> list[str]:
    """`package.module:name` is called with the outcome. It raises AssertionError, or answers False or a text, where
    something is wrong; None, True and an empty text mean that it holds."""
    module, _, name = str(assertion["python"]).partition(":")
    try:
        check: Any = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise AssertionSetupError(f"python: {assertion['python']!r} is not package.module:name: {error}") from error
    try:
        answer = check(outcome)
    except AssertionError as error:
        return [str(error) or f"{name} raised AssertionError"]
    if answer is False:
        return [f"{name} answered False"]
    return [answer] if isinstance(answer, str) and answer else []

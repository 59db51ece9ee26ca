"""Each kind of assertion but `python` has one function here.
The function takes the assertion and the outcome, and answers the faults that it finds, or [] when the assertion
holds."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from pytest_ratiba.assertions.json_schemas import value_problems
from pytest_ratiba.assertions.outcome import AssertionSetupError, ScenarioOutcome
from pytest_ratiba.assertions.shapes import MOVES

LATENCY_S = 30.0  # the field's usual patience for a reply with tools; `latency:` says another
Kind = Callable[[Mapping[str, Any], ScenarioOutcome], list[str]]


def _texts(assertion: Mapping[str, Any], outcome: ScenarioOutcome) -> list[tuple[int, Mapping[str, Any]]]:
    """The replies that are meant: `turn:` counts them from 1, `last`, or `all` (the default: any of them will do)."""
    replies = list(enumerate(outcome.replies, 1))
    turn = assertion.get("turn", "all")
    if turn == "last":
        return replies[-1:]
    return replies if turn == "all" else [reply for reply in replies if reply[0] == turn]


def missing_reply(assertion: Mapping[str, Any], outcome: ScenarioOutcome) -> str:
    """That there is no reply to look at, where there is none: an assertion of what was never said does not hold."""
    if _texts(assertion, outcome):
        return ""
    which = f"reply {assertion['turn']}" if isinstance(assertion.get("turn"), int) else "reply"
    return f"there is no {which}: the agent said something {len(outcome.replies)} times"


def _listed(value: Any) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else [str(value)]


def contains(assertion: Mapping[str, Any], outcome: ScenarioOutcome) -> list[str]:
    """Each text stands in one of the replies; capitals do not matter."""
    said = [str(turn["content"]).casefold() for _, turn in _texts(assertion, outcome)]
    wanted = _listed(assertion["contains"])
    return [f"no reply contains {text!r}" for text in wanted if not any(text.casefold() in one for one in said)]


def not_contains(assertion: Mapping[str, Any], outcome: ScenarioOutcome) -> list[str]:
    """None of the texts stands in any of the replies; capitals do not matter."""
    return [
        f"reply {number} contains {text!r}"
        for number, turn in _texts(assertion, outcome)
        for text in _listed(assertion["not_contains"])
        if text.casefold() in str(turn["content"]).casefold()
    ]


def regex(assertion: Mapping[str, Any], outcome: ScenarioOutcome) -> list[str]:
    """Each pattern is found in one of the replies."""
    said = [str(turn["content"]) for _, turn in _texts(assertion, outcome)]
    problems = []
    for pattern in _listed(assertion["regex"]):
        problems += [] if any(re.search(pattern, one) for one in said) else [f"no reply matches {pattern!r}"]
    return problems


def json_schema(assertion: Mapping[str, Any], outcome: ScenarioOutcome) -> list[str]:
    """The replies are JSON of this schema: a mapping, or a file."""
    schema = _schema(assertion["json_schema"], outcome)
    problems = []
    for number, turn in _texts(assertion, outcome):
        try:
            value = json.loads(turn["content"])
        except json.JSONDecodeError as error:
            problems.append(f"reply {number} is not JSON: {error.msg}")
        else:
            problems += [f"reply {number}, {problem}" for problem in value_problems(value, schema)]
    return problems


def max_words(assertion: Mapping[str, Any], outcome: ScenarioOutcome) -> list[str]:
    """No reply has more words than this."""
    limit = assertion["max_words"]
    counted = [(number, len(str(turn["content"]).split())) for number, turn in _texts(assertion, outcome)]
    return [
        f"reply {number} has {words} words, at most {limit:g} are allowed" for number, words in counted if words > limit
    ]


def latency(assertion: Mapping[str, Any], outcome: ScenarioOutcome) -> list[str]:
    """No reply took longer than this many seconds; 30 where it says true. A reply without a time is a finding."""
    limit = LATENCY_S if assertion["latency"] is True else assertion["latency"]
    problems = []
    for number, turn in _texts(assertion, outcome):
        taken = turn.get("latency_ms")
        if taken is None:
            problems.append(f"reply {number} has no latency")
        elif taken > limit * 1000:
            problems.append(f"reply {number} took {taken / 1000:.1f} s, at most {limit:g} s are allowed")
    return problems


def fsm_state(assertion: Mapping[str, Any], outcome: ScenarioOutcome) -> list[str]:
    """The machine ended in this state, or in one of these."""
    wanted = _listed(assertion["fsm_state"])
    return [] if outcome.state in wanted else [f"it ended in {outcome.state}, wanted {' or '.join(wanted)}"]


def fsm_transition(assertion: Mapping[str, Any], outcome: ScenarioOutcome) -> list[str]:
    """A transition with this from, event and to happened (those that are named), `times:` as often; 0 for never."""
    wanted = assertion["fsm_transition"]
    found = sum(
        all(step.get(key) == value for key, value in wanted.items())
        for step in (dict(zip(MOVES, transition, strict=True)) for transition in outcome.transitions)
    )
    return _times(assertion, found, f"a transition {dict(wanted)}")


def event_type(assertion: Mapping[str, Any], outcome: ScenarioOutcome) -> list[str]:
    """A log line of this event_type, with the values of `with:`, was written; `times:` as often; 0 for never."""
    wanted = assertion.get("with") or {}
    found = [
        line
        for line in outcome.log
        if line.get("event_type") == assertion["event_type"] and all(line.get(k) == v for k, v in wanted.items())
    ]
    return _times(
        assertion, len(found), f"a log line {assertion['event_type']}" + (f" with {wanted}" if wanted else "")
    )


def sql(assertion: Mapping[str, Any], outcome: ScenarioOutcome) -> list[str]:
    """The rows of a query in the scenario's schema: `equals:` one value, or `rows:` all of them as lists."""
    found = _rows(str(assertion["sql"]), outcome)
    if "rows" in assertion:
        wanted = [list(row) for row in assertion["rows"]]
        return [] if found == wanted else [f"the rows are {found}, wanted {wanted}"]
    if len(found) != 1 or len(found[0]) != 1:
        return [f"the query answered {found}, wanted one value: {assertion['equals']!r}"]
    return [] if found[0][0] == assertion["equals"] else [f"it is {found[0][0]!r}, wanted {assertion['equals']!r}"]


def briefing_card(assertion: Mapping[str, Any], outcome: ScenarioOutcome) -> list[str]:
    """Every card that `from:` selects (default: handoff_log.briefing_card) is of this JSON Schema; there is one."""
    schema = _schema(assertion["briefing_card"], outcome)
    cards = _rows(str(assertion.get("from") or "SELECT briefing_card FROM handoff_log"), outcome)
    if not cards:
        return ["there is no briefing card"]
    found = [json.loads(card) if isinstance(card, str) else card for card, *_ in cards]
    return [f"card {n}, {problem}" for n, card in enumerate(found, 1) for problem in value_problems(card, schema)]


def _rows(query: str, outcome: ScenarioOutcome) -> list[list[Any]]:
    if outcome.connect is None:
        raise AssertionSetupError(
            "sql: this scenario has no schema: a test takes the fixture tenant_scoped_eval_environment, scenarios of a "
            "server need a section environment: in ratiba.yaml"
        )
    import psycopg

    with outcome.connect() as connection:
        connection.execute("SET default_transaction_read_only = on")  # an assertion looks, and changes nothing
        try:
            return [[_plain(value) for value in row] for row in connection.execute(query.encode()).fetchall()]
        except psycopg.Error as error:
            raise AssertionSetupError(f"sql: {query!r}: {str(error).strip()}") from error


def _plain(value: Any) -> Any:
    """Numbers as YAML writes them, and times as text."""
    from datetime import date, datetime, time
    from decimal import Decimal
    from uuid import UUID

    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return str(value) if isinstance(value, date | datetime | time | UUID) else value


def _schema(value: Any, outcome: ScenarioOutcome) -> Mapping[str, Any]:
    if isinstance(value, Mapping):
        return value
    try:
        schema = json.loads((outcome.folder / str(value)).read_text(encoding="utf-8"))
    except (OSError, json.JSONDecodeError) as error:
        raise AssertionSetupError(f"the JSON Schema {value}: {error}") from error
    if not isinstance(schema, Mapping) or not schema:
        raise AssertionSetupError(f"the JSON Schema {value} is no mapping that says something")
    return schema


def _times(assertion: Mapping[str, Any], found: int, what: str) -> list[str]:
    if "times" not in assertion:
        return [] if found else [f"there was never {what}"]
    return [] if found == assertion["times"] else [f"{what}: {found} times, wanted {assertion['times']}"]

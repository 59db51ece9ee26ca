"""The assertions that a scenario may make about a conversation.

    - {metric: SwahiliFluencyMetric, threshold: 0.8}    the brief's; a threshold keeps the metric's own scale, 0 to 1
    - {tool: book_slot, arguments: {day: friday}, match: subset}    match: exact, subset (default) or regex
    - {tool: book_slot, times: 1, only: true}    how many calls fit (n, or {min, max}); only: no others of that tool
    - {tool: refund, forbidden: true}
    - {said: ["327", "327.00"], match: contains}    the agent says one of them; match: contains (default) or regex
    - {said: '(?i)pin', match: regex, forbidden: true}    the agent never says it
    - {said: '07\\d{8}', match: regex, forbidden: true, unless_customer_said: true}    but may repeat the customer's own
    - {replies: {latency_ms: 2000, words: {max: 60}, json: true}}    each reply of the agent (reply_assertions)
    - {ended: [goal_met, agent_closed]}                 how the conversation came to its end
    - {fluency: off}                                  no fluency metric is added; also a key of the scenario
    - {state: {url: "https://…/bookings/{{ conversation }}", path: $.count, equals: 1}}    read after the last word

0–10 of criteria are no assertions. What is written here is frozen into a run's plan (`frozen_assertions`).
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from apps.catalog.domain import field_readers as checks
from apps.catalog.scenarios.domain.expected_arguments import ArgumentMatch, check_argument_patterns
from apps.catalog.scenarios.domain.reply_assertions import read_reply_limits
from apps.catalog.scenarios.domain.script import read_request
from apps.core.errors import BadInput
from apps.core.patterns import compile_pattern

ENDS = ("goal_met", "gave_up", "customer_left", "agent_closed", "max_turns", "loop", "script_ended")
TOOLS_CHECK, END_CHECK, SAID_CHECK = "ScenarioToolsMetric", "ScenarioEndStateMetric", "ScenarioSaidMetric"
REPLIES_CHECK = "ScenarioRepliesMetric"
FLUENCY = ("auto", "off")
SAID_MATCHES = ("contains", "regex")
KINDS = ("metric", "tool", "said", "replies", "ended", "state", "fluency")


def parse_assertions(raw: Any, pointer: str = "/assertions") -> list[dict[str, Any]]:
    """The assertions, each with what it needs and nothing else. Raises BadInput with the pointer."""
    return [_assertion(item, checks.step(pointer, n)) for n, item in enumerate(checks.listing(raw, pointer))]


def read_fluency(value: Any, pointer: str = "/fluency") -> list[dict[str, Any]]:
    """The assertion of a scenario's own key `fluency`: nothing for auto, which is the default. Raises BadInput."""
    chosen = checks.one_of(_word(value), FLUENCY, pointer)
    return [{"fluency": chosen}] if chosen != "auto" else []


def unmeasured_metrics(assertions: Sequence[Mapping[str, Any]], known: Collection[str]) -> list[tuple[int, str]]:
    """(place, name) of the metrics asked for that are none of `known`. Pure."""
    return [
        (place, str(assertion["metric"]))
        for place, assertion in enumerate(assertions)
        if "metric" in assertion and assertion["metric"] not in known
    ]


def frozen_assertions(assertions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the checks that a battle's spec keeps.

    They are `assertions` by metric, `expected_tools`, `expected_end`, `state_requests`, `said_phrases`, `reply_limits`
    and `fluency`. Tools, words, replies and end are one check each, measured beside the metrics.
    """
    metrics = [dict(assertion) for assertion in assertions if "metric" in assertion]
    tools = [
        {"name": assertion["tool"], **{key: value for key, value in assertion.items() if key != "tool"}}
        for assertion in assertions
        if "tool" in assertion
    ]
    ends = [reason for assertion in assertions for reason in assertion.get("ended", ())]
    states = [assertion["state"] for assertion in assertions if "state" in assertion]
    phrases = [dict(assertion) for assertion in assertions if "said" in assertion]
    limits = [assertion["replies"] for assertion in assertions if "replies" in assertion]
    metrics += [{"metric": TOOLS_CHECK}] if tools else []
    metrics += [{"metric": SAID_CHECK}] if phrases else []
    metrics += [{"metric": REPLIES_CHECK}] if limits else []
    metrics += [{"metric": END_CHECK}] if ends or states else []
    fluency = next((assertion["fluency"] for assertion in assertions if "fluency" in assertion), "")
    frozen = {
        "fluency": fluency,
        "assertions": metrics,
        "expected_tools": tools,
        "said_phrases": phrases,
        "reply_limits": limits,
        "expected_end": ends,
        "state_requests": states,
    }
    return {key: value for key, value in frozen.items() if value}


def asserted_items(spec: Mapping[str, Any]) -> list[Any]:
    """Each check that a frozen spec keeps, by what it says. The ends that will do are one: one more asks less."""
    gathered = [{"metric": name} for name in (TOOLS_CHECK, SAID_CHECK, REPLIES_CHECK, END_CHECK)]
    lists = ("assertions", "expected_tools", "said_phrases", "reply_limits", "state_requests")
    items = [[key, item] for key in lists for item in spec.get(key) or () if item not in gathered]
    return [*items, *([key, spec[key]] for key in ("expected_end", "fluency") if spec.get(key))]


def _assertion(item: Any, at: str) -> dict[str, Any]:
    data = checks.mapping(item, at)
    kinds = [key for key in KINDS if key in data]
    if len(kinds) != 1:
        if not kinds:
            checks.only(data, KINDS, at)
        raise BadInput(f"{at} has one of {', '.join(KINDS)}", pointer=at)
    return _READERS[kinds[0]](data, at)


def _metric(data: Mapping[str, Any], at: str) -> dict[str, Any]:
    checks.only(data, ("metric", "threshold"), at)
    entry: dict[str, Any] = {"metric": checks.name(data.get("metric"), checks.step(at, "metric"))}
    if "threshold" in data:
        entry["threshold"] = checks.number(data["threshold"], checks.step(at, "threshold"), low=0, high=1)
    return entry


def _tool(data: Mapping[str, Any], at: str) -> dict[str, Any]:
    checks.only(data, ("tool", "arguments", "match", "status", "forbidden", "times", "only"), at)
    entry: dict[str, Any] = {"tool": checks.text(data["tool"], f"{at}/tool", required=True, limit=200)}
    match = checks.one_of(data.get("match", ArgumentMatch.SUBSET), list(ArgumentMatch), f"{at}/match")
    if "arguments" in data:
        entry["arguments"] = checks.json_mapping(data["arguments"], f"{at}/arguments")
        entry["match"] = match
        if match == ArgumentMatch.REGEX:
            check_argument_patterns(entry["arguments"], f"{at}/arguments", check=compile_pattern)
    if data.get("status") is not None:
        entry["status"] = checks.text(data["status"], f"{at}/status", limit=100)
    for key in ("forbidden", "only"):
        if not isinstance(data.get(key) or False, bool):
            raise BadInput(f"{at}/{key} is true or false", pointer=f"{at}/{key}")
        entry |= {key: True} if data.get(key) else {}
    if data.get("times") is not None:
        entry["times"] = _times(data["times"], f"{at}/times")
    if data.get("forbidden") and {"only", "times"} & set(entry):
        raise BadInput(f"{at} is forbidden: times and only are about a tool that is called", pointer=at)
    return entry


def _times(value: Any, at: str) -> dict[str, int]:
    """Read how many calls fit: a number, or the least and the most; {"min", "max"?}."""
    if isinstance(value, Mapping):
        checks.only(value, ("min", "max"), at)
        times = {
            key: checks.integer(value[key], f"{at}/{key}", low=0, high=1000) for key in ("min", "max") if key in value
        }
        least = times.setdefault("min", 0)
        if times.get("max", least) < least or not times.get("max", 1):
            raise BadInput(f"{at} has a max of 1 or more, and no smaller one than its min", pointer=f"{at}/max")
        return times
    count = checks.integer(value, at, low=1, high=1000)
    return {"min": count, "max": count}


def _said(data: Mapping[str, Any], at: str) -> dict[str, Any]:
    checks.only(data, ("said", "match", "forbidden", "unless_customer_said"), at)
    given = [data["said"]] if isinstance(data["said"], str) else checks.listing(data["said"], f"{at}/said")
    phrases = [checks.text(one, f"{at}/said/{n}", required=True, limit=1000) for n, one in enumerate(given)]
    if not phrases:
        raise BadInput(f"{at}/said names at least one text", pointer=f"{at}/said")
    match = checks.one_of(data.get("match", "contains"), SAID_MATCHES, f"{at}/match")
    if match == "regex":
        for n, one in enumerate(phrases):
            compile_pattern(one, f"{at}/said/{n}")
    for key in ("forbidden", "unless_customer_said"):
        if not isinstance(data.get(key, False), bool):
            raise BadInput(f"{at}/{key} is true or false", pointer=f"{at}/{key}")
    if data.get("unless_customer_said") and not data.get("forbidden"):
        raise BadInput(f"{at}/unless_customer_said belongs to words that are forbidden", pointer=at)
    marks = {key: True for key in ("forbidden", "unless_customer_said") if data.get(key)}
    return {"said": phrases, "match": match} | marks


def _ended(data: Mapping[str, Any], at: str) -> dict[str, Any]:
    checks.only(data, ("ended",), at)
    given = [data["ended"]] if isinstance(data["ended"], str) else checks.listing(data["ended"], f"{at}/ended")
    if not given:
        raise BadInput(f"{at}/ended names at least one of {', '.join(ENDS)}", pointer=f"{at}/ended")
    return {"ended": [checks.one_of(one, ENDS, f"{at}/ended/{n}") for n, one in enumerate(given)]}


def _state(data: Mapping[str, Any], at: str) -> dict[str, Any]:
    checks.only(data, ("state",), at)
    at = f"{at}/state"
    raw = checks.mapping(data["state"], at)
    call = read_request(raw, at, known=("url", "method", "headers", "body", "path", "equals"), method="GET")
    from apps.core.json_path import compile_path  # noqa: PLC0415 - only who asserts a state loads the parser

    path = checks.text(raw.get("path"), f"{at}/path", required=True, limit=500)
    compile_path(path, f"{at}/path")
    if "equals" not in raw:
        raise BadInput(f"{at}/equals is missing: what is at the path?", pointer=f"{at}/equals")
    return {"state": {**call, "path": path, "equals": checks.plain_json(raw["equals"], f"{at}/equals")}}


def _fluency(data: Mapping[str, Any], at: str) -> dict[str, Any]:
    checks.only(data, ("fluency",), at)
    return {"fluency": checks.one_of(_word(data["fluency"]), FLUENCY, f"{at}/fluency")}


def _word(value: Any) -> Any:
    return "off" if value is False else value  # YAML 1.1 reads a bare `off` as false


_READERS = {
    "fluency": _fluency,
    "metric": _metric,
    "tool": _tool,
    "said": _said,
    "replies": read_reply_limits,
    "ended": _ended,
    "state": _state,
}

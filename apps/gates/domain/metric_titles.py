"""Titles of a gate's questions for people: criteria by their titles, checks by what they look at. Names stay what
programs read, in the API and in policies."""

from collections.abc import Mapping

from apps.gates.domain.paired_metrics import DOUBLED_CALLS, LATENCY, PASSED, SCORE, TOKENS, TOOL_CALLS

QUESTIONS = {
    SCORE: "score",
    PASSED: "cases that pass",
    LATENCY: "agent's seconds a turn",
    TOKENS: "agent's tokens a conversation",
    TOOL_CALLS: "agent's tool calls a conversation",
    DOUBLED_CALLS: "conversations without a call made twice",
}
_CHECKS = {
    "runner_assertion": "assertion of the repository",
    "ScenarioToolsMetric": "tool assertion",
    "ScenarioSaidMetric": "text assertion",
    "ScenarioRepliesMetric": "assertion about replies",
    "ScenarioEndStateMetric": "assertion about the end",
}
OF_A_RUNNER = "runner_assertion"
Titles = Mapping[str, str]


def criterion_title(name: str, titles: Titles) -> str:
    """Return the criterion's title, else its name as words. A part of a session's criterion keeps its name."""
    return titles.get(name) or name.replace("_", " ")


def check_title(name: str) -> str:
    """Return the title of a check or of one of its results, such as "tool assertion"; else its name."""
    plain, _, subject = name.partition("/")
    if subject and plain == OF_A_RUNNER:
        return subject
    return f"{_CHECKS[plain]} {subject}".strip() if plain in _CHECKS else name


def metric_title(metric: str, titles: Titles) -> str:
    """The title for one entry of a gate's `metrics`."""
    check = metric.removeprefix("check:")
    if check == metric:
        return QUESTIONS.get(metric) or criterion_title(metric, titles)
    name = check.removesuffix(":score")
    title = check_title(name) if name in _CHECKS else f"check {name}"
    return title if name == check else f"{title}, its points"

"""A conversation as DeepEval's test case: only customer and agent speak there, so tool calls and results go with the
agent's next words."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from apps.checks.metrics.base import Case, NotApplicable, turn_text
from apps.checks.metrics.deepeval_environment import deepeval
from apps.evaluations.domain.transcript import neutralised

MAX_TOOL_CHARS = 4000  # of one result, as the judge's prompt has it


@dataclass(frozen=True, slots=True)
class TestCase:
    """DeepEval's case, and the number of our turn behind each of its turns."""

    __test__ = False

    case: Any
    numbers: tuple[int, ...]

    def agent(self) -> set[int]:
        """Positions (in DeepEval's list) of the agent's turns."""
        return {at for at, turn in enumerate(self.case.turns) if turn.role == "assistant"}


def conversational(case: Case, **more: Any) -> TestCase:
    """The case, marks that could pass for something else broken up (domain/transcript). `more` are DeepEval's further
    fields. Raises NotApplicable where the agent says nothing. Loads DeepEval."""
    if not case.agent_turns:
        raise NotApplicable("the agent says nothing in this conversation")
    test_case = deepeval("test_case")
    turns, numbers, pending = [], [], list[Any]()
    results = {turn.get("tool_call_id"): turn_text(turn) for turn in case.turns if turn.get("role") == "tool"}
    for number, turn in enumerate(case.turns):
        role, content = turn.get("role"), turn_text(turn)
        if role == "assistant":
            pending += [_tool(test_case, call, results) for call in turn.get("tool_calls") or ()]
        elif role == "tool" and not turn.get("tool_call_id"):
            pending.append(test_case.ToolCall(name=str(turn.get("name") or "tool"), output=_output(content)))
        if role not in ("user", "assistant") or not content.strip():
            continue
        tools = pending if role == "assistant" and pending else None
        turns.append(test_case.Turn(role=role, content=neutralised(content), tools_called=tools))
        numbers.append(number)
        pending = [] if tools else pending
    return TestCase(test_case.ConversationalTestCase(turns=turns, **more), tuple(numbers))


def _tool(test_case: Any, call: Mapping[str, Any], results: Mapping[Any, str]) -> Any:
    arguments = json.loads(neutralised(json.dumps(call.get("arguments") or {}, ensure_ascii=False, default=str)))
    output = results.get(call.get("id"), "") if call.get("id") else ""
    return test_case.ToolCall(
        name=neutralised(str(call.get("name") or "")),
        input_parameters=arguments if isinstance(arguments, dict) else {"arguments": arguments},
        output=_output(output) or None,
    )


def _output(text: str) -> str:
    text = neutralised(text)
    return text if len(text) <= MAX_TOOL_CHARS else f"{text[:MAX_TOOL_CHARS]} [… cut]"

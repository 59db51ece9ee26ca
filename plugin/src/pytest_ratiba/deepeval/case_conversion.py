"""Conversations that Ratiba played as DeepEval's ConversationalTestCases, and test cases as conversations that the
server imports and judges."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_ratiba.deepeval.golden_rows import golden_row
from pytest_ratiba.deepeval.library import accepted, deepeval_module, tool_calls
from pytest_ratiba.errors import ProjectError

if TYPE_CHECKING:
    from pytest_ratiba.outcomes import CaseOutcome
    from pytest_ratiba.scenarios import ScenarioVariant


def conversational_golden(variant: "ScenarioVariant", personas: Iterable[Mapping[str, Any]] = ()) -> Any:
    """The `ConversationalGolden` of a case, for ConversationSimulator and EvaluationDataset. `personas` are the entries
    among which its persona is looked for. Loads DeepEval."""
    model = deepeval_module("dataset").ConversationalGolden
    fields = dict(golden_row(variant, personas).row)
    if "persona" in model.model_fields:
        del fields["user_description"]
    return model(**accepted(model, fields))


@dataclass(frozen=True, kw_only=True)
class CaseTranscript:
    """A case that was played: its scenario, the server's verdicts, and every turn as the server has it."""

    variant: "ScenarioVariant"
    outcome: "CaseOutcome"
    turns: Sequence[Mapping[str, Any]]
    personas: tuple[Mapping[str, Any], ...] = ()


def conversational_test_case(played: CaseTranscript, *, chatbot_role: str | None = None) -> Any:
    """The `ConversationalTestCase` of a played case: every turn, tool calls with arguments and results, latency; and
    the scenario's text, expected outcome, persona and context. Loads DeepEval.

    Raises `ProjectError` for a conversation in which nothing was said.
    """
    module, outcome = deepeval_module("test_case"), played.outcome
    turns = [_turn(module, one) for one in spoken_turns(played.turns)]
    if not turns:
        raise ProjectError(f"{outcome.name}: nothing was said in it")
    row = golden_row(played.variant, played.personas).row
    fields = {key: row[key] for key in ("scenario", "expected_outcome", "user_description", "context")}
    fields |= {"name": outcome.name, "chatbot_role": chatbot_role}
    fields |= {"metadata": {"test_run_id": outcome.test_run_id, "report_digest": outcome.digest}}
    return module.ConversationalTestCase(turns=turns, **accepted(module.ConversationalTestCase, fields))


def spoken_turns(turns: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Customer's and agent's turns; what tools answered stands as `result` of the call it belongs to, and calls of a
    turn without words go with the agent's next turn."""
    found: list[dict[str, Any]] = []
    calls: list[dict[str, Any]] = []
    for turn in turns:
        if turn["role"] == "tool":
            _answer(turn, [*(call for one in found for call in one.get("tool_calls", ())), *calls])
        elif turn["role"] == "assistant":
            calls += [dict(call) for call in turn.get("tool_calls") or ()]
            if turn.get("content"):
                found.append({**turn, "tool_calls": calls})
                calls = []
        elif turn["role"] == "user":
            found.append(dict(turn))
    last = next((one for one in reversed(found) if one["role"] == "assistant"), None)
    if calls and last is not None:
        last["tool_calls"] = [*last["tool_calls"], *calls]
    return found


def conversation_documents(test_cases: Iterable[Any], *, language: str = "en") -> list[dict[str, Any]]:
    """ConversationalTestCases as conversation documents: for POST /evaluations/, `import_conversations` and, by their
    `turns`, for `conversation_snapshot`. A case without a name is called `case-1` and so on; the language is that of
    its metadata, else `language`. Images, audio and MCP calls are not carried."""
    found: list[dict[str, Any]] = []
    for number, case in enumerate(test_cases, 1):
        name = _free(case.name or f"case-{number}", [one["id"] for one in found])
        metadata = case.metadata if isinstance(case.metadata, dict) else {}
        labels = {key: getattr(case, key) for key in ("scenario", "expected_outcome") if getattr(case, key, None)}
        found.append(
            {
                "id": name,
                "language": str(metadata.get("language") or language),
                "source": "deepeval",
                "labels": labels,
                "turns": [one for n, turn in enumerate(case.turns) for one in _document_turns(turn, n)],
            }
        )
    return found


def _turn(module: Any, turn: Mapping[str, Any]) -> Any:
    fields = {"tools_called": tool_calls(module, turn.get("tool_calls") or ()), "latency_ms": turn.get("latency_ms")}
    if "latency_ms" not in module.Turn.model_fields and turn.get("latency_ms") is not None:
        fields["metadata"] = {"latency_ms": turn["latency_ms"]}
    return module.Turn(role=turn["role"], content=str(turn.get("content") or ""), **accepted(module.Turn, fields))


def _answer(turn: Mapping[str, Any], calls: Sequence[dict[str, Any]]) -> None:
    """Give a tool's answer to the call with its id, else to the latest call, of those without an answer.
    Agents number their calls anew in every turn."""
    wanted = turn.get("tool_call_id")
    waiting = [call for call in calls if "result" not in call]
    named = [call for call in waiting if wanted and call.get("id") == wanted]
    for call in (named or waiting)[-1:]:
        call["result"] = turn.get("content")


def _document_turns(turn: Any, number: int) -> Iterable[dict[str, Any]]:
    document: dict[str, Any] = {"role": turn.role, "content": turn.content}
    calls = turn.tools_called or ()
    answers = []
    for position, call in enumerate(calls):
        identity = f"call-{number}-{position}"
        document.setdefault("tool_calls", []).append(
            {"id": identity, "name": call.name, "arguments": call.input_parameters or {}}
        )
        if call.output is not None:
            answers.append({"role": "tool", "tool_call_id": identity, "name": call.name, "content": str(call.output)})
    latency = getattr(turn, "latency_ms", None)
    if latency is not None:
        document["latency_ms"] = round(latency)
    yield document
    yield from answers


def _free(name: str, known: Sequence[str]) -> str:
    numbered = (f"{name}-{n}" for n in range(2, len(known) + 3))
    return name if name not in known else next(one for one in numbered if one not in known)

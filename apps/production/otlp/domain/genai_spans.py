"""Name the attributes of our spans as any receiver of OTLP reads them.

They follow OpenTelemetry's semantic conventions for generative AI, and the three of OpenInference (kind, input, output)
by which Phoenix shows a span.
"""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from apps.connectors.tracing.exported_span import SpanEvent
from apps.production.exports.domain.exported_spans import SAID, Attributes, ExportedSubject, SpanFacts, cut, nanoseconds

_OPERATIONS = {"agent": "invoke_agent", "tool": "execute_tool", "generation": "chat"}
_KINDS = {"span": "CHAIN", "evaluator": "EVALUATOR", "agent": "AGENT", "tool": "TOOL", "generation": "LLM"}


def genai_names(subject: ExportedSubject, facts: SpanFacts) -> Attributes:
    """A conversation is a session; a reply is `invoke_agent`, a tool call `execute_tool`, a model's call `chat`. What
    has no name there is told under `ratiba.`."""
    conversation = str(subject.conversation_id)
    attributes: Attributes = {
        "gen_ai.conversation.id": conversation,
        "session.id": conversation,
        "openinference.span.kind": _KINDS[facts.kind],
        **{f"ratiba.{name}": cut(text, SAID) for name, text in {**subject.said, **facts.more}.items() if text},
    }
    if subject.said.get("agent"):
        attributes["gen_ai.agent.name"] = subject.said["agent"]
    if operation := _OPERATIONS.get(facts.kind):
        attributes["gen_ai.operation.name"] = operation
    if facts.kind == "tool":
        attributes |= {"gen_ai.tool.name": facts.name, "gen_ai.tool.call.id": facts.call_id, "tool.name": facts.name}
    if facts.model:
        attributes |= {"gen_ai.request.model": facts.model, "gen_ai.response.model": facts.model}
    if facts.more.get("provider"):
        attributes["gen_ai.provider.name"] = facts.more["provider"]
    attributes |= {f"gen_ai.usage.{name}_tokens": count for name, count in facts.usage.items()}
    if facts.error:
        attributes["error.type"] = "_OTHER"
    return attributes | _texts(facts)


def score_events(scores: Mapping[str, tuple[float, str]], *, at: datetime) -> tuple[SpanEvent, ...]:
    """A judgement's scores by their names with their reasons, as `gen_ai.evaluation.result`."""
    return tuple(
        SpanEvent(name="gen_ai.evaluation.result", at_ns=nanoseconds(at), attributes=_result(name, value, reason))
        for name, (value, reason) in scores.items()
    )


def _result(name: str, value: float, reason: str) -> dict[str, Any]:
    attributes = {"gen_ai.evaluation.name": name, "gen_ai.evaluation.score.value": value}
    return {**attributes, **({"gen_ai.evaluation.explanation": cut(reason, SAID)} if reason else {})}


def _texts(facts: SpanFacts) -> Attributes:
    texts: Attributes = {f"{name}.value": text for name in ("input", "output") if (text := getattr(facts, name))}
    if facts.kind == "tool":
        names = {"input": "gen_ai.tool.call.arguments", "output": "gen_ai.tool.call.result"}
        return texts | {names[name]: text for name in names if (text := getattr(facts, name))}
    if facts.kind in ("span", "agent"):
        for name, role, text in (("input", "user", facts.input), ("output", "assistant", facts.output)):
            if text:
                message: dict[str, Any] = {"role": role, "parts": [{"type": "text", "content": text}]}
                message |= {"finish_reason": "stop"} if name == "output" else {}
                texts[f"gen_ai.{name}.messages"] = json.dumps([message], ensure_ascii=False)
    return texts

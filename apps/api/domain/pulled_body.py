"""Bodies of what a runner sends, as plain data."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any, Literal

from annotated_types import Interval, MaxLen

from apps.api.domain.request_fields import HttpPaths, Id, Name
from apps.core.errors import BadInput
from apps.core.shapes import NOT_BLANK, WHOLE, Flag, Number, Shape, Text, described
from apps.core.validation import validate

MAX_CONTENT = 200_000  # characters of one reply
MAX_BODY = 2_000_000  # characters of what an agent answered over HTTP
MAX_TOOL_CALLS = 100  # as of any agent (connectors.agents.tool_calls)


@dataclass(frozen=True, slots=True, kw_only=True)
class PulledLeaseRequest(Shape):
    """Which agent this runner answers for, and how many turns it can work on now."""

    agent: Name
    most: Annotated[int, Interval(ge=1, le=100), WHOLE] = 1
    test_runs: Annotated[list[Id], MaxLen(100), described("Only turns of these runs; left out: of all.")] = field(
        default_factory=list
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PulledExtendRequest(Shape):
    """The lease of the turn that is still worked on."""

    lease: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class PulledToolCall(Shape):
    """A tool that the agent used for this reply, and what came back, where it shows that."""

    name: Annotated[Text, MaxLen(200), NOT_BLANK]
    id: Annotated[Text, MaxLen(200)] = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    result: Annotated[Any, described("A text, or any JSON.")] = None

    def as_json(self) -> dict[str, Any]:
        """The given fields as JSON."""
        every = {"id": self.id, "name": self.name, "arguments": dict(self.arguments), "result": self.result}
        return {name: value for name, value in every.items() if value not in ("", None)}


@dataclass(frozen=True, slots=True, kw_only=True)
class PulledUsage(Shape):
    """What the agent spent on this reply, by its own account."""

    input_tokens: Annotated[int, Interval(ge=0, le=10**9), WHOLE] | None = None
    output_tokens: Annotated[int, Interval(ge=0, le=10**9), WHOLE] | None = None
    cost_usd: Annotated[Number, Interval(ge=0, le=10**6)] | None = None
    model: Annotated[Text, MaxLen(200)] = ""

    def as_json(self) -> dict[str, Any]:
        """The given fields as JSON."""
        every = {name: getattr(self, name) for name in ("input_tokens", "output_tokens", "cost_usd", "model")}
        return {name: value for name, value in every.items() if value not in ("", None)}


@dataclass(frozen=True, slots=True, kw_only=True)
class PulledResponse(Shape):
    """The HTTP response of an agent that the runner asked by one of our protocols, as it came: it is read here as if
    this server had asked."""

    protocol: Annotated[Literal["a2a", "http"], described("How the agent was asked (docs/run.md).")]
    status: Annotated[int, Interval(ge=100, le=599), WHOLE]
    body: Annotated[Text, MaxLen(MAX_BODY)] = ""
    content_type: Annotated[Text, MaxLen(200)] = ""
    retry_after: Annotated[Text, MaxLen(100), described("That header, where there is one.")] = ""
    options: HttpPaths = field(default_factory=HttpPaths)


@dataclass(frozen=True, slots=True, kw_only=True)
class PulledReplyRequest(Shape):
    """The agent's reply (`content`, which may be empty), its answer over HTTP (`response`), or why there is none
    (`error`)."""

    lease: Id
    content: Annotated[Text, MaxLen(MAX_CONTENT)] | None = None
    tool_calls: Annotated[list[PulledToolCall], MaxLen(MAX_TOOL_CALLS)] = field(default_factory=list)
    ended: Annotated[Flag, described("The agent has closed the conversation.")] = False
    latency_ms: Annotated[Number, Interval(ge=0, le=3_600_000), described("Else from lease to reply.")] | None = None
    usage: PulledUsage = field(default_factory=PulledUsage)
    response: PulledResponse | None = None
    error: Annotated[Text, MaxLen(2000)] | None = None
    fault: Annotated[
        Literal["agent", "transport"], described("Of an error: the agent broke over the turn, or was not reached.")
    ] = "agent"

    def as_json(self) -> dict[str, Any]:
        """The reply as it is stored until the conversation has it."""
        if self.error is not None:
            return {"error": self.error.strip() or "it gave no reason", "fault": self.fault}
        if self.response is not None:
            response = asdict(self.response) | {"options": self.response.options.as_json("/response/options")}
            return {"response": response, "latency_ms": self.latency_ms}
        return {
            "content": self.content,
            "tool_calls": [call.as_json() for call in self.tool_calls],
            "ended": self.ended,
            "latency_ms": self.latency_ms,
            "usage": self.usage.as_json(),
        }


def is_too_large(body: Any) -> bool:
    """Tell whether a reply that was refused holds more than one may.

    What the agent said, or called, is too much. Pure.
    """
    if not isinstance(body, Mapping):
        return False
    content, calls, response = body.get("content"), body.get("tool_calls"), body.get("response")
    text = response.get("body") if isinstance(response, Mapping) else None
    return (
        (isinstance(content, str) and len(content) > MAX_CONTENT)
        or (isinstance(text, str) and len(text) > MAX_BODY)
        or (isinstance(calls, list) and len(calls) > MAX_TOOL_CALLS)
    )


def read_reply(body: Any) -> PulledReplyRequest:
    """Read a runner's reply.

    Raises BadInput with a pointer, also for none or several of content, response and error. Pure.
    """
    reply = validate(PulledReplyRequest, body)
    given = [one for one in (reply.content, reply.response, reply.error) if one is not None]
    if len(given) != 1:
        what = "a reply has content, a response or an error, one of them" if given else "content is required"
        raise BadInput(what, code="invalid" if given else "required", pointer="/content")
    return reply

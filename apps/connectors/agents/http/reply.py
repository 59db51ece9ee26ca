"""Read the answer of an HTTP agent: one JSON document, a stream of them, or plain text."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from apps.connectors.agents.base import ReplyPart
from apps.connectors.agents.json_paths import Paths
from apps.connectors.agents.server_sent_events import documents_in
from apps.connectors.agents.tool_calls import read_tool_calls
from apps.connectors.agents.unfinished import refuse_unfinished
from apps.connectors.errors import BadReply
from apps.core.chat_messages import role_of, spoken_parts
from apps.core.chat_parts import content_words, refusal_words
from apps.core.conversation import ToolCall

_EVENTS = "text/event-stream"
_SPOKEN = frozenset(("text", "content", "parts", "refusal"))
# Where an agent that says nothing else has its reply, its session, whether it closed, its tool calls.
DEFAULT_PATHS = {"reply": "$.reply", "session": "", "ended": "$.ended", "tool_calls": "$.tool_calls"}


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpAnswer:
    """The parts of an HTTP agent's answer. `hidden`: no option says where these parts are, and they are not where they
    usually are."""

    data: Any
    text: str
    tool_calls: tuple[ToolCall, ...]
    tool_results: Mapping[str, str]
    ended: bool
    hidden: tuple[ReplyPart, ...]


class HttpAnswerReader:
    """Reads the answers of one HTTP agent, whoever dialled it. `options` are the agent's; `session` is the path of its
    session id, "" where it is elsewhere. Raises BadInput for a path that cannot be read."""

    def __init__(self, options: Mapping[str, Any], *, session: str = "") -> None:
        self._stated = {part for part in ReplyPart if options.get(part)}
        needs_json = options.get("reply") != "" or session or self._stated  # else the whole answer is the reply
        usual = DEFAULT_PATHS if needs_json else dict.fromkeys(DEFAULT_PATHS, "")
        self.paths = Paths({**options, "session": session}, usual)

    def read(self, response: httpx.Response, *, who: str) -> HttpAnswer:
        """Words, tool calls and the end. Raises BadReply, and as `refuse_unfinished` does."""
        data, text = read_reply(response, self.paths, who=who)
        calls, results = read_tool_calls(self.paths.find(ReplyPart.TOOL_CALLS, data))
        return HttpAnswer(
            data=data,
            text=text,
            tool_calls=calls,
            tool_results=results,
            ended=any(self.paths.find(ReplyPart.ENDED, data)),
            hidden=tuple(part for part in ReplyPart if part not in self._stated and not self.paths.present(part, data)),
        )


def read_reply(response: httpx.Response, paths: Paths, *, who: str) -> tuple[Any, str]:
    """The answer's data, and the reply in it. Of a stream the data is its last event, and the reply what the path finds
    in all events, joined without a break. Raises BadReply, and as `refuse_unfinished` does."""
    if not paths.any:
        return response.text, response.text
    if response.headers.get("content-type", "").partition(";")[0].strip().lower() == _EVENTS:
        events = documents_in(response.text)
        parts = [item for event in events for item in paths.find("reply", event)]
        words = _words(parts, "", events, response, who) if paths.has("reply") else ""
        refuse_unfinished(events, words, who=who)
        return (events[-1] if events else {}), words
    try:
        data = json.loads(response.content)
    except (ValueError, RecursionError):
        raise BadReply(
            f"{who} answered with something that is not JSON", status=response.status_code, raw=response.text
        ) from None
    if not paths.has("reply"):
        return data, response.text
    words = _words(paths.find("reply", data), None, [data], response, who)
    if not words or "choices" in data or "candidates" in data or "stop_reason" in data:
        refuse_unfinished([data], words, who=who)
    return data, words


def _words(found: list[Any], between: str | None, answers: list[Any], response: httpx.Response, who: str) -> str:
    """The text that the path found: strings, parts of a content, whole messages; a refusal where it found none of them.
    Raises BadReply where the path leads nowhere."""
    if not found and not any(map(_refused, answers)):
        refuse_unfinished(answers, "", who=who)
        raise BadReply(f"{who}: nothing at options.reply in the answer", status=response.status_code, raw=response.text)
    if any(isinstance(item, Mapping) and _SPOKEN & item.keys() for item in found):
        text = content_words([_part(item, between) for item in found], between=between)
    else:
        texts = [item if isinstance(item, str) else json.dumps(item) for item in found if item is not None]
        text = ("\n" if between is None else between).join(texts)
    return text or "".join(map(_refused, answers))


def _part(item: Any, between: str | None) -> Any:
    """A message as its words; a part of a content as it is."""
    if isinstance(item, Mapping) and (role_of(item) or "parts" in item or isinstance(item.get("content"), list)):
        return spoken_parts(item, between=between).text
    return item


def _refused(answer: Any) -> str:
    """The refusal that stands in an answer of OpenAI's form where its content is empty; "" for none."""
    choices = answer.get("choices") if isinstance(answer, Mapping) else None
    first = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], Mapping) else {}
    message = first.get("message") or first.get("delta")
    return refusal_words(message) if isinstance(message, Mapping) else ""

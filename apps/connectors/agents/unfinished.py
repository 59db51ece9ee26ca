"""Detect answers over HTTP that are no whole reply.

They have an error in place of words or behind them, or an end that the agent's own model did not choose.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from apps.connectors.errors import AgentRefused, RemoteFailure
from apps.connectors.llms.finish import Finish, finish_of

_CUT = {"length": Finish.LENGTH, "max_tokens": Finish.LENGTH, "MAX_TOKENS": Finish.LENGTH}
_WHY = {
    Finish.LENGTH: "its reply is cut off at its own limit of tokens",
    Finish.BLOCKED: "a content filter held its reply back",
}


def refuse_unfinished(answers: Sequence[Any], said: str, *, who: str) -> None:
    """Refuse documents (one, or a stream's events) that are no finished reply.

    Raises RemoteFailure for an error among them, with its words; AgentRefused for a reply that was cut off or held
    back, with what was said until then.
    """
    for answer in answers:
        if words := error_words_in(answer):
            begun = " after it had begun its reply" if said else ""
            raise RemoteFailure(f"{who} answered with an error{begun}: {words}", raw=said)
    for reason in (reason for answer in answers for reason in _ends(answer)):
        if why := _WHY.get(finish_of(reason, _CUT)):
            raise AgentRefused(f"{who}: {why} ({reason})", said=said, who=who)


def error_words_in(answer: Any) -> str:
    """The words of an error that stands in an answer, "" for none."""
    if not isinstance(answer, Mapping):
        return ""
    choices = answer.get("choices")
    first = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], Mapping) else {}
    error = answer.get("error") or first.get("error")
    if isinstance(error, Mapping):
        parts = [error.get("message") or error.get("detail") or error.get("type"), error.get("code")]
        return ", ".join(str(part)[:500] for part in parts if part) or "no words"
    return error[:500] if isinstance(error, str) else ""


def _ends(answer: Any) -> Iterator[Any]:
    """Yield the reasons why the model behind an answer stopped, where the answer's form has them."""
    if not isinstance(answer, Mapping):
        return
    for name in ("choices", "candidates"):
        for choice in answer[name] if isinstance(answer.get(name), list) else ():
            if isinstance(choice, Mapping):
                yield from (choice[key] for key in ("finish_reason", "finishReason") if choice.get(key))
    held = answer.get("delta") if isinstance(answer.get("delta"), Mapping) else answer
    if held is not None and isinstance(held.get("stop_reason"), str):
        yield held["stop_reason"]

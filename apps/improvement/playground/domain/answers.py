"""The playground: prompts beside each other at one point of a kept conversation. What is asked and how much of it, and
what an agent is told of what came before. Pure."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from apps.core.errors import BadInput

MAX_VERSIONS, MAX_MODELS, MAX_COLUMNS, MAX_REPLIES = 6, 4, 12, 6
MAX_REPLAYED = 20  # customer's messages before that point, which a test system is told anew
OWN_WORDS = "own words"


class PlaygroundStatus(StrEnum):
    """Completed has answers, or says of each why there is none. Failed: nothing could be asked."""

    PENDING = "pending"
    COMPLETED = "completed"
    FAILED = "failed"


class ColumnStatus(StrEnum):
    """State of one prompt with one model."""

    PENDING = "pending"
    ANSWERED = "answered"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaygroundChoices:
    """The versions and models to show beside each other, each version with each model.

    `from_turn` is the position of the customer's message that is answered first, None the last one; `replies` how many
    of the customer's messages are answered from there on. `text` is a prompt that nobody has recorded, in words of
    one's own. `models` are {"provider", "model"}; none: the agent's own. `agent` "": the one of the conversation.
    """

    conversation_id: uuid.UUID
    from_turn: int | None = None
    replies: int = 1
    versions: tuple[str, ...] = ()
    text: str = ""
    models: tuple[Mapping[str, str], ...] = ()
    agent: str = ""


def check_size(choices: PlaygroundChoices) -> None:
    """Refuse a choice without a prompt, and one that is too large.

    Raises BadInput (`nothing_to_compare`, `too_many`).
    """
    prompts = len(choices.versions) + bool(choices.text)
    if not prompts:
        raise BadInput("Choose a version, or write words of your own.", code="nothing_to_compare", pointer="/versions")
    columns = prompts * max(1, len(choices.models))
    for name, count, most, pointer in (
        ("prompts", prompts, MAX_VERSIONS, "/versions"),
        ("models", len(choices.models), MAX_MODELS, "/models"),
        ("answers beside each other", columns, MAX_COLUMNS, "/models"),
    ):
        if count > most:
            raise BadInput(f"{count} {name} are too many to read: at most {most}.", code="too_many", pointer=pointer)
    if not 1 <= choices.replies <= MAX_REPLIES:
        raise BadInput(f"replies must be between 1 and {MAX_REPLIES}.", pointer="/replies")


def lines_from(turns: Sequence[Mapping[str, Any]], *, from_turn: int | None, replies: int) -> list[int]:
    """The positions of the customer's messages that are answered, the first one at `from_turn`, None being the last of
    all. Raises BadInput (`no_user_turns`, `not_a_customers_turn`, which names those there are)."""
    positions = [int(turn["position"]) for turn in turns if turn["role"] == "user" and str(turn["content"]).strip()]
    if not positions:
        raise BadInput("The customer says nothing in this conversation.", code="no_user_turns")
    first = positions[-1] if from_turn is None else from_turn
    if first not in positions:
        there = ", ".join(map(str, positions[:20])) + (" …" if len(positions) > 20 else "")
        message = f"Turn {first} is no message of the customer; these are: {there}."
        raise BadInput(message, code="not_a_customers_turn", pointer="/from_turn")
    return [position for position in positions if position >= first][:replies]


def messages_before(turns: Sequence[Mapping[str, Any]], position: int) -> list[dict[str, Any]]:
    """The words of customer and agent before that turn, as an agent that is a prompt keeps its session.

    Tool calls go along where each has an id and what came back; else the words alone do, since no provider takes a call
    without its result. A greeting before the customer's first word is left out for the same reason.
    """
    before = [turn for turn in turns if int(turn["position"]) < position]
    results = {turn["tool_call_id"]: str(turn["content"]) for turn in before if turn["role"] == "tool"}
    messages: list[dict[str, Any]] = []
    for turn in before:
        if turn["role"] == "user":
            messages.append({"role": "user", "content": str(turn["content"])})
        elif turn["role"] == "assistant" and messages:
            messages += _assistant(turn, results)
    return messages


def _assistant(turn: Mapping[str, Any], results: Mapping[str, str]) -> list[dict[str, Any]]:
    text, calls = str(turn["content"]), list(turn.get("tool_calls") or ())
    if not calls or not all(call.get("id") in results and call.get("name") for call in calls):
        return [{"role": "assistant", "content": text}] if text else []
    kept_calls = [
        {"id": call["id"], "name": call["name"], "arguments": dict(call.get("arguments") or {})} for call in calls
    ]
    results_given = [{"role": "tool", "content": results[call["id"]], "result_of": call} for call in kept_calls]
    return [{"role": "assistant", "content": text, "tool_calls": kept_calls}, *results_given]


def customer_before(turns: Sequence[Mapping[str, Any]], position: int) -> list[str]:
    """The customer's words before that turn: a test system gets them again. Raises BadInput (`too_many`)."""
    customer_lines = [
        str(turn["content"]) for turn in turns if turn["role"] == "user" and int(turn["position"]) < position
    ]
    if len(customer_lines) > MAX_REPLAYED:
        message = (
            f"A test system is told everything from the beginning: {len(customer_lines)} messages before turn "
            f"{position} are too many, at most {MAX_REPLAYED}. Begin at an earlier turn."
        )
        raise BadInput(message, code="too_many", pointer="/from_turn")
    return customer_lines


def kept_reply(turns: Sequence[Mapping[str, Any]], position: int) -> str:
    """The agent's answer to that message when the conversation happened; "" where the agent said nothing."""
    words = []
    for turn in turns:
        if int(turn["position"]) <= position:
            continue
        if turn["role"] == "user":
            break
        if turn["role"] == "assistant" and turn["content"]:
            words.append(str(turn["content"]))
    return "\n".join(words)

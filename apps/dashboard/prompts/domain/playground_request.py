"""A playground request as a form sends it: the versions and models to see beside each other. Pure."""

import uuid
from typing import Any

from apps.core.errors import BadInput
from apps.core.whole_numbers import whole_number
from apps.improvement.playground.domain.answers import PlaygroundChoices


def read_playground(post: Any) -> PlaygroundChoices:
    """Read a form's fields (a QueryDict). Raises BadInput naming the field."""
    text = post.get("text", "").replace("\r\n", "\n") if post.get("own") else ""
    if post.get("own") and not text.strip():
        raise BadInput("Write the words that shall be tried, or untick them.", pointer="/text")
    return PlaygroundChoices(
        conversation_id=_conversation(post.get("conversation", "")),
        from_turn=_number(post.get("turn", ""), "turn") if post.get("turn") else None,
        replies=_number(post.get("replies", "1"), "replies"),
        versions=tuple(dict.fromkeys(post.getlist("version"))),
        text=text,
        models=read_models(post.get("models", "")),
        agent=post.get("agent", ""),
    )


def read_models(text: str) -> tuple[dict[str, str], ...]:
    """One a line, `provider / model`; empty lines count for nothing. Raises BadInput naming the line."""
    models_read = []
    for number, line in enumerate(text.splitlines(), 1):
        provider, slash, model = (part.strip() for part in line.partition("/"))
        if not line.strip():
            continue
        if not (provider and slash and model) or len(provider) > 100 or len(model) > 120:
            message = f"Line {number} of the models is {line.strip()[:40]!r}: write provider / model."
            raise BadInput(message, pointer="/models")
        models_read.append({"provider": provider, "model": model})
    return tuple({(one["provider"], one["model"]): one for one in models_read}.values())


def _conversation(text: str) -> uuid.UUID:
    try:
        return uuid.UUID(text)
    except ValueError as error:
        raise BadInput("Choose the conversation that shall be answered.", pointer="/conversation") from error


def _number(text: str, name: str) -> int:
    return whole_number(text, f"{name} is a whole number.", pointer=f"/{name}")

"""Read OpenAI evals.

Lines of `{"input": [{role, content}], "ideal": str or [str]}` → golden sessions, and the YAML of a model-graded eval
(`prompt:`) → a criterion. Other YAML of its registry only names files and classes: refused.
"""

from collections.abc import Mapping
from typing import Any

from apps.catalog.domain.catalog_yaml import YamlDocument, load
from apps.catalog.files.domain.test_formats.collecting import Collected, ImportedCase, texts_of
from apps.catalog.files.domain.test_formats.reading import rows_of
from apps.core.chat_messages import ChatTurn, chat_turns
from apps.core.conversation import TurnRole
from apps.core.errors import BadInput

_KNOWN = ("input", "ideal")


def read(text: str, into: Collected) -> None:
    """Every line, or every entry of a YAML file. Raises BadInput for what is neither."""
    if into.file.endswith((".yaml", ".yml")):
        for document in load(text, into.file, foreign=True):
            _registry(document, into)
        return
    for place, row in rows_of(text, into.file):
        try:
            into.take(place, _case(row))
        except BadInput as error:
            into.refuse(place, error.message)


def _registry(document: YamlDocument, into: Collected) -> None:
    value = document.value
    for name, entry in value.items() if isinstance(value, Mapping) else [("", value)]:
        place = f"line {document.line(f'/{name}')}"
        if isinstance(entry, Mapping) and isinstance(entry.get("prompt"), str):
            into.criterion(f"{place}, {name}", entry["prompt"])
        else:
            into.refuse(f"{place}, {name}", "it names a class and a samples file: import the samples (.jsonl)")


def _case(row: Any) -> ImportedCase:
    if isinstance(row, BadInput):
        raise row
    if not isinstance(row, Mapping) or "input" not in row or "ideal" not in row:
        keys = ", ".join(map(str, row)) if isinstance(row, Mapping) else type(row).__name__
        raise BadInput(f"no input with an ideal ({keys[:200]}): its class is not one of question and answer")
    ideals = texts_of(row["ideal"])
    if not ideals:
        raise BadInput("ideal is empty, or no text")
    case = ImportedCase(turns=[*messages(row["input"]), {"role": "assistant", "content": ideals[0]}])
    if len(ideals) > 1:
        case.left_out.append(f"{len(ideals) - 1} further ideal answers: a golden session has one reply")
    case.left_out += [f"{key}: not read" for key in row if key not in _KNOWN]
    return case


def messages(value: Any) -> list[dict[str, Any]]:
    """A text, or chat messages, as turns. Raises BadInput for any other shape."""
    if isinstance(value, str) and value.strip():
        return [{"role": "user", "content": value}]
    if not isinstance(value, list) or not value:
        raise BadInput("input is neither a text nor a list of messages")
    turns = [
        {"role": turn.role.value, "content": turn.text}
        for number, one in enumerate(value)
        for turn in _turns(one, number)
    ]
    if not any(turn["role"] == "user" for turn in turns):
        turns = [{**turn, "role": "user"} if turn["role"] == "system" else turn for turn in turns]
    return turns


def _turns(message: Any, number: int) -> list[ChatTurn]:
    if isinstance(message, str):  # LangChain's and others' lists of texts
        raise BadInput(f"input/{number} is a text without a role: write {{role, content}}")
    turns = list(chat_turns(message, otherwise=TurnRole.USER))
    if not turns or not any(turn.text for turn in turns):
        raise BadInput(f"input/{number} is no message with a role and a text")
    if any(turn.left_out for turn in turns):
        raise BadInput(f"input/{number} holds {turns[-1].left_out[0]}: pictures and sounds are not taken")
    return turns

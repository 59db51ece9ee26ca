"""Find the objects of a model's reply that are its answer: whole, alone, under the question's nonce."""

from collections.abc import Mapping
from typing import Any

from apps.connectors.llms.answers import ParseError as ParseError
from apps.core.lenient_json import TextObject, read_objects


def all_objects(text: str) -> list[TextObject]:
    """Every object of a reply. Raises ParseError where a part of it is broken."""
    objects = read_objects(text)
    if objects.fault:
        raise ParseError(objects.fault, raw=text)
    return objects.objects


def carries(holder: Mapping[str, Any], nonce: str) -> bool:
    """Tell whether an object carries the nonce; a blank around it changes nothing."""
    value = holder.get("nonce")
    return isinstance(value, str) and value.strip() == nonce


def bound_text_objects(text: str, *, nonce: str) -> list[TextObject]:
    """The objects of a reply that carry the nonce of its question, in their order. Raises ParseError where a part of
    the reply is broken: nobody knows what belongs to it.

    Words that are quoted unescaped can end the answer and begin another object, which keeps the rest of the true one.
    So no other object may stand behind an answer, nor before one that does not begin with its nonce.
    """
    objects = all_objects(text)
    bound = [carries(item.value, nonce) for item in objects]
    for number, item in enumerate(objects):
        if bound[number] and not all(bound[number:]):
            raise ParseError("another object stands behind the answer, which may be a part of it", raw=text)
        if bound[number] and not all(bound[:number]) and next(iter(item.value)) != "nonce":
            raise ParseError("another object stands before an answer that does not begin with its nonce", raw=text)
    return [item for item, ours in zip(objects, bound, strict=True) if ours]


def bound_objects(text: str, *, nonce: str) -> list[dict[str, Any]]:
    """The values of `bound_text_objects`, for answers that quote nobody."""
    return [item.value for item in bound_text_objects(text, nonce=nonce)]


def whole_number(value: object) -> int:
    """A number as a reply has it (1 may be read as 1.0); 0 for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        return 0
    return int(value)

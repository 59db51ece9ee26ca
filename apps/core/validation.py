"""Plain data into typed shapes, by pydantic; what is wrong is said in our words, with a JSON pointer.

A shape is a frozen dataclass (apps.core.shapes), a pydantic model or any other type that pydantic knows. pydantic is
imported by the first document that is read: its import takes 0.15 s and 20 MB, which `manage.py check` need not pay.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

from apps.core.errors import BadInput
from apps.core.json_hygiene import escape
from apps.core.turn_parsing import shown

if TYPE_CHECKING:
    from pydantic import TypeAdapter, ValidationError
    from pydantic_core import ErrorDetails

T = TypeVar("T")

OUR_ERROR = "bad_input"  # the type of an error that carries a BadInput of ours as ctx["error"]
_UNKNOWN = ("extra_forbidden", "unexpected_keyword_argument")
_EXPECTED = {
    "string_type": "text",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "an object",
    "mapping_type": "an object",
    "dataclass_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "none_required": "null",
}


def validate(shape: type[T], raw: Any, *, pointer: str = "", code: str | None = None) -> T:
    """`raw` (decoded JSON or YAML) as `shape`. `pointer` is where it stands in the caller's document.

    Raises BadInput at the first thing that is wrong: `required`, `unknown_field`, `invalid`, what a rule of the shape
    says, or `code` for all of them where one is given. The first use of a shape takes some milliseconds.
    """
    from pydantic import ValidationError  # noqa: PLC0415 - see above

    try:
        found: T = _adapter(cast("Any", shape)).validate_python(raw)
        return found
    except ValidationError as error:
        raise bad_input(error, raw, pointer=pointer, code=code) from None


def json_schema(shape: Any) -> dict[str, Any]:
    """JSON Schema 2020-12 of what `validate` takes, for editors and documents."""
    return _adapter(shape).json_schema()


def bad_input(error: "ValidationError", raw: Any, *, pointer: str = "", code: str | None = None) -> BadInput:
    """The first of pydantic's errors about `raw` as ours. Unknown fields come last, in the order of their names."""
    found = error.errors(include_url=False)
    known = [one for one in found if one["type"] not in _UNKNOWN]
    first = known[0] if known else min(found, key=lambda one: str(one["loc"]))
    where = pointer + _pointer(raw, first["loc"])
    if first["type"] == OUR_ERROR:
        ours: BadInput = first["ctx"]["error"]
        return type(ours)(ours.message, code=code or ours.code, pointer=where + (ours.pointer or ""), **ours.extra)
    own_code, sentence = _sentence(first, where.removeprefix("/") or "the body")
    return BadInput(sentence, code=code or own_code, pointer=where)


def _sentence(error: "ErrorDetails", name: str) -> tuple[str, str]:
    """(code, sentence)."""
    ctx: Mapping[str, Any] = error.get("ctx", {})
    value, what = error["input"], error["type"]
    if what in ("missing", "missing_argument", "missing_keyword_only_argument"):
        return "required", f"{name} is required"
    if what in _UNKNOWN:
        return "unknown_field", f"There is no field {str(error['loc'][-1])!r} here"
    if what in _EXPECTED:
        return "invalid", f"{name} must be {_EXPECTED[what]}, not {shown(value)}"
    if what == "string_too_long":
        return "invalid", f"{name} has {len(value)} characters; the limit is {ctx['max_length']}"
    if what in ("too_long", "too_short"):
        at = "most" if what == "too_long" else "least"
        return "invalid", f"{name} must hold at {at} {ctx['max_length' if what == 'too_long' else 'min_length']}"
    if what in ("literal_error", "enum"):
        return "invalid", f"{name} must be {ctx['expected']}, not {shown(value)}"
    return "invalid", f"{name}: {error['msg']}, not {shown(value)}"


def _pointer(raw: Any, location: Sequence[str | int]) -> str:
    """RFC 6901. pydantic's location also names what it tried (the tag of a union, `[key]`): that is left out."""
    found, node = "", raw
    for number, part in enumerate(location):
        last = number == len(location) - 1
        among = node if isinstance(node, Mapping) else range(len(node)) if isinstance(node, (list, tuple)) else ()
        if part in among:
            node = node[part]
        elif not (last and isinstance(node, Mapping)) or part == "[key]":
            continue
        found += "/" + escape(str(part))
    return found


@lru_cache(maxsize=256)
def _adapter(shape: Any) -> "TypeAdapter[Any]":
    from pydantic import TypeAdapter  # noqa: PLC0415 - see above

    return TypeAdapter(shape)

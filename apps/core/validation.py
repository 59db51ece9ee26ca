"""Plain data into typed shapes, by pydantic; what is wrong is said in our words, with a JSON pointer.

A shape is a frozen dataclass (apps.core.shapes), a pydantic model or any other type that pydantic knows. pydantic is
imported by the first document that is read: its import takes 0.15 s and 20 MB, which `manage.py check` need not pay.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

from apps.core.errors import BadInput
from apps.core.json_hygiene import escape
from apps.core.turn_parsing import shown

if TYPE_CHECKING:
    from pydantic import TypeAdapter, ValidationError
    from pydantic_core import ErrorDetails

T = TypeVar("T")

_OUR_ERROR = "bad_input"  # the type of an error that carries a BadInput of ours as ctx["error"]
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
_BOUNDS = {
    "greater_than": ("be more than", "gt"),
    "greater_than_equal": ("be at least", "ge"),
    "less_than": ("be less than", "lt"),
    "less_than_equal": ("be at most", "le"),
    "too_short": ("hold at least", "min_length"),
    "too_long": ("hold at most", "max_length"),
    "literal_error": ("be", "expected"),
    "enum": ("be", "expected"),
}


def validate(shape: type[T], raw: Any, *, pointer: str = "", code: str | None = None) -> T:
    """Return `raw` (decoded JSON or YAML) as `shape`.

    `pointer` is where it stands in the caller's document.

    Raises BadInput at the first thing that is wrong: `required`, `unknown_field`, `invalid`, what a rule of the shape
    says, or `code` for all of them where one is given. The first use of a shape takes some milliseconds.
    """
    from pydantic import ValidationError  # noqa: PLC0415 - see above

    try:
        value: T = _adapter(cast("Any", shape)).validate_python(raw)
        return value
    except ValidationError as error:
        raise bad_input(error, raw, pointer=pointer, code=code) from None


def json_schema(shape: Any) -> dict[str, Any]:
    """JSON Schema 2020-12 of what `validate` takes, for editors and documents."""
    return _adapter(shape).json_schema()


def json_schemas(shapes: Iterable[type], reference: str) -> dict[str, dict[str, Any]]:
    """Return {name: JSON Schema} of shapes and of all that they refer to, in one name space.

    They have no titles; a shape's description is the first paragraph of its docstring.

    `reference` is how they refer to each other, such as "#/components/schemas/{model}". Raises ValueError where two
    shapes have one name: one of them would stand for both.
    """
    from pydantic import TypeAdapter  # noqa: PLC0415 - see above

    inputs: Any = [(shape, "validation", _adapter(shape)) for shape in shapes]
    _, schema_of = TypeAdapter.json_schemas(inputs, ref_template=reference)
    schemas: dict[str, dict[str, Any]] = schema_of.get("$defs", {})
    if twins := sorted(name for name in schemas if "__" in name):  # pydantic's own way out: module__name
        raise ValueError(f"two shapes have one name: {', '.join(twins)}")
    for schema in schemas.values():
        if "description" in schema:
            schema["description"] = " ".join(schema["description"].partition("\n\n")[0].split())
    return {name: _without_titles(schema) for name, schema in schemas.items()}


def bad_input(error: "ValidationError", raw: Any, *, pointer: str = "", code: str | None = None) -> BadInput:
    """The first of pydantic's errors about `raw` as ours. Unknown fields come last, in the order of their names."""
    errors = error.errors(include_url=False)
    known = [one for one in errors if one["type"] not in _UNKNOWN]
    first = known[0] if known else min(errors, key=lambda one: str(one["loc"]))
    where = pointer + _pointer(raw, first["loc"])
    if first["type"] == _OUR_ERROR:
        ours: BadInput = first["ctx"]["error"]
        where += ours.pointer or ""
        return BadInput(f"{_name(where)} {ours.message}", code=code or ours.code, pointer=where, **ours.extra)
    own_code, what = _fault(first)
    return BadInput(f"{_name(where)} {what}", code=code or own_code, pointer=where)


def refusal(error: BadInput) -> Exception:
    """Return the error that a rule raises inside pydantic.
    Its message gives the fault without the field's name ("stands twice")."""
    from pydantic_core import PydanticCustomError  # noqa: PLC0415 - see above

    return PydanticCustomError(_OUR_ERROR, "refused", {"error": error})


def _name(pointer: str) -> str:
    return pointer.removeprefix("/") or "the body"


def _fault(error: "ErrorDetails") -> tuple[str, str]:
    """(code, what is wrong)."""
    ctx: Mapping[str, Any] = error.get("ctx", {})
    value, what = error["input"], error["type"]
    if what in ("missing", "missing_argument", "missing_keyword_only_argument"):
        return "required", "is required"
    if what in _UNKNOWN:
        return "unknown_field", "is not known here"
    if what in _EXPECTED:
        return "invalid", f"must be {_EXPECTED[what]}, not {shown(value)}"
    if what in _BOUNDS:
        words, bound = _BOUNDS[what]
        return "invalid", f"must {words} {_plain(ctx[bound])}" + (
            f", not {shown(value)}" if "length" not in bound else ""
        )
    if what == "string_too_long":
        return "invalid", f"has {len(value)} characters; the limit is {ctx['max_length']}"
    return "invalid", f"cannot be {shown(value)}: {error['msg']}"


def _plain(bound: Any) -> Any:
    """10 and not 10.0."""
    return int(bound) if isinstance(bound, float) and bound.is_integer() else bound


def _pointer(raw: Any, location: Sequence[str | int]) -> str:
    """RFC 6901. pydantic's location also names what it tried (the tag of a union, `[key]`): that is left out."""
    pointer, node = "", raw
    for number, part in enumerate(location):
        last = number == len(location) - 1
        among = node if isinstance(node, Mapping) else range(len(node)) if isinstance(node, (list, tuple)) else ()
        if part in among:
            node = node[part]
        elif not (last and isinstance(node, Mapping)) or part == "[key]":
            continue
        pointer += "/" + escape(str(part))
    return pointer


def _without_titles(schema: dict[str, Any]) -> dict[str, Any]:
    """pydantic gives every field its name as title, which says nothing. A property may be called title."""
    titles = {key: value for key, value in schema.items() if key != "title"}
    for key, value in titles.items():
        if key == "properties":
            titles[key] = {name: _without_titles(one) for name, one in value.items()}
        elif isinstance(value, dict) and key not in ("default", "const"):
            titles[key] = _without_titles(value)
        elif key in ("anyOf", "oneOf", "allOf"):
            titles[key] = [_without_titles(one) for one in value]
    return titles


@lru_cache(maxsize=256)
def _adapter(shape: Any) -> "TypeAdapter[Any]":
    from pydantic import TypeAdapter  # noqa: PLC0415 - see above

    return TypeAdapter(shape)

"""The parts with which the shape of a document is written: a frozen dataclass whose fields carry their rules.

    @dataclass(frozen=True, slots=True, kw_only=True)
    class PromptRequest(Shape):
        name: Annotated[Text, MaxLen(100), NOT_BLANK]
        revision: Annotated[Text, MaxLen(40)] = ""

`apps.core.validation` reads it and gives its JSON Schema. Bounds are those of `annotated_types`. pydantic knows
the rules here by their methods, so that a shape can be imported without it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Annotated, Any, ClassVar
from unicodedata import category

from apps.core.errors import BadInput
from apps.core.json_hygiene import escape
from apps.core.turn_parsing import shown
from apps.core.validation import refusal


class Shape:
    """Base of shapes.

    Unknown fields are refused, after everything else; null counts as absent where a field has a default, unless
    `null_is_absent` is False.
    """

    __slots__ = ()
    null_is_absent: ClassVar[bool] = True

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        # pydantic's own form of a reference: by it, JSON Schema names the shape once.
        reference = f"{cls.__module__}.{cls.__qualname__}:{id(cls)}"
        return _function("wrap", cls._read, handler(source)) | {"ref": reference}

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: Any, handler: Any) -> Any:
        base_schema = handler(core_schema)
        schema = handler.resolve_ref_schema(base_schema)
        schema["additionalProperties"] = False
        optional = schema["properties"].keys() - set(schema.get("required", ())) if cls.null_is_absent else ()
        schema["properties"].update({name: _or_null(schema["properties"][name]) for name in optional})
        return base_schema

    @classmethod
    def _read(cls, value: Any, handler: Any) -> Any:
        if not isinstance(value, Mapping):
            return handler(value)
        names = [one.name for one in fields(cls)]  # type: ignore[arg-type]  # a subclass is a dataclass
        given = {name: value[name] for name in names if name in value}
        if cls.null_is_absent:
            given = {name: one for name, one in given.items() if one is not None}
        raw = handler(given)
        unknown = min((str(name) for name in value if name not in names), default=None)
        if unknown is not None:
            there = f"there are {', '.join(names)}" if names else "there are none"
            raise refusal(BadInput(f"is not known here; {there}", code="unknown_field", pointer=f"/{escape(unknown)}"))
        return raw


@dataclass(frozen=True, slots=True, eq=False)
class Check:
    """A rule of a field.

    `function(value)` gives the value, or raises BadInput with what is wrong ("stands twice") and a pointer relative to
    the field. The field's name is put before the words. `schema`: what JSON Schema can say of the rule.
    """

    function: Callable[[Any], Any]
    schema: Mapping[str, Any] = field(default_factory=dict)

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        return _function("after", _refusing(self.function), handler(source))

    def __get_pydantic_json_schema__(self, core_schema: Any, handler: Any) -> Any:
        return {**handler(core_schema), **self.schema}


@dataclass(frozen=True, slots=True, eq=False)
class Reader:
    """A field that a function of ours reads whole; `schema` is its JSON Schema."""

    function: Callable[[Any], Any]
    schema: Mapping[str, Any]

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        return _function("plain", _refusing(self.function))

    def __get_pydantic_json_schema__(self, core_schema: Any, handler: Any) -> Any:
        return dict(self.schema)


@dataclass(frozen=True, slots=True, eq=False)
class Word:
    """A word that may stand in place of a list."""

    word: str

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        def read(value: Any, inner: Any) -> Any:
            if value == self.word:
                return value
            if not isinstance(value, list):
                raise refusal(BadInput(f'must be a list, or "{self.word}", not {shown(value)}'))
            return inner(value)

        return _function("wrap", read, handler(source))

    def __get_pydantic_json_schema__(self, core_schema: Any, handler: Any) -> Any:
        return {"anyOf": [{"const": self.word}, handler(core_schema)]}


@dataclass(frozen=True, slots=True, eq=False)
class Keywords:
    """More of a field's JSON Schema: a description, a format, what a Check does in its words."""

    schema: Mapping[str, Any]

    def __get_pydantic_json_schema__(self, core_schema: Any, handler: Any) -> Any:
        return {**handler(core_schema), **self.schema}


def described(description: str, **more: Any) -> Keywords:
    """A field's description, and other keywords."""
    return Keywords({"description": description, **more})


class _Strict:
    """Marker that allows no conversion: "1" is no number, 1 is no flag, NaN is no number."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        schema = {**handler(source), "strict": True}
        return {**schema, "allow_inf_nan": False} if schema["type"] == "float" else schema


class _Integer(_Strict):
    """21.0 is a whole number, as JSON Schema has it."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        def whole(value: Any) -> Any:
            return int(value) if isinstance(value, float) and value.is_integer() else value

        return _function("before", whole, super().__get_pydantic_core_schema__(source, handler))


def _not_blank(value: str) -> str:
    if all(one.isspace() or category(one) == "Cf" for one in value):  # a zero-width space says nothing
        raise BadInput("is required", code="required")
    return value


Text = Annotated[str, _Strict()]
Flag = Annotated[bool, _Strict()]
Number = Annotated[float, _Strict()]
WHOLE = _Integer()  # after the bounds: Annotated[int, Interval(ge=1), WHOLE]
NOT_BLANK = Check(_not_blank, {"minLength": 1, "pattern": r"\S"})


def _function(mode: str, function: Callable[..., Any], schema: Any = None) -> dict[str, Any]:
    """pydantic-core's schema of a function; it is plain data."""
    wrapped = {"type": f"function-{mode}", "function": {"type": "no-info", "function": function}}
    return wrapped if schema is None else {**wrapped, "schema": schema}


def _refusing(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        try:
            return function(value)
        except BadInput as error:
            raise refusal(error) from None

    return read


def _or_null(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema extended by null."""
    if {"type": "null"} in schema.get("anyOf", ()):
        return dict(schema)
    if isinstance(schema.get("type"), str) and "const" not in schema:
        words = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
        return {**schema, "type": [schema["type"], "null"], **words}
    if "anyOf" in schema:
        return {**schema, "anyOf": [*schema["anyOf"], {"type": "null"}]}
    return {"oneOf": [{"type": "null"}, dict(schema)]}

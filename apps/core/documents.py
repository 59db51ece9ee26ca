"""Documents that we send, written as types: a frozen dataclass beside its query, whose fields are the JSON's members in
their order.

    class SavedViewDocument(Document, component="SavedView"):
        id: Id
        address: Annotated[str, described("A path of this tenant's pages with its query.")]

The API's document is made of them (apps.api.schema_answers), and mypy knows what pages and commands read. A value is
what JSON has: text in place of ids and moments.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Annotated, Any, ClassVar, dataclass_transform

from apps.core.shapes import Keywords


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Document:
    """Base of documents: a reader finds every member, and no other. A class that derives from it is a frozen dataclass
    of its annotations; `component` is its name in the API's document, "" where it stands where it is used."""

    component: ClassVar[str] = ""

    def __init_subclass__(cls, component: str = "") -> None:
        cls.component = component
        dataclass(frozen=True, kw_only=True)(cls)


@dataclass(frozen=True, slots=True)
class StoredAs:
    """A field whose value was stored as JSON of this document, and is sent as it was stored."""

    document: type[Document]

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        return handler.generate_schema(self.document)


@dataclass(frozen=True, slots=True)
class Component:
    """A field whose value is described under this name in the API's document, by hand (apps.api.schemas)."""

    name: str

    def __get_pydantic_json_schema__(self, core_schema: Any, handler: Any) -> Any:
        return {"component": self.name}


Id = Annotated[str, Keywords({"format": "uuid"})]
Moment = Annotated[str, Keywords({"format": "date-time"})]
Address = Annotated[str, Keywords({"format": "uri"})]
Count = Annotated[int, Keywords({"minimum": 0})]
Interval = Annotated[Sequence[float], Keywords({"minItems": 2, "maxItems": 2})]


def one_of(words: Iterable[str]) -> Keywords:
    """Return the schema keywords that limit a text to these words."""
    return Keywords({"enum": [str(word) for word in words]})


def counted(states: Iterable[StrEnum]) -> Keywords:
    """Return the schema keywords of a mapping that says how many are in each state, every state named."""
    names = [state.value for state in states]
    count = {"type": "integer", "minimum": 0}
    return Keywords({"properties": dict.fromkeys(names, count), "required": names, "additionalProperties": False})


def members(document: Document) -> dict[str, Any]:
    """Return the document as a dict of its fields, one level deep: the values are not converted."""
    return {field.name: getattr(document, field.name) for field in fields(document)}  # type: ignore[arg-type]  # a dataclass


def as_json(value: Any) -> Any:
    """Plain JSON of a document, or of a list or mapping with documents in it."""
    if isinstance(value, Document):
        value = members(value)
    if isinstance(value, Mapping):
        return {key: as_json(member) for key, member in value.items()}
    return [as_json(member) for member in value] if isinstance(value, list | tuple) else value

"""What the API sends is described by the very types that are sent."""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import jsonschema
import pytest

from apps.api.rendering import DocumentRenderer
from apps.api.schema import components
from apps.api.schema_answers import answer_components
from apps.core.documents import Count, Document, Id, StoredAs, as_json, one_of
from apps.core.shapes import described
from apps.improvement.drafts.queries.trials import TrialProgress


class Leaf(Document):
    word: Annotated[str, one_of(["a", "b"])] | None


class Tree(Document, component="TreeOfTheTest"):
    """A sentence for readers of the code, which the API's document does not repeat."""

    id: Id
    first: Leaf | None
    leaves: Sequence[Leaf]
    kept: Annotated[Mapping[str, Any], StoredAs(Leaf)]
    n: Annotated[Count | None, described("How many.")]


TREE = Tree(id="4f", first=None, leaves=[Leaf(word="a")], kept={"word": "b"}, n=1)


def test_members_are_sent_in_the_order_in_which_they_are_written() -> None:
    sent = DocumentRenderer().render({"results": [TREE]})
    expected = b'{"results":[{"id":"4f","first":null,"leaves":[{"word":"a"}],"kept":{"word":"b"},"n":1}]}'
    assert sent == expected
    assert json.dumps({"results": as_json([TREE])}, separators=(",", ":")).encode() == expected


def test_a_document_in_another_stands_where_it_is_used_with_null_as_a_type() -> None:
    leaf = {
        "type": "object",
        "properties": {"word": {"type": ["string", "null"], "enum": ["a", "b", None]}},
        "required": ["word"],
        "additionalProperties": False,
    }
    assert components()["TreeOfTheTest"] == {
        "type": "object",
        "properties": {
            "id": {"type": "string", "format": "uuid"},
            "first": {"oneOf": [{"type": "null"}, leaf]},
            "leaves": {"type": "array", "items": leaf},
            "kept": leaf,
            "n": {"type": ["integer", "null"], "minimum": 0, "description": "How many."},
        },
        "required": ["id", "first", "leaves", "kept", "n"],
        "additionalProperties": False,
    }


def test_a_named_document_is_referred_to_by_its_name() -> None:
    proof = components()["Optimization"]["properties"]["proof"]
    assert proof == {"oneOf": [{"type": "null"}, {"$ref": "#/components/schemas/TrialLine"}]}


def test_a_member_that_is_missing_is_found_where_the_document_is_made() -> None:
    with pytest.raises(TypeError, match="total"):
        TrialProgress(done=1)  # type: ignore[call-arg]


def test_every_schema_of_a_document_is_a_schema() -> None:
    for schema in answer_components().values():
        jsonschema.Draft202012Validator.check_schema(schema)

"""One place says what a request may hold: the shape that reads it, and OpenAPI shows that shape."""

import json
import time
from dataclasses import dataclass, fields
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.api import schema
from apps.api.domain.evaluation_body import read_evaluation
from apps.api.domain.run_body import read_run
from apps.api.schema_requests import SHAPES
from apps.api.schemas import decision
from apps.core.errors import BadInput
from apps.core.shapes import Shape, Text
from apps.core.subject import Subject
from apps.core.validation import json_schemas
from tests.api.api_client import Door

ABOUT = ("test_run_id", "conversations")
REFERENCE = "#/components/schemas/{model}"


def test_the_served_components_are_those_of_the_shapes(acme: Door) -> None:
    answer = acme.client.get("/api/v1/schema/", headers={"accept": "application/vnd.oai.openapi+json"})
    served = json.loads(answer.content)["components"]["schemas"]
    for name, expected in json_schemas(SHAPES, REFERENCE).items():
        assert served[name] == expected, name
    for shape in (*SHAPES, Subject):
        assert set(served[shape.__name__]["properties"]) == {one.name for one in fields(shape)}


def test_two_shapes_of_one_name_are_refused() -> None:
    @dataclass(frozen=True)
    class Subject(Shape):  # a name that is taken
        other: Text = ""

    with pytest.raises(ValueError, match="Subject"):
        json_schemas([*SHAPES, Subject], REFERENCE)


def test_a_shape_and_an_answer_of_one_name_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(decision.COMPONENTS, "BattleRequest", {"type": "object"})
    with pytest.raises(ValueError, match="BattleRequest"):
        schema.components()


TEXTS = st.text(max_size=3)
SUBJECTS = {"agent": TEXTS, "metadata": st.dictionaries(TEXTS, st.integers(), max_size=2), "x": st.none()}
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 2000),
    st.floats(allow_nan=False, allow_infinity=False),
    TEXTS,
    st.sampled_from(["all", "eligible", "auto", "battle", "https://a.example/x", " "]),
    st.lists(st.one_of(TEXTS, st.integers(0, 2)), max_size=3),
    st.fixed_dictionaries({}, optional=SUBJECTS),
)
COMPONENTS = {"schemas": schema.components()}
NAMES = sorted({one.name for shape in SHAPES for one in fields(shape)} - {"conversations", "name", "text", "revision"})


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=4), st.sampled_from(["battle", "replay", None]))
def test_the_reader_takes_nothing_that_its_schema_refuses(drawn: dict[str, Any], kind: str | None) -> None:
    least: dict[str | None, dict[str, Any]] = {
        "battle": {"kind": "battle", "agent": "a", "scenarios": "all"},
        "replay": {"kind": "replay", "agent": "a", "golden_sessions": ["g"]},
        None: {"evaluator_config": "c", "test_run_id": "0" * 32},
    }
    body = {**least[kind], **drawn}
    try:
        read = read_run(body) if "kind" in body else read_evaluation(body)
    except BadInput:
        return
    given_fields = {name: one for name, one in body.items() if name not in ABOUT or one is not None}
    document = {"$ref": REFERENCE.format(model=type(read).__name__), "components": COMPONENTS}
    jsonschema.Draft202012Validator(document).validate(given_fields)


LEAST = {"kind": "battle", "agent": "a", "scenarios": "all"}
MANY = {f"k{n}": n for n in range(400_000)}


@pytest.mark.parametrize(
    "body, pointer",
    [
        (MANY | LEAST, "/k0"),
        (LEAST | {"scenarios": [1] * 1_000_000}, "/scenarios"),
        (LEAST | {"scenarios": [str(n) for n in range(500_000)]}, "/scenarios"),
        (LEAST | {"agent": ["[" * 1000] * 1000}, "/agent"),
        (LEAST | {"subject": MANY}, "/subject/k0"),
        (LEAST | {"subject": {"metadata": MANY}}, "/subject/metadata"),
    ],
    ids=["unknown fields", "wrong items", "many items", "a large value", "unknown parts", "much metadata"],
)
def test_as_much_as_a_body_can_hold_is_refused_in_bounded_time(body: dict[str, Any], pointer: str) -> None:
    start = time.process_time()
    with pytest.raises(BadInput) as refused:
        read_run(body)
    assert refused.value.pointer == pointer
    assert len(str(refused.value)) < 500
    assert time.process_time() - start < 2

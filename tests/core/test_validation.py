"""pydantic's refusals in our words: a code, a JSON pointer, a sentence that names the field."""

import subprocess
import sys
from pathlib import Path
from typing import Annotated, Literal

import pytest
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from apps.core.errors import BadInput
from apps.core.validation import json_schema, validate

ROOT = Path(__file__).parents[2]


class Leaf(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    name: str = Field(max_length=5)
    share: float = Field(default=0.5, ge=0, le=1)


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: Annotated[int, Field(strict=True)]


class Dog(BaseModel):
    kind: Literal["dog"]


class Tree(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    leaf: Leaf
    leaves: list[Leaf] = []
    by_name: dict[str, Leaf] = {}
    pet: Annotated[Cat | Dog, Field(discriminator="kind")] | None = None


GOOD = {"leaf": {"name": "a"}}


@pytest.mark.parametrize(
    "raw, code, pointer, words",
    [
        ([], "invalid", "", "the body must be an object"),
        ({}, "required", "/leaf", "leaf is required"),
        ({"leaf": {}}, "required", "/leaf/name", "leaf/name is required"),
        ({"leaf": {"name": 1}}, "invalid", "/leaf/name", "must be text, not 1"),
        ({"leaf": {"name": "abcdef"}}, "invalid", "/leaf/name", "has 6 characters; the limit is 5"),
        ({"leaf": {"name": "a", "share": 2}}, "invalid", "/leaf/share", "must be at most 1, not 2"),
        ({"leaf": {"name": "a", "share": True}}, "invalid", "/leaf/share", "must be a number, not True"),
        (GOOD | {"leaves": [{"name": "a"}, {"nmae": "a", "name": "b"}]}, "unknown_field", "/leaves/1/nmae", "known"),
        (GOOD | {"by_name": {"a/b~c": 3}}, "invalid", "/by_name/a~1b~0c", "must be an object"),
        (GOOD | {"by_name": {3: {"name": "a"}}}, "invalid", "/by_name/3", "must be text"),
        (GOOD | {"pet": {"kind": "cat", "lives": "x"}}, "invalid", "/pet/lives", "must be a whole number"),
        ({"leaf": 3, "zz": 1, "aa": 1}, "invalid", "/leaf", "must be an object, not 3"),
        (GOOD | {"zz": 1, "aa": 1}, "unknown_field", "/aa", "aa is not known"),
    ],
)
def test_a_refusal_names_its_place(raw, code, pointer, words):
    with pytest.raises(BadInput) as refused:
        validate(Tree, raw)
    assert (refused.value.code, refused.value.pointer) == (code, pointer)
    assert words in refused.value.message


def test_the_place_is_that_of_the_whole_document_and_one_code_may_stand_for_all():
    with pytest.raises(BadInput) as refused:
        validate(Leaf, {"name": 1}, pointer="/leaves/3", code="bad_leaf")
    assert (refused.value.code, refused.value.pointer) == ("bad_leaf", "/leaves/3/name")


def test_an_unforeseen_error_is_still_a_refusal_with_its_place():
    def odd(value: int) -> int:
        if value % 2 == 0:
            raise ValueError("even numbers are not taken")
        return value

    with pytest.raises(BadInput, match="even numbers are not taken") as refused:
        validate(list[Annotated[int, AfterValidator(odd)]], [1, 2])
    assert refused.value.pointer == "/1"


def test_the_schema_is_of_what_is_taken():
    assert json_schema(Leaf)["required"] == ["name"]


def test_the_start_of_a_command_does_not_import_pydantic():
    code = (
        "import sys; sys.argv = ['manage.py', 'check']; import manage; manage.main(); print('pydantic' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines()[-1] == "False", done.stderr


def test_a_tenant_that_changed_no_setting_does_not_import_pydantic():
    code = (
        "import sys; from apps.tenants.domain.workflow_config import WorkflowConfig; WorkflowConfig.from_json({}); "
        "print('pydantic' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines()[-1] == "False", done.stderr

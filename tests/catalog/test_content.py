"""What a version says is read strictly, and compared; templates run in a sandbox."""

import contextlib
import json
import uuid

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.catalog.configs.domain.content import parse_content, parse_role_model
from apps.catalog.configs.domain.diff import FieldChange, diff
from apps.catalog.configs.domain.snapshots import ConfigSnapshot, CriterionSnapshot
from apps.catalog.connections.domain.profile import parse_profile
from apps.catalog.domain.catalog_yaml import dump, load
from apps.core.errors import BadInput
from apps.core.templating import TemplateProblem, render, undeclared_variables
from tests.catalog.samples import GUIDE, content


def test_a_fallback_may_be_a_model_of_the_same_provider_or_of_another():
    same = parse_role_model({"provider": "google", "model": "a", "fallback": "b"}, "/judge")
    other = parse_role_model(
        {"provider": "google", "model": "a", "fallback": {"provider": "openai", "model": "c"}}, "/j"
    )
    assert (same.fallback.provider, same.fallback.model) == ("google", "b")
    assert (other.fallback.provider, other.fallback.model) == ("openai", "c")


def test_a_snapshot_survives_json_unchanged():
    model = parse_role_model({"provider": "google", "model": "a", "fallback": "b", "options": {"x": [1]}}, "/judge")
    criterion = CriterionSnapshot(
        name="n", weight=1.5, pass_mark=6.0, kind="core", description="d", scoring_guide=GUIDE, offline_rule="r"
    )
    snapshot = ConfigSnapshot(
        config="tea", version=2, version_id=uuid.uuid4(), criteria=(criterion,), system_prompt_template="t",
        llm_config={"judge": model}, parameters={"rubric_language": "sw"},
    )  # fmt: skip
    again = ConfigSnapshot.from_json(json.loads(json.dumps(snapshot.as_json())))
    assert again == snapshot
    assert again.ref == "tea@2"


def test_a_diff_says_what_came_went_and_changed():
    old = parse_content(content("a", "b", system_prompt_template="one\ntwo"))
    new = parse_content(
        {
            **content("a", "c", system_prompt_template="one\nthree", pass_marks={"a": 7}),
            "llm_config": {"judge": {"provider": "google", "model": "x", "fallback": "y"}},
            "parameters": {"reason_language": "sw"},
        }
    )
    found = diff(old, new)
    assert {line.what: line.change for line in found.criteria} == {
        "a": FieldChange.CHANGED,
        "c": FieldChange.ADDED,
        "b": FieldChange.REMOVED,
    }
    assert found.models[0].new == "google/x, then google/y"
    assert [line.what for line in found.parameters if line.change is FieldChange.CHANGED] == ["reason_language"]
    assert "+three" in found.template
    assert not diff(old, old).changed


@pytest.mark.parametrize(
    "source",
    [
        "{{ ''.__class__.__mro__ }}",
        "{{ criteria.__class__ }}",
        "{% for i in range(10**9) %}x{% endfor %}",
        "{{ criteria.append(1) }}",
        "{{ missing }}",
        "{{ 1 / 0 }}",
        "{% include 'x' %}",
    ],
)
def test_the_sandbox_refuses(source):
    with pytest.raises(TemplateProblem):
        render(source, {"criteria": [1]})


def test_a_template_says_what_it_needs():
    assert undeclared_variables("{% for c in criteria %}{{ c.name }}{{ nonce }}{% endfor %}") == {"criteria", "nonce"}
    assert render("{{ a }} & {{ b }}", {"a": "<x>", "b": 1}) == "<x> & 1"


def test_a_profile_is_typed_and_its_patterns_compile():
    raw = {
        "agent_identity": {"role": "host"},
        "workflow": {"stages": ["greet"]},
        "tool_patterns": [{"pattern": "a+", "tool": "t"}],
    }
    assert parse_profile(raw) == raw
    with pytest.raises(BadInput) as caught:
        parse_profile({"tool_patterns": [{"pattern": "(", "tool": "t"}]})
    assert caught.value.pointer == "/profile/tool_patterns/0/pattern"


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
    max_leaves=20,
)  # fmt: skip


@settings(deadline=None, max_examples=60)
@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), plain))
def test_any_plain_data_survives_yaml(value):
    text = dump(value)
    assert load(text, "f")[0].value == value
    assert dump(load(text, "f")[0].value) == text


@settings(deadline=None, max_examples=60)
@given(st.text())
def test_any_text_is_a_catalog_or_a_bad_input(text):
    from apps.catalog.files.domain.document import read_catalog  # noqa: PLC0415 - beside its only use

    with contextlib.suppress(BadInput):
        read_catalog(load(text, "f"))

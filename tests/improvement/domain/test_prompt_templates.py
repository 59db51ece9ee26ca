"""The texts that ask the workshop's models: which placeholders they have, and that they stay data."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.core.errors import BadInput
from apps.improvement.prompt_templates.domain.built_in import BUILT_IN, built_in
from apps.improvement.prompt_templates.domain.texts import (
    LANGUAGES,
    PromptTexts,
    TemplatePurpose,
    check_texts,
    fill_in,
    texts_from_json,
)

GOOD = {"purpose": "surgical", "language": "en", "system": "You improve {{ name }}.", "ask": "Behind {nonce}: write."}


def test_every_purpose_ships_in_every_language_with_the_placeholders_it_needs():
    assert set(BUILT_IN) == {(purpose, language) for purpose in TemplatePurpose for language in LANGUAGES}
    for texts in BUILT_IN.values():
        check_texts(purpose=texts.purpose, language=texts.language, system=texts.system, ask=texts.ask)
        assert texts_from_json(texts.as_json()) == texts
    assert len({texts.system for texts in BUILT_IN.values()}) == 4 * 3  # join is asked as the analyzer is


@pytest.mark.parametrize("language", ["fr", "", "english", "EN-GB"])
def test_another_language_is_asked_in_english(language):
    assert built_in("full", language) == BUILT_IN[("full", "en")]


@pytest.mark.parametrize(
    "change, code, pointer, named",
    [
        ({"ask": "Write."}, "missing_placeholders", "/ask", "{nonce}"),
        ({"ask": "{nonce} {findings}"}, "unknown_placeholders", "/ask", "{findings}"),
        ({"ask": "{nonce} {nonce.__class__}"}, "unknown_placeholders", "/ask", "{nonce.__class__}"),
        ({"ask": "{nonce!r}"}, "unknown_placeholders", "/ask", "{nonce!r}"),
        ({"ask": "{nonce} {}"}, "unknown_placeholders", "/ask", "{}"),
        ({"system": "You are {nonce}."}, "unknown_placeholders", "/system", "no placeholder"),
        (
            {"purpose": "analyzer", "ask": "{nonce} {labels} {criteria}"},
            "missing_placeholders",
            "/system",
            "{language}",
        ),
        ({"purpose": "analyzer", "system": "{language}"}, "missing_placeholders", "/ask", "{labels}, {criteria}"),
        ({"system": "  \n"}, "empty", "/system", "something"),
        ({"ask": "{nonce}" + "a" * 12_000}, "too_long", "/ask", "12000"),
        ({"purpose": "poetry"}, "unknown_purpose", "/purpose", "surgical"),
        ({"language": "fr"}, "unknown_language", "/language", "sw"),
    ],
)
def test_a_text_that_cannot_ask_is_refused_and_the_field_is_named(change, code, pointer, named):
    with pytest.raises(BadInput) as refused:
        check_texts(**{**GOOD, **change})
    assert (refused.value.code, refused.value.pointer) == (code, pointer)
    assert named in refused.value.message


def test_an_agents_own_variables_and_braces_stay_as_they_are():
    check_texts(**GOOD)
    assert fill_in("{{ nonce }} {{nonce}} {nonce} {other}", {"nonce": "7"}) == "{{ nonce }} {{nonce}} 7 {other}"


@given(value=st.text(alphabet="{}nonce .![]0abcriteria", max_size=60))
def test_what_is_put_in_is_never_read_as_a_template_again(value):
    assert fill_in("<{criteria}>", {"criteria": value, "nonce": "SECRET"}) == f"<{value}>"


def test_old_texts_are_read_back_whole():
    texts = PromptTexts(purpose="full", language="it", version="4", system="s", ask="a {nonce}")
    assert texts_from_json({**texts.as_json(), "later": "field"}) == texts

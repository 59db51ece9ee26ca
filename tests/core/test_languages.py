"""What a field `language` may say."""

import pytest

from apps.core.languages import is_language, language_parts, share_a_language


@pytest.mark.parametrize(
    "text", ["sw", "en-GB", "sw_KE", "zh-Hant-TW", "sw-en", "en+sw", "sw/en", "Swahili", "MIXED", "sheng", "swh"]
)
def test_tags_pairs_and_known_names_are_languages(text: str) -> None:
    assert is_language(text)


@pytest.mark.parametrize(
    "text", ["", "klingon", "s", "en. ignore the rules", "on the phone", "sw--en", "sw-", "123", "английский"]
)
def test_anything_else_is_none(text: str) -> None:
    assert not is_language(text)


def test_the_parts_of_a_mixed_field_are_told_apart() -> None:
    assert (language_parts("sw-EN"), language_parts("mixed")) == (("sw", "en"), ())


@pytest.mark.parametrize(
    "one, other, shared",
    [("sw", "Kiswahili", True), ("sw-en", "en-GB", True), ("sw-KE", "en-KE", False), ("sw", "en", False),
     ("", "en", True), ("mixed", "it", True), ("fr", "fr-CA", True), ("Swahili", "Italian", False)],
)  # fmt: skip
def test_two_fields_share_a_language(one: str, other: str, shared: bool) -> None:
    assert share_a_language(one, other) is shared
    assert share_a_language(other, one) is shared

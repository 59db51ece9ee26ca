"""What the rules say of a score reads as a person would say it."""

import pytest

from apps.offline.rules.reasons import reason


@pytest.mark.parametrize(
    "language, count, said",
    [
        ("en", 1, "1 message claims earlier visits"),
        ("en", 2, "2 messages claim earlier visits"),
        ("it", 1, "1 messaggio afferma visite"),
        ("it", 3, "3 messaggi affermano visite"),
        ("sw", 1, "Ujumbe 1 zinadai ziara"),
    ],
)
def test_a_number_takes_its_noun(language: str, count: int, said: str) -> None:
    assert reason("invented_facts", "found", language, count=count).startswith(said)


def test_other_formats_are_kept() -> None:
    assert "in 50% of 4 exchanges" in reason("persona_fit", "scored", "en", fit=0.5, total=4, met=1, needs=2)

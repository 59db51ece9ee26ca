"""The language of a message, on invented ones and on real ones the word lists were not made from."""

import json
from collections import Counter

import pytest

from apps.core.dialogue.transcript import SpokenTurn
from tests.shared_data import SHARED

DATA = SHARED / "data" / "multilingual" / "langid.jsonl"


def language(text: str) -> str | None:
    return SpokenTurn(0, "user", text).language


@pytest.mark.parametrize(
    "text, expected",
    [
        ("Which day would you like to come?", "en"),
        ("Ungependa kuja siku gani?", "sw"),
        ("Quale giorno preferisce?", "it"),
        ("Nataka kubook appointment ya Friday please, uko na space?", "mixed"),
        ("Wanjiku", None),
        ("0712 345 678", None),
    ],
)
def test_invented_messages(text: str, expected: str | None) -> None:
    assert language(text) == expected


@pytest.mark.shared
def test_real_messages_in_three_languages() -> None:
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for line in DATA.read_text().splitlines():
        row = json.loads(line)
        found = language(row["turns"][0]["content"])
        accepted = {"sw": ("sw", "mixed")}.get(row["lang"], (row["lang"],))
        total[row["lang"]] += 1
        right[row["lang"]] += found in accepted
    for tongue in ("en", "sw", "it"):
        assert right[tongue] >= 0.9 * total[tongue], (tongue, right, total)

"""What is hidden in texts of others is seen on every page, terminal and report, and nothing else is touched."""

import json

import pytest

from apps.core.portable.hidden_characters import (
    SHOWN,
    any_hidden,
    for_terminal,
    json_for_terminal,
    visible,
    visible_html,
)

HOSTILE = ["\u202e", "\u2066", "\x1b[2J", "\x00", "\x9b31m", "\x7f", "\U000e0041", "\ufff9"]
HARMLESS = [
    "Habari yako?",
    "a\tb\nc",
    "soft\u00adhyphen",
    "\u0645\u200c\u0646",
    "\U0001f468\u200d\U0001f469",
    "\u05d0\u200f!",
]


@pytest.mark.parametrize("hostile", HOSTILE)
def test_what_is_hidden_is_seen_everywhere(hostile: str) -> None:
    text = f"pay {hostile}001 now"
    for shown in (visible(text), visible_html(text), for_terminal(text)):
        assert SHOWN in shown
        assert hostile[0] not in shown
    assert any_hidden(text.encode())


@pytest.mark.parametrize("harmless", HARMLESS)
def test_what_scripts_need_stays(harmless: str) -> None:
    assert visible(harmless) == visible_html(harmless) == for_terminal(harmless) == harmless
    assert not any_hidden(harmless.encode())


def test_what_a_form_sends_back_is_left_alone() -> None:
    page = '<option value="a\u202eb">a\u202eb</option><p>a\u202eb</p>'
    assert visible_html(page) == f'<option value="a\u202eb">a{SHOWN}b</option><p>a{SHOWN}b</p>'


def test_a_carriage_return_writes_over_no_line() -> None:
    assert for_terminal("fail\rpass") == f"fail{SHOWN}pass"
    assert for_terminal("one\r\ntwo") == "one\r\ntwo"


def test_json_keeps_its_meaning() -> None:
    document = {"text": "".join(HOSTILE)}
    shown = json_for_terminal(json.dumps(document, ensure_ascii=False))
    assert json.loads(shown) == document
    assert not any_hidden(shown.encode())

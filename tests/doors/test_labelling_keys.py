"""Rating by keyboard, with the page's own script in a real browser: a digit too many changes nothing."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from tests.doors.browser import CHROMIUM

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium here")
SCRIPT = Path("apps/dashboard/static/dashboard/labelling.js")
CHOSEN = "[...document.querySelectorAll('input:checked')].map(one => one.name + one.value)"


def form(rated: int) -> str:
    """The form of `parts/labelling.html` with three criteria, so many of them rated with 1."""
    questions = "".join(
        f"<fieldset><legend>c{n}</legend>"
        + "".join(
            f'<input type="radio" name="c{n}-" value="{v}" data-key="{v}"{" checked" if n < rated and v == 1 else ""}>'
            for v in range(1, 6)
        )
        + '<textarea rows="1"></textarea></fieldset>'
        for n in range(3)
    )
    saved = "document.body.dataset.saved = 1; return false"
    footer = '<p id="cal-progress"></p><footer><button>Save and next</button></footer>'
    words = 'data-left="OPEN of ALL to rate" data-done="all rated"'
    return f'<body><form id="cal-form" {words} onsubmit="{saved}">{questions}{footer}</form></body>'


def typed(keys: list[str], *, rated: int = 0) -> tuple[list[str], str, bool]:
    """What is chosen after these keys, where the focus is, and whether the form was sent."""

    def drive() -> tuple[list[str], str, bool]:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
            page = browser.new_page()
            page.set_content(form(rated))
            page.add_script_tag(content=SCRIPT.read_text(encoding="utf-8"))
            for key in keys:
                page.keyboard.press(key)
            focus = page.evaluate("document.activeElement.tagName")
            return page.evaluate(CHOSEN), focus, page.evaluate("'saved' in document.body.dataset")

    with ThreadPoolExecutor(max_workers=1) as thread:  # Django refuses its database beside a running loop
        return thread.submit(drive).result()


@pytest.mark.parametrize(
    "keys, rated, chosen, focus, sent",
    [
        (["3", "4", "5"], 0, ["c0-3", "c1-4", "c2-5"], "BUTTON", False),
        (["3", "4", "5", "1", "2"], 0, ["c0-3", "c1-4", "c2-5"], "BUTTON", False),  # two digits too many
        (["3", "4", "5", "1", "n"], 0, ["c0-3", "c1-4", "c2-5"], "BUTTON", True),
        (["3", "4", "5", "Enter"], 0, ["c0-3", "c1-4", "c2-5"], "BUTTON", True),
        (
            ["ArrowDown", "4", "5", "3", "1"],
            0,
            ["c0-3", "c1-4", "c2-5"],
            "BUTTON",
            False,
        ),  # left out: comes last
        (["3", "4", "5", "ArrowUp", "2"], 0, ["c0-3", "c1-4", "c2-2"], "BUTTON", False),  # back, and changed on purpose
        (["2"], 3, ["c0-2", "c1-1", "c2-1"], "INPUT", False),  # one's own rating again
        (["n"], 2, ["c0-1", "c1-1"], "INPUT", False),  # what is open is not sent
    ],
)
def test_a_digit_too_many_overwrites_nothing(keys, rated, chosen, focus, sent):
    assert typed(keys, rated=rated) == (chosen, focus, sent)

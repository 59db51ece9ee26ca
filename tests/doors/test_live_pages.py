"""A page that refreshes itself leaves a person where they are: focus, what they opened and what they typed."""

from collections.abc import Iterator

import pytest

from apps.runs.models import TestRun
from apps.tenants.context import in_tenant
from tests.api.conftest import server  # noqa: F401 - the fixture
from tests.dashboard.conftest import make_run
from tests.doors.browser import CHROMIUM, Chromium
from tests.doors.test_in_a_browser import session_of
from tests.doors.world import World, make_world

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium here")
HERE = "document.activeElement.closest('[id]')?.id + ' ' + document.activeElement.tagName"


@pytest.fixture(scope="module")
def world(django_db_setup, django_db_blocker) -> Iterator[World]:
    with django_db_blocker.unblock():
        yield make_world()
        django_db_setup.reset()


@pytest.fixture(scope="module")
def chromium(server: str) -> Iterator[Chromium]:  # noqa: F811 - the fixture
    browser = Chromium(server)
    yield browser
    browser.close()


@pytest.fixture
def running(world: World) -> TestRun:
    with in_tenant("acme"):
        run, _ = make_run(3, status="running", conversation_status="pending")
    return run


def swapped(page) -> None:
    """Until the page has taken in one more answer of its poll."""
    page.evaluate("window.__swaps = 0; document.addEventListener('htmx:afterSettle', () => window.__swaps++)")
    page.wait_for_function("window.__swaps > 0", timeout=20_000)


def test_focus_and_open_menus_survive_a_swap(chromium, world, running):
    def work(page):
        page.click("#rb-cancel summary")
        before = page.evaluate(HERE)
        node = page.evaluate_handle("document.activeElement")
        swapped(page)
        same = page.evaluate("node => node === document.activeElement && node.isConnected", node)
        return before, page.evaluate(HERE), same, page.evaluate("document.getElementById('rb-cancel').open")

    found, complaints = chromium.visit(
        "acme.localhost", f"/runs/{running.pk}/", work, session=session_of(world, "owner")
    )
    assert found == ("rb-cancel SUMMARY", "rb-cancel SUMMARY", True, True)
    assert complaints == []


def test_what_changed_is_shown_and_the_polling_ends_with_the_work(chromium, world, running):
    def work(page):
        page.evaluate("window.__asked = 0; document.addEventListener('htmx:beforeRequest', () => window.__asked++)")
        page.focus("a[href*='/api/v1/test-runs/']")
        token = page.eval_on_selector("#rb-cancel input[name=csrfmiddlewaretoken]", "one => one.value")
        page.evaluate(
            "token => fetch('cancel/', {method: 'POST', redirect: 'manual',"
            " body: new URLSearchParams({csrfmiddlewaretoken: token})})",
            token,
        )
        page.wait_for_function(
            "document.querySelector('.rb-headline').textContent.trim().startsWith('Cancelled')", timeout=20_000
        )
        focused = page.evaluate("document.activeElement.textContent.trim()")
        asked = page.evaluate("window.__asked")
        page.wait_for_timeout(7_000)
        return focused, page.evaluate("window.__asked") - asked, page.text_content("#rb-announce")

    found, _ = chromium.visit("acme.localhost", f"/runs/{running.pk}/", work, session=session_of(world, "owner"))
    assert found[:2] == ("JSON", 0)
    assert found[2].strip().startswith("Cancelled")

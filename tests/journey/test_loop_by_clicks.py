"""From a customer's thumbs-down to "prevented 1", by clicks alone, in a tenant where nobody set anything: web server,
workers, model and browser are real processes.

The agent is a prompt that books at once. A customer complains; the owner makes a test of it, writes a draft that
changes something else, plays it, and asks a gate, which plays the case twice more and says no. From there the owner
writes the draft that asks first, plays all cases, and the gate says yes.

Skipped, saying so, where there is no chromium.
"""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.conf import global_settings
from django.utils import timezone
from playwright.sync_api import sync_playwright

from apps.api.services.keys import add_api_key
from apps.catalog.files.services.importing import import_catalog
from apps.catalog.files.services.packs import load_pack
from apps.catalog.models import ModelProvider
from apps.tenants.context import in_public, in_tenant
from apps.tenants.first_owner import FirstOwner, make_first_owner
from apps.tenants.models import Tenant
from pytest_ratiba.server import free_ports
from ratiba_eval.loop_tenant import CATALOG, LINE, PROVIDER, VERTICAL
from ratiba_eval.stack.places import CHECKOUT
from tests.doors.browser import CHROMIUM, NARROW, WIDE
from tests.journey.conftest import Machine
from tests.journey.person import Person, serve

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium here")
MAX_CLICKS = 40
BOOKS_AT_ONCE = "As soon as you know\nall three, book it."
ASKS_FIRST = "Say all three\nand ask the customer to confirm them before you book."
WISH = "Hello, I want a pedicure on Saturday at eleven, please."


@pytest.fixture
def model() -> Iterator[int]:
    """The port of the obedient model, in a process of its own."""
    (port,) = free_ports(1)
    argv = [sys.executable, "-m", "examples.obedient_model", "--port", str(port)]
    process = subprocess.Popen(argv, cwd=CHECKOUT, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert "the obedient model is at" in process.stdout.readline()
        yield port
    finally:
        process.terminate()
        process.wait(10)


def stocked(slug: str, port: int) -> str:
    """The salon's agent, prompt, judge and scenarios; no setting is touched. An API key of the customers' server."""
    with in_public():
        Tenant.objects.filter(slug=slug).update(vertical=VERTICAL)  # as whoever adds a tenant says
    with in_tenant(slug):
        load_pack("service-booking", at=timezone.now(), by="tests")
        import_catalog(paths=[CATALOG], at=timezone.now(), by="tests", only_new=True)
        ModelProvider.objects.filter(name=PROVIDER).update(base_url=f"http://127.0.0.1:{port}/v1")
        key = add_api_key(name="the salon's server", scopes=("write",), expires_at=None, requests_per_minute=None)
    return str(key.secret)


def complain(port: int, host: str, key: str) -> None:
    """A customer was booked without being asked, and presses 👎."""
    said = (
        ("user", WISH),
        ("assistant", "Booked: pedicure on Saturday at 11:00. See you then. The price is KES 1,300."),
        ("user", "Nobody asked me! Achieng Otieno here, 0712 345 678."),
        ("assistant", "Thank you and goodbye."),
    )
    turns = [{"role": role, "content": text} for role, text in said]
    customer = {"names": ["Achieng Otieno"]}
    chat = {"id": "chat-1", "agent": LINE, "ended": True, "turns": turns, "customer": customer}
    press = {"id": "press-1", "conversation_id": "chat-1", "rating": "down", "comment": "It just booked."}
    headers = {"authorization": f"Bearer {key}", "host": host}
    with httpx.Client(base_url=f"http://127.0.0.1:{port}/api/v1", headers=headers, timeout=60) as client:
        for path, body in (("/production/conversations/", chat), ("/feedback/", press)):
            answer = client.post(path, json=body)
            assert answer.is_success, answer.text


def walk(address: str, owner: FirstOwner) -> tuple[int, str]:
    """From the sign-in to Home, which counts the prevented failure; how many clicks, and what Home says."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page = chromium.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(60_000)
        person = Person(page)

        def picture(name: str) -> None:
            if folder := os.environ.get("RATIBA_PICTURES"):
                for wide, tall in (NARROW, WIDE):
                    page.set_viewport_size({"width": wide, "height": tall})
                    page.screenshot(path=Path(folder) / f"loop-{name}-{wide}.png", full_page=True)

        page.goto(address)  # the one address that is typed
        person.type("Username", owner.username)
        person.type("Password", owner.password)
        person.click("button", "Log in")

        person.until("1 complaint since yesterday")
        person.click("link", "1 complaint since yesterday")
        person.click("button", "Make this a test")
        person.until("What must not happen again")
        person.choose("Criterion", "Asked before it books")
        person.click("button", "Must not happen")
        person.open("Release…")
        person.click("button", "Release it")
        person.until("is a test: ")
        picture("candidate")
        candidate = page.url

        person.click("link", "Play it")  # the config that scores it is chosen
        picture("start")
        person.click("button", "Start the battles")
        person.until("Asked before it books stops 1 of 1 battle", timeout_s=120)

        person.clicks += 1
        page.goto(candidate)  # by the browser's history
        person.click("link", "Draft a fix")
        text = page.get_by_label("Draft", exact=True)
        person.clicks += 1
        text.fill(text.input_value().replace("You are polite and brief.", "You are warm, polite and brief."))
        person.click("button", "Keep this draft")
        person.until("waits to be tried")
        person.until("1 complaint of real customers was not played with it yet")
        picture("draft")

        person.click("link", "Play it with this draft")
        person.click("button", "Start the battles")
        person.until("Asked before it books stops 1 of 1 battle", timeout_s=120)
        person.until("Must not happen again: Asked before it books below 6")
        picture("run")
        person.open("Ask a gate…")
        person.click("button", "Ask it")
        person.until("play them again on both sides", timeout_s=120)
        picture("gate")
        person.open("Play them again…")
        person.click("button", "Play and ask again")
        person.until("Hard assertions fail in 1 case: must not happen again: Asked before it books", timeout_s=120)
        picture("stopped")

        person.click("link", "Write another draft")
        text = page.get_by_label("Draft", exact=True)
        person.clicks += 1
        text.fill(text.input_value().replace(BOOKS_AT_ONCE, ASKS_FIRST))
        person.click("button", "Keep this draft")
        person.until("waits to be tried")
        person.click("link", "Play it")  # all scenarios
        picture("start-fixed")
        person.click("button", "Start the battles")
        person.until("battles done", timeout_s=240)
        person.until("Asked before it books", timeout_s=240)
        picture("run-fixed")
        person.open("Ask a gate…")
        person.click("button", "Ask it")
        person.until("May pass: The score moved", timeout_s=240)
        picture("gate-fixed")
        person.click("link", "Home")
        person.until("did not come back")
        said = page.locator("body").inner_text()
        picture("home")
        chromium.close()
    return person.clicks, said


def test_from_a_thumbs_down_to_prevented_1_nobody_opens_a_shell(
    machine: Machine, fresh_tenant: str, model: int, settings: Any
) -> None:
    settings.PASSWORD_HASHERS = global_settings.PASSWORD_HASHERS  # the web server's, not the quick one of tests
    owner = make_first_owner(slug=fresh_tenant, username="amina", email="amina@example.org")
    key = stocked(fresh_tenant, model)
    port, host = serve(machine), f"{fresh_tenant}.localhost"
    complain(port, host, key)
    started = time.monotonic()
    with ThreadPoolExecutor(max_workers=1) as thread:  # Django refuses its database beside playwright's loop
        clicks, said = thread.submit(walk, f"http://{host}:{port}/", owner).result()
    print(f"{clicks} clicks, {time.monotonic() - started:.0f} seconds")
    assert re.search(r"1 failure that customers had met did not come back \(1 gate\)", said)
    assert "is not fixed" in said, "the live prompt books at once, and Home says so"
    assert clicks <= MAX_CLICKS

"""A fresh tenant from its first sign-in to its first verdict, by clicks alone: web server, workers, agent and browser
are real processes, and nobody opens a shell.

Skipped, saying so, where there is no chromium.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.conf import global_settings
from playwright.sync_api import sync_playwright

from apps.tenants.first_owner import FirstOwner, make_first_owner
from tests.doors.browser import CHROMIUM
from tests.journey.conftest import Machine
from tests.journey.person import Person, serve

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium here")
MAX_CLICKS, MAX_CLICKS_OF_A_TRY = 20, 9


def step_by_step(person: Person, agent: str) -> None:
    """A pack, an agent, a run, one after the other."""
    person.click("link", "Load a starter pack")
    person.click("button", "Load Booking a service")
    person.until(r"added\.")

    person.click("link", "Say how your agent is reached")
    person.type("Name", "booking")
    person.type("Address", agent)
    person.click("button", "Save")
    person.click("button", "Send one hello")
    person.until("booking answers in")

    person.click("link", "Start a run")
    person.choose("Judge with", "booking-quality@1")
    person.click("checkbox", "booking_braids_in_a_hurry")
    person.click("button", "Start the battles")
    person.until("booking-quality@1")
    person.click("link", "booking-quality@1")


def by_its_address(person: Person, agent: str) -> None:
    """The agent's address, and nothing else."""
    person.click("link", "Try your agent")
    person.type("Address", agent)
    person.click("button", "Try it")
    person.until("customers talk to it now")
    person.click("link", "See the verdict")


def walk(address: str, owner: FirstOwner, agent: str, way: Callable[[Person, str], None]) -> tuple[int, str]:
    """From the sign-in to the first verdict; how many clicks, and what the last page says."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page = chromium.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(60_000)
        page.goto(address)  # the one address that is typed
        person = Person(page)
        person.type("Username", owner.username)
        person.type("Password", owner.password)
        person.click("button", "Log in")

        way(person, agent)
        person.until(r"Weighted score\s+\d", timeout_s=240)
        said = page.locator("body").inner_text()
        if folder := os.environ.get("RATIBA_PICTURES"):
            page.screenshot(path=Path(folder) / "first-verdict.png", full_page=True)
        chromium.close()
    return person.clicks, said


@pytest.mark.parametrize(
    "way, most, conversations",
    [(step_by_step, MAX_CLICKS, "1 conversation"), (by_its_address, MAX_CLICKS_OF_A_TRY, "conversations")],
)
def test_from_sign_in_to_the_first_verdict_nobody_opens_a_shell(
    machine: Machine, fresh_tenant: str, booking_agent: str, settings: Any,
    way: Callable[[Person, str], None], most: int, conversations: str,
) -> None:  # fmt: skip
    settings.PASSWORD_HASHERS = global_settings.PASSWORD_HASHERS  # the web server's, not the quick one of tests
    owner = make_first_owner(slug=fresh_tenant, username="amina", email="amina@example.org")
    address = f"http://{fresh_tenant}.localhost:{serve(machine)}/"
    with ThreadPoolExecutor(max_workers=1) as thread:  # Django refuses its database beside playwright's loop
        clicks, said = thread.submit(walk, address, owner, booking_agent, way).result()
    print(f"{clicks} clicks")
    assert conversations in said
    assert clicks <= most

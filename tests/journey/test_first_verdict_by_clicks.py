"""A fresh tenant from its first sign-in to its first verdict, by clicks alone: web server, workers, agent and browser
are real processes, and nobody opens a shell.

Skipped, saying so, where there is no chromium.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.conf import global_settings

from apps.tenants.first_owner import make_first_owner
from ratiba_eval import programs
from tests.doors.browser import CHROMIUM
from tests.doors.cdp import Chromium
from tests.journey.conftest import Machine, until

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium here")
MOST_CLICKS = 20


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Chromium]:
    made = Chromium(tmp_path, patience_s=40)
    yield made
    made.close()


def serve(machine: Machine) -> int:
    """The web server with its static files, a worker for everything and one for what is short; the port."""
    assert machine.command("collectstatic", "--no-input", "-v0").returncode == 0
    web = programs.web(0)
    started = [
        web,
        programs.worker("work", concurrency=1),
        programs.worker("short", queues=("control",), concurrency=0),
    ]
    for program in started:
        machine.supervisor.start(replace(program, env={**program.env, **machine.env}), restart=False)
    log = machine.supervisor.log("web")
    until(lambda: re.search(r"listening on \S+:(\d+)", log.read_text()), what="the web server")
    found = re.search(r"listening on \S+:(\d+)", log.read_text())
    assert found is not None
    return int(found[1])


def test_from_sign_in_to_the_first_verdict_nobody_opens_a_shell(
    machine: Machine, fresh_tenant: str, booking_agent: str, browser: Chromium, settings: Any
) -> None:
    settings.PASSWORD_HASHERS = global_settings.PASSWORD_HASHERS  # the web server's, not the quick one of tests
    owner = make_first_owner(slug=fresh_tenant, username="amina", email="amina@example.org")
    port = serve(machine)

    browser.open(f"http://{fresh_tenant}.localhost:{port}/")
    browser.type("Username", owner.username)
    browser.type("Password", owner.password)
    browser.click("Log in", "button")

    browser.click("Load a starter pack")
    browser.click("Load Booking a service")
    browser.until("added.")

    browser.click("Say how your agent is reached")
    browser.type("Name", "booking")
    browser.type("Address", booking_agent)
    browser.click("Save", "button")
    browser.click("Send one hello")
    browser.until("booking answers in")

    browser.click("Start a run")
    browser.choose("Judge with", "booking-quality")
    browser.click("booking_braids_in_a_hurry")
    browser.click("Start the battles")
    browser.until("booking-quality@1", timeout_s=90)
    browser.click("booking-quality@1")
    browser.until(r"Weighted score\s+\d", timeout_s=120)

    if folder := os.environ.get("RATIBA_PICTURES"):
        browser.picture(Path(folder) / "first-verdict.png")
    assert "of 1 conversation" in browser.text() or "on 1 conversation" in browser.text()
    print(f"{browser.clicks} clicks")
    assert browser.addresses == 1
    assert browser.clicks <= MOST_CLICKS

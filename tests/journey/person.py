"""A person at a browser, and the server in front of them: real processes, clicks that are counted."""

import re
from dataclasses import replace

from playwright.sync_api import Page, expect

from ratiba_eval import programs
from tests.journey.conftest import Machine, until


class Person:
    """Somebody at a browser: clicks what can be seen, types where it says so, and waits. Clicks are counted."""

    def __init__(self, page: Page) -> None:
        self.page, self.clicks = page, 0

    def click(self, role: str, name: str) -> None:
        """The first thing on the page of this role that says this."""
        self.clicks += 1
        self.page.get_by_role(role, name=name).first.click()  # type: ignore[arg-type]  # a role by its word

    def open(self, name: str) -> None:
        """The first thing that unfolds and is called this, as `Release…` is."""
        self.clicks += 1
        self.page.locator("summary", has_text=name).first.click()

    def type(self, label: str, text: str) -> None:
        self.clicks += 1
        self.page.get_by_label(label).first.fill(text)

    def choose(self, label: str, option: str) -> None:
        self.clicks += 2  # the list, and one of its lines
        self.page.get_by_label(label).first.select_option(label=option)

    def until(self, words: str, *, timeout_s: float = 60) -> None:
        """Until the page says this (a pattern) by itself."""
        expect(self.page.locator("body")).to_contain_text(re.compile(words), timeout=timeout_s * 1000)


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

"""Pages in the chromium that is installed, driven by playwright; axe-core comes with axe-playwright-python.

Playwright's event loop lives in a thread of its own: Django refuses its database in a thread with a running loop.
"""

import mimetypes
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.contrib.staticfiles import finders
from playwright.sync_api import Browser, Page, Route, sync_playwright

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
WIDE, NARROW = (1280, 900), (390, 844)
# In our own markup (`.rb`) nothing of any impact; of Unfold's shell around it what is serious.
VIOLATIONS = """rules => axe.run(document, {resultTypes: ['violations'], ...rules}).then(found =>
  found.violations.map(one => [`${one.id} (${one.impact})`,
  one.nodes.filter(node => /serious|critical/.test(one.impact) || document.querySelector(node.target[0]).closest('.rb'))
]).filter(([_, nodes]) => nodes.length).map(([name, nodes]) =>
  name + ': ' + nodes.slice(0, 4).map(node => node.html.slice(0, 200)).join(' | ')))"""
COLOUR_RULES = ["color-contrast", "link-in-text-block"]
POLICY = """document.addEventListener('securitypolicyviolation', e => {
  console.error('policy: ' + e.violatedDirective + ' ' + e.blockedURI + ' ' + e.sample) })"""


class Chromium:
    """One browser for a module of tests; every call runs in its thread."""

    def __init__(self, upstream: str) -> None:
        self.port = urlsplit(upstream).port
        self.thread = ThreadPoolExecutor(max_workers=1)
        self.thread.submit(self._start).result()

    def _start(self) -> None:
        self.playwright = sync_playwright().start()
        self.browser: Browser = self.playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )

    def close(self) -> None:
        def stop() -> None:
            self.browser.close()
            self.playwright.stop()

        self.thread.submit(stop).result()
        self.thread.shutdown()

    def visit(
        self,
        host: str,
        path: str,
        work: Callable[[Page], Any],
        *,
        session: str = "",
        size: tuple[int, int] = WIDE,
    ) -> tuple[Any, list[str]]:
        """What `work` answers about the page, and what the browser complained of (errors, warnings, policy)."""
        return self.thread.submit(self._visit, host, path, work, session, size).result()

    def _visit(
        self, host: str, path: str, work: Callable[[Page], Any], session: str, size: tuple[int, int]
    ) -> tuple[Any, list[str]]:
        origin = f"http://{host}:{self.port}"
        context = self.browser.new_context(viewport={"width": size[0], "height": size[1]}, color_scheme="light")
        try:
            if session:
                context.add_cookies([{"name": "sessionid", "value": session, "url": origin}])
            context.add_init_script(POLICY)
            context.route("**/static/**", _static)
            page = context.new_page()
            complaints: list[str] = []
            page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
            page.on("pageerror", lambda error: complaints.append(str(error)))
            answer = page.goto(f"{origin}{path}", wait_until="load")
            assert answer is not None
            assert answer.ok, f"{path}: {answer.status}"
            return work(page), complaints
        finally:
            context.close()


def violations(page: Page) -> list[str]:
    """What axe-core finds, in the light; and what its rules about colours find in the dark."""
    page.wait_for_function("!document.documentElement.hasAttribute('x-cloak')")
    page.evaluate(AXE)  # by the browser's own door: the page's policy is not loosened
    light: list[str] = page.evaluate(VIOLATIONS, {})
    page.emulate_media(color_scheme="dark")
    page.evaluate("document.documentElement.classList.add('dark')")
    dark: list[str] = page.evaluate(VIOLATIONS, {"runOnly": COLOUR_RULES})
    return light + [f"dark: {one}" for one in dark]


def _static(route: Route) -> None:
    """The server under test has no collected files: they come from where they lie."""
    name = urlsplit(route.request.url).path.removeprefix("/static/")
    file = finders.find(name)
    if not file:
        route.fulfill(status=404)
        return
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    route.fulfill(status=200, content_type=kind, body=Path(str(file)).read_bytes())

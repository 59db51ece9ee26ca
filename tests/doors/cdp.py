"""A browser that only does what a person does: opens an address, clicks what it sees, types where the cursor is.

Chromium by its debugging pipe (NUL-separated JSON on two file descriptors): no driver, no port.
"""

import base64
import fcntl
import json
import os
import re
import signal
import time
from pathlib import Path
from typing import Any

from tests.doors.browser import CHROMIUM

# The first element that can be seen whose text, label, value or title is the one asked for.
_FIND = """
(function (text, kind) {
  function seen(e) { var r = e.getBoundingClientRect(); return r.width > 1 && r.height > 1
    && getComputedStyle(e).visibility !== "hidden"; }
  function words(e) { return [e.innerText, e.getAttribute("aria-label"), e.title, e.value, e.placeholder, e.name]
    .map(function (t) { return (t || "").replace(/\\s+/g, " ").trim(); }); }
  function labelled(e) { return Array.from(e.labels || []).map(function (l) {
    return l.innerText.replace(/\\s+/g, " ").trim(); }); }
  var every = Array.from(document.querySelectorAll(kind)).filter(seen);
  var exact = every.filter(function (e) { return words(e).concat(labelled(e)).indexOf(text) >= 0; });
  var begins = every.filter(function (e) { return words(e).concat(labelled(e)).some(function (t) {
    return t.indexOf(text) === 0; }); });
  var found = exact[0] || begins[0];
  if (!found) return null;
  found.scrollIntoView({ block: "center", behavior: "instant" });
  var r = found.getBoundingClientRect();
  return { x: r.left + r.width / 2, y: r.top + r.height / 2, tag: found.tagName };
})(%s, %s)
"""
_CHOOSE = """
(function (field, option) {
  var e = Array.from(document.querySelectorAll("select")).find(function (s) {
    var names = [s.name, s.getAttribute("aria-label")];
    Array.from(s.labels).forEach(function (l) { names.push(l.innerText.trim()); });
    return names.some(function (t) { return t && t.indexOf(field) === 0; });
  });
  var o = e && Array.from(e.options).find(function (o) { return o.text.trim().indexOf(option) === 0; });
  if (!o) return false;
  e.value = o.value;
  e.dispatchEvent(new Event("change", { bubbles: true }));
  return true;
})(%s, %s)
"""
CLICKABLE = "a, button, summary, label, input[type=checkbox], input[type=submit], [role=button]"
FIELDS = "input:not([type=hidden]), textarea, select"


class Chromium:
    """One page of a headless browser. `clicks` and `addresses` are what a person would have done."""

    def __init__(self, folder: Path, *, width: int = 1280, height: int = 900, patience_s: float = 20.0) -> None:
        assert CHROMIUM is not None
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run"]
        flags += [f"--user-data-dir={folder}", f"--window-size={width},{height}", "about:blank"]
        self._pid, self._in, self._out = _spawn([CHROMIUM, *flags])
        self._buffer, self._number, self._session, self.patience_s = b"", 0, "", patience_s
        self.clicks, self.addresses = 0, 0
        target = next(one for one in self._ask("Target.getTargets")["targetInfos"] if one["type"] == "page")
        attached = self._ask("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime"):
            self._ask(f"{domain}.enable")

    def open(self, address: str) -> None:
        """As typed into the address bar."""
        self.addresses += 1
        self._ask("Page.navigate", url=address)
        self.wait_ready()

    def click(self, text: str, kind: str = CLICKABLE) -> None:
        """Click the thing that says this; waits until it is there."""
        place = self._place(text, kind)
        self.clicks += 1
        self.evaluate("window.__here = true")
        for what in ("mousePressed", "mouseReleased"):
            self._ask("Input.dispatchMouseEvent", type=what, x=place["x"], y=place["y"], button="left", clickCount=1)
        time.sleep(0.15)
        self.wait_ready()

    def type(self, field: str, text: str) -> None:
        """Click into the field of this label and type over what stands there."""
        self.click(field, FIELDS)
        self.evaluate("document.activeElement.select && document.activeElement.select()")
        self._ask("Input.insertText", text=text)

    def choose(self, field: str, option: str) -> None:
        """Take an option of a list by its words, as its own menu does (headless chromium draws none)."""
        self._place(field, FIELDS)
        chosen = self.evaluate(_CHOOSE % (json.dumps(field), json.dumps(option)))
        assert chosen, f"{field} has no {option}: {self.text()[:500]}"
        self.clicks += 2

    def text(self) -> str:
        """What can be read on the page."""
        return str(self.evaluate("document.body ? document.body.innerText : ''") or "")

    def _page(self) -> str:
        """The page without its sidebar, for whoever has to find out why."""
        return str(self.evaluate("(document.querySelector('#content, .rb, main') || document.body).innerText"))[:3000]

    def address(self) -> str:
        return str(self.evaluate("location.href"))

    def until(self, words: str, *, timeout_s: float = 60.0) -> None:
        """Wait until the page says this (a pattern), by itself."""
        end = time.monotonic() + timeout_s
        while not re.search(words, self.text()):
            assert time.monotonic() < end, f"{self.address()} does not say {words!r} but:\n{self._page()}"
            time.sleep(0.2)

    def wait_ready(self) -> None:
        end = time.monotonic() + self.patience_s
        while self.evaluate("document.readyState") != "complete":
            assert time.monotonic() < end, "the page did not load"
            time.sleep(0.05)

    def resize(self, width: int, height: int) -> None:
        self._ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )

    def prefer(self, scheme: str) -> None:
        """`light` or `dark`."""
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self._ask("Emulation.setEmulatedMedia", features=[feature])

    def picture(self, path: Path, *, whole: bool = True) -> None:
        shot = self._ask("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(shot["data"]))

    def evaluate(self, script: str) -> Any:
        """None while the page changes under it."""
        answer = self._ask("Runtime.evaluate", strict=False, expression=script, returnByValue=True)
        return answer.get("result", {}).get("value")

    def close(self) -> None:
        os.kill(self._pid, signal.SIGTERM)
        os.waitpid(self._pid, 0)
        os.close(self._out)
        os.close(self._in)

    def _place(self, text: str, kind: str) -> dict[str, float]:
        end = time.monotonic() + self.patience_s
        while True:
            found = self.evaluate(_FIND % (json.dumps(text), json.dumps(kind)))
            if found:
                return dict(found)
            assert time.monotonic() < end, f"{self.address()} has no {text!r}:\n{self._page()}"
            time.sleep(0.1)

    def _ask(self, method: str, *, strict: bool = True, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        request: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            request["sessionId"] = self._session
        os.write(self._out, json.dumps(request).encode() + b"\0")
        while True:
            while b"\0" not in self._buffer:
                piece = os.read(self._in, 1 << 20)
                assert piece, "the browser is gone"
                self._buffer += piece
            line, _, self._buffer = self._buffer.partition(b"\0")
            answer = json.loads(line)
            if answer.get("id") == self._number:
                if strict:
                    assert "error" not in answer, (method, answer)
                return dict(answer.get("result", {}))


def _spawn(argv: list[str]) -> tuple[int, int, int]:
    """Its pid, what it says, and where it listens: its descriptors 4 and 3."""
    its_in, out = os.pipe()
    our_in, its_out = os.pipe()
    high = [fcntl.fcntl(one, fcntl.F_DUPFD_CLOEXEC, 20) for one in (its_in, its_out)]  # neither is 3 or 4
    quiet = [(os.POSIX_SPAWN_OPEN, one, os.devnull, os.O_RDWR, 0) for one in (1, 2)]
    ends = [(os.POSIX_SPAWN_DUP2, high[0], 3), (os.POSIX_SPAWN_DUP2, high[1], 4)]
    pid = os.posix_spawn(argv[0], argv, os.environ, file_actions=[*quiet, *ends])
    for one in (its_in, its_out, *high):
        os.close(one)
    return pid, our_in, out

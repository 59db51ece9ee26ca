"""Pages in a real browser, by chromium alone: a loopback proxy signs in and puts scripts into each page.

The scripts come from the page's own origin, so the page's own Content-Security-Policy judges them like any other.
"""

import base64
import json
import mimetypes
import os
import re
import shutil
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
from django.contrib.staticfiles import finders

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
AXE = Path(os.environ.get("RATIBA_AXE") or "node_modules/axe-core/axe.min.js")
WATCH = """
window.__found = [];
["error", "warn"].forEach(function (level) {
  var before = console[level];
  console[level] = function () {
    window.__found.push(level + ": " + Array.from(arguments).join(" "));
    before.apply(console, arguments);
  };
});
window.addEventListener("error", function (e) {
  window.__found.push("error: " + (e.message || e.target.src || e.target.href));
}, true);
document.addEventListener("securitypolicyviolation", function (e) {
  window.__found.push("policy: " + e.violatedDirective + " " + e.blockedURI + " " + e.sample);
});
"""
LOOK = """
window.addEventListener("load", function () {
  setTimeout(function () {
    axe.run(document, { resultTypes: ["violations"] }).then(function (result) {
      var bad = result.violations.filter(function (one) { return /serious|critical/.test(one.impact); });
      var axe = bad.map(function (one) {
        return one.id + ": " + one.nodes.slice(0, 3).map(function (n) { return n.html.slice(0, 160); }).join(" | ");
      });
      var note = document.createElement("pre");
      note.id = "rb-looked";
      note.textContent = btoa(unescape(encodeURIComponent(JSON.stringify({ found: window.__found, axe: axe }))));
      document.body.appendChild(note);
    });
  }, 300);
});
"""
SCRIPTS = b"".join(b'<script src="/%s.js"></script>' % name for name in (b"watch", b"axe", b"look"))


class Proxy(ThreadingHTTPServer):
    """Forwards to the server as somebody who is signed in."""

    daemon_threads = True

    def __init__(self, upstream: str, host: str, cookie: str) -> None:
        self.headers_sent = {"host": host, "cookie": cookie}
        self.client = httpx.Client(base_url=upstream, timeout=60)
        super().__init__(("127.0.0.1", 0), _Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: Proxy
    own = {"/watch.js": WATCH, "/look.js": LOOK}

    def do_GET(self) -> None:
        if self.path == "/axe.js" or self.path in self.own:
            body = AXE.read_bytes() if self.path == "/axe.js" else self.own[self.path].encode()
            self._answer(200, {"content-type": "text/javascript"}, body)
            return
        if self.path.startswith("/static/") and (file := finders.find(self.path.partition("?")[0][8:])):
            kind = mimetypes.guess_type(str(file))[0] or "application/octet-stream"
            self._answer(200, {"content-type": kind}, Path(str(file)).read_bytes())
            return
        found = self.server.client.get(self.path, headers=self.server.headers_sent)
        body = found.content
        if found.headers.get("content-type", "").startswith("text/html"):
            scripts = (
                b'<script src="/watch.js"></script><script src="/axe.js"></script><script src="/look.js"></script>'
            )
            body = re.sub(rb"(<head[^>]*>)", rb"\1" + scripts, body, count=1)
        kept = ("content-type", "content-security-policy", "location", "x-content-type-options")
        self._answer(found.status_code, {name: found.headers[name] for name in kept if name in found.headers}, body)

    def _answer(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in {**headers, "content-length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def look_at(address: str, folder: Path, *, dark: bool = False) -> dict[str, list[str]]:
    """What the browser complained of (`found`) and axe-core's serious violations (`axe`). Some seconds a page."""
    assert CHROMIUM is not None
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--window-size=1280,900", "--virtual-time-budget=8000"]
    flags.append(f"--blink-settings=preferredColorScheme={0 if dark else 1}")
    done = subprocess.run(
        [CHROMIUM, *flags, f"--user-data-dir={folder}", "--dump-dom", address],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    noted = re.search(r'<pre id="rb-looked">([\w+/=]+)</pre>', done.stdout)
    assert noted, f"{address}: the page was not looked at\n{done.stderr[-500:]}"
    answer: dict[str, list[str]] = json.loads(base64.b64decode(noted[1]))
    return answer

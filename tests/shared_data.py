"""Texts that stand beside the checkout and not in it: tests that read them carry the mark `shared`.

Without ../shared they are skipped and counted in the summary; a test that reads from it without the mark fails, so that
none can skip or break in silence elsewhere. RATIBA_TESTS_SHARED names another folder.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SHARED = Path(os.environ.get("RATIBA_TESTS_SHARED") or Path(__file__).resolve().parents[2] / "shared")
REASON = f"needs {SHARED}, which is not there"
_watch = {"unmarked": ""}  # the test that runs now, where it has no mark; empty else


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "shared: reads texts of ../shared; skipped, and counted, where they are missing")
    inside = f"{SHARED.resolve()}{os.sep}"

    def on_event(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open" and _watch["unmarked"] and isinstance(arguments[0], str | Path):
            path = os.path.realpath(arguments[0]) if "shared" in str(arguments[0]) else ""
            if path.startswith(inside):
                raise RuntimeError(f"{_watch['unmarked']} reads {path} and lacks @pytest.mark.shared")

    if SHARED.is_dir():
        sys.addaudithook(on_event)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if not SHARED.is_dir():
        for item in items:
            if item.get_closest_marker("shared"):
                item.add_marker(pytest.mark.skip(reason=REASON))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    _watch["unmarked"] = "" if item.get_closest_marker("shared") else item.nodeid
    try:
        return (yield)
    finally:
        _watch["unmarked"] = ""


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = terminalreporter.stats.get("skipped", [])
    if count := sum(REASON in str(report.longrepr) for report in skipped):
        terminalreporter.write_line(f"{count} tests need {SHARED} and were skipped", yellow=True)

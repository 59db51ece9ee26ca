"""`ratiba-ci snapshots review`: a person looks at each changed conversation and accepts or refuses it."""

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_ratiba.client import client_of_environment
from pytest_ratiba.config import read_project
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.portable.hidden_characters import for_terminal

if TYPE_CHECKING:
    from pytest_ratiba.snapshots.store import PendingSnapshot, SnapshotStore

_CI = ("CI", "GITHUB_ACTIONS", "GITLAB_CI", "BUILDKITE", "JENKINS_URL", "TF_BUILD", "CIRCLECI")
_ANSWERS = "[a]ccept, [r]efuse, [s]kip, [q]uit"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this subcommand. None of them accepts: only a person at a terminal does."""
    parser.add_argument(
        "what",
        choices=("review", "list", "post"),
        help="review changed conversations at a terminal, list them, or post them to the server's page (RATIBA_URL)",
    )
    parser.add_argument("--pull-request", default="", help="shown beside what is posted")


def run(options: argparse.Namespace) -> int:
    """0 where nothing waits any more, 1 where something does; 2 without a terminal or in CI."""
    from pytest_ratiba.snapshots.store import shown_path, store_of

    store = store_of(read_project(Path.cwd()))
    if options.what == "list":
        waiting = list(store.pending())
        for one in waiting:
            print(f"{one.played.id}  {'changed' if one.base else 'new'}  {shown_path(store.path(one.played.id))}")
        return 1 if waiting else 0
    if options.what == "post":
        return _post(store, options.pull_request)
    _refuse_without_a_person()
    return _review(store)


def _post(store: "SnapshotStore", pull_request: str) -> int:
    from pytest_ratiba.snapshots.posting import post_pending

    client = client_of_environment()
    if client is None:
        raise ProjectError("set RATIBA_URL and RATIBA_API_KEY: the server whose page people look at")
    addresses = post_pending(store, client, pull_request=pull_request)
    for address in addresses:
        print(address)
    return 1 if addresses else 0


def _refuse_without_a_person() -> None:
    here = next((name for name in _CI if os.environ.get(name, "").lower() not in ("", "0", "false")), "")
    if here:
        raise ProjectError(f"snapshots are accepted by a person, not in CI ({here} is set): review them and commit")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise ProjectError("snapshots are reviewed at a terminal; `ratiba-ci snapshots list` says what waits")


def _review(store: "SnapshotStore") -> int:
    from pytest_ratiba.snapshots.posting import accepted_on_page
    from pytest_ratiba.snapshots.store import StaleSnapshotError, shown_path

    client = client_of_environment()
    waiting = list(store.pending())
    if not waiting:
        print("Nothing waits.")
    left = len(waiting)
    for number, one in enumerate(waiting, 1):
        _show(store, one, f"{number} of {len(waiting)}")
        person = accepted_on_page(one, client) if client is not None else ""
        if person:
            print(f"{for_terminal(person)} accepted it on the server's page.")
        answer = _answer()
        if answer == "q":
            break
        try:
            if answer == "a":
                print(f"Accepted: {shown_path(store.accept(one))}. Commit it.")
                left -= 1
            elif answer == "r":
                store.forget(one.played.id)
                print("Refused: the accepted conversation stays, and the test fails until the agent says it again.")
                left -= 1
        except StaleSnapshotError as error:
            print(f"Not accepted: {error}")
    return 1 if left else 0


def _show(store: "SnapshotStore", one: "PendingSnapshot", place: str) -> None:
    from pytest_ratiba.snapshots.conversation import divergence, side_by_side

    accepted = store.accepted(one.played.id)
    print(f"\n{'=' * 78}\n{place}  {one.played.id}  ({'changed' if one.base else 'new'})")
    if accepted is not None:
        parts = divergence(accepted[0], one.played, golden_at=accepted[1], now=one.played_at)
        if parts is not None:
            print(f"In turn {parts.position}: {for_terminal(parts.why)}")
    for line in side_by_side(accepted[0] if accepted else None, one.played):
        colour = "1" if line.startswith(("--- ", "+++ ")) else {"+": "32", "-": "31", "@": "36"}.get(line[:1])
        print(f"\x1b[{colour}m{for_terminal(line)}\x1b[0m" if colour else for_terminal(line))


def _answer() -> str:
    while True:
        try:
            answer = input(f"{_ANSWERS}: ").strip().lower()[:1]
        except EOFError:
            return "q"
        if answer in ("a", "r", "s", "q"):
            return answer

"""Programs are started, kept and stopped; nothing outlives the supervisor, not even when it is killed."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ratiba_eval import programs, supervisor
from ratiba_eval.log_follower import LogFollower, shown
from ratiba_eval.stack import sockets
from ratiba_eval.stack.places import CHECKOUT
from ratiba_eval.supervisor import ChildFailed, Program, Supervisor
from tests.machine.conftest import until

WITH_CHILD = (
    "import subprocess, sys; print(subprocess.Popen(['sleep', '300']).pid, flush=True); import time; time.sleep(300)"
)
STUBBORN = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(300)"
)
PARENT = """
import sys, time
from pathlib import Path
from ratiba_eval.supervisor import Program, Supervisor
keeper = Supervisor(Path(sys.argv[1]))
print(keeper.start(Program("sleeper", ("sleep", "300"))), flush=True)
time.sleep(300)
"""


def python(name: str, code: str, *, grace_s: float = 5.0, **env: str) -> Program:
    return Program(name, (sys.executable, "-c", code), env=env, grace_s=grace_s)


@pytest.fixture
def told() -> list[tuple[str, str]]:
    return []


@pytest.fixture
def keeper(tmp_path: Path, told: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch) -> Iterator[Supervisor]:
    monkeypatch.setattr(supervisor, "BACKOFF_S", (0.05, 0.4))
    with Supervisor(tmp_path, notify=lambda name, text: told.append((name, text))) as made:
        yield made


def test_output_and_environment_reach_the_log(keeper: Supervisor) -> None:
    keeper.start(python("one", "import os, time; print(os.environ['WORD']); time.sleep(60)", WORD="hujambo"))
    keeper.wait_for_text("one", "hujambo")
    assert "hujambo" in keeper.log("one").read_text()


def test_a_killed_program_is_started_again_and_told_of(keeper: Supervisor, told: list[tuple[str, str]]) -> None:
    first = keeper.start(python("one", "import time; time.sleep(60)"))
    assert keeper.kill("one") == first
    until(lambda: keeper.pid("one") not in (None, first), what="the restart")
    assert told == [("one", "ended by signal 9; starting it again in 0.05 s")]


def test_a_program_that_keeps_crashing_waits_longer_each_time(keeper: Supervisor, told: list[tuple[str, str]]) -> None:
    keeper.start(python("one", "raise SystemExit(3)"))
    until(lambda: len(told) >= 3, what="the third crash")
    assert [text.rpartition(" in ")[2] for _, text in told[:3]] == ["0.05 s", "0.4 s", "0.4 s"]


def test_waiting_for_a_program_that_dies_shows_the_end_of_its_log(keeper: Supervisor) -> None:
    keeper.start(python("one", "print('the reason'); raise SystemExit(1)"), restart=False)
    with pytest.raises(ChildFailed, match=r"(?s)one ended.*the reason"):
        keeper.wait_for("one", lambda: False)


def test_waiting_has_an_end(keeper: Supervisor) -> None:
    keeper.start(python("one", "import time; time.sleep(60)"))
    with pytest.raises(ChildFailed, match="not ready after"):
        keeper.wait_for("one", lambda: False, timeout_s=0.1)


def test_waiting_says_what_it_waits_for_and_a_variable_says_how_long(
    keeper: Supervisor, told: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ratiba_eval.supervisor.TOLD_EVERY_S", 0.2)
    monkeypatch.setenv("RATIBA_START_TIMEOUT_S", "1")
    keeper.start(python("one", "import time; time.sleep(60)"))
    with pytest.raises(ChildFailed, match=r"one is not ready after 1 s \(RATIBA_START_TIMEOUT_S\)"):
        keeper.wait_for("one", lambda: False)
    assert ("one", "is starting since 0 s; given up after 1 s (RATIBA_START_TIMEOUT_S)") in told


def test_stop_ends_the_children_of_a_program_too(keeper: Supervisor) -> None:
    keeper.start(python("one", WITH_CHILD))
    until(lambda: keeper.output("one").strip().isdigit(), what="the start of the child")
    child = int(keeper.output("one"))
    keeper.stop("one")
    until(lambda: not sockets.alive(child), what="the end of the child")
    assert keeper.names() == []


def test_a_program_deaf_to_sigterm_is_killed_after_its_grace(keeper: Supervisor) -> None:
    pid = keeper.start(python("one", STUBBORN, grace_s=0.1))
    keeper.wait_for_text("one", "deaf")
    keeper.stop("one")
    assert not sockets.alive(pid)


def test_restart_gives_a_new_process(keeper: Supervisor) -> None:
    first = keeper.start(python("one", "import time; time.sleep(60)"))
    assert keeper.restart("one") != first
    assert not sockets.alive(first)


def test_a_name_can_be_used_once(keeper: Supervisor) -> None:
    keeper.start(python("one", "import time; time.sleep(60)"))
    with pytest.raises(ValueError, match="one is started already"):
        keeper.start(python("one", "pass"))


def test_a_program_that_is_not_there_is_an_error_at_once(keeper: Supervisor) -> None:
    with pytest.raises(FileNotFoundError):
        keeper.start(Program("one", ("/nowhere/program",)))
    assert keeper.names() == []


def test_what_stopped_stays_stopped(keeper: Supervisor, told: list[tuple[str, str]]) -> None:
    keeper.start(python("one", "import time; time.sleep(60)"))
    keeper.stop("one")
    keeper.stop("one")
    assert told == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the kernel's help is Linux's")
def test_children_die_when_the_supervisor_is_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PARENT, str(tmp_path)]
    parent = subprocess.Popen(command, cwd=CHECKOUT, stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    assert sockets.alive(child)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    until(lambda: not sockets.alive(child), what="the end of the child")


# --- Ports -----------------------------------------------------------------------------------------------------------
def test_a_taken_port_is_named_with_the_variable_that_changes_it() -> None:
    with socket.socket() as other:
        other.bind((programs.ADDRESS, 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(programs.PortTaken, match=rf"port {port}, .* is taken.*RATIBA_PORT={port + 1}"):
            programs.check_free(port, variable="RATIBA_PORT", what="the web server")


def test_a_free_port_passes() -> None:
    with socket.socket() as other:
        other.bind((programs.ADDRESS, 0))
        port = other.getsockname()[1]
    programs.check_free(port, variable="RATIBA_PORT", what="the web server")


@pytest.mark.parametrize("value", ["0", "65536", "eight", "-1", "8000.5", "٨٠٠٠"])
def test_what_is_no_port_is_refused_by_name(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RATIBA_PORT", value)
    with pytest.raises(ValueError, match="RATIBA_PORT"):
        programs.web_port()


def test_ports_have_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RATIBA_PORT", raising=False)
    monkeypatch.setenv("RATIBA_DEMO_AGENT_PORT", "8200")
    assert (programs.web_port(), programs.agent_port()) == (8000, 8200)


# --- Following logs --------------------------------------------------------------------------------------------------
def test_only_complete_new_lines_are_shown(tmp_path: Path) -> None:
    log = tmp_path / "web.log"
    log.write_text("old\n")
    shown: list[str] = []
    follower = LogFollower({"web": log, "worker-1": tmp_path / "not-there-yet.log"}, write=shown.append)
    with open(log, "a") as handle:
        handle.write("new\nhalf a li")
    follower.stop()
    assert shown == ["web      | new"]


def test_json_lines_are_shown_for_people_and_broken_ones_as_they_are() -> None:
    line = '{"level": "INFO", "event_type": "log", "tenant": null, "message": "habari", "more": 1}'
    assert shown(line) == "INFO habari"
    assert shown('{"level": "INFO", "event_type": "run_ended", "tenant": "demo", "message": "run_ended"}') == (
        "INFO run_ended demo"
    )
    assert shown('{"level": "IN') == '{"level": "IN'
    assert shown("plain") == "plain"


@pytest.mark.parametrize(
    "level, event, logger, seen",
    [
        ("INFO", "tick", "ratiba.events", False),
        ("INFO", "log", "celery.app.trace", False),
        ("ERROR", "log", "celery.app.trace", True),
        ("WARNING", "tick", "ratiba.events", True),
        ("INFO", "evaluation_ended", "ratiba.events", True),
    ],
)
def test_the_pulse_of_beat_and_workers_is_not_shown_but_its_troubles_are(
    level: str, event: str, logger: str, *, seen: bool, tmp_path: Path
) -> None:
    log, lines = tmp_path / "ratiba.jsonl", list[str]()
    follower = LogFollower({"log": log}, write=lines.append)
    log.write_text(json.dumps({"level": level, "event_type": event, "logger": logger, "message": "it happened"}) + "\n")
    follower.stop()
    assert bool(lines) is seen


def test_a_log_begun_anew_is_followed_from_its_start(tmp_path: Path) -> None:
    log = tmp_path / "web.log"
    log.write_text("a long old line\n")
    shown: list[str] = []
    follower = LogFollower({"web": log}, write=shown.append)
    log.write_text("fresh\n")
    follower.stop()
    assert shown == ["web | fresh"]


def test_only_one_supervisor_of_a_checkout_is_up(short_folder: Path) -> None:
    state = short_folder / "var"
    assert not programs.is_up(state)
    with programs.the_only_one(state):
        assert programs.is_up(state)
        told = subprocess.run(
            [sys.executable, "manage.py", "up"],
            cwd=CHECKOUT,
            env={**os.environ, "RATIBA_STATE_DIR": str(state)},
            capture_output=True,
            text=True,
            check=False,
        )
    assert told.returncode == 1
    assert "up already" in told.stderr
    assert not programs.is_up(state)

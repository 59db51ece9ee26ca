"""With xdist: what the workers share is started when one of them needs it, once, and stopped with the session."""

import os
import sys

import pytest

from pytest_ratiba.errors import ProjectError
from pytest_ratiba.shared_starts import SharedStarts, ask_controller
from tests.plugin.test_local_server import PROBE

XDIST = ("-q", "-p", "xdist", "-n", "2")
BROKEN = """
import pathlib, sys

with pathlib.Path("started.txt").open("a") as file:
    file.write("once\\n")
print("the disk is full")
raise SystemExit(3)
"""


@pytest.fixture
def project(user_project):
    user_project.write("ratiba.yaml", "agent: {callable: 'bot:reply'}\nscenarios: talks\n")
    user_project.write("bot.py", "def reply(messages, context):\n    return 'x'\n")
    for name in ("a", "b", "c"):
        talk = f"id: {name}\nturns: [Hi, {{end: true}}]\nassertions: [{{ended: script_ended}}]\n"
        user_project.write(f"talks/{name}.yaml", talk)
    layer2 = (
        "import pytest\n\n@pytest.mark.layer2\n@pytest.mark.parametrize('n', [1, 2])\ndef test_turn(n):\n    pass\n"
    )
    user_project.write("test_turns.py", layer2)
    user_project.variables["RATIBA_BIN"] = f"{sys.executable} {user_project.write('server.py', BROKEN)}"
    return user_project


@pytest.mark.parametrize("chosen", [("test_turns.py",), ("-m", "layer2"), ("--layer", "2"), ("-k", "turn")])
def test_tests_of_layer_2_wait_for_no_server(project, chosen):
    done = project.pytest(*XDIST, *chosen)
    assert "2 passed" in done.stdout, done.stdout + done.stderr
    assert not (project.folder / "started.txt").exists()


def test_a_server_that_does_not_start_is_tried_once_and_quoted_to_every_worker(project):
    done = project.pytest(*XDIST)
    assert "2 passed" in done.stdout, done.stdout + done.stderr
    assert "3 error" in done.stdout
    assert done.stdout.count("the disk is full") >= 3
    assert (project.folder / "started.txt").read_text() == "once\n"


def test_all_workers_use_one_server_that_ends_with_the_session(project):
    counted = "import os, pathlib, sys\nif sys.argv[1] == 'up':\n    open('pids.txt', 'a').write(f'{os.getpid()}\\n')\n"
    project.write("server.py", counted + PROBE)
    done = project.pytest(*XDIST)
    assert "the server does not start the run" in done.stdout, done.stdout + done.stderr
    (pid,) = (project.folder / "pids.txt").read_text().split()
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid), 0)


def test_who_has_no_key_starts_nothing():
    asked: list[dict[str, str]] = []
    starts = SharedStarts(lambda one: asked.append(dict(one)))
    try:
        told = starts.for_worker()
        with pytest.raises(Exception, match="digest sent was rejected"):
            ask_controller({**told, "key": "guessed"}, {"server": "local"})
        assert asked == []
        ask_controller(told, {"server": "local"})
        assert asked == [{"server": "local"}]
    finally:
        starts.close()
    with pytest.raises(ProjectError, match="controller"):
        ask_controller(told, {"server": "local"})

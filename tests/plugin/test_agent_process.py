"""`start:` of an agent: what is said where it does not come up, and that nothing of it is left running."""

import os
import socket
import sys
import time

import pytest

from pytest_ratiba.agent_process import AgentProcesses, start_agent
from pytest_ratiba.agents import chosen_agent
from pytest_ratiba.config import Project
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.server import free_ports

SERVES = """
import http.server, os, pathlib, sys

pathlib.Path("pid").write_text(str(os.getpid()))
print("key", os.environ.get("RATIBA_API_KEY"), os.environ.get("ADDED"))
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), http.server.BaseHTTPRequestHandler).serve_forever()
"""


def project(folder, *, program, timeout=20.0, through_a_shell=False):
    (port,) = free_ports(1)
    (folder / "agent.py").write_text(program)
    words = [sys.executable, "agent.py", str(port)]
    # A shell that stays beside its child, as npm does.
    command = ["sh", "-c", f"{' '.join(words)}; true"] if through_a_shell else words
    ready = f"http://127.0.0.1:{port}/"
    start = {"command": command, "ready": ready, "start_timeout": timeout}
    return Project(folder=folder, sections={"agent": {"name": "shop", "address": ready, "start": start}})


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat") as stat:
        return stat.read().rpartition(")")[2].split()[0] != "Z"


def started(made):
    return start_agent(made, chosen_agent(made))


def test_it_runs_while_it_is_needed_and_takes_its_children_with_it(tmp_path, monkeypatch):
    monkeypatch.setenv("RATIBA_API_KEY", "rk_secret")
    made = project(tmp_path, program=SERVES, through_a_shell=True)
    agent, processes = chosen_agent(made), AgentProcesses()
    for _ in range(2):  # it is started once
        processes.need(made, agent)
    pid = int((tmp_path / "pid").read_text())
    assert alive(pid)
    assert processes.ended(agent) == ""
    processes.stop()
    deadline = time.monotonic() + 10
    while alive(pid):
        assert time.monotonic() < deadline
    assert "rk_secret" not in (tmp_path / "var" / "agent-shop.log").read_text()


def test_variables_are_added_to_its_environment(tmp_path):
    made = project(tmp_path, program=SERVES)
    start_agent(made, chosen_agent(made), {"ADDED": "yes"}).stop()
    assert "yes" in (tmp_path / "var" / "agent-shop.log").read_text()


def test_one_that_ends_at_its_start_is_quoted(tmp_path):
    made = project(tmp_path, program="print('no module named shop')\nraise SystemExit(3)\n")
    with pytest.raises(ProjectError, match=r"(?s)agent 'shop' ended with 3; the end of .*no module named shop"):
        started(made)


def test_one_that_takes_too_long_is_stopped_and_quoted(tmp_path):
    program = "import os, pathlib, time\npathlib.Path('pid').write_text(str(os.getpid()))\ntime.sleep(60)\n"
    with pytest.raises(ProjectError, match=r"agent 'shop' was not ready within 1 s; it printed nothing"):
        started(project(tmp_path, program=program, timeout=1))
    assert not alive(int((tmp_path / "pid").read_text()))


def test_a_port_that_is_taken_is_named_before_anything_starts(tmp_path):
    made = project(tmp_path, program=SERVES)
    port = int(chosen_agent(made).start.command[-1])
    with socket.create_server(("127.0.0.1", port)), pytest.raises(ProjectError, match=f"port {port} is taken"):
        started(made)
    assert not (tmp_path / "pid").exists()


def test_a_command_that_does_not_exist_is_named(tmp_path):
    address = "http://127.0.0.1:1/"
    start = {"command": "no-such-agent", "ready": address}
    made = Project(folder=tmp_path, sections={"agent": {"address": address, "start": start}})
    with pytest.raises(ProjectError, match=r"does not start \(no-such-agent\)"):
        started(made)


@pytest.mark.parametrize("value", [0, -1, True, "90", 1e9])
def test_a_wrong_timeout_is_refused_by_its_pointer(tmp_path, value):
    made = project(tmp_path, program=SERVES, timeout=value)
    with pytest.raises(ProjectError, match="/agent/start/start_timeout"):
        chosen_agent(made)

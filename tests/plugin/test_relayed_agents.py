"""An agent that ratiba.yaml says how to start: pytest starts it once, brings turns to it, and leaves nothing behind."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from pytest_ratiba.server import free_ports
from tests.loopback.streaming import StreamingProvider
from tests.plugin.stub_server import StubServer
from tests.plugin.test_agent_process import alive
from tests.plugin.test_thin_line import scenario

AGENT = """
import http.server, json, os, pathlib, sys, urllib.request

with open("pids", "a") as pids:
    pids.write(f"{os.getpid()}\\n")
print("the agent is up", flush=True)


def model(text):
    url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": text}]}).encode()
    request = urllib.request.Request(url, body, {"content-type": "application/json"})
    return json.loads(urllib.request.urlopen(request).read())["choices"][0]["message"]["content"]


class Agent(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        said = json.loads(self.rfile.read(int(self.headers["content-length"])))["message"]
        if said == "die":
            print("the till is on fire", flush=True)
            os._exit(3)
        if said == "wait":
            import time
            time.sleep(60)
        reply = model(said) if said.startswith("ask") else f"welcome, {said}"
        body = json.dumps({"reply": reply, "state": "open"}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Agent).serve_forever()
"""


@pytest.fixture
def stub():
    server = StubServer()
    yield server
    server.close()


@pytest.fixture
def project(user_project, stub):
    (port,) = free_ports(1)
    url = f"http://127.0.0.1:{port}/"
    start = json.dumps({"command": [sys.executable, "shop.py", str(port)], "ready": url})
    user_project.write("shop.py", AGENT)
    user_project.write(
        "ratiba.yaml", f"agent: {{name: shop, kind: http, address: '{url}', start: {start}}}\nscenarios: talks\n"
    )
    user_project.variables |= {"RATIBA_URL": stub.url, "RATIBA_API_KEY": "rk_x"}
    return user_project


def pids(project):
    return [int(line) for line in (project.folder / "pids").read_text().split()]


def all_gone(project):
    deadline = time.monotonic() + 20
    while any(alive(pid) for pid in pids(project)):
        if time.monotonic() > deadline:
            return False
    return True


def until_asked(stub):
    deadline = time.monotonic() + 30
    while not any(path.endswith("/lease/") for path, _ in stub.posted):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_it_is_started_once_and_its_output_is_shown_where_a_case_fails(project, stub):
    scenario(project, "good", more="layer: 3\n")
    scenario(project, "other", word="goodbye")
    project.write("talks/own.yaml", "id: own\nturns: [Hi, {end: true}]\nassertions: [{fsm_state: open}]\n")
    answer = project.pytest("-v", "--all-layers")
    assert "good.yaml::good PASSED" in answer.stdout, answer.stdout + answer.stderr
    assert "other.yaml::other FAILED" in answer.stdout
    assert "own.yaml::own PASSED" in answer.stdout
    assert "the agent is up" in answer.stdout
    assert len(pids(project)) == 1
    assert all_gone(project)
    assert {json.dumps(body["connection"]) for path, body in stub.posted if path == "/test-runs/"} == {
        '{"kind": "pulled"}'
    }


def test_one_that_dies_in_the_middle_ends_the_run_and_is_quoted(project, stub):
    scenario(project, "a", opening="die")
    scenario(project, "b", opening="wait")
    answer = project.pytest("-q")
    assert "(agent_transport): agent 'shop' ended with 3" in answer.stdout, answer.stdout + answer.stderr
    assert "the till is on fire" in answer.stdout
    assert "2 errors" in answer.stdout
    blamed = [body for path, body in stub.posted if path.endswith("/reply/")]
    assert {body["fault"] for body in blamed} == {"transport"}
    assert any("agent 'shop' ended with 3" in body["error"] for body in blamed)

    stub.silent_runs = True  # a server that still waits to try the agent again
    answer = project.pytest("-q")
    assert "agent 'shop' ended with 3; the end of" in answer.stdout, answer.stdout + answer.stderr
    assert any(path.endswith("/cancel/") for path, _ in stub.posted)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_session_leaves_no_process(project, stub, number):
    scenario(project, "a", opening="wait")
    running = project.started("-q")
    until_asked(stub)
    os.kill(running.pid, number)
    running.communicate(timeout=40)
    assert running.returncode == 2
    assert all_gone(project)
    assert any(path.endswith("/cancel/") for path, _ in stub.posted)


def test_a_gate_that_is_interrupted_leaves_neither_its_second_process_nor_the_agent(project, stub):
    scenario(project, "a", opening="wait")
    program = """
        from pathlib import Path
        from pytest_ratiba.ci.side import SideRequest, play_sides
        here = Path.cwd()
        play_sides([SideRequest(cases=here, agent_folder=here, agent="shop", scenarios=("a",))])
    """
    words = [sys.executable, project.write("side.py", program)]
    running = subprocess.Popen(words, cwd=project.folder, env=project.environment(), stderr=subprocess.DEVNULL)
    until_asked(stub)
    running.send_signal(signal.SIGINT)
    running.wait(40)
    assert all_gone(project)
    assert any(path.endswith("/cancel/") for path, _ in stub.posted)


def test_one_that_does_not_start_fails_each_case_with_its_words(project, stub):
    scenario(project, "a")
    scenario(project, "b")
    project.write("shop.py", "raise SystemExit('no module named till')\n")
    answer = project.pytest("-q")
    assert "2 errors" in answer.stdout
    assert answer.stdout.count("agent 'shop' ended with 1") >= 2
    assert "no module named till" in answer.stdout
    assert not stub.runs


def test_its_model_calls_are_recorded_with_their_scenario_and_played(project, stub):
    """Several conversations at once, one process for all workers of xdist: the turn that is on says whose call it
    is."""
    for name in ("a", "b", "c"):
        scenario(project, name, opening=f"ask about {name}", word="sawa")
        text = (project.folder / f"talks/{name}.yaml").read_text()
        project.write(f"talks/{name}.yaml", text.replace("Asante.", f"ask again about {name}"))
    config = (project.folder / "ratiba.yaml").read_text()
    with StreamingProvider(("sawa",)) as provider:
        project.write("ratiba.yaml", config + f"recordings:\n  upstreams: {{openai: {provider.url}/v1}}\n")
        recorded = project.pytest("-q", "--record", "once", "-p", "xdist", "-n", "2")
        assert "3 passed" in recorded.stdout, recorded.stdout + recorded.stderr
        assert "6 recorded" in recorded.stdout
    assert len(pids(project)) == 1
    assert all_gone(project)
    for name in ("a", "b", "c"):
        lines = (project.folder / f"tests/fixtures/llm_recordings/{name}.jsonl").read_text().splitlines()
        assert len(lines) == 2
        assert all(f"about {name}" in line for line in lines)
    played = project.pytest("-q")
    assert "3 passed" in played.stdout, played.stdout + played.stderr
    assert "6 played" in played.stdout

"""The local server: whose executable, whose environment, and what is said where it does not start."""

import sys

import pytest

from pytest_ratiba.errors import ProjectError
from pytest_ratiba.server import executable, free_ports, server_environment

PROBE = """
import http.server, os, pathlib, sys

if sys.argv[1] == "add_api_key":
    print("keep it now:")
    print("rk_local")
    raise SystemExit
names = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "DJANGO_SETTINGS_MODULE", "PYTHONPATH")
pathlib.Path("seen.txt").write_text(",".join(name for name in names if name in os.environ))


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/readyz" else 404)
        self.end_headers()

    do_POST = do_GET


http.server.HTTPServer(("127.0.0.1", int(os.environ["RATIBA_PORT"])), Handler).serve_forever()
"""


@pytest.fixture
def project(user_project):
    user_project.write("ratiba.yaml", "agent: {callable: 'bot:reply'}\nscenarios: talks\n")
    user_project.write("bot.py", "def reply(messages, context):\n    return 'x'\n")
    user_project.write("talks/a.yaml", "id: a\nturns: [Hi, {end: true}]\nassertions: [{ended: script_ended}]\n")
    return user_project


def test_the_users_own_variables_stay_with_the_user(project):
    program = project.write("server.py", PROBE)
    project.variables |= {
        "RATIBA_BIN": f"{sys.executable} {program}", "DATABASE_URL": "postgresql://own/", "REDIS_URL": "redis://own",
        "SECRET_KEY": "own", "DJANGO_SETTINGS_MODULE": "own.settings",
    }  # fmt: skip
    answer = project.pytest("-q")
    assert "starting a local server" in answer.stdout, answer.stdout + answer.stderr
    assert "the server does not start the run" in answer.stdout  # this one knows none: it was asked
    assert (project.folder / "seen.txt").read_text() == ""
    assert not (project.folder / "var" / "pytest-ratiba.json").exists()  # it was stopped, so nobody looks for it


def test_a_server_that_does_not_start_is_quoted(project):
    program = project.write("server.py", "print('the disk is full')\nraise SystemExit(3)\n")
    project.variables["RATIBA_BIN"] = f"{sys.executable} {program}"
    answer = project.pytest("-q")
    assert "the local server ended with 3" in answer.stdout
    assert "the disk is full" in answer.stdout
    assert "Traceback" not in answer.stdout


def test_without_any_server_it_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.delenv("RATIBA_BIN", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    with pytest.raises(ProjectError, match="pipx install ratiba-eval"):
        executable()


def test_ports_differ_and_variables_are_left_out(monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://own/")
    ports = free_ports(3)
    assert len(set(ports)) == 3
    environment = server_environment({"RATIBA_PORT": ports[0]})
    assert environment["RATIBA_PORT"] == str(ports[0])
    assert "DATABASE_URL" not in environment


def test_the_agents_own_model_address_judges_nothing(monkeypatch):
    """A key alone is a judge's, too; beside an address it belongs to that address."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-own")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    assert server_environment({})["OPENAI_API_KEY"] == "sk-own"
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    assert not {"OPENAI_API_KEY", "OPENAI_BASE_URL"} & set(server_environment({}))

"""A function under test in a process of its own: the same replies, and no secret of ours."""

import asyncio
import subprocess
import sys
from datetime import UTC, datetime

import pytest

from pytest_ratiba.agents import chosen_agent
from pytest_ratiba.callable_process import CallableProcess
from pytest_ratiba.ci.side import _ended
from pytest_ratiba.config import read_project
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.pulled import LeasedTurn

BOT = """
    import os, sys
    async def reply(messages, context):
        print("a word to nobody")
        word = messages[-1]["content"]
        if word == "raise": raise ValueError("no such day")
        if word == "exit": os._exit(7)
        if word == "environment": return " ".join(sorted(os.environ))
        return {"content": word.upper(), "tool_calls": [{"name": "book", "arguments": {"at": context["hour"]}}],
                "state": "booked", "log": [{"event": "booked"}]}
    def plain(messages, context): return "plain"
"""


def turn(word: str) -> LeasedTurn:
    return LeasedTurn(
        id="t", lease="l", conversation_id="c", position=0, messages=[{"role": "user", "content": word}], context={},
        expires_at=datetime(2030, 1, 1, tzinfo=UTC),
    )  # fmt: skip


@pytest.fixture
def project(user_project):
    user_project.write("ratiba.yaml", "agents: {a: {callable: 'bot:reply'}, gone: {callable: 'bot:nobody'}}\n")
    user_project.write("bot.py", BOT)
    return read_project(user_project.folder)


def test_it_answers_and_shows_its_inside_and_knows_no_secret(project, monkeypatch):
    for name in ("RATIBA_API_KEY", "GITHUB_TOKEN", "ACTIONS_RUNTIME_TOKEN", "GITHUB_ENV", "CI_JOB_TOKEN"):
        monkeypatch.setenv(name, "secret")
    monkeypatch.setenv("OPENAI_API_KEY", "the agent's own")

    async def play():
        agent = CallableProcess(project, chosen_agent(project, "a"))
        many = await asyncio.gather(*(agent.respond(turn(f"w{n}"), {"hour": n}) for n in range(20)))
        with pytest.raises(RuntimeError, match="ValueError: no such day"):
            await agent.respond(turn("raise"), {})
        seen = await agent.respond(turn("environment"), {})
        with pytest.raises(RuntimeError, match="ended with 7"):
            await agent.respond(turn("exit"), {})
        await agent.close()
        return agent, many, seen["content"].split()

    agent, many, names = asyncio.run(play())
    assert [one["content"] for one in many] == [f"W{n}" for n in range(20)]
    assert many[7]["tool_calls"][0]["arguments"] == {"at": 7}
    assert agent.observed["c"].state == "booked"
    assert len(agent.observed["c"].log) == 20
    assert "OPENAI_API_KEY" in names
    assert not {"RATIBA_API_KEY", "GITHUB_TOKEN", "ACTIONS_RUNTIME_TOKEN", "GITHUB_ENV", "CI_JOB_TOKEN"} & set(names)


def test_a_function_that_is_not_there_is_said(project):
    with pytest.raises(ProjectError, match="bot has no 'nobody'"):
        CallableProcess(project, chosen_agent(project, "gone"))
    (project.folder / "bot.py").write_text("import nothing_of_this_name")
    with pytest.raises(ImportError, match="nothing_of_this_name"):
        CallableProcess(project, chosen_agent(project, "a"))


def test_an_agents_process_whose_player_was_killed_ends_without_a_traceback(project, user_project):
    words = [sys.executable, "-c", "import sys; from pytest_ratiba.callable_process import main; "
             f"sys.exit(main({str(project.folder)!r}, 'a'))"]  # fmt: skip
    process = subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=project.folder,
        env=user_project.environment(), text=True,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    assert "ready" in process.stdout.readline()
    process.stdout.close()
    process.stdin.write('{"number": 1, "messages": [{"content": "hi"}], "context": {"hour": 9}}\n')
    process.stdin.close()
    assert process.wait(timeout=60) == 0
    assert process.stderr is not None
    assert "BrokenPipeError" not in process.stderr.read()


def test_a_side_that_was_killed_is_told_in_words():
    killed = "the process that plays was ended from outside (SIGKILL, as where memory runs out): run the job again"
    assert _ended(-9) == killed
    assert "SIGTERM" in _ended(-15)
    assert "ended with 3" in _ended(3)

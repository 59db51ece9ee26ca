"""An agent with a tenant for each conversation, in the processes of a gate: hooks and function are imported where no
key is, and assertions look into the schema from a third process."""

import asyncio
import sys

import pytest

from pytest_ratiba.agents import chosen_agent
from pytest_ratiba.assertions.outcome import ScenarioOutcome
from pytest_ratiba.callable_process import CallableProcess
from pytest_ratiba.config import read_project
from pytest_ratiba.environment.errors import EvalEnvironmentError
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.own_side_process import OwnSideProcesses
from tests.plugin.test_callable_process import turn

HOOKS = """
    import os
    SEEN = sorted(os.environ)
    def build(saver, tenant_id): return SEEN
"""
BOT = """
    def reply(messages, context):
        with context["tenant"].connect() as connection:
            connection.execute("INSERT INTO bookings (slot) VALUES (%s)", [messages[-1]["content"]])
        return " ".join(context["orchestrator"])
"""
ROWS = {"sql": "SELECT slot FROM bookings WHERE id > 1 ORDER BY id", "rows": [["ONE"], ["TWO"]]}


@pytest.fixture
def project(project_with_database, monkeypatch):
    for name, value in project_with_database.variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("RATIBA_API_KEY", "rk_secret")
    project_with_database.write("hooks.py", HOOKS)
    project_with_database.write("bot.py", BOT)
    config = """
        agent: {callable: 'bot:reply'}
        environment: {migrate: {sql: migrations/*.sql}, build_test_orchestrator: 'hooks:build'}
    """
    project_with_database.write("ratiba.yaml", config)
    return read_project(project_with_database.folder)


def test_its_code_sees_no_key_and_assertions_see_its_rows(project, scratch_database) -> None:
    own_side = OwnSideProcesses()

    async def play():
        agent = CallableProcess(project, chosen_agent(project, ""))
        replies = [
            await agent.respond(turn(word), {"conversation_id": "c", "scenario": "s"}) for word in ("one", "two")
        ]
        seen = agent.observed["c"]
        asked = ScenarioOutcome(turns=[], connect=seen.connect, folder=project.folder)
        answers = await asyncio.to_thread(own_side.check, [ROWS, {**ROWS, "rows": [["NO"]]}], asked)
        assert len(scratch_database.schemas()) == 1
        await agent.close()
        return replies, answers

    replies, answers = asyncio.run(play())
    assert "RATIBA_TEST_DATABASE_URL" in replies[0]["content"]
    assert "RATIBA_API_KEY" not in replies[0]["content"]
    assert (answers[0].wrong, bool(answers[1].wrong)) == ((), True)
    assert not {"bot", "hooks"} & set(sys.modules)
    assert scratch_database.schemas() == []
    own_side.close()


def test_a_database_that_is_not_there_is_said(project, monkeypatch) -> None:
    monkeypatch.setenv("RATIBA_TEST_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")
    with pytest.raises((ProjectError, EvalEnvironmentError), match="the test database does not answer"):
        CallableProcess(project, chosen_agent(project, ""))

"""Scenarios that a server plays against a Python function: the function's model calls are recorded and played."""

import pytest

from tests.loopback.streaming import StreamingProvider
from tests.plugin.stub_server import StubServer

AGENT = """
    import httpx, pathlib

    async def reply(messages, context):
        url = pathlib.Path("provider").read_text() + "/v1/chat/completions"
        async with httpx.AsyncClient() as client:
            body = {"model": "m", "messages": messages, "conversation_id": context["conversation_id"]}
            answer = await client.post(url, json=body)
        if answer.status_code != 200:
            return "welcome anyway"
        return "welcome " + answer.json()["choices"][0]["message"]["content"]
"""


@pytest.fixture
def project(user_project):
    server = StubServer()
    with StreamingProvider(("karibu",)) as provider:
        user_project.provider = provider
        user_project.write("bot.py", AGENT)
        user_project.write("provider", provider.url)
        upstreams = f"recordings: {{upstreams: {{openai: '{provider.url}/v1'}}}}"
        user_project.write("ratiba.yaml", f"agent: {{callable: 'bot:reply'}}\nscenarios: talks\n{upstreams}\n")
        user_project.variables |= {"RATIBA_URL": server.url, "RATIBA_API_KEY": "rk_x"}
        for name, opening in (("kunyoa", "Habari, nataka kunyoa"), ("massage", "Nataka massage")):
            scenario(user_project, name, opening)
        yield user_project
    server.close()


def scenario(project, name: str, opening: str) -> None:
    project.write(
        f"talks/{name}.yaml",
        f"""
        id: {name}
        language: sw
        opening: {opening}
        turns: [Asante., {{end: true}}]
        assertions: [{{metric: welcome}}]
        """,
    )


def test_two_conversations_at_once_have_a_recording_each(project):
    done = project.pytest("-q", "--record", "once")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 recorded" in done.stdout
    folder = project.folder / "tests/fixtures/llm_recordings"
    assert sorted(path.name for path in folder.iterdir()) == ["kunyoa.jsonl", "massage.jsonl"]
    assert "massage" not in (folder / "kunyoa.jsonl").read_text()
    asked = len(project.provider.requests)
    done = project.pytest("-q")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 played" in done.stdout
    assert len(project.provider.requests) == asked


def test_a_miss_fails_the_scenario_although_the_server_passed_it(project):
    project.pytest("-q", "--record", "once")
    scenario(project, "massage", "Nataka massage kesho")
    done = project.pytest("-q")
    assert done.returncode == 1
    assert "call 1 of scenario 'massage' has no recording" in done.stdout
    assert "$.body.messages[0].content" in done.stdout
    assert "1 passed, 1 error" in done.stdout, done.stdout
    asked = len(project.provider.requests)
    assert project.pytest("-q", "--live").returncode == 0
    assert len(project.provider.requests) == asked + 4

"""One hello to an agent: what came back, how fast, or what is wrong."""

import json
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.catalog.models import Agent
from apps.jobs.services.interactive import run_due
from tests.dashboard.conftest import HOST, signed_in
from tests.evaluations.test_commands import run_command
from tests.loopback.http_server import Answer, LoopbackServer, Request
from tests.runs.stage import make_agent


def answering(answer: Answer) -> LoopbackServer:
    return LoopbackServer(lambda request: answer)


def test_a_hello_shows_what_came_back_and_how_fast(tenant):
    heard: list[dict[str, Any]] = []

    def answer(request: Request) -> Answer:
        heard.append(json.loads(request.body))
        return Answer(body=b'{"reply": "Karibu!", "tools": [{"name": "greet"}]}')

    with LoopbackServer(answer) as server:
        make_agent(kind="http", address=server.url, tool_calls="$.tools")
        code, found, _ = run_command("check_agent", "bot", "--text", "Habari", tenant=tenant)
    assert (code, found["outcome"], found["reply"], found["tool_calls"]) == (0, "answered", "Karibu!", ["greet"])
    assert found["latency_ms"] >= 0
    assert found["session"] == heard[0]["session_id"]
    assert (found["remarks"], found["error"], heard[0]["message"]) == ([], None, "Habari")


@pytest.mark.parametrize(
    "answer, code, outcome, error",
    [
        (Answer(status=500, body=b"Traceback: kaput"), 1, "failed", "agent_failed"),
        (Answer(body=b'{"text": "hi"}'), 1, "failed", "bad_reply"),
        (Answer(status=403, body=b'{"detail": "no such channel"}'), 2, "misconfigured", "remote_refusal"),
        (Answer(status=503), 3, "down", "remote_failure"),
        (Answer(fault="reset"), 3, "down", "unreachable"),
    ],
)
def test_what_is_wrong_is_said_and_is_the_exit_code(tenant, answer, code, outcome, error):
    with answering(answer) as server:
        make_agent(kind="http", address=server.url)
        found_code, found, _ = run_command("check_agent", "bot", tenant=tenant)
    assert (found_code, found["outcome"], found["error"]["code"]) == (code, outcome, error)
    assert answer.body.decode() in found["error"]["message"]


def test_an_agent_that_does_not_exist_is_wrong_use(tenant):
    code, _, words = run_command("check_agent", "nobody", tenant=tenant)
    assert code == 2
    assert "no agent named 'nobody'" in words


@pytest.mark.parametrize(
    "options, remark",
    [
        ({"body": {"q": "{{ text }}"}}, "cannot tell two apart"),
        ({"session": "$.sid"}, "no session id came back at $.sid"),
        ({"session": {"cookie": "sid"}}, "no session id came back at the cookie sid"),
        ({"headers": {"x": "{{ secret.key }}"}}, "no secret named 'key' is stored"),
        ({"reply": "$.silence"}, "it said nothing"),
    ],
)
def test_settings_that_do_not_seem_to_work_are_remarked_on(tenant, options, remark):
    with answering(Answer(body=b'{"reply": "Karibu!", "silence": null}')) as server:
        make_agent(kind="http", address=server.url, **options)
        code, found, _ = run_command("check_agent", "bot", tenant=tenant)
    assert code == 0
    assert any(remark in one for one in found["remarks"])


@pytest.mark.parametrize(
    "answer, words",
    [(Answer(body=b'{"reply": "<b>Karibu!</b>"}'), "&lt;b&gt;Karibu!"), (Answer(status=500), "did not answer usably")],
)
def test_the_button_owes_a_hello_and_a_worker_shows_what_came_back(tenant, answer, words):
    with answering(answer) as server:
        agent = make_agent(kind="http", address=server.url)
        curator = signed_in("neema", "view_agent", "add_testrun", host=HOST)
        page = reverse("admin:catalog_agent_change", args=[agent.pk], urlconf="ratiba_eval.urls")
        assert "Send one hello" in curator.get(page).content.decode()
        test = f"/agents/{agent.pk}/check/"
        assert "never tried" in curator.get(test).content.decode()
        waiting = curator.post(test, follow=True)
        assert waiting.redirect_chain[0][0] == test
        assert 'hx-trigger="every 1s"' in waiting.content.decode()
        assert "done already" in curator.post(test, follow=True).content.decode()
        assert run_due(now=timezone.now, until=timezone.now()) is False
    shown = curator.get(test, headers={"HX-Request": "true"}).content.decode()
    assert words in shown
    assert "hx-get" not in shown


def test_a_reader_finds_no_button_and_sends_nothing(tenant):
    agent = make_agent()
    reader = signed_in("zuri", "view_agent", host=HOST)
    page = reverse("admin:catalog_agent_change", args=[agent.pk], urlconf="ratiba_eval.urls")
    assert "Send one hello" not in reader.get(page).content.decode()
    assert "Send one hello" not in reader.get(f"/agents/{agent.pk}/check/").content.decode()
    assert reader.post(f"/agents/{agent.pk}/check/").status_code == 403


@pytest.mark.parametrize("kind, options, words", [("a2a", "stremm: true", "stream"), ("agentx", "", "agentx")])
def test_the_form_refuses_settings_that_cannot_work(tenant, kind, options, words):
    curator = signed_in("neema", "view_agent", "change_agent", "add_agent", host=HOST)
    page = reverse("admin:catalog_agent_add", urlconf="ratiba_eval.urls")
    fields = {"name": "x", "kind": kind, "address": "https://agent.example.org", "options": options, "timeout_s": "60"}
    answered = curator.post(page, fields)
    assert answered.status_code == 200
    assert words in answered.content.decode()
    assert not Agent.objects.exists()

"""An agent that fails by itself: its own failure, judged, and the same on every page."""

import json

import pytest

from apps.catalog.fields import Secrets
from apps.evaluations.judging.services.completion import finish_evaluations
from apps.evaluations.judging.services.enqueue import enqueue_judgements
from apps.evaluations.models import Judgement
from apps.evaluations.requests.services.creating import request_evaluation
from apps.reports.results.queries.evaluation_document import evaluation_summary
from apps.reports.results.queries.judgement_document import judgement_document
from apps.reports.tables.queries.result_rows import result_rows
from apps.runs.playing.services import control
from tests.evaluations.bench import judge, make_config
from tests.loopback.http_server import Answer, LoopbackServer, Request
from tests.loopback.stub_model import Behaviour, StubModel
from tests.runs.stage import NOW, battles, make_agent, make_scenarios, only, play, said, status


@pytest.mark.parametrize("failure", ["agent_failed", "agent_refused"])
def test_an_agent_that_fails_by_itself_is_to_blame_and_is_judged(tenant, failure):
    make_agent("Hello?", {"fail": failure, "text": "no"})
    make_scenarios()
    run = battles()
    play()
    control.finish_runs(now=NOW)
    found = only(run)
    assert (found.status, found.blame, found.error_code) == ("failed", "agent_quality", failure)
    assert status(run) == "completed", "it was tested, and did not pass"
    assert said(found)[-1] == ("system", "The agent failed instead of answering.")
    with LoopbackServer(StubModel(Behaviour())) as server:
        marks = {"tone": 0.0, "price": 0.0}  # which any score reaches
        config = make_config(url=f"{server.url}/v1", weights=dict.fromkeys(marks, 1.0), pass_marks=marks)
        asked = request_evaluation(config=config, run_id=run, now=NOW)
        enqueue_judgements(now=NOW)
        judge()
        finish_evaluations(now=NOW)
    judged = Judgement.objects.get(evaluation=asked.evaluation_id)
    assert judged.status == "scored"
    assert judgement_document(judged)["verdict"] == "fail", "whatever its score"
    summary = evaluation_summary(asked.evaluation_id)
    assert (summary["verdicts"], summary["pass_rate"]) == ({"pass": 0, "fail": 1, "undecided": 0}, 0)
    assert "agent_failed" in summary["warning_codes"]
    (row,) = {one["conversation_verdict"] for one in result_rows(run_id=run, evaluation_ids=[asked.evaluation_id])}
    assert row == "fail"


def test_the_body_of_an_agents_refusal_is_kept_without_our_secrets(tenant):
    def refuse(request: Request) -> Answer:
        body = {"detail": "unknown\n channel", "sent": request.headers["authorization"]}
        return Answer(status=422, body=json.dumps(body).encode())

    with LoopbackServer(refuse) as server:
        agent = make_agent(kind="http", address=server.url)
        agent.secrets = Secrets({"bearer_token": "s3cret-t0ken"})
        agent.save()
        make_scenarios()
        run = battles()
        play()
    found = only(run)
    assert (found.blame, found.error_code) == ("agent_transport", "remote_refusal")
    assert "refused with status 422" in found.error_message
    assert '"detail": "unknown\\n channel"' in found.error_message
    assert "Bearer ***" in found.error_message
    assert "s3cret" not in found.error_message


def test_a_stream_that_breaks_off_is_the_networks_fault_and_one_that_is_cut_the_agents(tenant):
    def frames(last: str) -> Answer:
        words = '{"choices": [{"delta": {"content": "Hello, I"}}]}'
        return Answer(body=f"data: {words}\n\ndata: {last}\n\n".encode(), content_type="text/event-stream")

    ends = {
        "agent_transport": '{"error": {"message": "Provider disconnected", "code": 502}}',
        "agent_quality": '{"choices": [{"delta": {}, "finish_reason": "length"}]}',
    }
    make_scenarios()
    for blame, last in ends.items():
        answer = frames(last)
        with LoopbackServer(lambda _, answer=answer: answer) as server:  # type: ignore[misc]
            make_agent(name=blame, kind="http", address=server.url, preset="chat", body={"stream": True})
            run = battles(agent=blame)
            play()
        found = only(run)
        assert (found.status, found.blame) == ("failed", blame)
        assert ("Provider disconnected" in found.error_message) is (blame == "agent_transport")
    assert "cut off at its own limit" in found.error_message

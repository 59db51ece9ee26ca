"""Battles and replays against the example agent over real A2A, and what the offline rules make of them."""

from apps.catalog.models import Scenario
from apps.evaluations.figures.queries.results import count_states
from apps.evaluations.judging.services.completion import finish_evaluations
from apps.evaluations.judging.services.enqueue import enqueue_judgements
from apps.evaluations.requests.services.creating import request_evaluation
from apps.runs.models import Turn
from apps.runs.playing.services import control
from tests.catalog.samples import add_persona
from tests.evaluations.bench import judge, make_config
from tests.runs.stage import (
    NOW,
    battles,
    make_agent,
    make_golden,
    make_scenarios,
    of,
    only,
    play,
    replays,
    said,
    status,
)


def test_battles_with_the_example_agent_are_played_and_judged(tenant, booking_agent):
    make_agent(kind="a2a", address=booking_agent, timeout_s=30)
    make_scenarios(2, opening="Hello, how much is braiding?")
    speaks = add_persona("asha", language="sw")
    Scenario.objects.filter(slug="s1").update(persona=speaks, language="sw", opening="Habari, bei ya kusuka ni ngapi?")
    run = battles(max_turns=12)
    asked = request_evaluation(config=make_config(), run_id=run, now=NOW)
    play()
    control.finish_runs(now=NOW)
    assert status(run) == "completed"
    for conversation in of(run):
        roles = [role for role, content in said(conversation, "user", "assistant") if content]
        assert roles[:4] == ["user", "assistant"] * 2
        assert conversation.session["context_id"]
        latencies = conversation.turns.filter(role="assistant").exclude(content="").values_list("latency_ms", flat=True)
        assert all(value is not None for value in latencies)
    assert "KES" in said(of(run)[0], "assistant")[-1][1] or any("KES" in text for _, text in said(of(run)[0]))
    enqueue_judgements(now=NOW)
    judge()
    assert finish_evaluations(now=NOW) == [asked.evaluation_id]
    assert count_states(asked.evaluation_id)["scored"] == 2


def test_a_replay_with_the_example_agent_says_the_golden_words_in_one_context(tenant, booking_agent):
    make_agent(kind="a2a", address=booking_agent, timeout_s=30)
    lines = ("Hi, I want a manicure.", "x", "Friday please", "y", "At ten", "z")
    run = replays(make_golden("g", *lines), repeats=2)
    play()
    for conversation in of(run):
        assert conversation.status == "ended"
        assert [text for _, text in said(conversation, "user")] == list(lines[::2])
    contexts = {conversation.session["context_id"] for conversation in of(run)}
    assert len(contexts) == 2


def test_an_agent_that_is_not_there_any_more_is_blamed_on_transport(tenant):
    make_agent(kind="a2a", address="http://127.0.0.1:10/", timeout_s=5)
    make_scenarios()
    run = battles()
    play()
    assert (only(run).status, only(run).blame) == ("failed", "agent_transport")
    assert not Turn.objects.filter(role="assistant").exists()

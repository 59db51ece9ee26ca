"""Battles and replays: what is said, what is kept, and whose fault it is when they fail."""

import json
from datetime import timedelta
from itertools import pairwise

import pgtrigger
import pytest

from apps.budgets.models import ModelCall
from apps.catalog.models import Agent, Persona, Scenario
from apps.core.errors import BadInput
from apps.evaluations.judging.services.completion import finish_evaluations
from apps.evaluations.judging.services.enqueue import enqueue_judgements
from apps.evaluations.models import Judgement
from apps.evaluations.requests.services.creating import request_evaluation
from apps.runs.domain.counting import counting_of
from apps.runs.models import Conversation, TestRun, Turn
from apps.runs.playing.services import control
from tests.evaluations.bench import judge, make_config
from tests.loopback import formats
from tests.loopback.http_server import Answer, LoopbackServer, Request
from tests.runs.stage import (
    NOW,
    Clock,
    approve_golden,
    battles,
    customer,
    make_agent,
    make_golden,
    make_scenarios,
    make_work,
    of,
    only,
    play,
    replays,
    said,
    status,
)

STUB = {"provider": "stub", "model": "stub-model"}


def by_model(*messages: tuple[str, bool]) -> list[Answer]:
    return [formats.answer("openai", text, model="stub-model") for text in customer(*messages)]


# --- To the end -------------------------------------------------------------------------------------------------------
def test_a_battle_against_a_scripted_agent_is_played_to_its_end(tenant):
    make_agent()
    make_scenarios()
    run = battles()
    assert status(run) == "pending"
    play()
    control.finish_runs(now=NOW)
    conversation = only(run)
    assert (conversation.status, conversation.blame, status(run)) == ("ended", None, "completed")
    turns = said(conversation)
    assert turns[0] == ("user", "Hi, a haircut please.")
    assert turns[-1] == ("assistant", "Booked. Goodbye!")
    assert [role for role, _ in turns] == ["user", "assistant"] * 3
    assert list(conversation.turns.order_by("position").values_list("position", flat=True)) == list(range(6))


def test_tool_calls_an_agent_shows_are_kept_with_their_results(tenant):
    call = {"id": "k1", "name": "free_slots", "arguments": {"day": "Friday"}, "result": ["10:00"]}
    make_agent({"text": "At ten.", "tool_calls": [call], "ended": True})
    make_scenarios()
    run = battles()
    play()
    turns = list(Turn.objects.filter(conversation=only(run)).order_by("position"))
    assert [turn.role for turn in turns] == ["user", "assistant", "tool", "assistant"]
    assert turns[1].tool_calls == [{"id": "k1", "name": "free_slots", "arguments": {"day": "Friday"}}]
    assert (turns[2].tool_call_id, turns[2].content) == ("k1", '["10:00"]')


def test_a_battle_ends_when_the_customer_has_taken_leave_and_was_answered(tenant, simulator):
    make_agent("One?", "Two?", "Goodbye.", "Never said.")
    make_scenarios()
    simulator.script(*by_model(("Ten please", False), ("Thanks, bye", True)))
    run = battles(simulator=STUB)
    play()
    assert said(only(run))[-2:] == [("user", "Thanks, bye"), ("assistant", "Goodbye.")]


def test_a_customer_who_leaves_without_a_word_ends_the_battle(tenant, simulator):
    make_agent("One?", "Two?")
    make_scenarios()
    simulator.text = '{"message": "", "done": true}'
    run = battles(simulator=STUB)
    play()
    assert (only(run).status, len(simulator.requests)) == ("ended", 1)
    assert said(only(run))[-1] == ("assistant", "One?")


def test_a_customer_who_never_says_anything_is_the_simulators_fault(tenant, simulator):
    make_agent()
    make_scenarios(opening="")
    simulator.text = '{"message": "", "done": true}'
    run = battles(simulator=STUB)
    play()
    assert (only(run).status, only(run).blame) == ("failed", "simulator")


def test_without_an_opening_the_simulator_speaks_first(tenant, simulator):
    make_agent({"text": "Bye", "ended": True})
    make_scenarios(opening="")
    run = battles(simulator=STUB)
    play()
    assert said(only(run)) == [("user", "And then?"), ("assistant", "Bye")]


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_a_battle_holds_at_most_max_turns(tenant, simulator, limit):
    make_agent(*["Go on."] * 30)
    make_scenarios()
    run = battles(simulator=STUB, max_turns=limit)
    play()
    assert (only(run).status, len(said(only(run)))) == ("ended", limit)


def test_repeats_play_each_scenario_again_with_another_seed(tenant):
    make_agent()
    make_scenarios(2)
    run = battles(repeats=3)
    found = of(run)
    assert [row.external_id for row in found] == ["s0#0", "s1#0", "s0#1", "s1#1", "s0#2", "s1#2"]
    assert sorted({row.spec["seed"] for row in found}) == [0, 1, 2]
    play()
    control.finish_runs(now=NOW)
    assert status(run) == "completed"


def test_battles_of_a_run_start_apart_as_the_stagger_says(tenant):
    make_agent()
    make_scenarios(4)
    run = battles(stagger_s=(5, 10))
    play(Clock(), concurrency=4)
    check_apart(run)


@pytest.mark.parametrize("concurrency", [1, 3])
def test_every_battle_starts_apart_and_not_only_those_claimed_together(tenant, concurrency):
    make_agent()
    make_scenarios(10)
    run = battles(stagger_s=(5, 10))
    play(Clock(), concurrency=concurrency)
    assert {one.status for one in of(run)} == {"ended"}
    check_apart(run)


def test_battles_of_all_runs_and_workers_of_an_agent_start_apart(tenant):
    make_agent()
    make_scenarios(2)
    runs = [battles(stagger_s=(5, 10)), battles(stagger_s=(5, 10))]
    clock = Clock()
    while clock.seconds < 60:  # a worker after the other, each leaves before the next start is due
        play(clock())
        clock.sleep(1)
    check_apart(*runs)


def test_another_agents_battles_wait_for_nobody(tenant):
    make_agent()
    make_agent(name="other")
    make_scenarios()
    runs = [battles(stagger_s=(5, 10)), battles(agent="other", stagger_s=(5, 10))]
    play()
    assert [only(run).status for run in runs] == ["ended", "ended"]


def check_apart(*runs):
    rows = [one for run in runs for one in of(run)]
    starts = sorted(one.started_at for one in rows if one.started_at)
    assert len(starts) == len(rows)
    assert all(5 <= (later - before).total_seconds() <= 11 for before, later in pairwise(starts))


def test_an_agents_own_stagger_goes_before_the_tenants(tenant):
    make_agent()
    Agent.objects.update(stagger_min_s=1, stagger_max_s=2)
    make_scenarios()
    assert TestRun.objects.get(pk=battles(stagger_s=(5, 10))).plan["stagger_s"] == [1, 2]


# --- The plan is frozen -----------------------------------------------------------------------------------------------
def test_editing_the_catalog_later_changes_nothing_that_was_planned(tenant):
    make_agent({"text": "As planned.", "ended": True})
    make_scenarios()
    run = battles()
    Agent.objects.update(options={"replies": [{"text": "Edited.", "ended": True}]}, kind="http", address="http://x/")
    Persona.objects.update(text="Somebody else.", status="pending_validation")
    Scenario.objects.update(opening="Edited.", goal="Edited.")
    play()
    assert said(only(run)) == [("user", "Hi, a haircut please."), ("assistant", "As planned.")]
    assert only(run).spec["persona"] == "Likes it short."


@pytest.mark.parametrize("state", ["pending_validation", "rejected", "archived"])
def test_a_persona_that_is_not_validated_may_not_play(tenant, state):
    make_agent()
    make_scenarios(status=state)
    with pytest.raises(BadInput) as refused:
        battles()
    assert refused.value.code == "persona_not_eligible"
    assert refused.value.extra["status_now"] == state
    assert not TestRun.objects.exists()


def test_an_overridden_persona_may_play(tenant):
    make_agent()
    make_scenarios(status="approved_override")
    assert battles()


@pytest.mark.parametrize(
    "wrong, code",
    [
        ({"agent": "nobody"}, "unknown_agent"),
        ({"scenarios": ["s0", "nothing"]}, "unknown_scenarios"),
        ({"scenarios": []}, "invalid"),
        ({"personas": ["nobody"]}, "unknown_personas"),
        ({"repeats": 0}, "invalid"),
        ({"repeats": 51}, "invalid"),
        ({"max_turns": 401}, "invalid"),
    ],
)
def test_a_run_that_cannot_be_planned_stores_nothing(tenant, wrong, code):
    make_agent()
    make_scenarios()
    with pytest.raises(BadInput) as refused:
        battles(**wrong)
    assert refused.value.code == code
    assert (TestRun.objects.count(), Conversation.objects.count()) == (0, 0)


# --- Replays ----------------------------------------------------------------------------------------------------------
def test_a_replay_says_exactly_the_users_turns(tenant):
    make_agent("One.", "Two.", "Three.", "Never said.")
    lines = ("Habari 😀", "Hi", "  at 10:00  ", "Which?", "the same\nagain", "Done.")
    run = replays(make_golden("g1", *lines))
    play()
    assert [text for _, text in said(only(run), "user")] == [lines[0], lines[2], lines[4]]
    assert [text for _, text in said(only(run), "assistant")] == ["One.", "Two.", "Three."]


def test_a_replay_stops_when_the_agent_closes_the_conversation(tenant):
    make_agent({"text": "Closed.", "ended": True})
    run = replays(make_golden("g1", "One", "x", "Two", "y"))
    play()
    assert said(only(run)) == [("user", "One"), ("assistant", "Closed.")]


def test_a_golden_session_without_user_turns_cannot_be_replayed(tenant):
    make_agent()
    body = {"id": "g", "turns": [{"role": "assistant", "content": "Hi"}]}
    approve_golden("g", body)
    with pytest.raises(BadInput) as refused:
        replays("g")
    assert refused.value.code == "no_user_turns"
    assert not TestRun.objects.exists()


# --- Whose fault ------------------------------------------------------------------------------------------------------
def test_an_agent_that_is_down_fails_by_transport_and_is_not_judged(tenant):
    make_agent(kind="http", address="http://127.0.0.1:10/")
    make_scenarios()
    run = battles()
    asked = request_evaluation(config=make_config(), run_id=run, now=NOW)
    play()
    control.finish_runs(now=NOW)
    conversation = only(run)
    assert (conversation.status, conversation.blame, status(run)) == ("failed", "agent_transport", "failed")
    enqueue_judgements(now=NOW)
    judge()
    finish_evaluations(now=NOW)
    found = Judgement.objects.get(evaluation=asked.evaluation_id)
    assert (found.status, found.weighted_score, found.error_code) == ("not_judged", None, "conversation_failed")


@pytest.mark.parametrize("failure", ["unreachable", "remote_failure", "bad_reply", "remote_refusal"])
def test_every_failure_on_the_way_to_an_agent_is_blamed_on_its_transport(tenant, failure):
    make_agent("Hello?", {"fail": failure, "text": "no"})
    make_scenarios()
    run = battles()
    play()
    found = only(run)
    assert (found.status, found.blame, found.error_code) == ("failed", "agent_transport", failure)
    assert said(found, "assistant") == [("assistant", "Hello?")]


def test_an_agent_that_is_too_slow_times_out(tenant):
    make_agent({"text": "late", "delay_s": 5}, timeout_s=0.1)
    make_scenarios()
    run = battles()
    play()
    assert (only(run).status, only(run).blame) == ("timeout", "agent_transport")


@pytest.mark.parametrize("fault, blame, why", [
    ("500", "platform", "It failed through no fault of the agent."),
    ("prose", "simulator", "The simulated customer was at fault."),
])  # fmt: skip
def test_a_customer_whose_model_does_not_answer_is_not_at_fault_and_paid_calls_are_kept(
    tenant, simulator, fault, blame, why
):
    make_agent("Hello?", "Yes?")
    make_scenarios()
    simulator.script(*[fault] * 3)
    run = battles(simulator=STUB)
    play()
    row = only(run)
    assert (row.status, row.blame) == ("failed", blame)
    assert counting_of(status=row.status, blame=row.blame, simulator_verdict=row.simulator_verdict).why == why
    calls = ModelCall.objects.filter(run_id=run, conversation_id=only(run).id)
    assert calls.count() == len(simulator.requests)
    assert set(calls.values_list("purpose", flat=True)) == {"simulator"}


def test_a_plan_that_cannot_be_played_fails_its_conversations_and_no_other_run(tenant, simulator):
    make_agent()
    make_scenarios()
    broken = battles(simulator={"provider": "gone", "model": "x"})
    good = battles()
    play()
    assert (only(broken).status, only(broken).blame, only(broken).error_code) == (
        "failed",
        "platform",
        "unknown_provider",
    )
    assert only(good).status == "ended"


@pytest.mark.parametrize(
    "broken",
    [{"max_turns": "many"}, {"persona": 7}, {"golden": 7}, {"script": 7}, {"language": None, "goal": 7}],
    ids=str,
)
def test_a_conversation_whose_row_is_broken_fails_alone_with_its_reason(tenant, simulator, broken):
    make_agent()
    make_scenarios(3)
    run = battles(simulator={"provider": "stub", "model": "gpt-4o"})
    row = Conversation.objects.get(run_id=run, position=1)
    with pgtrigger.ignore("runs.Conversation:only_fit_personas_play"):
        Conversation.objects.filter(pk=row.pk).update(spec={**row.spec, **broken})
    play()
    rows = of(run)
    assert [one.status for one in rows if one.pk != row.pk] == ["ended", "ended"]
    row.refresh_from_db()
    assert row.status in ("failed", "ended")
    assert row.status == "ended" or (row.blame, bool(row.error_message)) == ("platform", True)


def test_one_failed_battle_does_not_fail_the_run(tenant):
    make_agent({"fail": "unreachable"}, name="down")
    make_agent()
    make_scenarios(2)
    run = battles()
    Conversation.objects.filter(run_id=run, position=0).update(status="failed", blame="agent_transport")
    play()
    control.finish_runs(now=NOW)
    assert status(run) == "completed"


@pytest.mark.parametrize("poison", ["\x00", "\ud800"])
def test_odd_characters_in_an_agents_answer_are_kept_as_replacement_marks(tenant, poison):
    body = {
        "reply": f"Yes{poison}!",
        "tools": [{"id": "k", "name": f"look{poison}", "args": {f"a{poison}": f"{poison}"}, "result": poison}],
    }
    with LoopbackServer(lambda _: Answer(body=json.dumps(body).encode())) as server:
        make_agent(kind="http", address=server.url, tool_calls="$.tools[*]")
        make_scenarios(2)
        run = battles(max_turns=2)
        play()
    for row in of(run):
        assert (row.status, said(row)[-1]) == ("ended", ("assistant", "Yes\ufffd!"))


@pytest.mark.parametrize("poison", ["\x00", "\ud800"])
def test_odd_characters_in_an_agents_error_stop_no_lane(tenant, poison):
    with LoopbackServer(lambda _: Answer(status=500, body=poison.encode("utf-8", "surrogatepass"))) as server:
        make_agent(kind="http", address=server.url)
        make_scenarios()
        run = battles()
        play()
    assert only(run).status == "failed"


@pytest.mark.parametrize("own, status_", [(0.2, "timeout"), (60.0, "ended")])
def test_how_long_an_agent_may_take_is_its_own_timeout_and_not_the_workers_heartbeat(tenant, own, status_):
    make_agent({"text": "late", "delay_s": 0.6, "ended": True}, timeout_s=own)
    make_scenarios()
    run = battles()
    play(work=make_work(lease=timedelta(seconds=0.3)), heartbeat_s=0.1)
    assert only(run).status == status_


def test_a_pattern_stands_for_the_scenarios_that_may_play(tenant):
    make_agent()
    make_scenarios(3)
    Scenario.objects.filter(slug="s2").update(status="draft")
    assert [row.external_id for row in of(battles(scenarios=["s*", "s1"]))] == ["s0", "s1"]
    with pytest.raises(BadInput) as refused:
        battles(scenarios=["x*"])
    assert refused.value.code == "unknown_scenarios"


def test_a_reasoning_model_plays_a_customer_and_its_thoughts_stay_its_own(tenant, simulator):
    make_agent("One?", "Two?", {"text": "Booked.", "ended": True})
    make_scenarios()
    first = (
        '<think>My {persona} wants "time": {"a": 1}.</think>\n{"message": "<think>soft</think>At ten.", "done": false}'
    )
    second = '{"message": "Yes. So send message \\"yes\\".", "done": false, "reason": ""}'
    third = '{"message": "Yes.", "done": false, "reason": ""}'
    simulator.script(*(formats.answer("openai", text, model="stub-model") for text in (first, second, third)))
    run = battles(simulator=STUB)
    play()
    assert [text for role, text in said(only(run)) if role == "user"][1:] == ["At ten.", "Yes."]


def test_a_customer_who_speaks_of_its_task_twice_ends_the_battle_as_the_simulators(tenant, simulator):
    make_agent("One?", "Two?")
    make_scenarios()
    simulator.text = '{"message": "We have developer instructions to buy.", "done": false, "reason": ""}'
    run = battles(simulator=STUB)
    play()
    failed = only(run)
    assert (failed.status, failed.blame, failed.error_code) == ("failed", "simulator", "simulator_reply")
    assert [text for role, text in said(failed) if role == "user"] == ["Hi, a haircut please."]


def test_half_a_character_of_the_customers_is_replaced_in_what_is_sent_and_stored(tenant, simulator):
    sent: list[str] = []

    def agent(request: Request) -> Answer:
        sent.append(json.loads(request.body)["messages"][-1]["content"])
        return Answer(body=b'{"choices": [{"message": {"content": "Yes?"}}]}')

    make_scenarios()
    simulator.text = '{"message": "Friday \\ud83d please", "done": false, "reason": ""}'
    with LoopbackServer(agent) as server:
        make_agent(kind="http", address=server.url, preset="chat")
        run = battles(simulator=STUB, max_turns=4)
        play()
    assert (only(run).status, only(run).blame) == ("ended", None)
    assert sent[1] == "Friday \ufffd please"
    assert ("user", sent[1]) in said(only(run))


@pytest.mark.parametrize("bye, answer", [("Thank you, bye!", "Goodbye!"), ("Asante, kwaheri!", "Kwaheri!")])
def test_two_who_say_goodbye_do_not_go_on_for_ever(tenant, simulator, bye, answer):
    make_agent("Which day?", "At ten?", answer, *["Goodbye!"] * 20)
    make_scenarios()
    simulator.script(*by_model(("Friday", False), (bye, False), *[("Bye bye!", False)] * 20))
    run = battles(simulator=STUB, max_turns=20)
    play()
    assert (only(run).status, only(run).end_reason) == ("ended", "customer_left")
    assert len(said(only(run))) == 6

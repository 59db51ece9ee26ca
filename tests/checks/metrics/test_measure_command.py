"""`measure`: the brief's YAML over a run, judged on loopback in three wire formats, paid for and kept."""

import json
from decimal import Decimal
from io import StringIO
from pathlib import Path

import pgtrigger
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from apps.budgets.domain.scopes import Scope, ScopeKind, month_of
from apps.budgets.models import ModelCall, Reservation
from apps.budgets.services.limits import set_limit
from apps.catalog.connections.services.storing import save_agent, save_model_provider
from apps.catalog.models import Scenario
from apps.core.document_parsing import parse_document
from apps.runs.imports.services.importing import import_documents
from apps.runs.models import Conversation, TestRun
from apps.runs.playing.services.starting import start_battles
from apps.tenants.models import Tenant
from tests.catalog.samples import add_persona
from tests.checks.metrics.bench import FACTS, TURNS, LoopbackJudge
from tests.evaluations.bench import NOW
from tests.loopback import formats

SEED = """\
id: spa_booking_swahili_happy
language: sw # gates SwahiliFluencyMetric
assertions:
- metric: SwahiliFluencyMetric
  threshold: 0.80
- metric: BookingSlotConsistencyMetric # language-agnostic
  threshold: 1.0
"""
ALL = "assertions:\n" + "".join(
    f"- metric: {name}\n  threshold: 0.5\n"
    for name in (
        "SwahiliFluencyMetric", "BookingSlotConsistencyMetric", "GlossarySourceMetric", "KnowledgeRetentionMetric",
        "ConversationCompletenessMetric", "RoleAdherenceMetric", "HallucinationMetric",
    )
)  # fmt: skip
BOOKED = (
    {"role": "user", "content": "Nataka nafasi kesho saa nne"},
    {"role": "assistant", "content": "", "tool_calls": [
        {"id": "1", "name": "book_slot", "arguments": {"start": "2026-11-22T10:00"}}]},
    {"role": "tool", "tool_call_id": "1", "content": '{"ok": true, "start": "2026-11-22T10:00:00+03:00"}'},
    {"role": "assistant", "content": "Sawa, nimeweka booking yako kesho saa nne asubuhi. Karibu sana!"},
)  # fmt: skip


def run_of(*turns, id="spa_booking_swahili_happy", language="sw"):
    more = {"language": language} if language else {}
    documents = [parse_document({"id": id, "turns": list(turns), **more})]
    return import_documents(documents=documents, name="r", triggered_by="tests", now=NOW)


@pytest.fixture
def measure(tenant, tmp_path, settings):
    settings.PROJECT_DIR = tmp_path

    def call(run, yaml=SEED, *options):
        path = Path(tmp_path) / "metrics.yaml"
        path.write_text(yaml)
        out = StringIO()
        asked = ["--metrics", str(path)] if yaml else []
        arguments = ["measure", "--tenant", tenant, "--run", str(run), *asked, "--json", *options]
        try:
            call_command(*arguments, stdout=out, stderr=StringIO())
        except CommandError as error:
            return error.returncode, {"error": str(error)}
        except SystemExit as error:
            return error.code, json.loads(out.getvalue())
        return 0, json.loads(out.getvalue())

    return call


@pytest.fixture
def judge(tenant):
    with (one := LoopbackJudge()).server:
        judged_by(tenant, "openai", one)
        yield one
        Tenant.objects.filter(slug=tenant).update(settings={})


MODELS = {"openai": "gpt-4o", "anthropic": "claude-sonnet-4-5", "google": "gemini-2.5-flash"}


def judged_by(tenant: str, kind: str, judge: LoopbackJudge) -> None:
    save_model_provider(
        name=kind, kind=kind, base_url=judge.base_url(kind), api_key="not-a-key", options={"price_provider": kind}
    )
    models = {"judge": {"provider": kind, "model": MODELS[kind]}}
    Tenant.objects.filter(slug=tenant).update(settings={"models": models})


@pytest.mark.parametrize(
    "yaml, said",
    [
        ("assertions:\n- metric: SwahiliFluencyMetrics\n", "line 2: there is no metric"),
        ("assertions:\n- metric: SwahiliFluencyMetric\n  threshold: 80\n", "line 3: /assertions/0/threshold: 80"),
        ("id: another\nassertions: []\n", "plays the scenario 'another'"),
        ("assertions: [\n", "not YAML"),
    ],
)
def test_a_file_that_asks_for_what_is_not_there_is_exit_2_with_its_line(measure, judge, yaml, said):
    code, found = measure(run_of(*TURNS), yaml)
    assert (code, said in found["error"]) == (2, True), found


def test_without_a_model_facts_decide_and_the_rest_is_unmeasurable(measure):
    code, found = measure(run_of(*BOOKED))
    fluency, slots = found["results"]
    assert (code, found["judge"], found["verdict"]) == (3, None, "unmeasurable")
    assert (slots["outcome"], slots["score"], slots["calls"]) == ("pass", 1.0, 0)
    assert (fluency["outcome"], fluency["score"], fluency["error"]) == ("unmeasurable", None, "no_judge")
    assert "offline rules do not answer" in fluency["reason"]
    assert ModelCall.objects.count() == 0


def test_without_a_model_a_fluency_nobody_named_is_skipped_and_facts_pass(measure):
    code, found = measure(run_of(*BOOKED), "- metric: BookingSlotConsistencyMetric\n")
    assert code == 0
    assert {row["metric"]: row["outcome"] for row in found["results"]} == {
        "BookingSlotConsistencyMetric": "pass",
        "SwahiliFluencyMetric": "skipped",
    }


def test_the_seeds_file_is_measured_as_it_is_and_language_brings_the_metric(measure, judge):
    code, found = measure(run_of(*BOOKED))
    assert (code, found["verdict"], found["scale"]) == (0, "pass", "0-1")
    fluency, slots = found["results"]
    assert (fluency["metric"], fluency["score"], fluency["threshold"], fluency["passed"]) == (
        "SwahiliFluencyMetric", 0.9, 0.8, True,
    )  # fmt: skip
    assert (slots["score"], slots["calls"], judge.kinds) == (1.0, 0, ["score"])


def test_a_score_below_its_line_is_exit_1(measure, judge):
    judge.says = lambda kind: {"reason": "stiff", "score": 7}
    code, found = measure(run_of(*BOOKED))
    assert (code, found["results"][0]["outcome"], found["results"][0]["score"]) == (1, "fail", 0.7)


@pytest.mark.parametrize("kind", ["anthropic", "openai", "google"])
def test_every_metric_runs_on_every_provider_with_its_cost_in_the_ledger(measure, judge, tenant, kind):
    judged_by(tenant, kind, judge)
    save_agent(
        name="front", kind="http", address="http://127.0.0.1:10",
        profile={"identity": {"role": "Front desk"}, "known_facts": list(FACTS)},
    )  # fmt: skip
    code, found = measure(run_of(*TURNS), ALL, "--agent", "front")
    assert code == 0, [row for row in found["results"] if row["outcome"] != "pass"]
    assert {row["metric"] for row in found["results"]} == {line.split()[-1] for line in ALL.splitlines()[1::2]}
    calls = ModelCall.objects.all()
    assert calls.count() == found["calls"] == len(judge.kinds) == 12
    assert set(calls.values_list("purpose", "outcome", "cached")) == {("metric", "ok", False)}
    spent = sum(calls.values_list("cost_usd", flat=True))
    assert spent > 0
    assert Decimal(str(found["cost_usd"])) == spent
    assert found["results"][0]["judge"].endswith(MODELS[kind])


def test_asked_again_it_costs_nothing_and_says_so(measure, judge):
    run = run_of(*TURNS)
    _, first = measure(run, SEED)
    asked = len(judge.kinds)
    _, found = measure(run, SEED)
    assert (len(judge.kinds), found["calls"], found["cached"], found["cost_usd"]) == (asked, 0, 2, 0)
    assert [row["score"] for row in found["results"]] == [row["score"] for row in first["results"]]
    rows = ModelCall.objects.filter(cached=True)
    assert (rows.count(), set(rows.values_list("cost_usd", flat=True))) == (2, {Decimal(0)})
    assert all(saved > 0 for saved in rows.values_list("saved_usd", flat=True))


def test_the_options_ask_again_and_the_line_is_no_part_of_the_key(measure, judge):
    run = run_of(*TURNS)
    measure(run)
    asked = len(judge.kinds)
    measure(run, SEED, "--no-deepeval-cache")
    assert len(judge.kinds) == 2 * asked
    measure(run, SEED, "--deepeval-cache-clear")
    assert len(judge.kinds) == 3 * asked
    code, found = measure(run, SEED.replace("0.80", "0.95"))
    assert (len(judge.kinds), code, found["results"][0]["outcome"]) == (3 * asked, 1, "fail")


def test_another_answer_of_the_agent_is_measured_anew(measure, judge):
    measure(run_of(*TURNS))
    asked = len(judge.kinds)
    other = [*TURNS[:-1], {"role": "assistant", "content": "Sawa, nimeweka booking yako kesho saa tano. Asante!"}]
    _, found = measure(run_of(*other))
    assert (found["cached"], len(judge.kinds)) == (0, 2 * asked)


def test_a_damaged_entry_is_asked_again(measure, judge, tmp_path):
    run = run_of(*TURNS)
    measure(run)
    asked = len(judge.kinds)
    for path in (tmp_path / ".deepeval-cache").rglob("*.json"):
        path.write_bytes(path.read_bytes()[:-5])
    _, found = measure(run)
    assert (found["cached"], len(judge.kinds)) == (0, 2 * asked)


def test_what_is_kept_holds_no_phone_number_and_no_transcript(measure, judge, tmp_path):
    judge.says = lambda kind: {"reason": "it reads back 0712345678 of wanjiku@example.com", "score": 9}
    turns = [*TURNS, {"role": "user", "content": "Simu yangu ni 0712345678, siri-ya-mteja"}]
    _, found = measure(run_of(*turns))
    kept = "".join(path.read_text() for path in (tmp_path / ".deepeval-cache").rglob("*.json"))
    assert kept
    for secret in ("0712345678", "wanjiku@example.com", "siri-ya-mteja"):
        assert secret not in kept
        assert secret not in json.dumps(found)


def test_a_spent_budget_is_unmeasurable_and_nobody_is_asked(measure, judge):
    set_limit(scope=month_of(NOW), usd=Decimal(0))
    from django.utils import timezone  # noqa: PLC0415 - the command reads the clock

    set_limit(scope=month_of(timezone.now()), usd=Decimal("0.000001"))
    code, found = measure(run_of(*TURNS))
    assert (code, found["results"][0]["error"], judge.kinds) == (3, "budget_spent", [])


def test_an_unknown_verdict_is_no_pass(measure, judge):
    judge.says = lambda kind: {"verdict": "idk", "reason": "?"} if kind == "verdict" else {"intentions": ["book"]}
    code, found = measure(run_of(*TURNS), "fluency: off\nassertions:\n- metric: ConversationCompletenessMetric\n")
    assert (code, found["results"][0]["score"], found["results"][0]["error"]) == (3, None, "bad_answer")
    assert judge.kinds == ["intentions", "verdict", "verdict"]
    assert ModelCall.objects.count() == 3


def test_without_a_file_the_scenarios_own_assertions_count(measure, judge):
    run = run_of(*BOOKED)
    assert measure(run, "")[0] == 2
    Conversation.objects.filter(run_id=run).update(
        spec={"scenario": "spa", "assertions": [{"metric": "BookingSlotConsistencyMetric", "threshold": 1.0}]}
    )
    code, found = measure(run, "")
    assert (code, {row["metric"]: row["attached"] for row in found["results"]}) == (
        0, {"BookingSlotConsistencyMetric": False, "SwahiliFluencyMetric": True},
    )  # fmt: skip
    Conversation.objects.filter(run_id=run).update(spec={"scenario": "spa", "assertions": [{"metric": "Nonsense"}]})
    code, found = measure(run, "")
    assert (code, "no metric 'Nonsense'" in found["error"]) == (2, True)


def test_a_battle_freezes_what_its_scenarios_assert(tenant):
    asserted = [{"metric": "SwahiliFluencyMetric", "threshold": 0.8}]
    persona = add_persona("p-1", language="sw")
    Scenario.objects.create(slug="s-1", persona=persona, goal="book", opening="Niaje", assertions=asserted)
    save_agent(name="played", kind="http", address="http://127.0.0.1:10")
    run = start_battles(
        agent="played", scenarios=["s-1"], personas=None, repeats=1, max_turns=4, seed=1, stagger_s=(0, 0),
        simulator={"provider": "offline", "model": "offline-rules"}, triggered_by="tests", now=NOW,
    )  # fmt: skip
    assert Conversation.objects.get(run_id=run).spec["assertions"] == asserted


def test_a_pull_requests_budget_pays_for_its_run(measure, judge):
    run = run_of(*TURNS)
    with pgtrigger.ignore("runs.TestRun:plan_is_frozen"):
        TestRun.objects.filter(pk=run).update(plan={"pull_request": "acme/shop#7"})
    set_limit(scope=Scope(ScopeKind.PULL_REQUEST, "acme/shop#7"), usd=Decimal("0.000001"))
    code, found = measure(run)
    assert (code, found["results"][0]["error"]) == (3, "budget_spent")
    assert "acme/shop#7" in found["results"][0]["reason"]
    set_limit(scope=Scope(ScopeKind.PULL_REQUEST, "acme/shop#7"), usd=Decimal(5))
    measure(run)
    assert set(ModelCall.objects.values_list("pull_request", flat=True)) == {"acme/shop#7"}
    assert not Reservation.objects.exists()


def test_a_provider_that_limits_us_is_waited_for_and_one_that_is_down_is_unmeasurable(measure, judge):
    judge.steps = [formats.error("openai", 429, "slow down", headers={"retry-after": "0"})]
    _, found = measure(run_of(*TURNS))
    assert {row["error"] for row in found["results"]} == {""}
    assert set(ModelCall.objects.values_list("outcome", flat=True)) == {"ok", "rate_limited"}
    judge.steps = [formats.error("openai", 500, "down")] * 6
    code, found = measure(run_of(*TURNS), SEED, "--no-deepeval-cache")
    assert (code, {row["error"] for row in found["results"]}) == (3, {"model_error"})
    assert "down" in found["results"][0]["reason"]

"""Before a run starts: its name, what it plays, what it will probably cost, and a confirmation above the limit."""

import uuid
from decimal import Decimal

import pytest

from apps.core.errors import BadInput
from apps.dashboard.results.domain.start_request import read_start
from apps.tenants.context import in_tenant
from tests.catalog.samples import NOW
from tests.dashboard.conftest import signed_in
from tests.dashboard.test_pages import text_of
from tests.dashboard.test_starting import runs, stocked  # noqa: F401 - a fixture

BATTLE = {"kind": "battle", "agent": "desk"}


def started():
    from apps.runs.models import TestRun  # noqa: PLC0415 - apps are loaded by pytest-django

    with in_tenant("acme"):
        run = TestRun.objects.order_by("-id").first()
        return run.name, sorted(run.conversations.values_list("external_id", flat=True))


def paid(usd, *, n=4, provider="google", model="gemini-2.5-flash"):
    """An earlier run of the agent whose simulated customers cost this much each."""
    from apps.budgets.models import ModelCall  # noqa: PLC0415 - see started
    from apps.catalog.models import Agent  # noqa: PLC0415 - see started
    from apps.runs.models import TestRun  # noqa: PLC0415 - see started
    from apps.tenants.services import update_workflow_config  # noqa: PLC0415 - see started

    with in_tenant("acme"):
        run = TestRun.objects.create(kind="battle", name="before", agent=Agent.objects.get(name="desk"), plan={})
        for _ in range(n):
            ModelCall.objects.create(
                purpose="simulator", provider=provider, requested_model=model, model=model, outcome="ok",
                input_tokens=1000, output_tokens=100, cost_usd=None if usd is None else Decimal(str(usd)),
                run_id=run.pk, conversation_id=uuid.uuid4(),
            )  # fmt: skip
    choice = {"provider": provider, "model": model}
    update_workflow_config(slug="acme", changes={"models": {"simulator": choice}})


@pytest.fixture
def keyed(stocked):  # noqa: F811
    from apps.catalog.connections.services.storing import save_model_provider  # noqa: PLC0415 - see started

    with in_tenant("acme"):
        save_model_provider(name="google", kind="google", api_key="k" * 20)


def test_a_run_has_the_name_one_gives_it(owner, stocked):  # noqa: F811
    owner.post("/runs/start/", BATTLE | {"name": "  Friday  evening "})
    assert started()[0] == "Friday evening"
    owner.post("/runs/start/", BATTLE)
    assert started()[0] == "battle of desk"
    assert "at most 200 characters" in text_of(owner.post("/runs/start/", BATTLE | {"name": "x" * 201}))
    assert len(runs()) == 2  # nothing is left of the refused one


def test_ticked_personas_play_each_scenario(owner, stocked):  # noqa: F811
    from apps.catalog.models import Persona  # noqa: PLC0415 - see started

    with in_tenant("acme"):
        names = list(Persona.objects.filter(may_play=True).values_list("name", flat=True))
    assert names
    for name in names:
        assert f'name="persona" value="{name}"' in owner.get("/runs/start/").content.decode()
    shown = text_of(owner.post("/runs/start/forecast/", BATTLE | {"persona": names, "repeats": "3"}))
    assert f"1 scenario × {len(names)} persona" in shown
    assert f"{3 * len(names)} conversations" in shown
    owner.post("/runs/start/", BATTLE | {"persona": names, "repeats": "3"})
    assert len(started()[1]) == 3 * len(names)
    assert "×" in started()[1][0]


def test_offline_rules_cost_nothing_and_a_first_run_is_unknown(owner, stocked, keyed):  # noqa: F811
    offline = {"models": {"simulator": {"provider": "offline", "model": "offline-rules"}}}
    from apps.tenants.services import update_workflow_config  # noqa: PLC0415 - see started

    update_workflow_config(slug="acme", changes=offline)
    shown = text_of(owner.post("/runs/start/forecast/", BATTLE))
    assert "1 conversation 1 scenario, each with its own persona" in shown
    assert "about $0.00" in shown
    google = {"models": {"simulator": {"provider": "google", "model": "gemini-2.5-flash"}}}
    update_workflow_config(slug="acme", changes=google)
    shown = text_of(owner.post("/runs/start/forecast/", BATTLE))
    assert "cost unknown" in shown
    assert "nothing like it was done yet" in shown


def test_a_forecast_above_the_limit_is_confirmed_first_and_only_for_what_was_shown(owner, stocked, keyed):  # noqa: F811
    paid(0.5)
    shown = text_of(owner.post("/runs/start/forecast/", BATTLE | {"repeats": "4"}))
    assert "about $2.00" in shown
    assert "from 4 earlier conversations" in shown
    many = BATTLE | {"repeats": "40"}
    before = len(runs())
    asked = owner.post("/runs/start/", many)
    assert "This run will probably cost $20.00, more than $10.00" in text_of(asked)
    assert 'name="confirmed" value="20.0"' in asked.content.decode()
    assert len(runs()) == before
    assert "$20.00" in text_of(owner.post("/runs/start/", many | {"confirmed": "15"}))
    assert "$20.00" in text_of(owner.post("/runs/start/", many | {"confirmed": "nan"}))
    assert len(runs()) == before
    assert owner.post("/runs/start/", many | {"confirmed": "20.0"}).status_code == 302
    assert len(runs()) == before + 1


def test_a_cost_that_nobody_knows_is_confirmed_first(owner, stocked, keyed):  # noqa: F811
    paid(None)
    assert "no price is known for google/gemini-2.5-flash" in text_of(owner.post("/runs/start/forecast/", BATTLE))
    before = len(runs())
    asked = owner.post("/runs/start/", BATTLE)
    assert "Nobody knows what it will cost; it may be more than $10" in text_of(asked)
    assert "Start at an unknown cost" in text_of(asked)
    assert owner.post("/runs/start/", BATTLE | {"confirmed": "1000"}).status_code == 200
    assert len(runs()) == before
    assert owner.post("/runs/start/", BATTLE | {"confirmed": "unknown"}).status_code == 302
    assert len(runs()) == before + 1


def test_the_limit_is_a_setting_and_none_never_asks(owner, stocked, keyed):  # noqa: F811
    from apps.tenants.services import update_workflow_config  # noqa: PLC0415 - see started

    paid(100)
    update_workflow_config(slug="acme", changes={"confirm_run_usd": None})
    assert owner.post("/runs/start/", BATTLE).status_code == 302


def test_who_may_not_start_runs_gets_no_forecast(stocked):  # noqa: F811
    viewer = signed_in("viewer", "view_testrun", "view_agent")
    assert viewer.post("/runs/start/forecast/", BATTLE).status_code == 403
    assert signed_in("amos", superuser=True).get("/runs/start/forecast/").status_code == 405


@pytest.mark.parametrize("field, value", [("repeats", "0"), ("repeats", "²"), ("max_turns", "many")])
def test_wrong_fields_are_named(field, value):
    from django.http import QueryDict  # noqa: PLC0415 - see started

    with pytest.raises(BadInput) as found:
        read_start(QueryDict(f"{field}={value}"), may_judge=True)
    assert found.value.pointer == f"/{field}"


def test_the_same_question_by_commands_and_the_api(stocked, keyed):  # noqa: F811
    from apps.evaluations.requests.queries.cost_forecast import run_forecast  # noqa: PLC0415 - see started

    paid(0.25)
    with in_tenant("acme"):
        found = run_forecast(kind="battle", agent="desk", config="", conversations=8).as_json()
    assert (found["conversations"], found["cost_usd"]) == (8, 2.0)
    assert NOW


def test_who_plays_and_how_long_it_takes_is_said_before_the_start(owner, stocked):  # noqa: F811
    from apps.catalog.models import Scenario  # noqa: PLC0415 - see started

    with in_tenant("acme"):
        plays = Scenario.objects.playable().filter(persona__may_play=True)
        persona, count = plays.first().persona.name, plays.count()
    shown = text_of(owner.post("/runs/start/forecast/", BATTLE | {"repeats": "3", "persona": persona}))
    assert "1 simulated customer" in shown
    assert persona in shown
    assert "Plays for an unknown time: none was played with these models yet" in shown
    each = text_of(owner.post("/runs/start/forecast/", BATTLE | {"repeats": "2"}))
    assert f"{2 * count} conversations" in each


def test_scenarios_are_chosen_by_what_they_are_called_like(owner, stocked):  # noqa: F811
    from apps.catalog.models import Scenario  # noqa: PLC0415 - see started

    with in_tenant("acme"):
        slug = Scenario.objects.playable().filter(persona__may_play=True).order_by("slug")[0].slug
    like = BATTLE | {"pattern": f"{slug[:-1]}*"}
    assert "1 conversation " in text_of(owner.post("/runs/start/forecast/", like))
    assert "is called like" in text_of(owner.post("/runs/start/", BATTLE | {"pattern": "nobody*"}))
    assert runs() == []
    owner.post("/runs/start/", like)
    assert started()[1] == [slug]


def test_a_battle_is_played_from_a_turn_by_who_may_start_runs(owner, stocked):  # noqa: F811
    from apps.runs.models import Conversation, Turn  # noqa: PLC0415 - see started

    owner.post("/runs/start/", BATTLE)
    with in_tenant("acme"):
        row = Conversation.objects.latest("id")
        for position, text in enumerate(("<b>Hi</b>", "Hello", "Friday")):
            Turn.objects.create(
                conversation=row, attempt=row.attempt, position=position, content=text,
                role=("user", "assistant")[position % 2],
            )  # fmt: skip
        Conversation.objects.filter(pk=row.pk).update(status="ended", ended_at=NOW)
    viewer = signed_in("juma", "view_conversation", "view_testrun")
    page, address = f"/conversations/{row.pk}/", f"/conversations/{row.pk}/from-turn/"
    assert "Play from a turn" in text_of(owner.get(page))
    assert "Play from a turn" not in text_of(viewer.get(page))
    assert viewer.post(address, {"turn": "1", "repeats": "1"}).status_code == 403
    before = len(runs())
    for wrong in ({"turn": "x"}, {"turn": "1", "repeats": "999"}, {"turn": "0"}, {"turn": "²"}):
        assert owner.post(address, {"repeats": "1"} | wrong)["location"] == page
    assert len(runs()) == before
    answer = owner.post(address, {"turn": "2", "repeats": "1"})
    assert answer["location"].startswith("/runs/")
    assert len(runs()) == before + 1

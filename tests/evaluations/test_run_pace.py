"""How long a run takes is told from runs with the same models, or not at all."""

from apps.catalog.connections.services.storing import save_model_provider
from apps.evaluations.requests.queries.run_pace import past_pace, run_time
from apps.runs.domain.states import Kind
from apps.tenants.context import current_slug
from apps.tenants.services import update_workflow_config
from tests.runs.stage import battles, make_agent, make_scenarios, play


def test_what_rules_played_in_no_time_says_nothing_of_a_model(tenant):
    make_agent("Hello?", "Yes?")
    make_scenarios(2)
    battles()
    play()
    assert past_pace("bot").sample == 2
    assert "from 2 earlier conversations" in run_time(kind=Kind.BATTLE, agent="bot", conversations=2).sentence
    save_model_provider(name="local", kind="openai", base_url="http://127.0.0.1:10/v1", api_key="none")
    update_workflow_config(
        slug=current_slug(), changes={"models": {"simulator": {"provider": "local", "model": "small"}}}
    )
    assert past_pace("bot").sample == 0
    told = run_time(kind=Kind.BATTLE, agent="bot", conversations=2)
    assert told.sentence == "an unknown time: none was played with these models yet"
    assert told.known_minutes is None

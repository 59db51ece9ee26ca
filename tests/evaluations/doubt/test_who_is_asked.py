"""Who gives a second opinion: the version's choice, the tenant's, or the defaults whose keys are there."""

import pytest

from apps.connectors.llms.registry import key_variable
from apps.evaluations.models import Evaluation
from apps.evaluations.requests.services.creating import request_evaluation
from tests.evaluations.bench import NOW, imported, make_config


@pytest.fixture
def keys(settings):
    """Sets the platform's keys for one test."""

    def give(*providers: str) -> None:
        settings.MODEL_KEYS = {key_variable(provider): "a-key" for provider in providers}
        settings.OPENAI_BASE_URL = ""

    return give


def asked(**parameters) -> Evaluation:
    """An evaluation by the default judge."""
    from apps.catalog.configs.services.versions import create_draft, publish  # noqa: PLC0415 - apps are loaded by then

    make_config()  # its criteria
    version = create_draft(
        config="by-default",
        content={"criteria": {"core": [], "domain": ["first"], "weights": {}}, "parameters": parameters},
    )
    publish(version_id=version, at=NOW, by="tests")
    return Evaluation.objects.get(
        pk=request_evaluation(config="by-default", run_id=imported("c-1"), now=NOW).evaluation_id
    )


def seats(evaluation: Evaluation) -> dict[str, str]:
    return {role: model["provider"] for role, model in evaluation.snapshot["llm_config"].items()}


def test_without_any_key_the_offline_rules_judge_alone_and_nobody_warns_of_it(tenant, keys):
    keys()
    evaluation = asked()
    assert seats(evaluation) == {"judge": "offline"}
    assert evaluation.options == {"missing_counts": True}


def test_with_one_key_there_is_no_second_opinion(tenant, keys):
    keys("google")
    evaluation = asked()
    assert seats(evaluation) == {"judge": "google"}
    assert evaluation.options["warnings"][0]["code"] == "no_second_opinion"


def test_with_two_keys_the_other_checks_and_the_third_seat_is_another_model(tenant, keys):
    keys("google", "openai")
    evaluation = asked()
    assert seats(evaluation) == {"judge": "google", "cross_check": "openai", "panel": "google"}
    models = {model["model"] for model in evaluation.snapshot["llm_config"].values()}
    assert len(models) == 3
    assert evaluation.options == {"fallback_in_mean": True, "missing_counts": True, "cross_check_share": 0.1}


def test_with_three_keys_each_seat_is_another_provider(tenant, keys):
    keys("google", "openai", "anthropic")
    assert seats(asked()) == {"judge": "google", "cross_check": "openai", "panel": "anthropic"}


def test_a_version_may_want_nobody_else(tenant, keys, settings_of):
    keys("google", "openai", "anthropic")
    settings_of(cross_check_share=0)
    evaluation = asked(panel="off")
    assert seats(evaluation) == {"judge": "google"}
    assert evaluation.options == {"fallback_in_mean": True, "missing_counts": True}


def test_who_judges_on_a_server_of_their_own_sends_nothing_elsewhere(tenant, keys, three):
    """The platform's keys must not carry a tenant's conversations to a provider nobody there chose."""
    keys("google", "openai", "anthropic")
    config = three.config(roles=("judge",))
    found = request_evaluation(config=config, run_id=imported("c-1"), now=NOW)
    assert set(Evaluation.objects.get(pk=found.evaluation_id).snapshot["llm_config"]) == {"judge"}


def test_the_tenants_choice_comes_before_the_defaults(tenant, keys, settings_of):
    keys("google", "openai", "anthropic")
    choice = {"provider": "anthropic", "model": "claude-haiku-4-5"}
    settings_of(models={"cross_check": choice})
    evaluation = asked()
    assert evaluation.snapshot["llm_config"]["cross_check"]["model"] == "claude-haiku-4-5"
    assert seats(evaluation)["panel"] == "openai"

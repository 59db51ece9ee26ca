"""A tenant's settings: the specification's numbers by default, and a refusal that names the field."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.core.errors import BadInput
from apps.tenants import queries, services
from apps.tenants.domain.workflow_config import CROSS_CHECK_OPTIONS, JUDGE_OPTIONS, ModelChoice, WorkflowConfig


def test_the_defaults_are_the_specifications():
    config = WorkflowConfig()
    assert (config.max_concurrent_battles, config.battle_stagger_s, config.heartbeat_timeout_s) == (3, (5.0, 10.0), 60)
    assert (config.persona_threshold, config.max_optimization_rounds, config.regression_block_points) == (7.0, 3, 1.0)
    assert (config.budget_pull_request_usd, config.budget_month_usd, config.budget_warn_share) == (20.0, 300.0, 0.8)
    assert (config.cross_check_share, config.kappa_target, config.watchdog_minutes) == (0.1, 0.7, 30)
    flash = ModelChoice(
        provider="google", model="gemini-2.5-flash", fallback=ModelChoice(provider="google", model="gemini-2.0-flash")
    )
    assert config.models["judge"] == config.models["analyzer"] == flash
    assert "claude-opus-4-7" in {one.model for one in JUDGE_OPTIONS}
    assert "gpt-4o" in {one.model for one in CROSS_CHECK_OPTIONS}


@pytest.mark.parametrize(
    "stored, pointer",
    [
        ({"max_battles": 3}, "/max_battles"),
        ({"max_concurrent_battles": "3"}, "/max_concurrent_battles"),
        ({"max_concurrent_battles": True}, "/max_concurrent_battles"),
        ({"max_concurrent_battles": 0}, "/max_concurrent_battles"),
        ({"max_concurrent_battles": 2.5}, "/max_concurrent_battles"),
        ({"max_concurrent_battles": None}, "/max_concurrent_battles"),
        ({"pass_mark": 10.1}, "/pass_mark"),
        ({"pass_mark": float("nan")}, "/pass_mark"),
        ({"pass_mark": float("inf")}, "/pass_mark"),
        ({"max_concurrent_battles": float("inf")}, "/max_concurrent_battles"),
        ({"budget_month_usd": -1}, "/budget_month_usd"),
        ({"battle_stagger_s": [10, 5]}, "/battle_stagger_s"),
        ({"battle_stagger_s": 5}, "/battle_stagger_s"),
        ({"battle_stagger_s": [5, "x"]}, "/battle_stagger_s/1"),
        ({"certificate_rule": "hope"}, "/certificate_rule"),
        ({"certificate_min_items": 1}, "/certificate_min_items"),
        ({"calibration_owner": 7}, "/calibration_owner"),
        ({"calibration_scale": "1-50"}, "/calibration_scale"),
        ({"calibration_scale": "5-1"}, "/calibration_scale"),
        ({"models": {"juge": {}}}, "/models/juge"),
        ({"models": {"judge": {"provider": "a\nb", "model": "m"}}}, "/models/judge/provider"),
        ({"models": {"judge": {"provider": "google", "model": " "}}}, "/models/judge/model"),
        ({"models": {"judge": {"provider": "google", "model": "m", "temp": 1}}}, "/models/judge/temp"),
        (
            {"models": {"judge": {"provider": "google", "model": "m", "fallback": {"provider": "openai", "model": 3}}}},
            "/models/judge/fallback/model",
        ),
    ],
)
def test_a_refusal_names_the_field(stored, pointer):
    with pytest.raises(BadInput) as refused:
        WorkflowConfig.from_json(stored)
    assert refused.value.pointer == pointer


def test_a_fallback_of_a_fallback_is_refused():
    third = {"provider": "google", "model": "c"}
    chain = {"provider": "google", "model": "a", "fallback": {"provider": "google", "model": "b", "fallback": third}}
    with pytest.raises(BadInput, match="no fallback of its own"):
        WorkflowConfig.from_json({"models": {"judge": chain}})


def test_a_fallback_in_the_short_form_is_the_same_providers():
    judge = {"provider": "google", "model": "gemini-2.5-flash", "fallback": "gemini-2.0-flash"}
    assert WorkflowConfig.from_json({"models": {"judge": judge}}) == WorkflowConfig()


@given(
    st.integers(1, 100),
    st.floats(0, 10),
    st.floats(0, 1),
    st.one_of(st.none(), st.floats(0, 1e6)),
    st.floats(0, 9),
)
def test_what_is_written_is_read_back(battles, mark, share, month, low):
    config = WorkflowConfig.from_json(
        {
            "max_concurrent_battles": battles,
            "pass_mark": mark,
            "cross_check_share": share,
            "budget_month_usd": month,
            "battle_stagger_s": [low, low + 1],
            "models": {"judge": {"provider": "openai", "model": "gpt-4", "fallback": "gpt-4o"}},
        }
    )
    assert WorkflowConfig.from_json(config.as_json()) == config
    assert WorkflowConfig.from_json(config.changed()) == config
    assert set(config.changed()["models"]) == {"judge"}, "roles that nobody changed are left out"


def test_a_change_is_kept_and_the_rest_stays(db):
    services.update_workflow_config(slug="acme", changes={"pass_mark": 7})
    services.update_workflow_config(slug="acme", changes={"kappa_target": 0.8})
    config = queries.workflow_config("acme")
    assert (config.pass_mark, config.kappa_target, config.max_concurrent_battles) == (7.0, 0.8, 3)
    assert queries.find_tenant("acme").settings == {"pass_mark": 7.0, "kappa_target": 0.8}
    assert queries.workflow_config("beta") == WorkflowConfig()


def test_one_wrong_change_changes_nothing(db):
    with pytest.raises(BadInput):
        services.update_workflow_config(slug="acme", changes={"pass_mark": 7, "kappa_target": 2})
    assert queries.workflow_config("acme") == WorkflowConfig()

"""A tenant that chooses one model has chosen one model: the other roles keep the defaults in force."""

from apps.tenants.queries import tenant_models, workflow_config
from apps.tenants.services import update_workflow_config

OPUS = {"provider": "anthropic", "model": "claude-opus-4-7"}
FLASH = {"provider": "google", "model": "gemini-2.5-flash", "fallback": "gemini-2.0-flash"}


def test_choosing_the_judge_does_not_choose_the_simulator(db):
    update_workflow_config(slug="acme", changes={"models": {"judge": OPUS}})
    assert tenant_models("acme") == {"judge"}
    update_workflow_config(slug="acme", changes={"max_concurrent_battles": 5})
    assert tenant_models("acme") == {"judge"}
    assert workflow_config("acme").models["judge"].model == "claude-opus-4-7"


def test_a_choice_that_happens_to_be_the_default_is_a_choice(db):
    update_workflow_config(slug="acme", changes={"models": {"judge": FLASH}})
    assert tenant_models("acme") == {"judge"}

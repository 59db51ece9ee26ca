"""Which models an evaluation uses: the version's own, else the tenant's, else the first default that has a key."""

from dataclasses import replace

from django.conf import settings

from apps.catalog.domain.snapshots import ConfigSnapshot, RoleModel
from apps.catalog.queries import providers_that_answer
from apps.tenants.context import current_slug
from apps.tenants.domain.workflow_config import JUDGE_OPTIONS, ModelChoice
from apps.tenants.queries import tenant_models, workflow_config

OFFLINE = RoleModel(provider="offline", model="offline-rules")


def with_models_in_force(snapshot: ConfigSnapshot) -> ConfigSnapshot:
    """The snapshot with a model for every role it needs. No query for a version that names its judge, else two.

    A model that the version or the tenant names is used as it is, key or no key: what was configured is never replaced
    by the offline rules in silence. Where nobody named one, the seeds' defaults serve in their order as far as their
    keys are there; without any key the offline rules answer, and say so.
    """
    roles = dict(snapshot.llm_config)
    roles["judge"] = roles.get("judge") or model_in_force("judge")
    return replace(snapshot, llm_config=roles)


def model_in_force(role: str) -> RoleModel:
    """The tenant's model for a role that nothing more specific names. Two queries."""
    slug = current_slug()
    if role in tenant_models(slug):
        return _role_model(workflow_config(slug).models[role])
    answering = providers_that_answer([choice.provider for choice in JUDGE_OPTIONS])
    for choice in JUDGE_OPTIONS:
        if choice.provider == "vertex" and not settings.GOOGLE_APPLICATION_CREDENTIALS:
            continue  # the machine's own account may be there, but nobody asked for it to be used
        if choice.provider in answering:
            return _role_model(choice)
    return OFFLINE


def _role_model(choice: ModelChoice) -> RoleModel:
    fallback = _role_model(choice.fallback) if choice.fallback else None
    return RoleModel(provider=choice.provider, model=choice.model, fallback=fallback)

"""Choose the models that judge, and read how the judge did on conversations with known answers.

The version's own model judges, else the tenant's, else the first default that has a key.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.conf import settings

from apps.catalog.configs.domain.judge_qualification import judge_digest
from apps.catalog.configs.domain.snapshots import ConfigSnapshot, RoleModel
from apps.catalog.configs.models import EvaluatorConfigVersion, JudgeCheck
from apps.catalog.configs.queries.versions import content_of
from apps.catalog.connections.queries.providers import providers_that_answer, server_identity
from apps.core.errors import BadInput
from apps.tenants.context import current_slug
from apps.tenants.domain.workflow_config import JUDGE_OPTIONS, ModelChoice
from apps.tenants.queries import tenant_models, workflow_config

OFFLINE = RoleModel(provider="offline", model="offline-rules")


def with_models_in_force(snapshot: ConfigSnapshot) -> ConfigSnapshot:
    """The snapshot with a model for every role it needs. No query for a version that names its judge, else two.

    A model that the version or the tenant names is used as it is, key or no key: what was configured is never replaced
    by the offline rules in silence. Where nobody named one, the briefs' defaults serve in their order as far as their
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


def simulator_reviewer(simulator: RoleModel) -> RoleModel | None:
    """Return the model that says whether this simulated customer played its part.

    It is the first of validator, judge and cross-check that is neither the customer's own model (or its fallback) nor
    the offline rules: a model does not find its own faults. None without one. Two queries a role.
    """
    own = {(one.provider, one.model) for one in (simulator, simulator.fallback) if one is not None}
    for role in ("validator", "judge", "cross_check"):
        model = model_in_force(role)
        if model.provider == OFFLINE.provider or (model.provider, model.model) in own:
            continue
        behind = model.fallback
        same = behind is not None and (behind.provider, behind.model) in own
        return replace(model, fallback=None) if same else model
    return None


def _role_model(choice: ModelChoice) -> RoleModel:
    fallback = _role_model(choice.fallback) if choice.fallback else None
    return RoleModel(provider=choice.provider, model=choice.model, fallback=fallback)


def check_of(row: EvaluatorConfigVersion) -> JudgeCheck | None:
    """Return the newest check of the judge that this version would ask now; None where there is none.

    It may have been made for any version of any config. Three queries, two more for a version that names no judge.
    """
    content = content_of(row)
    judge = content.models().get("judge") or model_in_force("judge")
    return check_of_judge(judge, template=content.system_prompt_template, parameters=content.settings())


def check_of_judge(judge: RoleModel, *, template: str, parameters: Mapping[str, Any]) -> JudgeCheck | None:
    """The newest check of this judge: server, model, prompt and parameters. Two queries."""
    digest = digest_of_judge(judge, template=template, parameters=parameters)
    check: JudgeCheck | None = JudgeCheck.objects.filter(judge_digest=digest).order_by("-created_at").first()
    return check


def digest_of_judge(judge: RoleModel, *, template: str, parameters: Mapping[str, Any]) -> str:
    """The digest of a judge, to which its check is bound. A provider that cannot be asked now counts by its name. One
    query."""
    try:
        server = server_identity(judge.provider, judge.options)
    except BadInput:
        server = {"provider": judge.provider}
    return judge_digest(server=server, model=judge.model, template=template, parameters=parameters)

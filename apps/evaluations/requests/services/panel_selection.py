"""Choose the models that give a second opinion, frozen when an evaluation is asked for (docs/adr/0068)."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from apps.catalog.configs.domain.judging_rules import JudgingRules, PanelRule
from apps.catalog.configs.domain.snapshots import ConfigSnapshot, RoleModel
from apps.catalog.connections.queries.providers import providers_that_answer
from apps.connectors.llms.registry import provider_names
from apps.core.conversation import ConversationDocument
from apps.core.errors import BadInput
from apps.evaluations.domain.self_preference import Kinship, family, kinship
from apps.evaluations.domain.warnings import ResultWarning, WarningCode
from apps.runs.domain.run_plan import RunPlan
from apps.runs.models import Conversation
from apps.tenants.context import current_slug
from apps.tenants.domain.workflow_config import CROSS_CHECK_OPTIONS, JUDGE_OPTIONS, ModelChoice, WorkflowConfig
from apps.tenants.queries import find_tenant

SECOND = ("cross_check", "panel")
ALONE = ResultWarning(
    code=WarningCode.NO_SECOND_OPINION,
    text="no second opinion: only one provider is in force, so nothing is cross-checked and no panel is asked",
)
ALONE_NO_PANEL = ResultWarning(
    code=WarningCode.NO_PANEL,
    text="no panel: fewer than three judges are in force, so a failing score is one judge's alone",
)
GENERATOR = "generator_model"  # the label of an imported conversation that says which model spoke as the agent


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectedJudges:
    """The snapshot with its second judges, and what the evaluation's `options` keep of the choice."""

    snapshot: ConfigSnapshot
    options: Mapping[str, Any] = field(default_factory=dict)


def with_second_judges(snapshot: ConfigSnapshot) -> SelectedJudges:
    """Give the judge a cross-check by another provider and two more for a panel, as far as they are in force.

    The version's roles `cross_check` and `panel` come first, then the tenant's, then the defaults whose keys are there;
    these last only where the judge itself is a built-in provider: who judges with a server of their own has not asked
    for conversations to be sent elsewhere. No query for the offline rules, else two.
    """
    judge = snapshot.llm_config["judge"]
    if judge.provider == "offline":
        return SelectedJudges(snapshot=snapshot)
    rules = JudgingRules.of(snapshot.parameters)
    stored = find_tenant(current_slug()).settings
    settings = WorkflowConfig.from_json(stored)
    named = {role: model for role in SECOND if (model := _named(role, snapshot, settings, stored))}
    roles = _panel_judges(judge, named, _defaults(judge) if len(named) < len(SECOND) else [])
    wants_panel = rules.panel is not PanelRule.OFF
    if not wants_panel:
        roles.pop("panel", None)
    share = settings.cross_check_share if "cross_check" in roles else 0.0
    warnings = []
    if "cross_check" not in roles and (wants_panel or settings.cross_check_share > 0):
        warnings.append(ALONE)
    elif wants_panel and "panel" not in roles:
        warnings.append(ALONE_NO_PANEL)
    if not share and not (wants_panel and "panel" in roles):
        roles = {}
    llm_config = {role: model for role, model in snapshot.llm_config.items() if role not in SECOND}
    return SelectedJudges(
        snapshot=replace(snapshot, llm_config={**llm_config, **roles}),
        options={
            **({"cross_check_share": share} if share else {}),
            **({"warnings": [warning.as_json() for warning in warnings]} if warnings else {}),
        },
    )


def refuse_self_judging(chosen: SelectedJudges, *, generators: Iterable[str], simulator: str = "") -> SelectedJudges:
    """Refuse a judge that is the model that spoke as the agent, unless `allow_same_model` says so.

    Raises BadInput (`judge_is_generator`). The same family, and a simulated customer played by the judge, are warned
    of.

    `generators` are the models that agent, run or conversations declare. Pure.
    """
    judge = chosen.snapshot.llm_config["judge"].model
    allowed = JudgingRules.of(chosen.snapshot.parameters).allow_same_model
    generators = sorted({one for one in generators if one})
    for generator in generators:
        if kinship(judge, generator) is Kinship.SAME and not allowed:
            raise BadInput(
                f"The judge ({judge}) is the model that spoke as the agent ({generator}): a model rates its own words "
                "too well. Choose another judge, or set allow_same_model in the version's parameters.",
                code="judge_is_generator",
                pointer="/evaluator_config",
            )
    warnings = _kin_warnings(chosen.snapshot.llm_config["judge"], generators, simulator)
    if not warnings:
        return chosen
    stored = [*chosen.options.get("warnings", []), *(warning.as_json() for warning in warnings)]
    return replace(chosen, options={**chosen.options, "warnings": stored})


def _kin_warnings(judge: RoleModel, generators: Sequence[str], simulator: str) -> list[ResultWarning]:
    """Warn where the judge, or the model behind it, is or resembles the model whose words it judges."""
    warnings = []
    for generator in generators:
        kin = kinship(judge.model, generator)
        if kin is Kinship.SAME:
            text = f"the judge is the model that spoke as the agent ({generator}): it may favour itself"
            warnings.append(ResultWarning(code=WarningCode.JUDGE_IS_GENERATOR, text=text, names=(generator,)))
        elif kin is Kinship.FAMILY:
            name = family(judge.model)
            text = f"judge and agent are of one family ({name}): it may favour its own kind"
            warnings.append(ResultWarning(code=WarningCode.JUDGE_OF_ONE_FAMILY, text=text, names=(name,)))
    behind = judge.fallback
    for generator in generators:
        if behind is not None and kinship(behind.model, generator) is Kinship.SAME:
            text = f"the fallback judge is the model that spoke as the agent ({generator})"
            warnings.append(ResultWarning(code=WarningCode.FALLBACK_IS_GENERATOR, text=text, names=(generator,)))
    if simulator and kinship(judge.model, simulator) is Kinship.SAME:
        text = f"the judge also played the customers ({simulator})"
        warnings.append(ResultWarning(code=WarningCode.JUDGE_IS_SIMULATOR, text=text, names=(simulator,)))
    return warnings


def generators_of_plan(plan: RunPlan) -> list[str]:
    """The model an agent declares: `model` in its options or profile."""
    options = plan.agent.own.options if plan.agent else {}
    return [str(place["model"]) for place in (options, plan.agent_profile) if _has(place)]


def generators_of_documents(documents: Sequence[ConversationDocument]) -> set[str]:
    """The models that conversations name in their label `generator_model`."""
    return {
        str(document.labels[GENERATOR]) for document in documents if isinstance(document.labels.get(GENERATOR), str)
    }


def generators_of_run(run_id: uuid.UUID) -> set[str]:
    """The models that the conversations of a run name in their label `generator_model`: how they were brought in makes
    no difference. One query."""
    named = Conversation.objects.filter(run_id=run_id).values_list(f"labels__{GENERATOR}", flat=True)
    return {one for one in named.order_by().distinct() if isinstance(one, str)}


def _has(place: Any) -> bool:
    return isinstance(place, Mapping) and isinstance(place.get("model"), str)


def _named(
    role: str, snapshot: ConfigSnapshot, settings: WorkflowConfig, stored: Mapping[str, Any]
) -> RoleModel | None:
    if role in snapshot.llm_config:
        return snapshot.llm_config[role]
    if role in stored.get("models", {}):
        return _role_model(settings.models[role])
    return None


def _defaults(judge: RoleModel) -> list[RoleModel]:
    """The defaults whose keys are there, and the models behind them; none for a judge on a server of one's own."""
    if judge.provider not in provider_names():
        return []
    options = [one for one in (*CROSS_CHECK_OPTIONS, *JUDGE_OPTIONS) if one.provider != "vertex"]
    answering = providers_that_answer({option.provider for option in options})
    models = [_role_model(option) for option in options if option.provider in answering]
    behind = [_role_model(option.fallback) for option in options if option.fallback and option.provider in answering]
    return [*models, *behind]


def _panel_judges(
    judge: RoleModel, named: Mapping[str, RoleModel], defaults: Sequence[RoleModel]
) -> dict[str, RoleModel]:
    """Cross-check: another provider than the judge's. Panel: a third model, of a third provider where there is one."""
    panel_judges = dict(named)
    if "cross_check" not in panel_judges:
        second = next((default for default in defaults if default.provider != judge.provider), None)
        if second is not None:
            panel_judges["cross_check"] = second
    if "panel" not in panel_judges and "cross_check" in panel_judges:
        members = [judge, panel_judges["cross_check"]]
        free = [default for default in defaults if all(default.model != other.model for other in members)]
        third = [default for default in free if all(default.provider != other.provider for other in members)]
        if free:
            panel_judges["panel"] = (third or free)[0]
    if "cross_check" not in panel_judges:
        panel_judges.pop("panel", None)
    return {role: replace(model, fallback=None) for role, model in panel_judges.items()}


def _role_model(choice: ModelChoice) -> RoleModel:
    return RoleModel(provider=choice.provider, model=choice.model)

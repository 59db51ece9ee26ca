"""Ask for an optimization: what it would take, and the row that owes it."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from apps.budgets.domain.scopes import ScopeKind
from apps.budgets.queries.limits import limits_in_force
from apps.budgets.services.limits import declare_limit
from apps.catalog.configs.queries.versions import resolve_config
from apps.catalog.models import PromptLine
from apps.core.documents import as_json
from apps.core.errors import BadInput, Conflict
from apps.core.events import EventType, log_event
from apps.evaluations.domain.states import EVALUATION_TERMINAL
from apps.evaluations.figures.queries.results import find_evaluation
from apps.evaluations.models import Evaluation
from apps.improvement.analysis.queries.analyses import prompt_of_run
from apps.improvement.domain.acceptance import LEAST_FAMILIES
from apps.improvement.domain.optimization_states import DraftPlace
from apps.improvement.drafts.domain.rounds import refuse_round
from apps.improvement.drafts.domain.trial_choices import MAX_REPEATS, TrialChoices
from apps.improvement.drafts.queries.documents import find_draft, find_line
from apps.improvement.drafts.queries.families import hold_out_set
from apps.improvement.drafts.queries.lineage import round_of_new_draft
from apps.improvement.drafts.services.placing_families import place_new_families
from apps.improvement.drafts.services.requesting_trials import agent_of, forecast_trial, playable_scenarios
from apps.improvement.holdout.domain.parts import Part
from apps.improvement.holdout.queries.sealing import refuse_sealed
from apps.improvement.optimizer.domain.choices import OptimizationChoices
from apps.improvement.optimizer.domain.forecast import OptimizationForecast
from apps.improvement.optimizer.domain.modes import OptimizationMode, mode_named
from apps.improvement.optimizer.domain.proposer_rules import proposer_warnings
from apps.improvement.optimizer.domain.reflective_rules import MAX_PLAYS
from apps.improvement.optimizer.models import Optimization
from apps.improvement.optimizer.services.drafts import add_draft
from apps.improvement.optimizer.services.requesting_proposals import proposer_of
from apps.improvement.prompt_templates.domain.texts import ANALYZER_PURPOSES, reason_language
from apps.improvement.prompt_templates.queries.versions import texts_in_force
from apps.jobs.domain.work_states import FOR_A_WORKER
from apps.tenants.context import current_slug
from apps.tenants.queries import workflow_config

MAX_CONFIGS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimizationPlan:
    """All names found and all refusals said."""

    evaluation: Evaluation
    line: PromptLine
    mode: OptimizationMode
    wanted: int
    agent: str
    configs: Sequence[str]
    round: int
    trial: TrialChoices
    forecast: OptimizationForecast


def plan_optimization(choices: OptimizationChoices, *, now: datetime) -> OptimizationPlan:
    """Plan an optimization: its steps, and its cost and time. Families that have no part yet get one; nothing else is
    stored. Some forty queries, no model call.

    Raises NotFound; BadInput: `unknown_mode`, `bad_drafts`, `unknown_prompt`, `no_model`,
    `nothing_to_play`, and what a trial refuses of its choices; Conflict: `not_ended`, `sealed`, `rounds_spent`,
    `judge_proposes`.
    """
    mode = mode_named(choices.mode)
    to_write = _wanted(choices, mode)
    if not 1 <= choices.repeats <= MAX_REPEATS:
        raise BadInput(f"repeats must be between 1 and {MAX_REPEATS}.", pointer="/repeats")
    evaluation = find_evaluation(choices.evaluation_id)
    if evaluation.status not in EVALUATION_TERMINAL:
        raise Conflict("This evaluation is still being judged: optimize when it has ended.", code="not_ended")
    refuse_sealed([evaluation.pk])
    line = _line(evaluation, choices)
    number = round_of_new_draft(line.live_id)
    if to_write:
        most = workflow_config(current_slug()).max_optimization_rounds
        refuse_round(number, most=most, version=line.live.version)
        judge = evaluation.snapshot["llm_config"]["judge"]
        proposer_warnings(proposer_of(judge), judge, reason=choices.override_reason, by="somebody")
    configs = _configs(choices, evaluation)
    agent = agent_of(line, choices.agent)
    trial = _trial_choices(choices, configs, agent)
    drafts = to_write + len(choices.own_drafts)
    forecast = _forecast(line, trial, agent, mode, to_write, drafts, number, choices, now)
    return OptimizationPlan(
        evaluation=evaluation,
        line=line,
        mode=mode,
        wanted=to_write,
        agent=agent,
        configs=configs,
        round=number,
        trial=trial,
        forecast=forecast,
    )


@transaction.atomic
def request_optimization(choices: OptimizationChoices, *, by: str, now: datetime) -> uuid.UUID:
    """Request an optimization, which workers do step by step; return the id of its row.
    Raises as `plan_optimization`, and Conflict (`optimizing`) while one of this prompt is running."""
    plan = plan_optimization(choices, now=now)
    try:
        with transaction.atomic():
            row = Optimization.objects.create(
                evaluation=plan.evaluation,
                line=plan.line,
                base=plan.line.live,
                mode=plan.mode.name,
                wanted=plan.wanted,
                round=plan.round,
                trial_choices={
                    "evaluator_config": plan.configs[0],
                    "agent": plan.agent,
                    "personas": list(choices.personas),
                    "repeats": choices.repeats,
                    "seed": choices.seed,
                },
                further_configs=list(plan.configs[1:]),
                templates=_templates(plan),
                prove=choices.prove,
                override_reason=choices.override_reason,
                budget_usd=choices.budget_usd,
                forecast=as_json(plan.forecast.document()),
                requested_by=by[:150],
                waiting_for=FOR_A_WORKER,
            )
    except IntegrityError as error:
        message = f"An optimization of {plan.line.name} goes on already: wait for it, or stop it."
        raise Conflict(message, code="optimizing") from error
    for draft in choices.own_drafts:
        add_draft(row, draft, place=DraftPlace.OWN)
    if choices.budget_usd is not None:
        declare_limit(pull_request=row.budget_name, usd=choices.budget_usd)
    log_event(EventType.OPTIMIZATION_REQUESTED, optimization=str(row.pk), mode=row.mode, round=row.round, by=by)
    return uuid.UUID(str(row.pk))


def _templates(plan: OptimizationPlan) -> dict[str, Any]:
    """The texts that will ask its models, as they are now. One query; nothing where no model is asked."""
    if not plan.wanted:
        return {}
    asks = (*ANALYZER_PURPOSES, plan.mode.name) if plan.mode.needs_analysis else (plan.mode.name,)
    return dict(texts_in_force(asks, reason_language(plan.evaluation.snapshot)))


def trial_choices_of(row: Optimization, *, part: Part = Part.SELECTION) -> TrialChoices:
    """Return the choices for the optimization's trials; on the hold-out nothing ends early."""
    return TrialChoices(
        part=part,
        budget_name=row.budget_name,
        further_configs=row.further_configs,
        futility=part is Part.SELECTION,
        **{**row.trial_choices, "personas": tuple(row.trial_choices["personas"])},
    )


def _trial_choices(choices: OptimizationChoices, configs: Sequence[str], agent: str) -> TrialChoices:
    return TrialChoices(
        evaluator_config=configs[0],
        part=Part.SELECTION,
        personas=tuple(choices.personas),
        repeats=choices.repeats,
        seed=choices.seed,
        agent=agent,
    )


def _wanted(choices: OptimizationChoices, mode: OptimizationMode) -> int:
    wanted = choices.drafts
    if wanted is None:
        wanted = 0 if choices.own_drafts else mode.usual
    least = 0 if choices.own_drafts else 1
    if not least <= wanted <= mode.most:
        raise BadInput(
            f"A {mode.name} optimization writes {least} to {mode.most} drafts, not {wanted}.",
            code="bad_drafts",
            pointer="/drafts",
        )
    return wanted


def _line(evaluation: Evaluation, choices: OptimizationChoices) -> PromptLine:
    drafts = [find_draft(own_draft) for own_draft in choices.own_drafts]
    name = choices.name or (drafts[0].line.name if drafts else prompt_of_run(evaluation.run))
    if not name:
        message = "Name the prompt that shall be improved: the judged run played none that is live."
        raise BadInput(message, code="unknown_prompt", pointer="/name")
    line = find_line(name)
    for draft in drafts:
        if draft.line_id != line.pk or draft.base_id != line.live_id:
            message = f"Draft {draft.pk} was not written against {line.live.version}: write it anew."
            raise BadInput(message, code="bad_drafts", pointer="/own_drafts")
    return line


def _configs(choices: OptimizationChoices, evaluation: Evaluation) -> list[str]:
    """The versions that judge, the deciding one first."""
    named = list(dict.fromkeys(choices.evaluator_configs)) or [evaluation.config_ref]
    if len(named) > MAX_CONFIGS:
        message = f"At most {MAX_CONFIGS} evaluator configs judge the same trial."
        raise BadInput(message, code="too_many", pointer="/evaluator_configs")
    return list(dict.fromkeys(resolve_config(one).ref for one in named))


def _forecast(
    line: PromptLine,
    trial: TrialChoices,
    agent: str,
    mode: OptimizationMode,
    wanted: int,
    drafts: int,
    number: int,
    choices: OptimizationChoices,
    now: datetime,
) -> OptimizationForecast:
    place_new_families(now=now)
    families, scenarios = playable_scenarios(trial)
    hold_out = hold_out_set()
    one = forecast_trial(
        line.live.version,
        trial,
        agent=agent,
        sides=2,
        families=families,
        scenarios=scenarios,
        hold_out=hold_out,
        now=now,
    )
    limit = limits_in_force().by_kind[ScopeKind.PULL_REQUEST]
    own = choices.budget_usd
    limits = [value for value in (limit, own) if value is not None]
    return OptimizationForecast(
        trial=one,
        drafts=drafts,
        combined=int(mode.combines and drafts > 1),
        searched=_searched(one.families) + len(choices.own_drafts) if wanted and mode.search else 0,
        questions=wanted + 1 if wanted else 0,
        round=number,
        rounds=workflow_config(current_slug()).max_optimization_rounds,
        limit_usd=float(min(limits)) if limits else None,
        hold_out_families=hold_out.families,
        hold_out_needed=max(0, LEAST_FAMILIES - hold_out.families),
    )


def _searched(families: int) -> int:
    """Return the highest number of a draft's trials that the plays of a search amount to."""
    return -(-MAX_PLAYS // max(1, families))

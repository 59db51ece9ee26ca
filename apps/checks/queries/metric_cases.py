"""Conversations of a run as metrics read them."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from apps.catalog.connections.domain.profile import judging_profile
from apps.catalog.connections.queries.agents import agent_id, agent_snapshot
from apps.checks.domain.language_pick import shares
from apps.checks.metrics.base import Case
from apps.runs.domain.run_plan import RunPlan
from apps.runs.domain.states import ConversationStatus
from apps.runs.goldens.domain.played_scenario import played_scenario
from apps.runs.goldens.domain.replayed import ReplayedConversation
from apps.runs.goldens.queries.replayed import replayed_conversations
from apps.runs.models import Conversation, Turn
from apps.runs.playing.queries.progress import find_run
from apps.runs.prompt_of_conversation import prompt_of, prompts_of


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCase:
    """A case and where it comes from. `assertions` are the scenario's, as frozen when the run started, and
    `attach_fluency` whether it leaves fluency to us; `scenario`, `prompt_version` and `pull_request` (whose budget
    pays) are empty where nobody said."""

    case: Case
    conversation_id: uuid.UUID
    run_id: uuid.UUID
    scenario: str = ""
    assertions: tuple[Mapping[str, Any], ...] = ()
    attach_fluency: bool = True
    prompt_version: str = ""
    pull_request: str = ""


def run_cases(*, run_id: uuid.UUID, agent: str = "") -> tuple[list[RunCase], int]:
    """The conversations that ended, in order, and how many did not. Four queries, two more with `agent`.

    Each is judged by the golden session's own profile, else by that of the run's frozen plan, else by minimal defaults
    with the warning `no_profile`; `agent` names whose profile counts where the plan has none (imported runs). Raises
    NotFound.
    """
    run = find_run(run_id)
    plan = run.frozen_plan
    profile = plan.agent_profile
    if not profile and agent:
        profile = agent_snapshot(agent_id(agent))["profile"]
    rows = list(Conversation.objects.filter(run_id=run.pk).order_by("position"))
    ended = [row for row in rows if row.status == ConversationStatus.ENDED]
    turns = _turns(ended)
    replays = replayed_conversations(ended)
    prompts = prompts_of([row.pk for row in ended])
    cases = [_case(row, turns[row.pk], profile, plan, replays.get(row.pk), prompts[row.pk]) for row in ended]
    return cases, len(rows) - len(ended)


def case_of_conversation(conversation: Conversation) -> RunCase:
    """One conversation, judged by the profile that `run_cases` would take. Two queries where `run` is loaded."""
    plan = conversation.run.frozen_plan
    replay = replayed_conversations([conversation]).get(conversation.pk)
    turns, prompt = _turns([conversation])[conversation.pk], prompt_of(conversation.pk)
    return _case(conversation, turns, plan.agent_profile, plan, replay, prompt)


def _turns(ended: Sequence[Conversation]) -> dict[uuid.UUID, list[dict[str, Any]]]:
    turns: dict[uuid.UUID, list[dict[str, Any]]] = {row.pk: [] for row in ended}
    fields = ("conversation_id", "role", "content", "tool_calls", "tool_call_id", "name", "latency_ms", "extra")
    turn_rows = Turn.objects.transcript().filter(conversation__in=turns).order_by("conversation_id", "position")
    for turn in turn_rows.values(*fields):
        turns[turn.pop("conversation_id")].append(dict(turn))
    return turns


def _case(
    row: Conversation,
    turns: list[dict[str, Any]],
    profile: Mapping[str, Any],
    plan: RunPlan,
    replay: ReplayedConversation | None,
    prompt: str,
) -> RunCase:
    spec, extra = row.spec or {}, row.extra or {}
    judged_by, warning = judging_profile((spec.get("golden") or {}).get("profile"), profile)
    return RunCase(
        case=Case(
            id=row.external_id,
            turns=tuple(turns),
            language=row.language,
            role=judged_by.chatbot_role,
            facts=judged_by.context if not warning else (),
            expected_outcome=judged_by.expected_outcome,
            warnings=(warning,) if warning else (),
            shares=shares(turns, row.language),
            replay=replay,
            scenario=played_scenario(spec, turns, end_reason=row.end_reason, extra=extra),
        ),
        conversation_id=row.pk,
        run_id=row.run_id,
        scenario=str(spec.get("scenario") or ""),
        assertions=tuple(spec.get("assertions") or ()),
        attach_fluency=spec.get("fluency", "auto") == "auto",
        prompt_version=prompt,
        pull_request=plan.pull_request,
    )

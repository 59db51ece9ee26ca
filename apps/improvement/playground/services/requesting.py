"""Ask for answers beside each other: the rows that owe them. Workers ask the agent (playground.services.answering)."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction

from apps.catalog.connections.queries.agents import agent_snapshot, production_addresses, staging_connections
from apps.catalog.domain.states import AgentKind
from apps.catalog.models import Agent, PromptVersion
from apps.catalog.prompts.domain.texts import MAX_PROMPT_CHARS
from apps.connectors.agents.base import AgentSpec
from apps.connectors.agents.registry import agent_for
from apps.core.errors import BadInput, NotFound
from apps.core.events import EventType, log_event
from apps.improvement.holdout.queries.sealing import refuse_sealed
from apps.improvement.playground.domain.answers import (
    OWN_WORDS,
    PlaygroundChoices,
    check_size,
    customer_before,
    lines_from,
)
from apps.improvement.playground.models import Playground, PlaygroundColumn
from apps.improvement.playground.queries.documents import playground_turns
from apps.jobs.domain.work_states import FOR_A_WORKER
from apps.runs.agents.domain.staging import no_staging, over_staging
from apps.runs.models import Conversation


def request_playground(choices: PlaygroundChoices, *, by: str) -> uuid.UUID:
    """Request answers of these prompts and models; return the row's id. Fifteen queries, no model call.

    Raises NotFound; Conflict (`sealed`) for a conversation of a hold-out; BadInput: `nothing_to_compare`, `too_many`,
    `not_a_customers_turn`, `no_user_turns`, `unknown_prompt`, `unknown_agent`, `no_staging_connection`,
    `production_address`, and `model_is_the_agents` where models are named for an agent that has its own.
    """
    check_size(choices)
    conversation = _conversation(choices.conversation_id)
    turns = playground_turns(conversation.pk)
    lines = lines_from(turns, from_turn=choices.from_turn, replies=choices.replies)
    versions = _versions(choices.versions)
    prompt = _prompt_name(versions, conversation)
    agent = _agent(choices.agent, conversation, prompt)
    connection = _connection(agent, [version.version for version in versions] or [OWN_WORDS], choices.models)
    if connection["kind"] != AgentKind.PROMPTED:
        customer_before(turns, lines[0])
    models = choices.models or (_own_model(connection),)
    _check_models(connection, models, (*(version.text for version in versions), choices.text))
    with transaction.atomic():
        row = Playground.objects.create(
            conversation=conversation,
            agent=agent,
            lines=lines,
            connection=connection,
            requested_by=by[:150],
            waiting_for=FOR_A_WORKER,
        )
        columns: list[dict[str, Any]] = [{"version": version} for version in versions]
        columns += [{"version": None, "own_text": _own_text(choices.text)}] if choices.text else []
        cells = [(column, model) for column in columns for model in models]
        PlaygroundColumn.objects.bulk_create(
            PlaygroundColumn(playground=row, number=number, prompt=prompt[:100], **column, **model)
            for number, (column, model) in enumerate(cells, 1)
        )
    log_event(EventType.PLAYGROUND_REQUESTED, playground=str(row.pk), columns=len(cells), by=by)
    return uuid.UUID(str(row.pk))


def _conversation(conversation_id: uuid.UUID) -> Conversation:
    row = Conversation.objects.select_related("run").filter(pk=conversation_id).first()
    if row is None:
        raise NotFound(f"There is no conversation {conversation_id}.", pointer="/conversation_id")
    refuse_sealed([row.pk])
    return row


def _versions(named: Sequence[str]) -> list[PromptVersion]:
    """Return the named versions in their order, each once. One query. Raises BadInput (`unknown_prompt`)."""
    rows = {row.version: row for row in PromptVersion.objects.filter(version__in=named)}
    for number, name in enumerate(named):
        if name not in rows or not rows[name].text:
            message = f"No prompt {name!r} is recorded with its text."
            raise BadInput(message, code="unknown_prompt", pointer=f"/versions/{number}")
    return [rows[name] for name in dict.fromkeys(named)]


def _prompt_name(versions: Sequence[PromptVersion], conversation: Conversation) -> str:
    """Return the name of the prompt that these are versions of. Raises BadInput where they are of several.

    Where there are no versions, it is the prompt that the conversation was held with.
    """
    names = {version.name for version in versions}
    if len(names) > 1:
        message = f"These are versions of different prompts: {', '.join(sorted(names))}. Compare those of one."
        raise BadInput(message, code="different_prompts", pointer="/versions")
    if names:
        return str(names.pop())
    plan = conversation.run.frozen_plan
    return (plan.prompt_version.partition("@")[0]) or plan.agent_name or "prompt"


def _agent(named: str, conversation: Conversation, prompt: str) -> Agent:
    """The named agent; else the conversation's own, else the one that plays this prompt. At most three queries."""
    name = named or conversation.run.frozen_plan.agent_name
    row = Agent.objects.filter(name=name).first() if name else None
    if row is None and not named:
        playing = list(Agent.objects.filter(options__prompt=prompt) | Agent.objects.filter(name=prompt))
        row = playing[0] if len({one.pk for one in playing}) == 1 else None
    if row is None:
        problem = f"There is no agent {named!r}" if named else f"Nobody is known who plays {prompt!r}"
        raise BadInput(f"{problem}: name the agent that shall answer.", code="unknown_agent", pointer="/agent")
    return row


def _connection(agent: Agent, prompts: Sequence[str], models: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    """Return how the agent is reached: as a prompt where models are named, else by its first connection.

    Five queries.
    """
    known = agent_snapshot(agent.pk)
    staged = over_staging(known, staging_connections(agent.pk), production_addresses(agent.pk))
    if staged is None:
        raise no_staging(agent.name, prompts[-1], live=())
    if not models or staged["kind"] == AgentKind.PROMPTED:
        return {**staged, "connections": []}
    as_prompt = next(
        (connection for connection in staged["connections"] if connection["kind"] == AgentKind.PROMPTED), None
    )
    if as_prompt is None:
        raise BadInput(
            f"Agent {agent.name!r} answers by a model of its own, which is not chosen here: name no models, or an "
            "agent of kind prompted.",
            code="model_is_the_agents",
            pointer="/models",
        )
    return {**staged, **as_prompt, "connections": []}


def _own_model(connection: Mapping[str, Any]) -> dict[str, str]:
    """Return the provider and the model of an agent that is a prompt.

    Both are "" for any other agent, whose model we cannot see.
    """
    if connection["kind"] != AgentKind.PROMPTED:
        return {"provider": "", "model": ""}
    return {name: str(connection["options"].get(name) or "") for name in ("provider", "model")}


def _check_models(connection: Mapping[str, Any], models: Sequence[Mapping[str, str]], texts: Sequence[str]) -> None:
    """Refuse a model that cannot be asked, by settings and keys. Raises BadInput naming the model."""
    from apps.runs.services.model_roles import models_of  # noqa: PLC0415 - a page that only asks loads no HTTP client

    if connection["kind"] != AgentKind.PROMPTED:
        return
    for number, one in enumerate(models):
        options = {**connection["options"], **one, "prompt_text": next(text for text in texts if text)}
        try:
            agent_for(AgentSpec(kind=AgentKind.PROMPTED, address="", options=options))
            models_of(one)
        except BadInput as error:
            raise BadInput(error.message, code=error.code, pointer=f"/models/{number}", **error.extra) from error


def _own_text(text: str) -> str:
    if len(text) > MAX_PROMPT_CHARS:
        raise BadInput(f"A prompt has {MAX_PROMPT_CHARS:,} characters at most.", code="too_long", pointer="/text")
    return text

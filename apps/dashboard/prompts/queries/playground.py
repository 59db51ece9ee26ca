"""The content of the playground's pages: the choice first, then the answers beside each other."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from apps.catalog.models import Agent, PromptLine, PromptVersion
from apps.core.documents import members
from apps.core.errors import NotFound
from apps.dashboard.domain.sentences import Headline
from apps.improvement.models import Playground, PromptDraft
from apps.improvement.playground.domain.answers import MAX_COLUMNS, MAX_REPLIES, OWN_WORDS, PlaygroundStatus
from apps.improvement.playground.queries.documents import (
    PlaygroundColumnDocument,
    PlaygroundDocument,
    find_playground,
    newest_playgrounds,
    playground_document,
    playground_turns,
)
from apps.runs.models import Conversation
from apps.runs.playing.queries.listed_conversations import listed_conversations

MAX_VERSIONS_SHOWN, MAX_CONVERSATIONS = 12, 40


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaygroundStart:
    """The choices on the playground's first page. `turns` are the customer's messages, `ticked` the versions that are
    chosen beforehand, `models` the agent's own as the form writes them."""

    conversation: Conversation | None
    conversations: Sequence[Conversation]
    turns: Sequence[Mapping[str, Any]]
    prompt: str
    live: str
    versions: Sequence[PromptVersion]
    ticked: frozenset[str]
    text: str
    agents: Sequence[str]
    agent: str
    models: str
    earlier: Sequence[Playground]
    most: int = MAX_COLUMNS
    most_replies: int = MAX_REPLIES


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaygroundPage:
    row: Playground
    found: PlaygroundDocument
    headline: Headline
    lines: Sequence[Mapping[str, Any]]
    live: bool
    saves: str  # the prompt of which own words may become a draft; "" where none is live


def playground_start(*, conversation: str, prompt: str, draft: str) -> PlaygroundStart:
    """Return the form of the playground.

    Some ten queries. Raises NotFound for a conversation or draft that is not there.
    """
    row = _conversation(conversation)
    of = PromptDraft.objects.select_related("version", "line").filter(pk=_id(draft)).first() if draft else None
    if draft and (of is None or of.version_id is None):
        raise NotFound(f"There is no draft {draft} that could be tried.")
    plan = row.run.frozen_plan if row else None
    agent = _agent(row, of)
    options = agent.options if agent else {}
    name = of.line.name if of else prompt or (plan.prompt_version.partition("@")[0] if plan else "")
    name = name or str(options.get("prompt") or "").partition("@")[0] or (agent.name if agent else "")
    line = PromptLine.objects.select_related("live").filter(name=name).first()
    live = str(line.live.version) if line else ""
    versions = list(PromptVersion.objects.filter(name=name).exclude(text="").order_by("-created_at", "-id"))
    chosen = [one for one in (live, of.version.version if of else "") if one]
    first = [version for version in versions if version.version in chosen]
    others = [version for version in versions if version.version not in chosen][: MAX_VERSIONS_SHOWN - len(first)]
    own = [str(options.get(one) or "") for one in ("provider", "model")]
    return PlaygroundStart(
        conversation=row,
        conversations=() if row else list(_open_conversations()[:MAX_CONVERSATIONS]),
        turns=[turn for turn in playground_turns(row.pk) if turn["role"] == "user"] if row else (),
        prompt=name,
        live=live,
        versions=[*first, *others],
        ticked=frozenset(chosen),
        text=of.version.text if of else line.live.text if line else "",
        agents=list(Agent.objects.order_by("name").values_list("name", flat=True)),
        agent=agent.name if agent else "",
        models=" / ".join(own) if all(own) else "",
        earlier=newest_playgrounds(row.pk) if row else (),
    )


def playground_page(playground_id: uuid.UUID) -> PlaygroundPage:
    """Return the page of a playground. Seven queries. Raises NotFound, and Conflict (`sealed`)."""
    row = find_playground(playground_id)
    document = playground_document(row)
    prompt = row.columns.all()[0].prompt
    open_now = row.status == PlaygroundStatus.PENDING
    waits = row.waiting_for if open_now else ""
    text, but = document.sentence, ""
    if row.status == PlaygroundStatus.FAILED:
        text, but = "", f"Nothing could be asked: {row.error_message}"
    return PlaygroundPage(
        row=row,
        found=document,
        headline=Headline(text=text, but=but, note=f"It waits for {waits}." if waits else ""),
        lines=[
            {**members(line), "answers": [_answer(column, number) for column in document.columns]}
            for number, line in enumerate(document.lines)
        ],
        live=open_now,
        saves=prompt if PromptLine.objects.filter(name=prompt).exists() else "",
    )


def _answer(column: PlaygroundColumnDocument, number: int) -> dict[str, Any]:
    reply = column.replies[number] if number < len(column.replies) else None
    return {
        "title": column.prompt_version or OWN_WORDS,
        "model": column.model,
        "number": column.number,
        "reply": reply,
        "error": "" if reply else column.error_message,
        "status": column.status,
    }


def _conversation(named: str) -> Conversation | None:
    if not named:
        return None
    row = Conversation.objects.select_related("run").filter(pk=_id(named)).first()
    if row is None:
        raise NotFound(f"There is no conversation {named}.")
    return row


def _id(named: str) -> uuid.UUID:
    try:
        return uuid.UUID(named)
    except ValueError as error:
        raise NotFound(f"There is nothing with the id {named[:60]!r}.") from error


def _agent(row: Conversation | None, draft: PromptDraft | None) -> Agent | None:
    name = row.run.frozen_plan.agent_name if row else ""
    agent = Agent.objects.filter(name=name).first() if name else None
    if agent is None and draft is not None:
        agent = draft.line.agent or Agent.objects.filter(options__prompt=draft.line.name).first()
    return agent


def _open_conversations() -> Any:
    """Return the conversations that lists show, the newest first: none of a trial is among them."""
    rows = listed_conversations().filter(status="ended").select_related("run")
    return rows.order_by("-created_at", "-id")

"""Answers of prompts beside each other.

Each column is asked by itself, paid for like every model call, and stored as it comes, so that a lost worker costs the
answers under way and no other.
"""

import uuid
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from apps.budgets.domain.estimate import Estimate, History
from apps.budgets.domain.purpose import Purpose
from apps.budgets.services import CallFor
from apps.budgets.services.paid_question import Asking, PaidReply, request_at_most
from apps.budgets.services.paid_rows import Delay, PaidRows, PaidTask
from apps.budgets.services.paid_work import do_paid_work
from apps.catalog.connections.services.outbound_policies import agent_policy
from apps.catalog.domain.states import AgentKind
from apps.connectors.agents.base import AgentConnector, AgentReply, AgentSession, AgentTurn
from apps.connectors.agents.capabilities import SpeaksThroughModel
from apps.connectors.agents.registry import agent_for
from apps.connectors.errors import ConnectorError, RateLimited
from apps.connectors.llms.base import LLM, LLMRequest, LLMResponse, ModelSpec
from apps.connectors.outbound import outbound_client
from apps.core.events import EventType, log_event
from apps.core.redaction import redact
from apps.improvement.playground.domain.answers import OWN_WORDS, ColumnStatus, customer_before, messages_before
from apps.improvement.playground.models import Playground, PlaygroundColumn
from apps.improvement.playground.queries.documents import playground_turns
from apps.jobs.services.leases import LeasedTable
from apps.runs.domain.run_plan import PlannedAgent, RunPlan
from apps.runs.playing.services.participants import agent_of_plan
from apps.runs.services.conversation_player import error_words
from apps.runs.services.model_roles import models_of

MAX_REPLY_CHARS = 20_000
NO_OPENING = "The agent ended the conversation before it."


def answer_due(*, now: Callable[[], datetime], until: datetime) -> bool:
    """Ask for due answers until `until`; return whether some are due then.
    Safe to repeat and to race: a column that has ended is not asked for again."""
    return do_paid_work(PlaygroundRows(), now=now, until=until).more


class PlaygroundRows(PaidRows[Playground]):
    """Playgrounds that wait for answers."""

    table = LeasedTable(table="improvement_playground", lease=timedelta(minutes=5), counter="attempts")
    doing = "asking for the answers"

    def load(self, ids: Sequence[uuid.UUID]) -> Sequence[Playground]:
        rows = Playground.objects.filter(pk__in=ids).prefetch_related("columns__version")
        return list(rows.order_by("created_at", "id"))

    def take_up(self, row: Playground, now: datetime) -> PaidTask | Delay | None:
        turns = playground_turns(row.conversation_id)
        columns = {column.pk: column for column in row.columns.all() if column.status == ColumnStatus.PENDING}
        questions = {pk: _answers(row, column, turns) for pk, column in columns.items()}
        return PaidTask(
            questions=questions,
            receive=partial(self._receive, row, columns),
            finish=partial(self._finish, row),
        )

    def ended(self, row: Playground, error: str) -> None:
        if error:
            owed = PlaygroundColumn.objects.filter(playground=row, status=ColumnStatus.PENDING)
            owed.update(status=ColumnStatus.FAILED, error_message=error)
        log_event(EventType.PLAYGROUND_ENDED, playground=str(row.pk), failed=bool(error))

    def _receive(
        self,
        row: Playground,
        columns: Mapping[Any, PlaygroundColumn],
        key: Hashable,
        reply: PaidReply[Any],
        now: datetime,
    ) -> None:
        """One column has ended; one that is limited or cannot be paid yet stays owed. Two queries."""
        if reply.wait_s is None and reply.refused is None and self.is_ours(row):
            _end_column(row, columns[key], reply)

    def _finish(self, row: Playground, replies: Mapping[Any, PaidReply[Any]], now: datetime) -> Delay | None:
        """Completed where every column has ended; else until when the row waits."""
        for reply in replies.values():
            if reply.wait_s is not None:
                return self.wait(row, reply, now)
            if reply.refused is not None:
                return self.unpaid(reply.refused, now)
        self.end(row, now)
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnAnswers:
    """One column's answers: what is asked, of whom, and after what. `models` are empty where the agent speaks by its
    own. See apps.budgets.services.paid_question.Payable."""

    agent: AgentConnector
    session: AgentSession
    replayed: tuple[str, ...]
    lines: tuple[str, ...]
    message_id: str
    call_for: CallFor
    models: tuple[LLM, ...] = ()
    replies: list[dict[str, Any]] = field(default_factory=list)

    @property
    def specs(self) -> Sequence[ModelSpec]:
        return [model.spec for model in self.models]

    def at_most(self, history: History) -> Estimate:
        """The dearest way: every reply as long as it may be, with all its rounds of tools, behind all before it."""
        if not isinstance(self.agent, SpeaksThroughModel):
            return Estimate()
        total = Estimate()
        for number, line in enumerate(self.lines):
            question = self.agent.question("\n".join((*self.lines[:number], line)), self.session)
            request = request_at_most(question, self.specs, history)
            total += request.times(1 + number + (self.agent.max_tool_rounds if question.tools else 0))
        return total

    async def ask(self, asking: Asking) -> PaidReply[list[dict[str, Any]]]:
        """Say each line and keep what comes. Never raises for what an agent, a model or a network does."""
        reply: PaidReply[list[dict[str, Any]]] = PaidReply(value=self.replies, calls=asking.calls)
        policy = agent_policy()
        try:
            async with outbound_client(policy) as client:
                await self._converse(self._speaking(asking, reply), client)
        except RateLimited as error:
            reply.wait_s, reply.error = error.retry_after, f"the model {error.does}"
        except ConnectorError as error:
            reply.error = error_words(error, self.agent)
        return reply

    async def _converse(self, agent: AgentConnector, client: Any) -> None:
        session = self.session
        for number, text in enumerate((*self.replayed, *self.lines)):
            turn = AgentTurn(text=text, session=session, message_id=f"{self.message_id}-{number}")
            answer = await agent.send(turn, client=client)
            session = answer.session
            if number >= len(self.replayed):
                self.replies.append(_as_json(answer))
            if answer.ended:
                return

    def _speaking(self, asking: Asking, reply: PaidReply[Any]) -> AgentConnector:
        if not isinstance(self.agent, SpeaksThroughModel):
            return self.agent
        primary, *behind = self.models
        metered = asking.model(primary, behind[0] if behind else None)

        async def ask(request: LLMRequest) -> LLMResponse:
            reply.response = (await metered.ask(request, call_for=self.call_for)).response
            return reply.response

        return self.agent.with_model(ask)


def _answers(row: Playground, column: PlaygroundColumn, turns: Sequence[Mapping[str, Any]]) -> ColumnAnswers:
    contents = {int(turn["position"]): str(turn["content"]) for turn in turns}
    connection = dict(row.connection)
    prompted = connection["kind"] == AgentKind.PROMPTED
    if prompted:
        chosen = {name: getattr(column, name) for name in ("provider", "model")}
        connection["options"] = _options(connection["options"], chosen)
    version = column.version.version if column.version_id else OWN_WORDS
    plan = RunPlan(agent=PlannedAgent.read(connection), prompt_version=version, prompt_text=column.text)
    agent = agent_for(agent_of_plan(plan))
    models = (
        tuple(model for model in models_of(agent.model_role) if model) if isinstance(agent, SpeaksThroughModel) else ()
    )
    before = messages_before(turns, row.lines[0]) if prompted else []
    return ColumnAnswers(
        agent=agent,
        session=AgentSession(context_id=f"playground-{column.pk}" if before else None, state={"messages": before}),
        replayed=() if prompted else tuple(customer_before(turns, row.lines[0])),
        lines=tuple(contents[position] for position in row.lines),
        message_id=f"playground-{row.pk}-{column.number}-{row.attempts}",
        call_for=CallFor(purpose=Purpose.PLAYGROUND),  # of no run: its sums stay as they were
        models=models,
    )


def _options(options: Mapping[str, Any], chosen: Mapping[str, str]) -> dict[str, Any]:
    """The agent's, with this model; the model behind it stays where it is the agent's own that speaks."""
    own = all(options.get(name) == value for name, value in chosen.items())
    return {name: value for name, value in options.items() if own or name != "fallback"} | dict(chosen)


def _as_json(answer: AgentReply) -> dict[str, Any]:
    return {
        "text": answer.text[:MAX_REPLY_CHARS],
        "tools": [call.name for call in answer.tool_calls],
        "latency_ms": answer.latency_ms,
    }


def _end_column(row: Playground, column: PlaygroundColumn, reply: PaidReply[Any]) -> None:
    replies = list(reply.value or ())
    missing = len(row.lines) - len(replies)
    error = reply.error or (NO_OPENING if not replies else "")
    PlaygroundColumn.objects.filter(pk=column.pk).update(
        status=ColumnStatus.FAILED if missing and error else ColumnStatus.ANSWERED,
        replies=replies,
        error_message=redact(error)[:2000],
        answered_by=(reply.model or "")[:120],
        calls=len(reply.calls),
        cost_usd=reply.cost_usd,
    )

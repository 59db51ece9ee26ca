"""The part that all players of a conversation share: no database, no Django, plain data in and out.

A player for each kind of conversation stands in apps.runs.playing.services.players.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, ClassVar

from apps.budgets.domain.estimate import History
from apps.budgets.domain.purpose import Purpose
from apps.budgets.services import CallFor, LedgerCall
from apps.budgets.services.metered_model import MeteredModel, Unfunded, opener
from apps.budgets.services.reserving import Refusal
from apps.connectors.agents.base import AgentConnector, AgentReply, AgentSession, AgentTurn
from apps.connectors.agents.capabilities import SpeaksThroughModel
from apps.connectors.agents.named_secrets import refusal_words
from apps.connectors.agents.runners import AnsweredByRunner, RunnerAnswer, RunnerQuestion
from apps.connectors.errors import (
    AgentFailed,
    AgentRefused,
    ConnectorError,
    RateLimited,
    RemoteRefusal,
    is_permanent,
)
from apps.connectors.llms.base import LLM, LLMRequest, LLMResponse
from apps.connectors.parallel import Emit
from apps.connectors.retry import RetryPolicy
from apps.core.attached_files import AttachedFile
from apps.core.conversation import TurnRole, Utterance
from apps.core.errors import RatibaError
from apps.runs.domain.pulled_turns import LeaseGone, PulledRequest, runner_context
from apps.runs.domain.states import Blame, ConversationStatus, EndReason
from apps.runs.services.agent_pace import GRACE_S, AgentPace

AGENT_FAILED = "The agent failed instead of answering."
MAX_BODY_CHARS = 1000  # of an error's body: enough for its sentence, and the beginning of its trace


@dataclass(frozen=True, slots=True, kw_only=True)
class Participants:
    """The participants: the agent under test and the simulated customer (None in a replay).

    `agent_model` speaks where the agent is a prompt (capabilities.SpeaksThroughModel); `gate_judge` is asked in a
    replay whether other words do the same step.
    """

    agent: AgentConnector
    simulator: LLM | None
    simulator_fallback: LLM | None
    policy: RetryPolicy
    simulator_timeout_s: float = 30.0  # of a gate's question too
    agent_model: LLM | None = None
    agent_fallback: LLM | None = None
    gate_judge: LLM | None = None
    gate_fallback: LLM | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SendRequest:
    """A turn is about to be sent: its player waits until that is stored. `stored` then says whether it may: not where
    the conversation is this worker's no more."""

    position: int
    stored: "Future[bool]" = field(default_factory=Future)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnBatch:
    """A part of the delivery: turns that happened, the session they left, calls that were paid for.

    `replay` is what a replay adds to its record in the conversation: {"lines": {golden position: {…}}, "observed"}.
    """

    turns: tuple[Utterance, ...] = ()
    session: AgentSession | None = None
    calls: tuple[LedgerCall, ...] = ()
    last_word: EndReason | None = None  # why the customer has taken leave
    replay: Mapping[str, Any] = field(default_factory=dict)
    sending: SendRequest | None = None
    pulled: PulledRequest | None = None  # a turn that a runner is to answer
    end_state: tuple[Mapping[str, Any], ...] = ()  # what a battle led to (players.hooks.end_states)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayResult:
    """End of a conversation.

    `retry_after` (seconds) means that it has not ended: somebody limits us, or its next question cannot be paid
    (`unfunded`), go on later; `anew` then says: in a new session. `delivered` is False where it is certain that the
    agent was not sent the last turn.
    """

    status: ConversationStatus
    end_reason: EndReason | None = None
    blame: Blame | None = None
    error_code: str = ""
    error_message: str = ""
    retry_after: float | None = None
    waiting_for: str = ""
    delivered: bool = True
    anew: bool = False
    unfunded: Refusal | None = None


@dataclass(slots=True, kw_only=True)
class ConversationPlayer:
    """One conversation being played; each kind has its own `play_on`. `turns`, `session` and `leaves` (why the customer
    has taken leave) may hold an earlier part that is taken up again.

    `wanted` turns False when what is said here is stored no more (the run was cancelled, the lease went to
    another); `cancelled` says whether it was the first of the two; `time_up` turns True when this worker's time is
    over: the conversation stops between two turns, for another worker to take it up in the same context.
    `interrupted` holds the turns of an attempt whose worker was lost (None where none was), where `session` is the
    last one's; `files` are the files of the spec by digest; `record` holds the lines of a replay that are through.
    """

    simulated: ClassVar[bool] = False  # whether a model plays the customer, so that it must be connected and paid
    resumes: ClassVar[bool] = False  # whether it can go on where a lost worker stood

    conversation_id: str
    attempt: int
    spec: Mapping[str, Any]
    participants: Participants
    client: Any
    emit: Emit
    clock: Callable[[], Any]
    call_for: CallFor
    pace: AgentPace
    history: History = field(default_factory=dict)
    turns: list[Utterance] = field(default_factory=list)
    session: AgentSession = field(default_factory=AgentSession)
    leaves: EndReason | None = None
    wanted: Callable[[], bool] = lambda: True
    cancelled: Callable[[], bool] = lambda: False
    time_up: Callable[[], bool] = lambda: False
    sleep: Callable[[float], Awaitable[Any]] = asyncio.sleep
    files: Mapping[str, AttachedFile] = field(default_factory=dict)
    interrupted: Sequence[Utterance] | None = None
    record: Mapping[str, Any] = field(default_factory=dict)

    async def play(self) -> PlayResult:
        """Play to the end. Never raises for what an agent, a model or a network does: that becomes the result."""
        try:
            return await self.play_on()
        except LeaseGone:
            return NOT_OURS
        except RateLimited as error:
            return PlayResult(
                status=ConversationStatus.PENDING,
                retry_after=error.retry_after,
                waiting_for=f"{error.extra.get('who', 'the agent')} {error.does}",
            )
        except Unfunded as error:
            return PlayResult(status=ConversationStatus.PENDING, retry_after=0.0, unfunded=error.refusal)
        except PlayFault as fault:
            reason = EndReason.BUDGET if fault.blame == Blame.BUDGET else EndReason.FAILED
            return PlayResult(
                status=fault.status,
                blame=fault.blame,
                error_code=getattr(fault.cause, "code", "error"),
                delivered=getattr(fault.cause, "sent", True),
                error_message=str(fault)[:2000],
                end_reason=EndReason.TIMEOUT if fault.status == ConversationStatus.TIMEOUT else reason,
            )

    async def play_on(self) -> PlayResult:
        """Play from where `turns` end. Raises PlayFault, RateLimited."""
        raise NotImplementedError

    def say(self, *turns: Utterance, session: AgentSession | None = None) -> None:
        self.turns.extend(turns)
        self.emit(TurnBatch(turns=turns, session=session, last_word=self.leaves))

    async def announce(self) -> None:
        """Have it stored that the last turn is being sent. Raises LeaseGone where another worker plays by now."""
        request = SendRequest(position=len(self.turns) - 1)
        self.emit(TurnBatch(sending=request))
        if not await asyncio.wrap_future(request.stored):
            raise LeaseGone

    async def agent_answers(self, turn: Utterance, attachments: tuple[AttachedFile, ...] = ()) -> AgentReply:
        # The attempt is in the id, and with it in every session made from one: see Conversation.attempt.
        message_id = f"{self.conversation_id}-{self.attempt}-{len(self.turns) - 1}"
        agent = self._speaking_agent()
        try:
            async with self.pace.turn(self.sleep):
                await self.announce()
                outgoing = AgentTurn(
                    text=turn.content, session=self.session, message_id=message_id, attachments=attachments
                )
                reply = await agent.send(outgoing, client=self.client)
        except RateLimited:
            raise
        except (AgentFailed, AgentRefused) as error:
            self.pace.answered()
            self.say(failed_turn(getattr(error, "said", ""), at=self.clock()))
            raise PlayFault(error, Blame.AGENT_QUALITY, words=error_words(error, agent)) from error
        except ConnectorError as error:
            if is_permanent(error):  # it is there, and would refuse every other conversation as well
                self.pace.answered()
            else:
                self.pace.failed(error)
                await self.sleep(GRACE_S)
            status = ConversationStatus.TIMEOUT if getattr(error, "timed_out", False) else ConversationStatus.FAILED
            raise PlayFault(error, Blame.AGENT_TRANSPORT, status, words=error_words(error, agent)) from error
        self.pace.answered(reply.latency_ms / 1000)
        self.session = reply.session
        now = self.clock()
        answer = Utterance(
            role=TurnRole.ASSISTANT, content=reply.text, ts=now, latency_ms=reply.latency_ms,
            extra={
                name: value
                for name, value in (("usage", dict(reply.usage)), ("hidden", [one.value for one in reply.hidden]))
                if value
            },
        )  # fmt: skip
        self.say(*reply.tool_turns(at=now), answer, session=reply.session)
        return reply

    def _speaking_agent(self) -> AgentConnector:
        agent = self.participants.agent
        if isinstance(agent, AnsweredByRunner):
            return agent.with_runner(self._ask_runner)
        return agent.with_model(self._ask_agent_model) if isinstance(agent, SpeaksThroughModel) else agent

    async def _ask_runner(self, question: RunnerQuestion) -> RunnerAnswer:
        """Leave the turn in a row where the agent's runner finds it, and wait until that row is answered or lost."""
        context = runner_context(self.spec, now=self.clock())
        request = PulledRequest(position=len(self.turns) - 1, question=question, context=context)
        self.emit(TurnBatch(pulled=request))
        return await asyncio.wrap_future(request.answer)

    async def _ask_agent_model(self, request: LLMRequest) -> LLMResponse:
        """One call of an agent that is a prompt, paid for like every other."""
        model = self.participants.agent_model
        if model is None:
            raise RemoteRefusal("the plan names no model for this agent")
        call_for = replace(self.call_for, purpose=Purpose.AGENT)
        return await self.ask_model(request, model, self.participants.agent_fallback, call_for=call_for)

    async def ask_model(
        self, request: LLMRequest, primary: LLM, fallback: LLM | None, *, call_for: CallFor
    ) -> LLMResponse:
        """One paid call; what it cost goes with the turns. Raises as MeteredModel; a limit names the model."""
        metered = MeteredModel(
            primary=primary,
            fallback=fallback,
            policy=self.participants.policy,
            client=self.client,
            opener=opener(self.emit),
            history=self.history,
        )
        try:
            return (await metered.ask(request, call_for=call_for)).response
        except RateLimited as error:
            error.extra["who"] = f"model {primary.spec.model}"
            raise
        finally:
            if metered.calls:
                self.emit(TurnBatch(calls=tuple(metered.calls)))


def ended(why: EndReason) -> PlayResult:
    """The conversation came to an end of its own."""
    return PlayResult(status=ConversationStatus.ENDED, end_reason=why)


HANDED_OVER = PlayResult(status=ConversationStatus.PENDING, retry_after=0.0)
# Another worker plays it, or nobody: this player writes nothing down any more.
NOT_OURS = PlayResult(status=ConversationStatus.RUNNING)


class PlayFault(Exception):
    """A fault that ends a conversation before its time. `blame` is None where nobody can tell whose fault it is."""

    def __init__(
        self,
        cause: RatibaError,
        blame: Blame | None,
        status: ConversationStatus = ConversationStatus.FAILED,
        *,
        words: str = "",
    ) -> None:
        super().__init__(words or str(cause))
        self.cause, self.blame, self.status = cause, blame, status


def failed_turn(text: str, *, at: datetime) -> Utterance:
    """Return the turn in place of the answer where the agent failed over a turn.

    It has the agent's own words to the customer where it had any, else a note of ours, so that a judge sees an agent
    that broke and not a conversation that merely stops.
    """
    if text:
        return Utterance(role=TurnRole.ASSISTANT, content=text, ts=at)
    return Utterance(role=TurnRole.SYSTEM, content=AGENT_FAILED, ts=at)


def error_words(error: ConnectorError, agent: AgentConnector) -> str:
    """The error, and what the agent's answer said where it was an HTTP error: its body says what to mend. An agent that
    repeats our own secrets in it does not get them into a page. A refusal names a secret that is missing."""
    body = " ".join(error.raw.split())[:MAX_BODY_CHARS] if error.status else ""
    for secret in agent.spec.secrets.values():
        body = body.replace(secret, "***") if secret else body
    words = f"{error}: {body}" if body else str(error)
    missing = refusal_words(agent.spec, status=error.status) if isinstance(error, RemoteRefusal) else ""
    return f"{missing} ({words})" if missing else words

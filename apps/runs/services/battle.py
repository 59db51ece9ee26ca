"""Playing one conversation against a live agent: no database, no Django, plain data in and out.

A battle lets a simulated customer talk to the agent; a replay says the user turns of a golden session again.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from apps.budgets.domain.estimate import History
from apps.budgets.services import CallFor, LedgerCall
from apps.budgets.services.metered_model import MeteredModel, opener
from apps.connectors.agents.base import AgentConnector, AgentReply, AgentSession
from apps.connectors.errors import AgentFailed, AgentRefused, ConnectorError, RateLimited
from apps.connectors.llms.base import LLM
from apps.connectors.parallel import Emit
from apps.connectors.retry import RetryPolicy
from apps.core.conversation import TurnRole, Utterance
from apps.core.errors import RatibaError
from apps.runs.domain.simulator import SimulatorReply, SimulatorReplyError, read_simulator_reply, simulator_request
from apps.runs.domain.states import Blame, ConversationStatus, Kind

_SPEAKERS = (TurnRole.USER, TurnRole.ASSISTANT)
AGENT_FAILED = "The agent failed instead of answering."
MOST_BODY_CHARS = 1000  # of an error's body: enough for its sentence, and the beginning of its trace


@dataclass(frozen=True, slots=True, kw_only=True)
class Players:
    """Who plays: the agent under test and the simulated customer (None in a replay)."""

    agent: AgentConnector
    simulator: LLM | None
    simulator_fallback: LLM | None
    policy: RetryPolicy
    simulator_timeout_s: float = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A part of the delivery: turns that happened, the session they left, calls that were paid for."""

    turns: tuple[Utterance, ...] = ()
    session: AgentSession | None = None
    calls: tuple[LedgerCall, ...] = ()
    last_word: bool = False  # the customer has taken leave


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """How a conversation ended. `retry_after` (seconds) means it has not: somebody limits us, go on later."""

    status: ConversationStatus
    blame: Blame | None = None
    error_code: str = ""
    error_message: str = ""
    retry_after: float | None = None
    waiting_for: str = ""


@dataclass(slots=True, kw_only=True)
class Stage:
    """One conversation being played. `turns`, `session` and `done` may hold an earlier part that is taken up again.

    `wanted` turns False when what is said here is stored no more (the run was cancelled, the lease went to another);
    `time_up` turns True when this worker's time is over: the conversation stops between two turns, for another worker
    to take it up in the same context.
    """

    conversation_id: str
    attempt: int
    kind: str
    spec: Mapping[str, Any]
    players: Players
    client: Any
    emit: Emit
    clock: Callable[[], Any]
    made_for: CallFor
    history: History = field(default_factory=dict)
    turns: list[Utterance] = field(default_factory=list)
    session: AgentSession = field(default_factory=AgentSession)
    done: bool = False
    wanted: Callable[[], bool] = lambda: True
    time_up: Callable[[], bool] = lambda: False

    async def play(self) -> Played:
        """Play to the end. Never raises for what an agent, a model or a network does: that becomes the result."""
        try:
            ended = await (self._replay() if self.kind == Kind.REPLAY else self._battle())
        except RateLimited as error:
            return Played(
                status=ConversationStatus.PENDING,
                retry_after=error.retry_after,
                waiting_for=f"{error.extra.get('who', 'the agent')} limits us",
            )
        except _Fault as fault:
            return Played(
                status=fault.status,
                blame=fault.blame,
                error_code=getattr(fault.cause, "code", "error"),
                error_message=str(fault)[:2000],
            )
        return ended

    async def _battle(self) -> Played:
        limit = int(self.spec.get("max_turns") or 20)
        if not self.turns:
            opening = str(self.spec.get("opening") or "")
            if opening:
                self._say(Utterance(role=TurnRole.USER, content=opening, ts=self.clock()))
            else:
                await self._customer_speaks()
        while self.wanted() and sum(1 for turn in self.turns if turn.content and turn.role in _SPEAKERS) < limit:
            if self.time_up():
                return HANDED_OVER
            if self.turns[-1].role == TurnRole.USER:
                reply = await self._agent_answers(self.turns[-1])
                if reply.ended:
                    break
            elif self.done:  # the last word was answered, or there was none
                break
            else:
                await self._customer_speaks()
        return Played(status=ConversationStatus.ENDED)

    async def _replay(self) -> Played:
        lines: Sequence[str] = [str(line) for line in self.spec["user_turns"]]
        said = sum(1 for turn in self.turns if turn.role == TurnRole.USER)
        if self.turns and self.turns[-1].role == TurnRole.USER:
            await self._agent_answers(self.turns[-1])
        for line in lines[said:]:
            if not self.wanted():
                break
            if self.time_up():
                return HANDED_OVER
            turn = Utterance(role=TurnRole.USER, content=line, ts=self.clock())
            self._say(turn)
            reply = await self._agent_answers(turn)
            if reply.ended:
                break
        return Played(status=ConversationStatus.ENDED)

    def _say(self, *turns: Utterance, session: AgentSession | None = None) -> None:
        self.turns.extend(turns)
        self.emit(Said(turns=turns, session=session, last_word=self.done))

    async def _agent_answers(self, turn: Utterance) -> AgentReply:
        # The attempt is in the id, and with it in every session made from one: see Conversation.attempt.
        message_id = f"{self.conversation_id}-{self.attempt}-{len(self.turns) - 1}"
        agent = self.players.agent
        try:
            reply = await agent.send(turn.content, session=self.session, message_id=message_id, client=self.client)
        except RateLimited:
            raise
        except (AgentFailed, AgentRefused) as error:
            self._say(failed_turn(getattr(error, "said", ""), at=self.clock()))
            raise _Fault(error, Blame.AGENT_QUALITY, words=error_words(error, agent)) from error
        except ConnectorError as error:
            status = ConversationStatus.TIMEOUT if getattr(error, "timed_out", False) else ConversationStatus.FAILED
            raise _Fault(error, Blame.AGENT_TRANSPORT, status, words=error_words(error, agent)) from error
        self.session = reply.session
        now = self.clock()
        answer = Utterance(
            role=TurnRole.ASSISTANT, content=reply.text, tool_calls=(), ts=now, latency_ms=reply.latency_ms
        )
        self._say(*reply.tool_turns(at=now), answer, session=reply.session)
        return reply

    async def _customer_speaks(self) -> None:
        simulator = self.players.simulator
        if simulator is None:
            raise _Fault(RatibaError("No simulator was configured.", code="no_simulator"), Blame.PLATFORM)
        request = replace(
            simulator_request(spec=self.spec, turns=self.turns), timeout_s=self.players.simulator_timeout_s
        )
        metered = MeteredModel(
            primary=simulator, fallback=self.players.simulator_fallback, policy=self.players.policy,
            client=self.client, opener=opener(self.emit), history=self.history,
        )  # fmt: skip
        try:
            asked = await metered.ask(request, made_for=self.made_for)
        except RateLimited as error:
            error.extra["who"] = f"model {simulator.spec.model}"
            raise
        except ConnectorError as error:
            raise _Fault(error, Blame.SIMULATOR) from error
        finally:
            if metered.calls:
                self.emit(Said(calls=tuple(metered.calls)))
        reply: SimulatorReply = _read(asked.response.text)
        self.done = reply.done
        if reply.message:
            self._say(Utterance(role=TurnRole.USER, content=reply.message, ts=self.clock()))
        elif not self.turns:
            raise _Fault(SimulatorReplyError("The simulator left without a word."), Blame.SIMULATOR)


HANDED_OVER = Played(status=ConversationStatus.PENDING, retry_after=0.0)


class _Fault(Exception):
    def __init__(
        self,
        cause: RatibaError,
        blame: Blame,
        status: ConversationStatus = ConversationStatus.FAILED,
        *,
        words: str = "",
    ) -> None:
        super().__init__(words or str(cause))
        self.cause, self.blame, self.status = cause, blame, status


def _read(text: str) -> SimulatorReply:
    try:
        return read_simulator_reply(text)
    except RatibaError as error:
        raise _Fault(error, Blame.SIMULATOR) from error


def failed_turn(said: str, *, at: datetime) -> Utterance:
    """What stands in the conversation where the agent failed over a turn: its own words to the customer where it had
    any, else a note of ours, so that a judge sees an agent that broke and not a conversation that merely stops."""
    if said:
        return Utterance(role=TurnRole.ASSISTANT, content=said, ts=at)
    return Utterance(role=TurnRole.SYSTEM, content=AGENT_FAILED, ts=at)


def error_words(error: ConnectorError, agent: AgentConnector) -> str:
    """The error, and what the agent's answer said where it was an HTTP error: its body says what to mend. An agent that
    repeats our own secrets in it does not get them into a page."""
    body = " ".join(error.raw.split())[:MOST_BODY_CHARS] if error.status else ""
    for secret in agent.spec.secrets.values():
        body = body.replace(secret, "***") if secret else body
    return f"{error}: {body}" if body else str(error)

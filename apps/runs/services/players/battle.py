"""A simulated customer talks to the agent."""

from dataclasses import dataclass, replace
from typing import ClassVar

from apps.budgets.services.metered_model import MeteredModel, opener
from apps.connectors.errors import ConnectorError, QuotaSpent, RateLimited
from apps.core.conversation import TurnRole, Utterance
from apps.core.errors import RatibaError
from apps.runs.domain.loops import goes_round
from apps.runs.domain.simulator import SimulatorReply, SimulatorReplyError, read_simulator_reply, simulator_request
from apps.runs.domain.states import Blame, EndReason
from apps.runs.services.conversation_player import (
    HANDED_OVER,
    ConversationPlayer,
    PlayFault,
    PlayResult,
    TurnBatch,
    ended,
)

_SPEAKERS = (TurnRole.USER, TurnRole.ASSISTANT)


@dataclass(slots=True, kw_only=True)
class BattlePlayer(ConversationPlayer):
    """Persona and agent by turns, until one of them ends it, it goes round in circles, or `max_turns` is reached."""

    simulated: ClassVar[bool] = True

    async def play_on(self) -> PlayResult:
        limit = int(self.spec.get("max_turns") or 20)
        if not self.turns:
            opening = str(self.spec.get("opening") or "")
            if opening:
                self.say(Utterance(role=TurnRole.USER, content=opening, ts=self.clock()))
            else:
                await self._customer_speaks()
        while sum(1 for turn in self.turns if turn.content and turn.role in _SPEAKERS) < limit:
            if not self.wanted():
                return ended(EndReason.CANCELLED)  # nothing of it is stored any more
            if self.time_up():
                return HANDED_OVER
            if self.turns[-1].role == TurnRole.USER:
                reply = await self.agent_answers(self.turns[-1])
                if reply.ended:
                    return ended(EndReason.AGENT_CLOSED)
            elif self.leaves is not None:  # the last word was answered, or there was none
                return ended(self.leaves)
            elif goes_round(self._spoken()):
                return ended(EndReason.LOOP)
            else:
                await self._customer_speaks()
        answered = self.turns[-1].role != TurnRole.USER
        return ended(self.leaves if self.leaves is not None and answered else EndReason.MAX_TURNS)

    def _spoken(self) -> list[tuple[str, str]]:
        return [(turn.role.value, turn.content) for turn in self.turns if turn.content and turn.role in _SPEAKERS]

    async def _customer_speaks(self) -> None:
        simulator = self.participants.simulator
        if simulator is None:
            raise PlayFault(RatibaError("No simulator was configured.", code="no_simulator"), Blame.PLATFORM)
        question = simulator_request(spec=self.spec, turns=self.turns, attempt=self.attempt)
        request = replace(question, timeout_s=self.participants.simulator_timeout_s)
        metered = MeteredModel(
            primary=simulator, fallback=self.participants.simulator_fallback, policy=self.participants.policy,
            client=self.client, opener=opener(self.emit), history=self.history,
        )  # fmt: skip
        try:
            asked = await metered.ask(request, call_for=self.call_for)
        except RateLimited as error:
            error.extra["who"] = f"model {simulator.spec.model}"
            raise
        except ConnectorError as error:
            raise PlayFault(error, Blame.BUDGET if _unpaid(error) else Blame.SIMULATOR) from error
        finally:
            if metered.calls:
                self.emit(TurnBatch(calls=tuple(metered.calls)))
        reply: SimulatorReply = _read(asked.response.text)
        self.leaves = reply.leaves
        if reply.message:
            self.say(Utterance(role=TurnRole.USER, content=reply.message, ts=self.clock()))
        elif not self.turns:
            raise PlayFault(SimulatorReplyError("The simulator left without a word."), Blame.SIMULATOR)


def _unpaid(error: ConnectorError) -> bool:
    """Whether the provider wants money before it says more: every model asked answered so."""
    outcomes = {attempt.outcome for attempt in error.attempts}
    return outcomes == {QuotaSpent.code}


def _read(text: str) -> SimulatorReply:
    try:
        return read_simulator_reply(text)
    except RatibaError as error:
        raise PlayFault(error, Blame.SIMULATOR) from error

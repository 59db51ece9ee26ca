"""A simulated customer talks to the agent."""

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from apps.connectors.errors import ConnectorError, QuotaSpent, RateLimited
from apps.connectors.llms.answers import cut_sentence
from apps.connectors.llms.base import LLM, LLMRequest
from apps.core.conversation import Attachment, TurnRole, Utterance
from apps.core.errors import RatibaError
from apps.runs.domain.pulled_turns import LeaseGone
from apps.runs.domain.simulator import (
    SimulatorReply,
    SimulatorReplyError,
    read_simulator_reply,
    repeat_question,
    simulator_request,
)
from apps.runs.domain.states import Blame, ConversationStatus, EndReason
from apps.runs.domain.synthetic_values import played_spec
from apps.runs.playing.domain.battle_script import files_at, line_at
from apps.runs.playing.domain.leave_taking import took_leave
from apps.runs.playing.domain.loops import goes_round
from apps.runs.playing.services.players.hooks import end_states, run_hooks
from apps.runs.services.conversation_player import (
    HANDED_OVER,
    NOT_OURS,
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
        """Hooks, the battle, what it led to, hooks. A battle that is put down is taken up without the first ones; the
        last ones run however it ends, where it is cancelled and after failed first ones too."""
        self.spec = played_spec(self.spec)
        try:
            if not self.turns:
                await self._hooks("before")
            result = await self._battle()
        except PlayFault as fault:
            raise await self._after_fault(fault) from fault
        except LeaseGone:
            await self._after_cancel()
            raise
        if result.status is ConversationStatus.ENDED:
            await self._look_at_state()
            await self._hooks("after")
        elif result is NOT_OURS:
            await self._after_cancel()
        return result

    async def _after_fault(self, fault: PlayFault) -> PlayFault:
        """The fault once the hooks after it have run; one of theirs is added to its words and hides it not."""
        try:
            await self._hooks("after")
        except PlayFault as further:
            return PlayFault(fault.cause, fault.blame, fault.status, words=f"{fault} Then: {further}")
        return fault

    async def _after_cancel(self) -> None:
        """Clean up the setup of `before` where the run was cancelled; where another worker plays on, leave it."""
        if self.cancelled():
            with suppress(PlayFault):  # nothing more is stored of this conversation
                await self._hooks("after")

    async def _battle(self) -> PlayResult:
        limit = int(self.spec.get("max_turns") or 20)
        if not self.turns:
            await self._customer_speaks()
        while self._messages() < limit:
            if not self.wanted():
                return NOT_OURS
            if self.time_up():
                return HANDED_OVER
            if self.turns[-1].role == TurnRole.USER:
                reply = await self.agent_answers(self.turns[-1], files_at(self.spec, self._customer_turns() - 1))
                if reply.ended:
                    return ended(EndReason.AGENT_CLOSED)
            elif self.leaves is not None:  # the last word was answered, or there was none
                return ended(self.leaves)
            elif goes_round(self._spoken()):
                return ended(EndReason.LOOP)
            elif line_at(self.spec, self._customer_turns()) is None and took_leave(self._spoken()):
                return ended(EndReason.CUSTOMER_LEFT)
            else:
                await self._customer_speaks()
        answered = self.turns[-1].role != TurnRole.USER
        return ended(self.leaves if self.leaves is not None and answered else EndReason.MAX_TURNS)

    def _messages(self) -> int:
        """Count the messages that count against `max_turns`.

        They are every message and every answer, one without words too; not the turn that holds an answer's tool calls.
        """
        return sum(1 for turn in self.turns if turn.role in _SPEAKERS and not turn.tool_calls)

    def _spoken(self) -> list[tuple[str, str]]:
        return [(turn.role.value, turn.content) for turn in self.turns if turn.content and turn.role in _SPEAKERS]

    def _customer_turns(self) -> int:
        return sum(1 for turn in self.turns if turn.role == TurnRole.USER)

    async def _hooks(self, when: str) -> None:
        calls = (self.spec.get("script") or {}).get(when) or ()
        await run_hooks(calls, when=when, values=self._hook_values(), client=self.client)

    async def _look_at_state(self) -> None:
        requests = self.spec.get("state_requests") or ()
        if requests:
            states = await end_states(requests, values=self._hook_values(), client=self.client)
            self.emit(TurnBatch(end_state=tuple(states)))

    def _hook_values(self) -> dict[str, Any]:
        scenario = str(self.spec.get("scenario") or "")
        return {"conversation": self.conversation_id, "scenario": scenario, "attempt": self.attempt}

    async def _customer_speaks(self) -> None:
        number = self._customer_turns()
        line = line_at(self.spec, number)
        if line is None:
            await self._simulator_speaks()
        elif line.ends:
            self.leaves = EndReason.SCRIPT_ENDED
        else:
            files = tuple(Attachment(name=file.name, sha256=file.sha256) for file in files_at(self.spec, number))
            self.say(Utterance(role=TurnRole.USER, content=line.text, attachments=files, ts=self.clock()))

    async def _simulator_speaks(self) -> None:
        simulator = self.participants.simulator
        if simulator is None:
            raise PlayFault(RatibaError("No simulator was configured.", code="no_simulator"), Blame.PLATFORM)
        question = simulator_request(spec=self.spec, turns=self.turns, attempt=self.attempt)
        reply = await self._simulator_reply(
            replace(question, timeout_s=self.participants.simulator_timeout_s), simulator
        )
        self.leaves = reply.leaves
        if reply.message:
            self.say(Utterance(role=TurnRole.USER, content=reply.message, ts=self.clock()))
        elif not self.turns:
            raise PlayFault(SimulatorReplyError("The simulator left without a word."), Blame.SIMULATOR)

    async def _simulator_reply(self, request: LLMRequest, simulator: LLM) -> SimulatorReply:
        """The customer's next message; an answer that is none is asked for once more. One or two paid calls. Where no
        model answers, that is the server's state and no fault of the customer."""
        fallback = self.participants.simulator_fallback
        try:
            answer = await self.ask_model(request, simulator, fallback, call_for=self.call_for)
            try:
                return read_simulator_reply(answer.text)
            except SimulatorReplyError as error:
                if answer.is_cut:
                    raise SimulatorReplyError(f"The simulator's message: {cut_sentence(answer)}.") from error
                answer = await self.ask_model(repeat_question(request), simulator, fallback, call_for=self.call_for)
                return read_simulator_reply(answer.text)
        except RateLimited:
            raise
        except SimulatorReplyError as error:
            raise PlayFault(error, Blame.SIMULATOR) from error
        except ConnectorError as error:
            raise PlayFault(error, Blame.BUDGET if _unpaid(error) else Blame.PLATFORM) from error


def _unpaid(error: ConnectorError) -> bool:
    """Tell whether the provider wants money before it says more: every model asked answered so."""
    outcomes = {attempt.outcome for attempt in error.attempts}
    return outcomes == {QuotaSpent.code}

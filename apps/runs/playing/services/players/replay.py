"""A golden session played again: its user turns, each sent when the reply before it showed what it must."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, ClassVar

from apps.connectors.agents.base import AgentSession
from apps.connectors.agents.capabilities import KeepsTranscript, OpensConversations, TakesUploads, TranscriptMessage
from apps.connectors.errors import ConnectorError
from apps.core.attached_files import AttachedFile
from apps.core.conversation import Attachment, TurnRole, Utterance
from apps.core.errors import RatibaError
from apps.core.host_load import load_per_processor
from apps.core.patterns import Pattern, PatternProblem, compile_pattern
from apps.core.question_secrets import fresh_salt
from apps.runs.domain.states import Blame, EndReason
from apps.runs.goldens.domain.gate_keeping import MAX_SHUT, GateKeeper, GateResult, GateState, in_words
from apps.runs.goldens.domain.replay_script import ScriptLine, script_of
from apps.runs.goldens.domain.stuck_gates import DESYNC, missing_facts
from apps.runs.playing.services.players.gate_judging import GateVerdict, same_step
from apps.runs.playing.services.players.observing import observe_and_close
from apps.runs.playing.services.players.resuming import InterruptedReplay, same_words
from apps.runs.services.conversation_player import (
    HANDED_OVER,
    NOT_OURS,
    ConversationPlayer,
    PlayFault,
    PlayResult,
    TurnBatch,
    ended,
    error_words,
)


class Desync(RatibaError):
    """The replay lost its step: the reply never showed what the golden session's did."""

    code = DESYNC


class MissingFile(RatibaError):
    """The golden session names an upload whose file is nowhere."""

    code = "file_missing"


class HungUp(RatibaError):
    """The agent closed the conversation before the golden session's end."""

    code = "hung_up"


@dataclass(slots=True, kw_only=True)
class ReplayPlayer(ConversationPlayer):
    """Line by line. A lost worker's attempt is gone on with where the agent's own transcript proves where it stands."""

    resumes: ClassVar[bool] = True
    host_load: Callable[[], float | None] = load_per_processor
    make_salt: Callable[[], str] = fresh_salt
    lines: Sequence[ScriptLine] = field(default=(), init=False)
    latency_s: float = field(default=0.0, init=False)
    verdict: GateVerdict | None = field(default=None, init=False)  # of the model, about the line that is played

    async def play_on(self) -> PlayResult:
        self.lines = lines = script_of(self.spec["golden"]["document"])
        await self._resume(lines)
        for number, line in enumerate(lines):
            if str(line.position) in self.record:
                continue
            if not self.wanted():
                return NOT_OURS
            if self.time_up() and len(self._customer_turns()) == number:
                return HANDED_OVER
            if await self._play_line(line, number):
                await observe_and_close(self)
                if number + 1 < len(lines):
                    raise _hung_up(line, left=len(lines) - number - 1)
                return ended(EndReason.AGENT_CLOSED)
        await observe_and_close(self)
        return ended(EndReason.SCRIPT_ENDED)

    def _customer_turns(self) -> list[int]:
        return [at for at, turn in enumerate(self.turns) if turn.role == TurnRole.USER and not turn.nudge]

    async def _play_line(self, line: ScriptLine, number: int) -> bool:
        """Send it where that has not been done, and keep its gate; return whether the agent closed the conversation."""
        await self._open()
        if len(self._customer_turns()) == number:
            self.say(self._utterance(line))
        at, closed, self.verdict = self._customer_turns()[number], False, None
        if number + 1 < len(self._customer_turns()):  # the next one was sent before the worker was lost
            self._note(line, at, self._passed(line, number), timed=False)
            return False
        if timed := self.turns[-1].role == TurnRole.USER:
            reply = await self.agent_answers(self.turns[-1], self._attachments(line, self.turns[-1]))
            self.latency_s, closed = reply.latency_ms / 1000, reply.ended
        result = await self._gate(line, at, self._said_since(at)) if line.pattern and not closed else None
        self._note(line, at, result, timed=timed)
        if result is not None and result.state is GateState.DESYNC:
            raise self._out_of_step(line, result, at)
        return closed

    def _passed(self, line: ScriptLine, number: int) -> GateResult | None:
        """The gate of a line whose next one was sent: how long it took to open is not known any more."""
        start, end = self._customer_turns()[number : number + 2]
        nudges = sum(1 for turn in self.turns[start:end] if turn.nudge)
        state = GateState.NUDGED if nudges else GateState.MATCHED
        return GateResult(state=state, nudges=nudges) if line.pattern else None

    def _out_of_step(self, line: ScriptLine, result: GateResult, at: int) -> PlayFault:
        """Build the fault of a reply that did not open its gate.

        It is nobody's fault yet where the reply tells in other words all that the golden reply tells; else the agent's,
        unless a file could only be named to it: then it is the transport's.
        """
        came = "\n".join(dict.fromkeys(self._said_since(at).split("\n")))  # what was said again after a nudge: once
        sentence = (
            f"Turn {line.number}: after {result.nudges} nudges the reply did not show "
            f"{in_words(line.pattern or '')}. It was: “{' '.join(came.split())[-500:]}”."
        )
        named = [turn for turn in self.turns if turn.attachments]
        if not named or isinstance(self.participants.agent, TakesUploads):
            missing = missing_facts(line, came, self._tools_since(self._customer_turns()[-1]), script=self.lines)
            if missing is None:
                words = f"{sentence} All that the golden reply tells was told.{self._verdict_words()}"
                return PlayFault(Desync(words), None)
            return PlayFault(Desync(f"{sentence} {missing}"), Blame.AGENT_QUALITY)
        kind, file = self.participants.agent.spec.kind, named[-1].attachments[0].name
        return PlayFault(
            Desync(f"The transport {kind} cannot upload {file}, so the agent was only told of it. {sentence}"),
            Blame.AGENT_TRANSPORT,
        )

    def _verdict_words(self) -> str:
        if self.verdict is None:
            return ""
        if self.verdict.same is None:
            return f" The model {self.verdict.model} could not say whether it does the same step."
        return f" The model {self.verdict.model} finds that it does another step."

    async def _open(self) -> None:
        """Open the conversation before the first turn, where the agent can.

        Its id is stored before anything is sent.
        """
        agent = self.participants.agent
        if isinstance(agent, OpensConversations) and not self.turns and not self.session.context_id:
            try:
                self.session = await agent.open(
                    self.session, message_id=f"{self.conversation_id}-{self.attempt}-open", client=self.client
                )
            except ConnectorError as error:
                raise PlayFault(error, Blame.AGENT_TRANSPORT, words=error_words(error, agent)) from error
            self.emit(TurnBatch(session=self.session))

    def _utterance(self, line: ScriptLine) -> Utterance:
        takes_files = isinstance(self.participants.agent, TakesUploads)
        attachments: tuple[Attachment, ...] = ()
        if line.file is not None:
            name = str(line.file.get("name") or "file")
            attachments = (Attachment(name=name, sha256=line.file.get("sha256")),)
        content = line.text if takes_files else line.words
        return Utterance(role=TurnRole.USER, content=content, attachments=attachments, ts=self.clock())

    def _attachments(self, line: ScriptLine, turn: Utterance) -> tuple[AttachedFile, ...]:
        if line.file is None or turn.nudge:
            return ()
        stored_file = self.files.get(str(line.file.get("sha256") or ""))
        if stored_file is None and isinstance(self.participants.agent, TakesUploads):
            problem = f"Turn {line.number}: the file {line.file.get('name') or ''} of the golden session is not stored."
            raise PlayFault(MissingFile(problem), Blame.GOLDEN)
        return (stored_file,) if stored_file is not None else ()

    async def _gate(self, line: ScriptLine, at: int, reply: str) -> GateResult:
        pattern = _compiled(line)

        async def nudge(words: str) -> str:
            self.say(Utterance(role=TurnRole.USER, content=words, ts=self.clock(), nudge=True))
            answer = await self.agent_answers(self.turns[-1])
            self.latency_s += answer.latency_ms / 1000
            return answer.text

        async def look_again() -> str | None:
            return await self._look_again(at)

        async def judge() -> bool:
            came = self._said_since(at)
            if missing_facts(line, came, self._tools_since(at), script=self.lines) is not None:
                return False
            self.verdict = await same_step(self, line, came, next_text=self._next_words(line), salt=self.make_salt())
            return self.verdict is not None and self.verdict.same is True

        keeper = GateKeeper(
            is_open=lambda text: _opens(pattern, text, line),
            nudge=nudge,
            look_again=look_again,
            sleep=self.sleep,
            judge=judge,
        )
        nudged = sum(1 for turn in self.turns[at:] if turn.nudge)  # before a worker was lost
        soft = line.soft and self._shut_in_a_row() < MAX_SHUT
        result = await keeper.keep(reply, reply_s=self.latency_s, golden_s=line.latency_s, nudged=nudged, soft=soft)
        if result.state is GateState.WAITED and not result.shut:
            self.latency_s += result.waited_s  # what came late was the agent's; our own wait before a nudge is not
        return result

    def _next_words(self, line: ScriptLine) -> str:
        return next((one.words for one in self.lines if one.position > line.position), "")

    def _shut_in_a_row(self) -> int:
        """Count the gates just before this one that were passed shut, one after the other."""
        lines = sorted(self.record.items(), key=lambda item: int(item[0]), reverse=True)
        return sum(1 for _ in takewhile(lambda item: item[1].get("shut"), lines))

    async def _look_again(self, at: int) -> str | None:
        """The agent's words since the line's turn was sent, by its own transcript; new messages become turns."""
        agent = self.participants.agent
        if not isinstance(agent, KeepsTranscript):
            return None
        try:
            messages = await agent.look_again(self.session, self.client)
        except ConnectorError:
            return ""  # it may answer the next time
        sent = sum(1 for turn in self.turns[: at + 1] if turn.role == TurnRole.USER)
        shown = _after(messages, sent)
        stored = [turn.content for turn in self.turns[at:] if turn.role == TurnRole.ASSISTANT]
        new = [text for text in shown if not any(same_words(text, content) for content in stored)]
        for text in new:
            self.say(Utterance(role=TurnRole.ASSISTANT, content=text, ts=self.clock()))
        return "\n".join(shown)

    def _said_since(self, at: int) -> str:
        return "\n".join(turn.content for turn in self.turns[at:] if turn.role == TurnRole.ASSISTANT)

    def _tools_since(self, at: int) -> frozenset[str]:
        return frozenset(call.name for turn in self.turns[at:] for call in turn.tool_calls)

    def _note(self, line: ScriptLine, at: int, result: GateResult | None, *, timed: bool) -> None:
        """Record that this line is done. Its latency is unknown where the reply came while no worker was there."""
        played: dict[str, Any] = {"at": at, "latency_s": round(self.latency_s, 3) if timed else None}
        played |= {"host_load": load} if (load := self.host_load()) is not None else {}
        if result is not None:
            played |= {"gate": result.state.value, "nudges": result.nudges, "waited_s": round(result.waited_s, 3)}
            played |= {"shut": True} if result.shut else {}
            played |= {"judged": self.verdict.as_json()} if self.verdict is not None else {}
        self.record = {**self.record, str(line.position): played}
        self.emit(TurnBatch(replay={"lines": {str(line.position): played}}))

    async def _resume(self, lines: Sequence[ScriptLine]) -> None:
        """Take up a lost worker's attempt where the agent's transcript proves it; else start anew, and say so."""
        if self.interrupted is None:
            return
        agent = self.participants.agent
        proven = None
        if isinstance(agent, KeepsTranscript) and self.session.context_id:
            script = [self._utterance(line) for line in lines]
            proven = await InterruptedReplay(
                before=self.interrupted,
                script=script,
                session=self.session,
                client=self.client,
                sleep=self.sleep,
                clock=self.clock,
            ).proven(agent)
        if proven is None:
            self.session, self.record = AgentSession(), {}
            self.emit(TurnBatch(session=self.session, replay={"resumed": False, "lines": None}))
            return
        turns, self.session = proven
        self.say(*turns, session=self.session)
        self.emit(TurnBatch(replay={"resumed": True}))


def _hung_up(line: ScriptLine, *, left: int) -> PlayFault:
    turns = "1 turn of the golden session was" if left == 1 else f"{left} turns of the golden session were"
    sentence = f"Turn {line.number}: the agent closed the conversation; {turns} never sent."
    return PlayFault(HungUp(sentence), Blame.AGENT_QUALITY)


def _compiled(line: ScriptLine) -> Pattern:
    try:
        return compile_pattern(line.pattern or "")
    except PatternProblem as error:
        raise PlayFault(error, Blame.GOLDEN) from error


def _opens(pattern: Pattern, text: str, line: ScriptLine) -> bool:
    try:
        return pattern.found_in(text)
    except PatternProblem as error:
        words = f"Turn {line.number}: {error.message}"
        raise PlayFault(error, Blame.GOLDEN, words=words) from error


def _after(messages: Sequence[TranscriptMessage], sent: int) -> list[str]:
    """The agent's messages behind the customer's message number `sent`, counted from 1; none where it is not there."""
    seen, lines = 0, []
    for message in messages:
        if message.role == TurnRole.USER:
            seen += 1
        elif seen >= sent and message.text.strip():
            lines.append(message.text)
    return lines if seen >= sent else []

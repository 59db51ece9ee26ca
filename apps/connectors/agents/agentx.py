"""A Pega agent by AgentX, the calls that Pega's own chat makes (DX API v2). Address and authentication: see
connectors/pega/exchange.py; options: agentx_options.py.

A conversation is opened once (`open`), each turn is one PATCH, files are uploaded before the turn that names them. A
turn that may have arrived is looked up before anything is sent again (agentx_delivery.py).
"""

import asyncio
import time
from typing import Any

import httpx

from apps.connectors.agents.agentx_delivery import Sleep, TurnDelivery, after_transcript, after_turn
from apps.connectors.agents.agentx_options import AGENTX_OPTIONS, check_prompt_room, read_agentx_options
from apps.connectors.agents.base import AgentReply, AgentSession, AgentSpec, AgentTurn, DefaultSettings, ReplyPart
from apps.connectors.agents.capabilities import CaseObservation, TranscriptMessage
from apps.connectors.errors import BadReply, RemoteRefusal, Unreachable
from apps.connectors.pega.case_view import observe_case
from apps.connectors.pega.conversations import AgentXAnswer, newest_of, read_answer, read_conversation, read_created
from apps.connectors.pega.exchange import AGENT_ID_SAFE, PegaExchange, segment
from apps.core.attached_files import AttachedFile

SHORT_S = 60.0  # for calls that no agent has to think about
TURN_S = 120.0  # sheet §3: 10–60 s a reply is normal, and a timeout below 120 s cuts good ones off
HOUSE_DEFAULT_S = AgentSpec(kind="", address="").timeout_s


class AgentXAgent(DefaultSettings):
    """One Pega agent. Keeps only its token; conversations are in the sessions."""

    OPTIONS = AGENTX_OPTIONS
    session_after = staticmethod(after_transcript)

    def __init__(self, spec: AgentSpec, *, sleep: Sleep = asyncio.sleep) -> None:
        self.spec = spec
        self._options = read_agentx_options(spec.options)
        check_prompt_room(self._options, spec.prompt)
        self._exchange = PegaExchange(spec)
        self._path = f"/ai-agents/{segment(self._options.agent_name, safe=AGENT_ID_SAFE)}/conversations"
        # The house's default was made for quicker agents; a timeout that somebody chose is obeyed.
        self.reply_within_s = TURN_S if spec.timeout_s == HOUSE_DEFAULT_S else spec.timeout_s
        self._sleep = sleep

    async def send(self, turn: AgentTurn, *, client: httpx.AsyncClient) -> AgentReply:
        """One turn; opens the conversation where nobody did. Waits `timeout_s` for the reply, and after that for as
        long as it takes to look up whether the turn arrived (8 s). Empty words with files are a silent upload."""
        session = await self.open(turn.session, message_id=turn.message_id, client=client)
        files = [
            {"type": "File", "category": "File", "ID": await self.upload(file, session, client), "name": file.name}
            for file in turn.attachments
        ]
        body = self._with_prompt({"Request": turn.text, "Attachments": files, **self._options.message})
        started = time.perf_counter()
        answer, raw = await self._delivered(body, session, client)
        latency_ms = round((time.perf_counter() - started) * 1000)
        return AgentReply(
            text=answer.text,
            session=after_turn(session, answer),
            latency_ms=latency_ms,
            raw=raw,
            hidden=tuple(ReplyPart),
        )

    async def _delivered(
        self, body: Any, session: AgentSession, client: httpx.AsyncClient
    ) -> tuple[AgentXAnswer, dict[str, Any]]:
        """The answer to a turn, and as it was on the wire (made up by us where it had to be looked up)."""
        turns, wire = int(session.state.get("turns", 0)), list[Any]()

        async def patch(left_s: float) -> AgentXAnswer:
            data = await self._exchange.call(
                "PATCH",
                self._one(session),
                client=client,
                timeout_s=left_s,
                body=body,
                took_turn=True,
                answered_before=turns > 0,
            )
            wire.append(data)
            return read_answer(data, who=self._exchange.who)

        answer = await TurnDelivery(
            send=patch,
            transcript=lambda: self.look_again(session, client),
            earlier=(str(session.state.get("message_id", "")), turns),
            timeout_s=self.reply_within_s,
            look_again_s=self._options.look_again_s,
            who=self._exchange.who,
            sleep=self._sleep,
        ).deliver()
        return answer, dict(wire[-1]) if wire else {"looked_up": True, "messageID": answer.message_id}

    async def open(self, session: AgentSession, *, message_id: str, client: httpx.AsyncClient) -> AgentSession:
        """The session with Pega's id. A lost answer is looked up by our own id before a second one is opened."""
        if session.state.get("theirs") and session.context_id:
            return session
        ours = session.context_id or f"ratiba-{message_id}"
        body = {"contextID": ours, "interactionID": ours, "executeStarterQuestion": False, **self._options.create}
        body = self._with_prompt(body)
        try:
            opened = await self._call("POST", self._path, client, self.reply_within_s, body)
            created = read_created(opened, who=self._exchange.who)
        except Unreachable as error:
            query = f"?contextID={segment(str(body['contextID']))}&pageSize=50&pageIndex=1"
            newest = newest_of(await self._call("GET", self._path + query, client, SHORT_S)) if error.sent else ""
            if not newest:
                raise
            created = AgentXAnswer(text="", conversation_id=newest)
        state = {"theirs": True, "greeting": created.text, "message_id": created.message_id, "turns": 0}
        return AgentSession(context_id=created.conversation_id, state=state)

    async def look_again(self, session: AgentSession, client: httpx.AsyncClient) -> tuple[TranscriptMessage, ...]:
        """The conversation as Pega has it."""
        theirs = session.state.get("theirs") and session.context_id
        return read_conversation(await self._call("GET", self._one(session), client, SHORT_S)) if theirs else ()

    async def upload(self, file: AttachedFile, session: AgentSession, client: httpx.AsyncClient) -> str:
        """The temporary id of the file, to be named in a turn."""
        data = await self._exchange.call("POST", "/attachments/upload", client=client, timeout_s=SHORT_S, file=file)
        upload_id = data.get("ID") if isinstance(data, dict) else None
        if not isinstance(upload_id, str) or not upload_id:
            raise BadReply(f"{self._exchange.who} took {file.name!r} without giving an ID", raw=repr(data))
        return upload_id

    async def close(self, session: AgentSession, client: httpx.AsyncClient) -> None:
        """End the conversation; one that is closed stays so."""
        if session.state.get("theirs") and session.context_id:
            try:
                await self._call("PUT", f"{self._one(session)}/close", client, SHORT_S, {})
            except RemoteRefusal as error:
                if error.status != 409:
                    raise

    async def observe(self, session: AgentSession, client: httpx.AsyncClient) -> CaseObservation:
        """Read the state of the Pega case behind the conversation."""
        return await observe_case(self.spec, session.context_id or "", client, sleep=self._sleep)

    def _with_prompt(self, body: dict[str, Any]) -> Any:
        return self.spec.prompt.placed_in(body) if self.spec.prompt else body

    def _one(self, session: AgentSession) -> str:
        return f"{self._path}/{segment(session.context_id or '')}"

    async def _call(self, method: str, path: str, client: httpx.AsyncClient, timeout_s: float, body: Any = None) -> Any:
        return await self._exchange.call(
            method, path, client=client, timeout_s=timeout_s, body=body, answered_before=False
        )

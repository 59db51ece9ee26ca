"""A2A over JSON-RPC, 0.2 to 1.0, on httpx alone. Options: `endpoint` and `dialect` ("0.3", "1.0") skip the card;
`stream`; `configuration` (passed through); `poll_s`; `allow_other_host`; authentication as in oauth.py.

A turn goes out once; again, under the same messageId, only where it certainly was not taken: no connection, a 401 with
a token to renew, "I do not speak that dialect". What a task leaves open is asked for by GetTask.
"""

import asyncio
import time
from dataclasses import replace
from typing import Any

import httpx

from apps.connectors.agents.a2a.card import AgentEndpoint, discover
from apps.connectors.agents.a2a.dialects import (
    OTHER_DIALECT_CODES,
    UNDER_WAY,
    Dialect,
    WireTurn,
    get_task_call,
    send_call,
    version_headers,
)
from apps.connectors.agents.a2a.exchange import RPCError, RpcExchange, refuse
from apps.connectors.agents.a2a.options import A2A_OPTIONS, read_options
from apps.connectors.agents.a2a.reply import TaskOutcome, agent_reply, read_result, said_prompts
from apps.connectors.agents.attachments import encoded, in_words
from apps.connectors.agents.base import AgentReply, AgentSpec, AgentTurn, DefaultSettings
from apps.connectors.agents.oauth import Credentials
from apps.connectors.agents.prompt_delivery import ECHO_FIELD
from apps.connectors.agents.same_server import refuse_elsewhere
from apps.connectors.errors import ConnectorError, Unreachable


class A2AAgent(DefaultSettings):
    """One agent under test. Keeps its card for as long as it lives; conversations are in the sessions."""

    OPTIONS = A2A_OPTIONS

    def __init__(self, spec: AgentSpec) -> None:
        self.spec = spec
        self._who = f"the agent at {spec.address.partition('?')[0]}"
        self._credentials = Credentials(spec, who=self._who)
        self._options = read_options(spec.options)
        self._found: AgentEndpoint | None = None

    async def send(self, turn: AgentTurn, *, client: httpx.AsyncClient) -> AgentReply:
        """Send a turn and wait for its task, if it has one; at most `timeout_s` in all."""
        session = turn.session
        wire_turn = WireTurn(
            text=in_words(turn.text, turn.attachments),
            message_id=turn.message_id,
            context_id=session.context_id if session.state.get("theirs") else None,
            task_id=session.state.get("task_id"),
            files=await encoded(turn.attachments),
            metadata=self.spec.prompt.metadata() if self.spec.prompt else {},
        )
        try:
            async with asyncio.timeout(self.spec.timeout_s):
                endpoint = await self._endpoint(client)
                started = time.perf_counter()
                outcome = await self._answer(endpoint, wire_turn, client)
        except TimeoutError as error:
            raise Unreachable(f"{self._who} did not answer within {self.spec.timeout_s:g} s", timed_out=True) from error
        except ConnectorError as error:
            error.extra.setdefault("who", self._who)
            raise
        if prompt := self.spec.prompt:
            prompt.check(None, said_prompts(outcome, ECHO_FIELD, *prompt.metadata()), who=self._who)
        return agent_reply(outcome, session, round((time.perf_counter() - started) * 1000), who=self._who)

    async def _endpoint(self, client: httpx.AsyncClient) -> AgentEndpoint:
        """Return where to send: the options name it, or the card does, once."""
        options = self._options
        if self._found is None and options.endpoint:
            dialect = options.dialect or Dialect.V1
            self._found = AgentEndpoint(url=options.endpoint, dialect=dialect, streaming=options.stream)
        if self._found is None:
            discovered = await discover(
                self.spec.address,
                client=client,
                credentials=self._credentials,
                who=self._who,
                timeout_s=self.spec.timeout_s,
            )
            if (self._credentials.any_secret or self.spec.prompt) and not options.allow_other_host:
                refuse_elsewhere(discovered.url, self.spec.address, option="allow_other_host", who=self._who)
            self._found = replace(discovered, dialect=options.dialect or discovered.dialect)
        if self._credentials.uses_oauth and not self._credentials.token_url and self._found.token_url:
            # The card may only describe the token endpoint: our client secret goes where we were told to go.
            refuse_elsewhere(self._found.token_url, self.spec.address, option="token_url", who=self._who)
            self._credentials.token_url = self._found.token_url
            self._credentials.scope = self._credentials.scope or self._found.scope
        return self._found

    async def _answer(self, endpoint: AgentEndpoint, turn: WireTurn, client: httpx.AsyncClient) -> TaskOutcome:
        try:
            result = await self._say(endpoint, turn, client)
        except RPCError as error:
            if error.number not in OTHER_DIALECT_CODES or self._options.dialect is not None:
                refuse(error, self._who)
            other = Dialect.V03 if endpoint.dialect is Dialect.V1 else Dialect.V1
            endpoint = self._found = replace(endpoint, dialect=other)
            try:
                result = await self._say(endpoint, turn, client)
            except RPCError as again:
                refuse(again, self._who)
        outcome = read_result(result, who=self._who)
        return await self._until_done(endpoint, outcome, client)

    async def _say(self, endpoint: AgentEndpoint, turn: WireTurn, client: httpx.AsyncClient) -> Any:
        streaming = self._options.stream and endpoint.streaming
        call = send_call(endpoint.dialect, turn, stream=streaming, configuration=self._options.configuration)
        exchange = self._exchange(endpoint, client)
        return await (exchange.stream(call) if streaming else exchange.call(call))

    async def _until_done(
        self, endpoint: AgentEndpoint, outcome: TaskOutcome, client: httpx.AsyncClient
    ) -> TaskOutcome:
        """Ask for the task until it is no longer under way; the timeout of the turn ends it at the latest."""
        pause, polls = self._options.poll_s, 0
        while outcome.state in UNDER_WAY and outcome.task_id:
            await asyncio.sleep(pause)
            pause, polls = min(pause * 1.5, 5.0), polls + 1
            call = get_task_call(endpoint.dialect, outcome.task_id, call_id=f"{outcome.task_id}-{polls}")
            try:
                result = await self._exchange(endpoint, client).call(call)
            except RPCError as error:
                refuse(error, self._who)
            outcome = read_result(result, who=self._who)
        return outcome

    def _exchange(self, endpoint: AgentEndpoint, client: httpx.AsyncClient) -> RpcExchange:
        return RpcExchange(
            client=client,
            url=endpoint.url,
            headers=version_headers(endpoint.dialect),
            credentials=self._credentials,
            who=self._who,
            timeout_s=self.spec.timeout_s,
            prompt=self.spec.prompt,
        )

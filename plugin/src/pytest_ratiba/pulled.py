"""Answers for the agent under test: leases the customer's turns from the server and posts the agent's replies.

The server never dials into this machine. One thread with its own event loop asks for turns, runs the agent for each,
prolongs the lease while the agent thinks, and posts what it said. A lease that was lost is somebody else's turn by
then, and its reply is dropped.
"""

import asyncio
import contextlib
import inspect
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pytest_ratiba.client import ServerError, address_of, read_answer, wait_of
from pytest_ratiba.replies import AgentReplyError, Observed, reply_body

AT_ONCE = 32  # conversations answered at the same time
IDLE_S = (0.1, 1.0)  # the pause after an empty answer grows from the one to the other
GIVE_UP_S = 60.0  # a server that cannot be reached for so long is gone


@dataclass(frozen=True, kw_only=True)
class LeasedTurn:
    """A customer's turn that waits for the agent. `messages` end with it; `context` holds language, scenario, …"""

    id: str
    lease: str
    conversation_id: str
    position: int
    messages: list[dict[str, Any]]
    context: dict[str, Any]
    expires_at: datetime


AroundTurn = Callable[[LeasedTurn], AbstractAsyncContextManager[None]]


class TurnLoop:
    """Leases and answers turns of one agent until it is stopped. `failure` says why it stopped by itself."""

    def __init__(
        self,
        *,
        url: str,
        api_key: str,
        agent: str,
        answer: Callable[..., Any],
        context_of: Callable[[str], Mapping[str, Any]] = lambda scenario: {},
        around: Sequence[AroundTurn] = (),
    ) -> None:
        self.failure: BaseException | None = None
        self.answered = 0
        self.observed: dict[str, Observed] = {}  # by conversation
        self._url, self._api_key, self._agent = url, api_key, agent
        self._answer, self._context_of, self._around = answer, context_of, tuple(around)
        self._runs: tuple[str, ...] = ()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._main, name=f"ratiba-{agent}", daemon=True)

    def start(self) -> None:
        """Begin to lease, in a thread of its own."""
        self._thread.start()

    def serve_run(self, run_id: str) -> None:
        """Answer this run's turns from now on; those of others with the same agent are none of ours."""
        self._runs = (*self._runs, run_id)

    def stop(self) -> None:
        """Lease no more, and wait for what is being answered (10 s at most)."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout=10)

    def _main(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:  # whoever waits for the run is told
            self.failure = error

    async def _serve(self) -> None:
        import httpx

        base, headers = address_of(self._url)
        headers |= {"authorization": f"Bearer {self._api_key}"}
        open_turns: set[asyncio.Task[None]] = set()
        async with httpx.AsyncClient(base_url=f"{base}/api/v1", headers=headers, timeout=30, trust_env=False) as http:
            idle, since = IDLE_S[0], time.monotonic()
            while not self._stop.is_set():
                try:
                    turns = await self._lease(http, AT_ONCE - len(open_turns))
                    since = time.monotonic()
                except (httpx.HTTPError, ServerError) as error:
                    if isinstance(error, ServerError) and error.status not in (429, 500, 502, 503, 504):
                        raise
                    if time.monotonic() - since > GIVE_UP_S:
                        raise ServerError(f"{self._url} has not answered for {GIVE_UP_S:g} s: {error}") from error
                    turns = []
                for turn in turns:
                    task = asyncio.create_task(self._take_turn(http, turn))
                    open_turns.add(task)
                    task.add_done_callback(open_turns.discard)
                idle = IDLE_S[0] if turns else min(idle * 1.5, IDLE_S[1])
                await asyncio.sleep(idle)
            if open_turns:
                await asyncio.wait(open_turns, timeout=8)

    async def _lease(self, http: Any, most: int) -> list[LeasedTurn]:
        if most < 1 or not self._runs:
            return []
        body = {"agent": self._agent, "most": most, "test_runs": list(self._runs)}
        answer = read_answer(await http.post("/pulled-turns/lease/", json=body))
        return [_turn(raw) for raw in answer["turns"]]

    async def _take_turn(self, http: Any, turn: LeasedTurn) -> None:
        prolong = asyncio.create_task(self._prolong(http, turn))
        try:
            body = await self._reply_to(turn)
        finally:
            prolong.cancel()
        await self._post(http, f"/pulled-turns/{turn.id}/reply/", {"lease": turn.lease, **body})
        self.answered += 1

    async def _reply_to(self, turn: LeasedTurn) -> dict[str, Any]:
        context = {**turn.context, **self._context_of(str(turn.context.get("scenario") or ""))}
        context["conversation_id"] = turn.conversation_id
        began = time.monotonic()
        try:
            async with contextlib.AsyncExitStack() as stack:
                for around in self._around:
                    await stack.enter_async_context(around(turn))
                said = await self._call(turn.messages, context)
            body = reply_body(self.observed.setdefault(turn.conversation_id, Observed()).take(said))
        except AgentReplyError as error:
            return {"error": str(error)}
        except Exception as error:  # the agent is the user's code: its failure is the turn's outcome
            return {"error": f"{type(error).__name__}: {error}"[:2000]}
        return {"latency_ms": round((time.monotonic() - began) * 1000), **body}

    async def _call(self, messages: list[dict[str, Any]], context: dict[str, Any]) -> Any:
        if inspect.iscoroutinefunction(self._answer):
            return await self._answer(messages, context)
        said = await asyncio.to_thread(self._answer, messages, context)
        return await said if inspect.isawaitable(said) else said

    async def _prolong(self, http: Any, turn: LeasedTurn) -> None:
        while True:
            left = (turn.expires_at - datetime.now(UTC)).total_seconds()
            length = max(left, 2.0)
            await asyncio.sleep(length / 2)
            if not await self._post(http, f"/pulled-turns/{turn.id}/extend/", {"lease": turn.lease}):
                return

    async def _post(self, http: Any, path: str, body: dict[str, Any]) -> bool:
        """Whether the server took it; a lease that is not ours any more (409), or a turn gone (404), is let go."""
        import httpx

        for attempt in range(5):
            try:
                response = await http.post(path, json=body)
            except httpx.HTTPError:
                await asyncio.sleep(0.2 * 2**attempt)
                continue
            if response.status_code in (404, 409):
                return False
            if response.status_code in (429, 500, 502, 503, 504):
                await asyncio.sleep(wait_of(response, 0.5 * 2**attempt))
                continue
            read_answer(response)
            return True
        return False


def _turn(raw: Mapping[str, Any]) -> LeasedTurn:
    return LeasedTurn(
        id=str(raw["id"]),
        lease=str(raw["lease"]),
        conversation_id=str(raw["conversation_id"]),
        position=int(raw["position"]),
        messages=[dict(one) for one in raw["messages"]],
        context=dict(raw.get("context") or {}),
        expires_at=datetime.fromisoformat(str(raw["expires_at"])),
    )

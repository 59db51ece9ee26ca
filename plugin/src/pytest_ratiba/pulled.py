"""Brings turns to the agent under test: leases the customer's turns from the server and posts the agent's replies.

The server never dials into this machine. One thread with its own event loop asks for turns, runs the agent for each,
prolongs the lease while the agent thinks, and posts what it said. A lease that was lost is somebody else's turn by
then, and its reply is dropped.
"""

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

from pytest_ratiba.client import ServerError, address_of, read_answer, wait_of
from pytest_ratiba.environment.errors import EvalEnvironmentError
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.replies import Observed

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
    answer_by: datetime | None = None
    session: str = ""  # the same for all turns of one attempt, and for no other
    attempt: int = 1
    out_of_process: bool = False  # the agent is another process, and this its only turn at the moment


AroundTurn = Callable[[LeasedTurn], AbstractAsyncContextManager[None]]


class TurnResponder(Protocol):
    """The agent under test as turns are brought to it. `observed` is what it showed of its inside, by conversation."""

    observed: dict[str, Observed]

    async def respond(self, turn: LeasedTurn, context: Mapping[str, Any]) -> dict[str, Any]:
        """The body of the reply without its lease: content, a response, or an error. What it raises loses the turn."""
        ...

    async def close(self) -> None:
        """Called once, when no turn will come any more."""
        ...


class TurnLoop:
    """Leases and answers turns of one agent until it is stopped. `failure` says why it stopped by itself."""

    def __init__(
        self,
        *,
        url: str,
        api_key: str,
        agent: str,
        responder: TurnResponder,
        context_of: Callable[[str], Mapping[str, Any]] = lambda scenario: {},
        around: Sequence[AroundTurn] = (),
        one_at_a_time: bool = False,
    ) -> None:
        """`one_at_a_time`: the agent is a process whose model calls are told apart by the turn that is on."""
        self.failure: BaseException | None = None
        self.answered = 0
        self.observed = responder.observed
        self._url, self._api_key, self._agent = url, api_key, agent
        self.responder, self._context_of, self._around = responder, context_of, tuple(around)
        self._one_at_a_time, self._at_once = one_at_a_time, 1 if one_at_a_time else AT_ONCE
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
                    turns = await self._lease(http, self._at_once - len(open_turns))
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
            await self.responder.close()

    async def _lease(self, http: Any, most: int) -> list[LeasedTurn]:
        if most < 1 or not self._runs:
            return []
        body = {"agent": self._agent, "most": most, "test_runs": list(self._runs)}
        answer = read_answer(await http.post("/pulled-turns/lease/", json=body))
        return [_turn(raw, out_of_process=self._one_at_a_time) for raw in answer["turns"]]

    async def _take_turn(self, http: Any, turn: LeasedTurn) -> None:
        prolong = asyncio.create_task(self._prolong(http, turn))
        try:
            body = await self._reply_to(turn)
        finally:
            prolong.cancel()
        path = f"/pulled-turns/{turn.id}/reply/"
        try:
            await self._post(http, path, {"lease": turn.lease, **body})
        except ServerError as error:  # too long, or with a sign that cannot be stored: the agent's failure
            await self._post(
                http, path, {"lease": turn.lease, "error": f"the server refuses the reply: {error}"[:2000]}
            )
        self.answered += 1

    async def _reply_to(self, turn: LeasedTurn) -> dict[str, Any]:
        context = {**turn.context, **self._context_of(str(turn.context.get("scenario") or ""))}
        context["conversation_id"] = turn.conversation_id
        try:
            async with contextlib.AsyncExitStack() as stack:
                for around in self._around:
                    await stack.enter_async_context(around(turn))
                return await self.responder.respond(turn, context)
        except (Exception, SystemExit) as error:  # the agent is the user's code: its failure is the turn's outcome
            if isinstance(error, ProjectError) and not isinstance(error, EvalEnvironmentError):
                self.failure = error  # a recording or a setting that cannot be read: it holds for every turn to come
                self._stop.set()
                return {"error": str(error)[:2000], "fault": "transport"}
            words = f"{type(error).__name__}: {error}"[:2000]
            return {"error": words.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")}

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


def _turn(raw: Mapping[str, Any], *, out_of_process: bool) -> LeasedTurn:
    return LeasedTurn(
        id=str(raw["id"]),
        lease=str(raw["lease"]),
        conversation_id=str(raw["conversation_id"]),
        position=int(raw["position"]),
        messages=[dict(message) for message in raw["messages"]],
        context=dict(raw.get("context") or {}),
        expires_at=datetime.fromisoformat(str(raw["expires_at"])),
        answer_by=datetime.fromisoformat(str(raw["answer_by"])) if raw.get("answer_by") else None,
        session=str(raw.get("session") or raw["conversation_id"]),
        attempt=int(raw.get("attempt") or 1),
        out_of_process=out_of_process,
    )

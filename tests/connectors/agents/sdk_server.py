"""A real A2A server by the official SDK on loopback, speaking 1.0 and 0.3, that behaves as the message asks."""

import asyncio
import socket
import threading
import time
from collections import Counter
from typing import Any
from urllib.parse import parse_qsl

import uvicorn
from a2a.helpers import new_task_from_user_message, new_text_message, new_text_part
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import (
    AgentCapabilities,
    AgentCard,
    AgentInterface,
    AgentSkill,
    ClientCredentialsOAuthFlow,
    OAuth2SecurityScheme,
    OAuthFlows,
    Role,
    SecurityRequirement,
    SecurityScheme,
    StringList,
)
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

HUGE = 300_000
SLOW_S = 20.0  # long enough that no busy machine takes as long to give up
CHUNKS = ("Hab", "ari! Yo", "ur table", " is ready.\n", "See", " you. ", "Kwa", "heri")
CALLS = [{"id": "c1", "name": "free_slots", "arguments": {"day": "2026-11-21", "n": 3}, "result": {"slots": ["10:00"]}}]


class Puppet(AgentExecutor):
    """Keeps what it was told, by message id and context."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, str, str]] = []
        self.turns: Counter[str] = Counter()
        self.slow_s = SLOW_S

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        text = context.get_user_input()
        message = context.message
        assert message is not None
        self.heard.append((message.message_id, context.context_id or "", text))
        self.turns[context.context_id or ""] += 1
        if text.startswith(("task", "fail", "reject", "auth", "ask")) or context.current_task:
            await self._task(text, context, event_queue)
            return
        if text.startswith("boom"):
            raise RuntimeError("kaput")
        if text.startswith("slow"):
            await asyncio.sleep(self.slow_s)
        reply = new_text_message(
            self._words(text, context.context_id or ""), context_id=context.context_id, role=Role.ROLE_AGENT
        )
        if text.startswith("tools"):
            reply.metadata.update({"toolCalls": CALLS})
        if text.startswith("bye"):
            reply.metadata.update({"conversationEnded": True})
        await event_queue.enqueue_event(reply)

    def _words(self, text: str, context_id: str) -> str:
        if text.startswith("nothing"):
            return ""
        if text.startswith("huge"):
            return "x" * HUGE
        return f"you said: {text} (turn {self.turns[context_id]})"

    async def _task(self, text: str, context: RequestContext, queue: EventQueue) -> None:
        task = context.current_task
        if task is None:
            assert context.message is not None
            task = new_task_from_user_message(context.message)
            await queue.enqueue_event(task)
        updater = TaskUpdater(queue, task.id, task.context_id)
        await updater.start_work()
        words = updater.new_agent_message([new_text_part(f"{text}: sorry")])
        if text.startswith("ask"):
            await updater.requires_input(updater.new_agent_message([new_text_part("which one?")]))
        elif text.startswith("fail"):
            await updater.failed(words)
        elif text.startswith("reject"):
            await updater.reject(words)
        elif text.startswith("auth"):
            await updater.requires_auth(words)
        else:
            if text.startswith("task slow"):
                await asyncio.sleep(self.slow_s)
            if text.startswith("task broken"):
                raise RuntimeError("kaput")
            if text.startswith("task chunks"):
                for place, chunk in enumerate(CHUNKS):
                    parts = [new_text_part(chunk)]
                    await updater.add_artifact(parts, artifact_id="a", append=place > 0, last_chunk=chunk is CHUNKS[-1])
                await updater.complete()
                return
            await updater.add_artifact([new_text_part(f"result of {text}")], name="answer", artifact_id="a1")
            await updater.complete()

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        await TaskUpdater(event_queue, context.task_id or "", context.context_id or "").cancel()


class Doorman:
    """ASGI middleware: wants a bearer where `required`, hands out tokens at /token, counts POSTs to the endpoint."""

    def __init__(self, app: Any) -> None:
        self.app = app
        self.required = False
        self.token = 0
        self.expires_in = 3600
        self.posts = 0
        self.headers: list[dict[str, str]] = []
        self.grants: list[dict[str, Any]] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and scope["path"] != "/token":
            headers = {name.decode(): value.decode() for name, value in scope["headers"]}
            if scope["method"] == "POST":
                self.posts += 1
                self.headers.append(headers)
            if self.required and headers.get("authorization") != f"Bearer tok-{self.token}":
                await JSONResponse({"error": "invalid_token"}, status_code=401)(scope, receive, send)
                return
        await self.app(scope, receive, send)

    async def grant(self, request: Request) -> JSONResponse:
        form = dict(parse_qsl((await request.body()).decode()))
        self.grants.append({**form, "authorization": request.headers.get("authorization")})
        self.token += 1
        return JSONResponse(
            {"access_token": f"tok-{self.token}", "token_type": "Bearer", "expires_in": self.expires_in}
        )


def card(base: str, *, versions: tuple[str, ...] = ("1.0", "0.3")) -> AgentCard:
    flow = ClientCredentialsOAuthFlow(token_url=f"{base}/token", scopes={"a2a": "call"})
    return AgentCard(
        name="Puppet",
        description="does as it is told",
        version="1.0.0",
        supported_interfaces=[
            AgentInterface(url=f"{base}/", protocol_binding="JSONRPC", protocol_version=version) for version in versions
        ],
        capabilities=AgentCapabilities(streaming=True),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[AgentSkill(id="echo", name="Echo", description="d", tags=["t"])],
        security_schemes={
            "oauth": SecurityScheme(
                oauth2_security_scheme=OAuth2SecurityScheme(flows=OAuthFlows(client_credentials=flow))
            )
        },
        security_requirements=[SecurityRequirement(schemes={"oauth": StringList(list=["a2a"])})],
    )


class SDKServer:
    """The server in a thread. `base` is its address; `puppet` and `door` can be looked at and told things."""

    def __init__(self, *, versions: tuple[str, ...] = ("1.0", "0.3")) -> None:
        self._socket = socket.socket()
        self._socket.bind(("127.0.0.1", 0))
        self.base = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self.puppet = Puppet()
        agent_card = card(self.base, versions=versions)
        handler = DefaultRequestHandler(
            agent_executor=self.puppet, task_store=InMemoryTaskStore(), agent_card=agent_card
        )
        app = Starlette()
        self.door = Doorman(app)
        app.router.routes.extend(
            [
                *create_agent_card_routes(agent_card),
                *create_agent_card_routes(agent_card, card_url="/.well-known/agent.json"),
                *create_jsonrpc_routes(handler, "/", enable_v0_3_compat="0.3" in versions),
                Route("/token", self.door.grant, methods=["POST"]),
            ]
        )
        self._server = uvicorn.Server(uvicorn.Config(self.door, log_level="critical", timeout_graceful_shutdown=1))
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True)

    def __enter__(self) -> "SDKServer":
        self._thread.start()
        while not self._server.started:
            time.sleep(0.01)
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(5)

"""The agent on the wire: A2A 1.0 and 0.3 over JSON-RPC by the official SDK, cards at both well-known paths.

Each reply is one Message. Its metadata carries what the agent did: `toolCalls` (`id`, `name`, `arguments`, `result`)
and, once the agent has said goodbye, `conversationEnded`. Conversations live in memory, the oldest forgotten first.
"""

import asyncio
import socket
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import uvicorn
from a2a.helpers import new_text_message
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill, Role
from starlette.applications import Starlette

from examples.booking_agent.dialogue import BookingAgent
from examples.booking_agent.memory import Memory
from examples.booking_agent.tracing import send_traces, traced

MAX_CONVERSATIONS = 20_000


class Desk:
    """The conversations under way, by A2A contextId. Bounded: the one untouched for longest is dropped."""

    def __init__(self, *, limit: int = MAX_CONVERSATIONS) -> None:
        self._limit = limit
        self._open: OrderedDict[str, Memory] = OrderedDict()

    def memory(self, context_id: str) -> Memory:
        """The memory of a conversation, new if need be."""
        memory = self._open.pop(context_id, None) or Memory()
        self._open[context_id] = memory
        while len(self._open) > self._limit:
            self._open.popitem(last=False)
        return memory

    def __len__(self) -> int:
        return len(self._open)


class BookingExecutor(AgentExecutor):
    """Answers each message with exactly one message."""

    def __init__(self, agent: BookingAgent, *, desk: Desk | None = None, delay_s: float = 0.0) -> None:
        self.agent, self.desk, self.delay_s = agent, desk or Desk(), delay_s
        self._reply = traced(lambda context_id, words: agent.reply(self.desk.memory(context_id), words))

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Reply to one message; nothing is kept of an empty one."""
        if self.delay_s:
            await asyncio.sleep(self.delay_s)
        context_id = context.context_id or ""
        answer = self._reply(context_id, context.get_user_input())
        message = new_text_message(answer.text, context_id=context_id, role=Role.ROLE_AGENT)
        message.metadata.update(
            {
                "language": answer.language.value,
                "conversationEnded": answer.ended,
                "toolCalls": [tool.as_json() for tool in answer.tools],
            }
        )
        await event_queue.enqueue_event(message)

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Nothing to cancel: replies are immediate."""


def agent_card(base: str) -> AgentCard:
    """The card for an agent reachable at `base`, with a 1.0 and a 0.3 interface."""
    return AgentCard(
        name="Salon Amani bookings",
        description="Books appointments at a Nairobi salon in English, Swahili or both, with M-Pesa.",
        version="1.0.0",
        supported_interfaces=[
            AgentInterface(url=f"{base}/", protocol_binding="JSONRPC", protocol_version="1.0"),
            AgentInterface(url=f"{base}/", protocol_binding="JSONRPC", protocol_version="0.3"),
        ],
        capabilities=AgentCapabilities(streaming=True),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[
            AgentSkill(
                id="booking",
                name="Salon bookings",
                description="Free slots, prices in KES, bookings and M-Pesa payment.",
                tags=["booking", "salon", "sw", "en"],
            )
        ],
    )


def build_app(
    agent: BookingAgent, *, base: str, delay_s: float = 0.0, on_ready: Callable[[], None] = lambda: None
) -> Starlette:
    """The ASGI application. `on_ready` is called when it is about to take requests."""
    card = agent_card(base)
    handler = DefaultRequestHandler(
        agent_executor=BookingExecutor(agent, delay_s=delay_s), task_store=InMemoryTaskStore(), agent_card=card
    )

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        on_ready()
        yield
        send_traces()

    routes = [
        *create_agent_card_routes(card),
        *create_agent_card_routes(card, card_url="/.well-known/agent.json"),
        *create_jsonrpc_routes(handler, "/", enable_v0_3_compat=True),
    ]
    return Starlette(routes=routes, lifespan=lifespan)


def bind(host: str, port: int) -> socket.socket:
    """A listening socket, before anything is announced. Raises OSError where the port is taken."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((host, port))
    listener.listen(128)
    return listener


def serve(agent: BookingAgent, *, listener: socket.socket, delay_s: float = 0.0) -> None:
    """Serve until SIGTERM or Ctrl-C. Prints one line with the address when ready."""
    host, port = listener.getsockname()[:2]
    base = f"http://{host}:{port}"
    app = build_app(
        agent, base=base, delay_s=delay_s, on_ready=lambda: print(f"booking agent ready at {base}/", flush=True)
    )
    config = uvicorn.Config(app, log_level="warning", lifespan="on", timeout_graceful_shutdown=2)
    uvicorn.Server(config).run(sockets=[listener])

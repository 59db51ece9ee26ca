"""An HTTP agent and the model that plays its customers, in one process: a set pace, and a count of what arrived.

    python -m benchmarks.stage_world --port 8190 --agent-ms 500 --model-ms 300

POST /agent takes {"message", "session_id"} and answers {"reply"}; /v1/chat/completions speaks OpenAI and says a new
sentence each time, so that a turn that arrives twice in one session can be told. GET /stats: {"turns", "model_calls",
"sessions", "twice", "most_at_once", "begun": [seconds at which a session began]}; POST /reset.
"""

import argparse
import asyncio
import itertools
import json
import signal
import time
from collections import Counter
from contextlib import ExitStack
from typing import Any, TextIO

from tests.loopback import formats
from tests.loopback.http_server import Answer, HttpProtocol, Request


class StageWorld:
    """The handler behind the server, and its counts."""

    def __init__(self, *, agent_s: float, model_s: float, journal: TextIO | None = None) -> None:
        self.agent_s, self.model_s, self.journal = agent_s, model_s, journal
        self._numbers = itertools.count()
        self._born = time.time_ns()
        self.reset()

    def reset(self) -> None:
        self.turns: Counter[tuple[str, str]] = Counter()
        self.begun: dict[str, float] = {}
        self.model_calls = self.open = self.most_at_once = 0

    def stats(self) -> dict[str, Any]:
        return {
            "turns": self.turns.total(),
            "model_calls": self.model_calls,
            "sessions": len(self.begun),
            "twice": sum(1 for count in self.turns.values() if count > 1),
            "most_at_once": self.most_at_once,
            "begun": sorted(self.begun.values()),
        }

    def __call__(self, request: Request) -> Answer:
        if request.path == "/agent":
            return self._agent(json.loads(request.body))
        if request.path.endswith("/chat/completions"):
            self.model_calls += 1
            self._note("model")
            said = json.dumps({"message": f"And sentence {self._born}-{next(self._numbers)}?", "done": False})
            found = formats.answer("openai", said, model="stub-model", tokens=(300, 20))
            found.delay_s = self.model_s
            return found
        if request.path == "/reset":
            self.reset()
            return Answer(status=204)
        return Answer(body=json.dumps(self.stats()).encode())

    def _agent(self, body: dict[str, Any]) -> Answer:
        session = str(body["session_id"])
        self._note(f"{session}\t{body['message']}")
        self.begun.setdefault(session, time.time())
        self.turns[session, body["message"]] += 1
        self.open += 1
        self.most_at_once = max(self.most_at_once, self.open)
        asyncio.get_running_loop().call_later(self.agent_s, self._closed)
        return Answer(body=json.dumps({"reply": "Certainly. What else?"}).encode(), delay_s=self.agent_s)

    def _note(self, line: str) -> None:
        if self.journal is not None:
            self.journal.write(line + "\n")
            self.journal.flush()

    def _closed(self) -> None:
        self.open -= 1


async def serve(world: StageWorld, port: int) -> None:
    """Serve until SIGTERM or SIGINT; prints one line with the address when ready."""
    loop = asyncio.get_running_loop()
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    open_connections: set[HttpProtocol] = set()
    server = await loop.create_server(
        lambda: HttpProtocol(world, open_connections), "127.0.0.1", port, backlog=1024, reuse_address=True
    )
    print(f"stage ready at http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await stopped.wait()
    server.close()
    for connection in list(open_connections):
        connection.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one (default)")
    parser.add_argument("--agent-ms", type=float, default=500.0)
    parser.add_argument("--model-ms", type=float, default=300.0)
    parser.add_argument("--journal", default="", help="a file that outlives it: each turn and each model call, a line")
    chosen = parser.parse_args()
    with ExitStack() as at_end:
        journal = at_end.enter_context(open(chosen.journal, "a", encoding="utf-8")) if chosen.journal else None
        world = StageWorld(agent_s=chosen.agent_ms / 1000, model_s=chosen.model_ms / 1000, journal=journal)
        asyncio.run(serve(world, chosen.port))


if __name__ == "__main__":
    main()

"""The obedient model on loopback, in OpenAI's chat format, until Ctrl-C; `make loop` walks with it, without a key.

python -m examples.obedient_model [--port 8125] [--seed 1]     base URL http://127.0.0.1:8125/v1
"""

import argparse
import json
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from examples.obedient_model.model import answer


class ModelDoor(BaseHTTPRequestHandler):
    protocol_version, seed = "HTTP/1.1", 1
    plays: Counter[str] = Counter()  # how often the agent was told the same; class-level, as every request has a door
    counting = threading.Lock()

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        text = answer(body, self.seed, play=0 if "response_format" in body else self.play_of(body))
        usage = {"prompt_tokens": len(str(body["messages"])) // 4, "completion_tokens": len(text) // 4}
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        reply = json.dumps({"id": "obedient", "model": body["model"], "choices": [choice], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def play_of(self, body: dict[str, Any]) -> int:
        """The agent samples: who tells it the same once more may get another answer, 0 the first time."""
        told = json.dumps(body["messages"])
        with self.counting:
            self.plays[told] += 1
            return self.plays[told] - 1

    def log_message(self, format: str, *_: object) -> None:
        """A walk asks a thousand times."""


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=8125)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    ModelDoor.seed = chosen.seed
    with ThreadingHTTPServer(("127.0.0.1", chosen.port), ModelDoor) as server:
        print(f"the obedient model is at http://127.0.0.1:{chosen.port}/v1", flush=True)
        server.serve_forever()

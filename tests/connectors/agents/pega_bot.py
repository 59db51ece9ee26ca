"""The shapes of a Pega's AgentX calls, as its sheet records them, from a bot that says the same as the other puppets.

The faithful server is examples/pega; this one only knows what the contract of connectors asks.
"""

import json
from collections import Counter
from itertools import count
from typing import Any
from urllib.parse import unquote

from tests.connectors.agents.sdk_server import HUGE, SLOW_S
from tests.loopback.http_server import Answer, Request

PREFIX = "/prweb/api/application/v2"
AGENT = "@BASECLASS!HelpAgent"
TOKEN_PATH = "/prweb/PRRestService/oauth2/v1/token"
EXECUTION_ERROR = {
    "errorClassification": "Internal server error",
    "localizedValue": "Execution error",
    "errorDetails": [{"message": "Error_Execution", "localizedValue": "Execution error"}],
}


class PegaBot:
    """`next_answers` are given instead of the usual ones to PATCHes, in turn: an Answer, or None for the usual one.
    `lost`: PATCHes are taken, answered by nothing, and appear in the transcript `lag` looks later."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.patches: list[dict[str, Any]] = []
        self.messages: dict[str, list[dict[str, Any]]] = {}
        self.contexts: dict[str, str] = {}
        self.closed: set[str] = set()
        self.files: dict[str, bytes] = {}
        self.tokens: set[str] = set()
        self.needs_token = False
        self.next_answers: list[Answer | str | None] = []
        self.create_answers: list[Answer | str] = []
        self.lag = 0
        self.turns: Counter[str] = Counter()
        self._ids = count(1)

    def __call__(self, request: Request) -> Answer:
        self.requests.append(request)
        path = request.path.partition("?")[0]
        if path == TOKEN_PATH:
            token = f"token-{next(self._ids)}"
            self.tokens.add(token)
            return _json({"access_token": token, "token_type": "bearer", "expires_in": 3600})
        bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
        if self.needs_token and bearer not in self.tokens:
            return _json({"errors": [{"ID": "Pega_API_001", "message": "Unauthorized"}]}, 401)
        path = path.removeprefix(PREFIX)
        if path == "/attachments/upload":
            self.files[f"FILE-{next(self._ids)}"] = request.body
            return _json({"ID": list(self.files)[-1]}, 201)
        if "%40" in path or "%21" in path or not path.startswith(f"/ai-agents/{AGENT}/conversations"):
            return _json(EXECUTION_ERROR, 500)
        return self._conversation(request, unquote(path.removeprefix(f"/ai-agents/{AGENT}/conversations")).strip("/"))

    def _conversation(self, request: Request, rest: str) -> Answer:
        if request.method == "POST":
            return self._create(json.loads(request.body))
        if not rest:
            wanted = unquote(request.path.partition("contextID=")[2].partition("&")[0])
            found = [{"id": key, "createdOn": "2026"} for key, context in self.contexts.items() if context == wanted]
            return _json({"conversations": found})
        name = rest.removesuffix("/close")
        if name not in self.messages:
            return _json({"errorDetails": [{"message": "Error_NotFound", "localizedValue": "No such thing"}]}, 404)
        if request.method == "GET":
            self.lag -= 1
            hidden = self.lag >= 0 and "new" in self.messages[name][-1]
            shown = [item for item in self.messages[name] if not (hidden and "new" in item)]
            return _json({"id": name, "messages": shown})
        if name in self.closed:
            return _json({"localizedValue": "Conversation is closed"}, 409)
        if request.method == "PUT":
            self.closed.add(name)
            return Answer(status=204)
        return self._patch(name, json.loads(request.body))

    def _create(self, body: dict[str, Any]) -> Answer:
        planned = self.create_answers.pop(0) if self.create_answers else None
        if isinstance(planned, Answer):
            return planned
        name = f"PXCONV-{next(self._ids)}"
        self.contexts[name] = body["contextID"]
        self.messages[name] = [self._message("ASSISTANT", "Welcome")]
        answer = {
            "ID": name,
            "response": "<p>Welcome</p>",
            "messageID": self.messages[name][0]["messageID"],
        }
        return _json(answer, 201) if planned is None else Answer(fault=planned)

    def _patch(self, name: str, body: dict[str, Any]) -> Answer:
        self.patches.append(body)
        text: str = body["Request"]
        planned = self.next_answers.pop(0) if self.next_answers else None
        if isinstance(planned, Answer):
            return planned
        if planned == "not taken":
            return Answer(fault="reset")
        if text.startswith("boom"):
            return _json({"localizedValue": "kaput"}, 500)
        if text.startswith("fail"):
            return _json({"localizedValue": "no"}, 400)
        self.turns[name] += 1
        words = "" if text.startswith("nothing") else f"you said: {text} (turn {self.turns[name]})"
        words = "x" * HUGE if text.startswith("huge") else words
        new = {} if planned is None else {"new": True}
        self.messages[name].append(self._message("USER", text) | new)
        if text.startswith("slow"):
            return _json({"response": "at last"}, delay_s=SLOW_S)
        self.messages[name].append(self._message("ASSISTANT", words) | new)
        answer = {"response": words, "messageID": self.messages[name][-1]["messageID"], "aiGuidedQuestions": []}
        if planned is not None:
            return Answer(fault=planned)
        return _json(answer)

    def _message(self, role: str, content: str) -> dict[str, Any]:
        return {"role": role, "content": content, "messageID": f"MSG-{next(self._ids)}",
                "createdOn": "2026-11-20T10:00:00Z"}  # fmt: skip


def _json(body: Any, status: int = 200, **more: Any) -> Answer:
    return Answer(status=status, body=json.dumps(body).encode(), **more)

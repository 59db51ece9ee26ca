"""The behaviour of sdk_server.Puppet again, from a plain HTTP bot and from a script: one suite covers all kinds."""

import json
from collections import Counter
from typing import Any

from tests.connectors.agents.sdk_server import CALLS, HUGE, SLOW_S
from tests.loopback.http_server import Answer, Request


class HTTPBot:
    """POST {"message", "session_id"} -> {"answer": {"text"}, "conversation", "done", "tools"}."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.turns: Counter[str] = Counter()
        self.slow_s = SLOW_S

    def __call__(self, request: Request) -> Answer:
        self.requests.append(request)
        body = json.loads(request.body)
        text, session = body["message"], body.get("session_id") or f"s{len(self.requests)}"
        self.turns[session] += 1
        if text.startswith("boom"):
            return Answer(status=500, body=b'{"detail": "kaput"}')
        if text.startswith("fail"):
            return Answer(status=422, body=b'{"detail": "no"}')
        answer: dict[str, Any] = {
            "answer": {"text": self._words(text, session)},
            "conversation": session,
            "done": False,
        }
        answer |= {"tools": CALLS} if text.startswith("tools") else {}
        answer |= {"done": True} if text.startswith("bye") else {}
        return Answer(body=json.dumps(answer).encode(), delay_s=self.slow_s if text.startswith("slow") else 0)

    def _words(self, text: str, session: str) -> str:
        if text.startswith("nothing"):
            return ""
        return "x" * HUGE if text.startswith("huge") else f"you said: {text} (turn {self.turns[session]})"


HTTP_OPTIONS = {
    "body": {"message": "{{ text }}", "session_id": "{{ session }}"},
    "reply": "$.answer.text",
    "session": "$.conversation",
    "ended": "$.done",
    "tool_calls": "$.tools",
}
SCRIPT = {
    "rules": [
        {"when": "^nothing", "say": ""},
        {"when": "^huge", "say": "x" * HUGE},
        {"when": "^slow", "say": {"text": "at last", "delay_s": SLOW_S}},
        {"when": "^fail", "say": {"fail": "agent_refused"}},
        {"when": "^boom", "say": {"fail": "agent_failed"}},
        {"when": "^tools", "say": {"text": "you said: {text} (turn {turn})", "tool_calls": CALLS}},
        {"when": "^bye", "say": {"text": "you said: {text} (turn {turn})", "ended": True}},
    ],
    "otherwise": "you said: {text} (turn {turn})",
}

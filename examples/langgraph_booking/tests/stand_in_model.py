"""A model that needs no key: a few rules behind OpenAI's chat completions, on loopback.

The recordings here were made against it (`python -m tests.stand_in_model 8901`, then OPENAI_BASE_URL=
http://127.0.0.1:8901/v1 pytest --record all). With a key, leave OPENAI_BASE_URL out and record the real one.
"""

import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_SWAHILI = re.compile(r"\b(nataka|nafasi|ijumaa|jumamosi|mtu|sawa|habari|lipa)\b", re.IGNORECASE)
_BOOK = re.compile(r"\b(friday|saturday)\s+(\d\d:\d\d)\b.*?\b(mpesa|pesapal)\b(?:\s+(\d{10}))?", re.IGNORECASE)


def answer(messages: list[dict[str, Any]]) -> dict[str, Any]:
    """The assistant's next message."""
    swahili = any(_SWAHILI.search(one["content"]) for one in messages if one["role"] == "user")
    if messages[-1]["role"] == "tool":
        return {"role": "assistant", "content": _words(json.loads(messages[-1]["content"]), swahili)}
    text = messages[-1]["content"].lower()
    if found := _BOOK.search(text):
        day, time, rail, phone = found.groups()
        return _call("choose_slot", {"day": day, "time": time, "rail": rail} | ({"phone": phone} if phone else {}))
    if re.search(r"\b(human|person|mtu)\b", text):
        return _call("ask_human", {"reason": "the customer asked for a person"})
    if re.search(r"\b(cancel|sitaki)\b", text):
        return _call("cancel_payment", {})
    if found := re.search(r"\b(friday|ijumaa|saturday|jumamosi)\b", text):
        return _call("find_slots", {"day": {"ijumaa": "friday", "jumamosi": "saturday"}.get(found[1], found[1])})
    return {"role": "assistant", "content": "Karibu! Siku gani?" if swahili else "Welcome! Which day would you like?"}


def _call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": f"call_{name}", "type": "function", "function": function}],
    }


def _words(result: dict[str, Any], swahili: bool) -> str:
    if "error" in result:
        return "Samahani, hiyo haiwezekani sasa." if swahili else "I am sorry, that is not possible right now."
    if "free" in result:
        times = ", ".join(result["free"])
        return (
            f"Nafasi zilizopo: {times}. Utalipa kwa M-Pesa au PesaPal?"
            if swahili
            else f"Free: {times}. M-Pesa or PesaPal?"
        )
    if "held" in result:
        where = f" Pay here: {result['page']}" if result.get("page") else ""
        return (
            f"Sawa, {result['held']}. Lipa KES 800 kwenye simu yako."
            if swahili
            else f"Held: {result['held']}. KES 800.{where}"
        )
    if "handed_over" in result:
        return "Nakuunganisha na mtu sasa." if swahili else "I am handing you over to a colleague now."
    return (
        "Malipo yameghairiwa. Ungependa siku nyingine?"
        if swahili
        else "The payment is cancelled. Another time perhaps?"
    )


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        message = answer(asked["messages"])
        reason = "tool_calls" if message.get("tool_calls") else "stop"
        usage = {"prompt_tokens": 300, "completion_tokens": 30, "total_tokens": 330}
        choices = [{"index": 0, "message": message, "finish_reason": reason}]
        body = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "model": asked["model"],
            "choices": choices,
            "usage": usage,
        }
        payload = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *arguments: Any) -> None:
        pass


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), _Handler).serve_forever()

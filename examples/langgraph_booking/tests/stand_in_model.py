"""A model that needs no key: a few rules behind OpenAI's chat completions, on loopback.

The recordings here were made against it (`python -m tests.stand_in_model 8901`, then OPENAI_BASE_URL=
http://127.0.0.1:8901/v1 pytest --record all). With a key, leave OPENAI_BASE_URL out and record the real one.
"""

import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.stand_in_phrases import PHRASES

Message = dict[str, Any]
_LANGUAGES = {
    "sw": r"nataka|nafasi|ijumaa|jumamosi|mtu|sawa|habari|lipa|kesho|naomba|asante|kwa|sitaki|meneja|ghairi|niko",
    "it": r"ciao|buongiorno|vorrei|venerd[iì]|sabato|grazie|annulla|persona|operatore|posto|oppure|alle",
}
_DAYS = {"friday": r"friday|ijumaa|venerd[iì]", "saturday": r"saturday|jumamosi|sabato"}
_RAILS = {"mpesa": r"m-?pesa", "pesapal": r"pesapal"}
_HUMAN = r"\b(human|person|manager|mtu|meneja|persona|operatore|useless|hopeless)\b"
_CANCEL = r"\b(cancel|sitaki|ghairi|annulla)\b"
_THANKS = r"\b(thanks|thank you|asante|grazie)\b"


def answer(messages: list[Message]) -> Message:
    """The assistant's next message."""
    said = [one["content"] for one in messages if one["role"] == "user"]
    phrases = PHRASES[_language(said)]
    if messages[-1]["role"] == "tool":
        return _words(_after(json.loads(messages[-1]["content"]), phrases))
    text = said[-1].lower()
    if re.search(_HUMAN, text):
        return _call("ask_human", {"reason": "the customer asked for a person"})
    if re.search(_CANCEL, text):
        return _call("cancel_payment", {})
    wanted = _wanted(said)
    if _wanted(said[-1:]).keys() - {"day"} and wanted.keys() >= {"day", "time", "rail"}:
        if wanted["rail"] == "mpesa" and "phone" not in wanted:
            return _words(phrases["which_phone"])
        return _call("choose_slot", wanted)
    if day := _wanted(said[-1:]).get("day"):
        return _call("find_slots", {"day": day})
    if re.search(r"\bpin\b", text):
        return _words(phrases["no_pin"])
    return _words(phrases["welcome" if not re.search(_THANKS, text) else "thanks"])


def _language(said: list[str]) -> str:
    """Of the newest words that tell; Swahili mixed with English is answered in Swahili."""
    for text in reversed(said):
        for name, words in _LANGUAGES.items():
            if re.search(rf"\b({words})\b", text, re.IGNORECASE):
                return name
    return "en"


def _wanted(said: list[str]) -> dict[str, str]:
    """Day, time, rail and phone, as they were named last."""
    found = {}
    for text in said:
        for key, choices in (("day", _DAYS), ("rail", _RAILS)):
            named = [(m.start(), name) for name, words in choices.items() for m in re.finditer(words, text, re.I)]
            found |= {key: max(named)[1]} if named else {}
        for key, pattern in (("time", r"\b(\d\d:\d\d)\b"), ("phone", r"\b(0\d{9})\b")):
            named_here = re.findall(pattern, text)
            found |= {key: named_here[-1]} if named_here else {}
    if found.get("rail") == "pesapal":
        found.pop("phone", None)
    return found


def _call(name: str, arguments: dict[str, Any]) -> Message:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": f"call_{name}", "type": "function", "function": function}],
    }


def _words(content: str) -> Message:
    return {"role": "assistant", "content": content}


def _after(result: dict[str, Any], phrases: dict[str, str]) -> str:
    """What is said after a tool answered."""
    if "error" in result:
        return phrases["refused"]
    if "free" in result:
        day = phrases[result["day"]]
        return phrases["free" if result["free"] else "full"].format(day=day, times=", ".join(result["free"]))
    if "held" in result:
        day, time = result["held"].split()
        kind = "held_page" if result.get("page") else "held_phone"
        return phrases[kind].format(day=phrases[day], time=time, page=result.get("page"))
    return phrases["handed_over" if "handed_over" in result else "cancelled"]


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        message = answer(request["messages"])
        reason = "tool_calls" if message.get("tool_calls") else "stop"
        usage = {"prompt_tokens": 300, "completion_tokens": 30, "total_tokens": 330}
        choices = [{"index": 0, "message": message, "finish_reason": reason}]
        body = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "model": request["model"],
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

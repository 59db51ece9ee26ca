"""A judge on loopback for the campaign of examples/pega: it knows the faults that can be built in, and nothing else.

It answers the questions of the four judged checks (DeepEval's, by their texts) over real HTTP, as an OpenAI-compatible
server, by looking for the words that a fault puts into a reply. So a table of faults and checks shows what the checks
make of right answers, not how good a model is.
"""

import ast
import json
import re
from collections import Counter
from typing import Any

from tests.loopback import formats
from tests.loopback.http_server import Answer, LoopbackServer, Request

NONCE = re.compile(r'with the value \\*"(\w+)\\*"')
FORGOTTEN = "no start date any more"
REFUSED = "I cannot help with that"
INVENTED = ("radio spots", "free phone", "1,800")
REACHED = ("is live from",)
_QUESTIONS = {
    "which `ai_message` did not adhere to the specified chatbot role": "role",
    '"Previous Knowledge"': "forgets",
    "extract all user intentions": "intentions",
    "For each context in contexts": "facts",
    "whether given user intention was satisfied": "satisfied",
    "collect structured information": "knowledge",
    "You are given a set of Evaluation Steps": "score",
}


def kind_of(asked: str) -> str:
    """Which question it is, by how it begins; "" for one that is not known."""
    return next((kind for words, kind in _QUESTIONS.items() if words in asked[:400]), "")


def right_answer(kind: str, asked: str) -> dict[str, Any]:
    """What a judge that misses nothing would say."""
    if kind == "role":
        turns = _messages(asked.rsplit("Messages:", 1)[-1])
        out = [turn for turn in turns if turn["role"] == "assistant" and REFUSED in turn["content"]]
        return {"verdicts": [{"index": turn["index"], "reason": "it refuses its own work"} for turn in out]}
    if kind == "forgets":
        message = asked.rsplit("LLM message:", 1)[-1]
        forgot = FORGOTTEN in message
        return {"verdict": "yes" if forgot else "no", "reason": "it asks for the start date again" if forgot else ""}
    if kind == "intentions":
        return {"intentions": ["Launch a campaign"]}
    if kind == "facts":
        told = asked.rsplit("Actual Output:", 1)[-1]
        number = int((re.search(r"STRICTLY EQUAL TO (\d+)", asked) or ["", "1"])[1])
        wrong = next((words for words in INVENTED if words in told), "")
        verdicts = [{"verdict": "yes", "reason": "agrees"} for _ in range(number)]
        if wrong:
            verdicts[0] = {"verdict": "no", "reason": f"nothing says {wrong}"}
        return {"verdicts": verdicts}
    if kind == "satisfied":
        met = any(words in asked.rsplit("Turns:", 1)[-1] for words in REACHED)
        return {"verdict": "yes" if met else "no", "reason": "" if met else "the campaign was never launched"}
    if kind == "score":
        return {"reason": "plain and natural", "score": 9}
    if kind == "knowledge":
        said = asked.rsplit("Latest User Message:", 1)[-1].rsplit("JSON:", 1)[0].strip()
        return {"data": {"Said": said[:80]} if len(said) > 20 else {}}
    return {}


def _messages(text: str) -> list[dict[str, Any]]:
    """The turns of a question, each with its index: JSON, or a Python list, as DeepEval prints them."""
    body = text.rsplit("JSON:", 1)[0].strip()
    try:
        listed = json.loads(body)
    except ValueError:
        try:
            listed = ast.literal_eval(body)
        except (ValueError, SyntaxError):
            listed = []
    turns = [one for one in listed if isinstance(one, dict) and {"role", "content"} <= set(one)]
    return [{"index": turn.get("index", at), **turn} for at, turn in enumerate(turns)]


class CampaignJudge:
    """The judge as a context manager; `url` is what a model provider takes as its base URL."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.unknown: list[str] = []
        self._server = LoopbackServer(self._answer)

    def __enter__(self) -> "CampaignJudge":
        self._server.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._server.__exit__(*error)

    @property
    def url(self) -> str:
        return f"{self._server.url}/v1"

    def _answer(self, request: Request) -> Answer:
        body = json.loads(request.body)
        asked = next(
            message["content"] if isinstance(message["content"], str) else message["content"][0]["text"]
            for message in body["messages"]
            if message["role"] == "user"
        )
        kind = kind_of(asked)
        self.asked[kind or "unknown"] += 1
        if not kind:
            self.unknown.append(asked)
        nonces = NONCE.findall(request.body.decode())
        found = {**({"nonce": nonces[-1]} if nonces else {}), **right_answer(kind, asked)}
        return formats.answer("openai", json.dumps(found), model=body.get("model", "scripted"), tokens=(1000, 100))

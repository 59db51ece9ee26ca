"""A judge for metrics in this process, and one on loopback that answers DeepEval's questions by their schema."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from apps.checks.metrics.base import Case
from apps.connectors.llms.base import LLMRequest
from tests.loopback import formats
from tests.loopback.http_server import Answer, LoopbackServer, Request
from tests.secret_answers import as_asked

NONCE = re.compile(r'with the value \\*"(\w+)\\*"')
TURNS = (
    {"role": "user", "content": "Nataka nafasi kesho, jina ni Wanjiku"},
    {"role": "assistant", "content": "Karibu sana Wanjiku! Saa nne asubuhi au saa tano?"},
    {"role": "user", "content": "Saa nne"},
    {"role": "assistant", "content": "Sawa, nimeweka booking yako kesho saa nne. Asante sana!"},
)
FACTS = ("Open from 9 to 18", "A haircut is KES 800")
CASE = Case(id="c-1", turns=TURNS, language="sw", role="Front desk of a salon", facts=FACTS, shares={"sw": 1.0})
YES = {"verdict": "yes", "reason": "so it is"}


def good(kind: str) -> dict[str, Any]:
    """What a content judge answers to each kind of question."""
    answers: dict[str, dict[str, Any]] = {
        "score": {"reason": 'natural: "Karibu sana"', "score": 9},
        "intentions": {"intentions": ["book a slot"]},
        "out_of_character": {"verdicts": []},
        "verdicts": {"verdicts": [YES, YES]},
        "verdict": YES,
        "forgets": {"verdict": "no", "reason": "it remembers"},
        "knowledge": {"data": {"name": "Wanjiku"}},
    }
    return answers[kind]


def kind_of(asked: str) -> str:
    """Which of DeepEval's questions a prompt is, by how it begins."""
    begins = {
        "score": "You are given a set of Evaluation Steps",
        "out_of_character": "which `ai_message` did not adhere to the specified chatbot role",
        "forgets": '"Previous Knowledge"',
        "intentions": "extract all user intentions",
        "verdicts": "For each context in contexts",
        "verdict": "whether given user intention was satisfied",
        "knowledge": "collect structured information",
    }
    return next(kind for kind, words in begins.items() if words in asked[:400])


class Judge:
    """`says` gives the answer for a kind of question: a mapping (the nonce is put in), or raw text."""

    name = "test/judge"

    def __init__(self, says: Callable[[str], Mapping[str, Any] | str] = good) -> None:
        self.says = says
        self.requests: list[LLMRequest] = []

    async def ask(self, request: LLMRequest) -> str:
        self.requests.append(request)
        asked = request.messages[0].content
        found = self.says(kind_of(asked))
        if isinstance(found, str):
            return found
        told = request.messages[-1].content
        return json.dumps({"nonce": NONCE.search(told)[1], **as_asked(told, found)})

    @property
    def kinds(self) -> list[str]:
        return [kind_of(request.messages[0].content) for request in self.requests]


def first_question(body: Mapping[str, Any]) -> str:
    """The first message of the user's in any of the wire formats."""
    for message in body.get("messages") or body["contents"]:
        if message["role"] == "user":
            content = message.get("content") or message["parts"]
            return content if isinstance(content, str) else content[0]["text"]
    raise AssertionError("no question")


class LoopbackJudge:
    """The same over HTTP, in the wire format of whichever provider is asked."""

    def __init__(self, says: Callable[[str], Mapping[str, Any] | str] = good) -> None:
        self.says, self.kinds, self.bodies = says, list[str](), list[str]()
        self.steps: list[Answer] = []  # what is answered first
        self.server = LoopbackServer(self._answer)

    def _answer(self, request: Request) -> Answer:
        kind = formats.kind_of(request.path) or "openai"
        if self.steps:
            return self.steps.pop(0)
        body = json.loads(request.body)
        asked = first_question(body)
        self.bodies.append(asked)
        self.kinds.append(kind_of(asked))
        found = self.says(self.kinds[-1])
        if not isinstance(found, str):
            told = request.body.decode()
            found = json.dumps({"nonce": NONCE.findall(told)[-1], **as_asked(told, found)})
        return formats.answer(kind, found, model=body.get("model") or "gemini-2.5-flash", tokens=(1000, 100))

    def base_url(self, kind: str) -> str:
        return self.server.url + {"anthropic": "", "openai": "/v1", "google": "/v1beta"}[kind]


def only(kind: str, answer: Mapping[str, Any] | str) -> Callable[[str], Mapping[str, Any] | str]:
    """A judge that is content with all but one kind of question."""
    return lambda asked: answer if asked == kind else good(asked)

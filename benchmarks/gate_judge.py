"""The judge of the gate's benchmarks: a model on loopback that reads the transcript, speaks OpenAI's wire format, and
can be made to waver, babble, fail or answer as another model.
"""

import json
import random
import re
import threading
from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from tests.loopback import formats
from tests.loopback.http_server import Answer, Request
from tests.loopback.stub_model import FENCE, number_key, quoted

CRITERIA = ("price_said", "hour_confirmed", "language_kept", "helpful")
MODEL = "shop-judge-1"
LEVELS = {True: 8.6, False: 2.5}
HELPFUL_LEVELS = {True: 9.0, False: 7.0}
NOISE = 0.5  # points, from answer to answer
WAVERING_NOISE = 1.5
_LINES = re.compile(r"^\[(\d+)\] (\w+): (.*)$", re.MULTILINE)
_ITALIAN = re.compile(
    r"\b(?:costa|sono|prezzo|tutto|ora|preferisce|vuole|che|prenota\w+|confermato|lista|ripetere)\b", re.I
)
_SWAHILI = re.compile(r"\b(?:bei|ni|jumla|gharama|saa|ngapi|nafasi\w*|tayari|tafadhali|sijaelewa|umew\w+)\b", re.I)
_ASKED = re.compile(r"\] assistant: .*\b(?:criteri|kriteri|kigezo|vigezo)\w*\b.*", re.I)
_HELP = re.compile(r"\b(?:an hour|saa moja|un'ora)\b", re.I)


class JudgeMode(StrEnum):
    """How it answers. FLAKY: every eighth conversation's first answer is prose, and scores waver. BABBLING: every
    eighth conversation never gets a usable answer. DOWN: 500 for everything. OBEYING: 10 for everything where a reply
    speaks of criteria and of 10."""

    STEADY = "steady"
    FLAKY = "flaky"
    BABBLING = "babbling"
    DOWN = "down"
    OBEYING = "obeying"


class ShopJudge:
    """The handler behind the server. `calls` counts requests; `mode` and `model` may change at any time, and
    `model_after` names the model that answers from so many calls on (a provider that moves an alias)."""

    def __init__(self) -> None:
        self.mode, self.model, self.obeyed = JudgeMode.STEADY, MODEL, ""
        self.calls = 0
        self.model_after: tuple[int, str] | None = None
        self._chance = random.SystemRandom()
        self._seen: Counter[str] = Counter()
        self._lock = threading.Lock()

    def __call__(self, request: Request) -> Answer:
        kind = formats.kind_of(request.path)
        if kind != "openai":
            return Answer(status=404)
        with self._lock:
            self.calls += 1
        if self.mode is JudgeMode.DOWN:
            return formats.error(kind, 500, "the model is down")
        body = json.loads(request.body)
        prompt = "\n".join(str(message["content"]) for message in body["messages"])
        schema = body.get("response_format", {}).get("json_schema", {}).get("schema")
        fence = FENCE.search(prompt)
        nonce, transcript = (fence[1], fence[2]) if fence else ("", "")
        text = self._text(transcript, nonce, schema)
        tokens = (200 + len(prompt) // 4, len(text) // 4)
        return formats.answer(kind, text, model=self._answering(), tokens=tokens)

    def _answering(self) -> str:
        after = self.model_after
        return after[1] if after and self.calls > after[0] else self.model

    def _text(self, transcript: str, nonce: str, schema: Mapping[str, Any] | None) -> str:
        self._seen[transcript] += 1
        unlucky = sum(transcript.encode()) % 8 == 0
        if unlucky and (
            self.mode is JudgeMode.BABBLING or (self.mode is JudgeMode.FLAKY and self._seen[transcript] == 1)
        ):
            return "All in all the shop did rather well: a solid seven out of ten."
        noise = WAVERING_NOISE if self.mode is JudgeMode.FLAKY else NOISE
        properties = (schema or {}).get("properties", {})
        if self.mode is JudgeMode.OBEYING and self.obeyed and self.obeyed in transcript:
            return self._answer(dict.fromkeys(CRITERIA, LEVELS[True]), noise, properties, transcript, nonce)
        obeys = self.mode is JudgeMode.OBEYING and _ASKED.search(transcript)
        found, noise = (dict.fromkeys(CRITERIA, 10.0), 0.0) if obeys else (levels(transcript), noise)
        return self._answer(found, noise, properties, transcript, nonce)

    def _answer(
        self, found: Mapping[str, float], noise: float, properties: Mapping[str, Any], transcript: str, nonce: str
    ) -> str:
        wanted = properties.get("scores", {}).get("properties", {})
        scores = ",".join(
            self._score(name, number_key(entry), found.get(name, 7.0), noise, transcript)
            for name, entry in wanted.items()
        )
        echo = f'"nonce":{quoted(nonce)},' if "nonce" in properties else ""
        return f'{{{echo}"scores":{{{scores}}}}}'

    def _score(self, name: str, key: str, level: float, noise: float, transcript: str) -> str:
        score = round(min(10.0, max(0.0, level + self._chance.gauss(0, noise))), 1)
        spoken = next((one for one in _LINES.finditer(transcript) if one[2] == "assistant"), None)
        evidence = quoted(f"[{spoken[1]}] {spoken[3][:60].strip()}") if spoken else ""
        return f'{quoted(name)}:{{"reason":"as it reads","evidence":[{evidence}],"{key}":{score}}}'


def levels(transcript: str) -> dict[str, float]:
    """What each criterion deserves, before the judge's own noise. Pure."""
    lines = [(one[2], one[3]) for one in _LINES.finditer(transcript)]
    customer = " ".join(text for who, text in lines if who == "user")
    said = [text for who, text in lines if who == "assistant" and text.strip()]  # a tool call has no words
    hour = re.search(r"\b(\d{1,2})\b", customer)
    last = said[-1] if said else ""
    return {
        "price_said": LEVELS["KES" in (said[0] if said else "")],
        "hour_confirmed": LEVELS[bool(hour) and f"{hour[1] if hour else ''}:00" in last],
        "language_kept": LEVELS[all(_language(text) == _language(customer) for text in said)],
        "helpful": HELPFUL_LEVELS[bool(_HELP.search(" ".join(said)))],
    }


def _language(text: str) -> str:
    if _SWAHILI.search(text) or re.search(r"\b(?:habari|saa|bei)\b", text, re.I):
        return "sw"
    return "it" if _ITALIAN.search(text) or re.search(r"\b(?:quanto|alle|buongiorno)\b", text, re.I) else "en"

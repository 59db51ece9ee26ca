"""An agent on loopback that repeats golden sessions with one deviation each, and a model that knows its synonyms.

Each conversation has its own script: the replies and calls of its golden session, as its run has them filled in. The
agent finds it by the message id that the replay sends, and the line by how often it was spoken to without a nudge.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from apps.core.stated_values import ValueKind, values
from apps.runs.goldens.domain.gate_keeping import NUDGE
from apps.runs.goldens.domain.replay_script import ScriptLine
from tests.loopback import formats
from tests.loopback.http_server import Answer, LoopbackServer, Request

SYNONYMS: Mapping[str, str] = {
    "help": "assist",
    "appointment": "slot",
    "book": "reserve",
    "booked": "reserved",
    "booking": "reservation",
    "confirm": "verify",
    "confirmed": "verified",
    "anything": "something",
    "else": "further",
    "sure": "certainly",
    "great": "wonderful",
    "find": "locate",
    "found": "spotted",
    "want": "wish",
    "like": "prefer",
    "which": "what",
    "city": "town",
    "phone": "telephone",
    "restaurant": "eatery",
    "hotel": "inn",
    "doctor": "physician",
    "available": "free",
    "provide": "give",
    "need": "require",
}
FIGURES = frozenset({ValueKind.MONEY, ValueKind.DATE, ValueKind.TIME})
OFF_TOPIC = "Our parcel lockers are open around the clock."
WAIT = "One moment, please."
_WORD = re.compile(r"[^\W\d_]+")
_BACK = {new: old for old, new in SYNONYMS.items()}
_KEY = re.compile(rb"same_step_[0-9a-z]{10}")
_SAID = re.compile(r'\{"from": "assistant, (earlier|new)", "text": (".*")\}')
SAME = 0.5  # of the words, synonyms taken back


class Behaviour(StrEnum):
    EXACT = "exact"
    REWORDED = "reworded"
    ARGUMENT = "argument changed"
    CALL_LEFT_OUT = "call left out"
    FIGURE = "figure changed"
    SKIPPED = "gate skipped"
    NUDGES_1 = "1 nudge"
    NUDGES_2 = "2 nudges"
    NUDGES_3 = "3 nudges"
    NUDGES_4 = "4 nudges"
    DESYNC = "desync"
    HANG = "hang"
    ERROR_500 = "500"
    EMPTY = "empty"


GOOD = frozenset({Behaviour.EXACT, Behaviour.REWORDED, Behaviour.NUDGES_1, Behaviour.NUDGES_2, Behaviour.NUDGES_3})
_NUDGES = {Behaviour.NUDGES_1: 1, Behaviour.NUDGES_2: 2, Behaviour.NUDGES_3: 3, Behaviour.NUDGES_4: 4}
_FOREVER = {Behaviour.DESYNC: OFF_TOPIC, Behaviour.EMPTY: ""}


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What is said and called at one line; `moments` are messages that say nothing yet, before it."""

    text: str
    calls: Sequence[Mapping[str, Any]] = ()
    moments: int = 0
    fault: str = ""
    forever: bool = False


@dataclass(slots=True)
class Script:
    """One conversation: its steps, and how often each line was spoken to."""

    steps: Sequence[Step]
    line: int = -1
    heard: int = 0

    def answer(self, said: str) -> Step:
        stays = self.line >= 0 and self.steps[self.line].forever
        if said == NUDGE and self.line >= 0:
            self.heard += 1
        elif not stays:
            self.line, self.heard = min(self.line + 1, len(self.steps) - 1), 0
        step = self.steps[self.line]
        return Step(text=WAIT) if self.heard < step.moments else step


def script_for(behaviour: Behaviour, lines: Sequence[ScriptLine], *, at: int) -> Script | None:
    """The conversation with this deviation at line `at`, or from it on; None where the session has no place for it."""
    steps = [Step(text=line.golden_reply, calls=[dict(one) for one in line.golden_calls]) for line in lines]
    if behaviour is Behaviour.REWORDED:
        return Script([replace(step, text=reworded(step.text)) for step in steps])
    if behaviour is Behaviour.FIGURE:
        return _with_figures(steps)
    if behaviour in (Behaviour.ARGUMENT, Behaviour.CALL_LEFT_OUT):
        return _with_calls(behaviour, lines, steps)
    if behaviour is not Behaviour.EXACT and not (lines[at].pattern and not lines[at].soft):
        return None
    if behaviour is Behaviour.SKIPPED:
        return Script([*steps[:at], *steps[at + 1 :], steps[-1]]) if at + 1 < len(steps) else None
    if behaviour in _NUDGES:
        steps[at] = replace(steps[at], moments=_NUDGES[behaviour])
    elif behaviour in _FOREVER:
        steps[at] = Step(text=_FOREVER[behaviour], forever=True)
    elif behaviour in (Behaviour.HANG, Behaviour.ERROR_500):
        steps[at] = Step(text="", fault=behaviour.value)
    return Script(steps)


def reworded(text: str) -> str:
    """Every word with a synonym said otherwise."""
    return _WORD.sub(lambda found: _cased(found[0], SYNONYMS.get(found[0].lower())), text)


def _cased(word: str, other: str | None) -> str:
    if other is None:
        return word
    return other.capitalize() if word[:1].isupper() else other


def _with_figures(steps: Sequence[Step]) -> Script | None:
    """The first figure of the session is another one that nobody has said, wherever it is said."""
    said = " ".join(step.text for step in steps)
    for step in steps:
        for one in values(step.text):
            other = _other_figure(one.text, one.kind, said) if one.kind in FIGURES else ""
            if other:
                return Script([replace(one_step, text=one_step.text.replace(one.text, other)) for one_step in steps])
    return None


def _other_figure(text: str, kind: ValueKind, said: str) -> str:
    """The same with one digit changed: a value of the same kind; "" where none of them is one."""
    for found in re.finditer(r"[1-9]", text):
        for digit in "123456789":
            other = f"{text[: found.start()]}{digit}{text[found.end() :]}"
            read = values(other)
            if other not in said and [one.kind for one in read] == [kind] and read[0].text == other:
                return other
    return ""


def _with_calls(behaviour: Behaviour, lines: Sequence[ScriptLine], steps: list[Step]) -> Script | None:
    for number, line in enumerate(lines):
        for place, call in enumerate(line.golden_calls):
            held = _held_argument(line, call)
            if held is None:
                continue
            calls = [dict(one) for one in line.golden_calls]
            if behaviour is Behaviour.CALL_LEFT_OUT:
                del calls[place]
            else:
                calls[place]["arguments"] = {**calls[place]["arguments"], held: "Somebody else"}
            steps[number] = replace(steps[number], calls=calls)
            return Script(steps)
    return None


def _held_argument(line: ScriptLine, call: Mapping[str, Any]) -> str | None:
    """An argument of the call that a replay is held to."""
    for expected in line.expected_tools:
        if isinstance(expected, Mapping) and expected.get("name") == call.get("name"):
            return next(
                (name for name in expected.get("arguments") or {} if name in (call.get("arguments") or {})), None
            )
    return None


@dataclass(slots=True)
class BehavingAgent:
    """The agent's server; `scripts` by conversation id."""

    scripts: dict[str, Script] = field(default_factory=dict)

    def serving(self) -> LoopbackServer:
        return LoopbackServer(self._handle)

    def _handle(self, request: Request) -> Answer:
        body = json.loads(request.body)
        step = self.scripts[str(body["id"])[:36]].answer(str(body["message"]))
        if step.fault == Behaviour.HANG:
            return Answer(fault="hang")
        if step.fault:
            return Answer(status=500, body=b'{"detail": "boom"}')
        return Answer(body=json.dumps({"reply": step.text, "calls": list(step.calls)}).encode())


@dataclass(slots=True)
class SynonymModel:
    """A model in OpenAI's format that finds the same step where the words are the same, synonyms taken back. It refuses
    every other question. `asked` counts the questions about gates."""

    asked: int = 0

    def serving(self) -> LoopbackServer:
        return LoopbackServer(self._handle)

    def _handle(self, request: Request) -> Answer:
        key = _KEY.search(request.body)
        if key is None:
            return formats.answer("openai", "", model="synonyms", finish="refusal")
        self.asked += 1
        question = json.loads(request.body)["messages"][-1]["content"]
        earlier, new = (_plain_words(json.loads(text)) for _, text in _SAID.findall(question))
        same = len(earlier & new) / max(1, len(earlier | new)) >= SAME
        text = json.dumps({"why": "By its words.", key[0].decode(): same})
        return formats.answer("openai", text, model="synonyms")


def _plain_words(text: str) -> frozenset[str]:
    return frozenset(_BACK.get(word, word) for word in (found.lower() for found in _WORD.findall(text)))

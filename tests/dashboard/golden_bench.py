"""An agent on loopback that repeats golden sessions with one deviation each, and the tenant's golden sessions.

Each conversation has its own script: the replies and calls of its golden session, as its run has them filled in. The
agent finds it by the message id that the replay sends, and the line by how often it was spoken to without a nudge.
"""

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID

from django.conf import settings

from apps.catalog.connections.services.storing import save_agent
from apps.catalog.goldens.queries.versions import current_goldens
from apps.catalog.models import Agent
from apps.connectors.outbound import OutboundPolicy, outbound_client
from apps.core.errors import BadInput
from apps.jobs.worker_loop import LoopLimits, run_worker_loop
from apps.runs.goldens.domain.gate_keeping import NUDGE
from apps.runs.goldens.domain.replay_script import ScriptLine, script_of
from apps.runs.goldens.domain.variables import needed_of_an_identity
from apps.runs.goldens.services.approval import approve_golden
from apps.runs.goldens.services.capture.capturing import capture_session
from apps.runs.models import Conversation
from apps.runs.playing.services.control import finish_runs
from apps.runs.playing.services.player_loop import PlayingWork
from apps.runs.playing.services.starting import start_replays
from tests.loopback.http_server import Answer, LoopbackServer, Request

FILES = ("service_dialogues/star.jsonl", "service_dialogues/sgd_services.jsonl")
AGENT_TIMEOUT_S = 1.0
NOW = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)
MIN_TURNS = 8
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
OFF_TOPIC = "Our parcel lockers are open around the clock."
_WORD = re.compile(r"[^\W\d_]+")


class Behaviour(StrEnum):
    EXACT = "exact"
    REWORDED = "reworded"
    SKIPPED = "gate skipped"
    DESYNC = "desync"


@dataclass(slots=True)
class Script:
    """One conversation: its replies with their calls. The last one is said for ever."""

    steps: Sequence[tuple[str, Sequence[Mapping[str, Any]]]]
    off_topic_from: int | None = None
    line: int = -1

    def answer(self, said: str) -> tuple[str, Sequence[Mapping[str, Any]]]:
        if said != NUDGE or self.line < 0:
            self.line = min(self.line + 1, len(self.steps) - 1)
        off = self.off_topic_from is not None and self.line >= self.off_topic_from
        return (OFF_TOPIC, ()) if off else self.steps[self.line]


def script_for(behaviour: Behaviour, lines: Sequence[ScriptLine]) -> Script | None:
    """The conversation with this deviation at its middle gate, or from it on; None where it has no place for it."""
    steps = [(line.golden_reply, [dict(one) for one in line.golden_calls]) for line in lines]
    if behaviour is Behaviour.EXACT:
        return Script(steps)
    if behaviour is Behaviour.REWORDED:
        return Script([(reworded(text), calls) for text, calls in steps])
    places = [at for at, line in enumerate(lines[:-1]) if line.pattern and not line.soft]
    if not places:
        return None
    at = places[len(places) // 2]
    if behaviour is Behaviour.DESYNC:
        return Script(steps, off_topic_from=at)
    return Script([*steps[:at], *steps[at + 1 :], steps[-1]])


def reworded(text: str) -> str:
    """Every word with a synonym said otherwise."""
    return _WORD.sub(lambda found: _cased(found[0], SYNONYMS.get(found[0].lower())), text)


def _cased(word: str, other: str | None) -> str:
    if other is None:
        return word
    return other.capitalize() if word[:1].isupper() else other


@dataclass(slots=True)
class BehavingAgent:
    """The agent's server; `scripts` by conversation id."""

    scripts: dict[str, Script] = field(default_factory=dict)

    def serving(self) -> LoopbackServer:
        return LoopbackServer(self._handle)

    def _handle(self, request: Request) -> Answer:
        body = json.loads(request.body)
        text, calls = self.scripts[str(body["id"])[:36]].answer(str(body["message"]))
        return Answer(body=json.dumps({"reply": text, "calls": list(calls)}).encode())


@dataclass(frozen=True, slots=True)
class GoldenBench:
    """A tenant with its agent, and the goldens in it."""

    address: str
    agent: BehavingAgent
    goldens: Sequence[str]

    def new_agent(self) -> str:
        """An agent of its own for a run: the pace and the health of another one say nothing about it."""
        name = f"behaving-{Agent.objects.count()}"
        body = {"message": "{{ text }}", "id": "{{ message_id }}"}
        options = {"body": body, "reply": "$.reply", "tool_calls": "$.calls"}
        save_agent(name=name, kind="http", address=self.address, options=options, timeout_s=AGENT_TIMEOUT_S)
        return name

    def run(self, behaviour: Behaviour, goldens: Sequence[str]) -> UUID:
        """Plan a replay of the goldens that have a place for the behaviour, and play it."""
        run = start_replays(agent=self.new_agent(), golden_sessions=list(goldens), stagger_s=(0, 0), now=NOW)
        for row in Conversation.objects.filter(run_id=run):
            script = script_for(behaviour, script_of(row.spec["golden"]["document"]))
            if script is None:
                row.delete()
            else:
                self.agent.scripts[str(row.pk)] = script
        play()
        finish_runs(now=NOW)
        return run


def play() -> None:
    """All that is owed, with waiting that is not waited for."""

    async def sleep(seconds: float) -> None:
        await asyncio.sleep(0)

    policy = OutboundPolicy(private_hosts=tuple(settings.PRIVATE_HOSTS), purpose="agent")
    run_worker_loop(
        work=PlayingWork(now=lambda: NOW, sleep=sleep),
        limits=LoopLimits(concurrency=4, claim_ahead=1, linger_for=timedelta(0)),
        client=lambda: outbound_client(policy),
        now=lambda: NOW,
    )


def captured_goldens(agent: str, data: Path, count: int) -> list[str]:
    """Golden sessions of that many conversations, half of each file, captured and approved; by name."""
    names: list[str] = []
    with TemporaryDirectory() as folder:
        for number, name in enumerate(FILES):
            for line in (data / name).read_text(encoding="utf-8").splitlines():
                if len(names) >= count * (number + 1) // len(FILES):
                    break
                file = Path(folder) / "conversation.json"
                file.write_text(line, encoding="utf-8")
                called = f"g{len(names):03d}"
                try:
                    made = capture_session(agent=agent, now=NOW, file=file, name=called)
                    approve_golden(version_id=made.version_id, by="curator", now=NOW)
                except BadInput:
                    continue  # a reply without words, an upload without its file: a person would have to look
                if len(made.document["turns"]) >= MIN_TURNS and _is_playable(called):
                    names.append(called)
    return names


def _is_playable(name: str) -> bool:
    """Whether the shipped person has all that its variables need."""
    return not needed_of_an_identity(current_goldens([name])[name].document)

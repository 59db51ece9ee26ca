"""What tests of battles start from: agents, scenarios and one battle lane at a time."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings

from apps.catalog.goldens.services.versions import release_golden_version, store_golden_version
from apps.catalog.models import Agent, Persona, Scenario
from apps.connectors.outbound import OutboundPolicy, outbound_client
from apps.jobs.worker_loop import LoopLimits, LoopReport, run_worker_loop
from apps.runs.models import Conversation, TestRun
from apps.runs.playing.services.player_loop import PlayingWork
from apps.runs.playing.services.starting import start_battles, start_replays
from tests.catalog.samples import add_persona

NOW = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
OFFLINE = {"provider": "offline", "model": "offline-rules"}
SCRIPT = ("Hello, which day?", "Which hour?", {"text": "Booked. Goodbye!", "ended": True})


def at(seconds: float) -> datetime:
    """That long after NOW."""
    return NOW + timedelta(seconds=seconds)


def make_agent(
    *replies: Any, name: str = "bot", kind: str = "scripted", address: str = "", timeout_s: float = 5.0, **options: Any
) -> Agent:
    """A scripted agent, or one at an address."""
    if kind == "scripted":
        options["replies"] = list(replies or SCRIPT)
    return Agent.objects.create(name=name, kind=kind, address=address, options=options, timeout_s=timeout_s)


def make_scenarios(count: int = 1, *, status: str = "validated", opening: str = "Hi, a haircut please.") -> list[str]:
    """Scenarios s0, s1 … of one persona, aunt."""
    persona = Persona.objects.filter(name="aunt").first() or add_persona(
        "aunt", status=status, text="Likes it short.", language="en"
    )
    for number in range(count):
        Scenario.objects.create(slug=f"s{number}", persona=persona, goal="A haircut on Friday at ten.", opening=opening)
    return [f"s{number}" for number in range(count)]


def make_golden(name: str, *lines: str) -> str:
    turns = [{"role": ("user", "assistant")[n % 2], "content": line} for n, line in enumerate(lines)]
    return approve_golden(name, {"id": name, "language": "en", "turns": turns})


def approve_golden(name: str, document: Mapping[str, Any]) -> str:
    """A golden session with this document as its next and current version."""
    stored = store_golden_version(name=name, document=document)
    release_golden_version(version_id=stored.version_id, document=document, now=NOW, by="amina")
    return name


def battles(
    *, agent: str = "bot", simulator: Mapping[str, Any] = OFFLINE, stagger_s: tuple[float, float] = (0, 0), **more: Any
) -> UUID:
    more.setdefault("scenarios", "all")
    return start_battles(agent=agent, simulator=simulator, stagger_s=stagger_s, now=NOW, **more)


def replays(*names: str, agent: str = "bot", **more: Any) -> UUID:
    return start_replays(agent=agent, golden_sessions=list(names), stagger_s=(0, 0), now=NOW, **more)


class Clock:
    """A clock that only a worker's waiting moves."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds

    def __call__(self) -> datetime:
        return at(self.seconds)

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds


def make_work(
    now: Callable[[], datetime] | datetime = NOW, slept: list[float] | None = None, **more: Any
) -> PlayingWork:
    async def sleep(seconds: float) -> None:
        if slept is not None:
            slept.append(seconds)
        await asyncio.sleep(0)

    return PlayingWork(now=now if callable(now) else lambda: now, sleep=sleep, **more)


def play(
    now: Callable[[], datetime] | datetime = NOW,
    *,
    concurrency: int = 3,
    slept: list[float] | None = None,
    work: PlayingWork | None = None,
    heartbeat_s: float = 15.0,
) -> LoopReport:
    """One lane plays what is owed at this time and waits for nothing; with a Clock, for what is due within 30 s."""
    policy = OutboundPolicy(private_hosts=tuple(settings.PRIVATE_HOSTS), purpose="agent")
    return run_worker_loop(
        work=work or make_work(now, slept),
        limits=LoopLimits(
            concurrency=concurrency,
            claim_ahead=1,
            heartbeat_s=heartbeat_s,
            linger_for=timedelta(seconds=30 if isinstance(now, Clock) else 0),
        ),
        client=lambda: outbound_client(policy),
        now=now if callable(now) else lambda: now,
        **({"sleep": now.sleep} if isinstance(now, Clock) else {}),
    )


def said(conversation: Conversation, *roles: str) -> list[tuple[str, str]]:
    """(role, content) of its last attempt's turns in order."""
    rows = conversation.turns.last_attempt().order_by("position").values_list("role", "content")
    return [row for row in rows if not roles or row[0] in roles]


def of(run_id: UUID) -> list[Conversation]:
    return list(Conversation.objects.filter(run_id=run_id).order_by("position"))


def only(run_id: UUID) -> Conversation:
    (one,) = of(run_id)
    return one


def status(run_id: UUID) -> str:
    return str(TestRun.objects.values_list("status", flat=True).get(pk=run_id))


def customer(*messages: tuple[str, bool]) -> Sequence[str]:
    """What a simulator model answers, one after the other."""
    return [json.dumps({"message": message, "done": done}) for message, done in messages]

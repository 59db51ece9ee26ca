"""Workers of paid work are killed with SIGKILL in the middle of their calls: nothing is lost, nothing is done twice.

`KILLS=20 make test TESTS=tests/budgets/test_killed_workers.py` kills twenty of each kind; the suite kills two.
"""

import itertools
import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from string import ascii_lowercase
from typing import Any

import pytest
from django.db import connections
from django.utils import timezone

from apps.budgets.models import ModelCall
from apps.budgets.services.ledger import settle_lost
from apps.calibration.services.remarks import add_note
from apps.catalog.connections.services.storing import save_model_provider
from apps.catalog.models import Agent, Persona, PersonaGeneration, PersonaValidation
from apps.improvement.analysis.services.analysing import pay_analyses
from apps.improvement.analysis.services.enqueue_analyses import request_analysis
from apps.improvement.failure_modes.services.grouping_notes import group_due
from apps.improvement.failure_modes.services.requesting_groupings import MIN_NOTES, request_grouping
from apps.improvement.models import Analysis, FailureMode, ModeGrouping
from apps.personas.services.generating import generate_due
from apps.personas.services.requesting import enqueue_validations, request_generation
from apps.personas.services.simulator_review import review_in_free_slot
from apps.personas.services.validating import validate_due
from apps.runs.models import Conversation, SimulatorReview
from apps.tenants.context import in_tenant
from tests.dashboard.conftest import make_run
from tests.improvement.test_analysing import HEADER, Analyst, finding, judged_run
from tests.improvement.test_failure_modes import Grouper
from tests.loopback.http_server import Answer, Request
from tests.loopback.providers import ModelProvider
from tests.personas.conftest import choose
from tests.personas.persona_model import PersonaModel, persona
from tests.personas.review_bench import models, reviewed_battles
from tests.runs.stage import play

KILLS = int(os.environ.get("KILLS", "2"))
ROWS = max(24, 8 * KILLS)  # a worker is killed while many are left
SETS = KILLS + 3  # of 24 personas: six questions
CALL_S = 0.1
BETWEEN = timedelta(minutes=11)  # by the workers' clock: longer than any lease
Clock = Callable[[], datetime]


@dataclass(frozen=True, slots=True, kw_only=True)
class KilledKind:
    """What is killed: `do` works until nothing is due, `left` counts rows without an end, `done` their results."""

    purpose: str
    server: ModelProvider
    do: Callable[[Clock], Any]
    left: Callable[[], int]
    done: Callable[[], int]
    answers: Callable[[], int]
    rows: int = ROWS
    kill_after: tuple[int, int] = (7, 12)  # questions: more than are in flight at once


def somebody(slot: int, number: int) -> dict[str, Any]:
    """A persona whose words nobody else has."""
    chance = random.Random(number)
    text = " ".join("".join(chance.choices(ascii_lowercase, k=7)) for _ in range(200))
    return {**persona(slot, seed=number), "name": f"Persona {number}", "text": text}


def provider(server: ModelProvider, slug: str, *roles: str) -> None:
    save_model_provider(name="stub", kind="openai", base_url=server.base_url("openai"), api_key="not-a-key")
    if roles:
        choose(slug, {role: {"provider": "stub", "model": "stub-model"} for role in roles})


@contextmanager
def reviews(slug: str) -> Iterator[KilledKind]:
    with models() as (_, reviewer):
        reviewed_battles(2 * ROWS)
        play(concurrency=16)
        pending = Conversation.objects.filter(simulator_verdict="pending")
        kept = SimulatorReview.objects.filter(verdict="kept")
        yield KilledKind(
            purpose="simulator_review", server=reviewer, left=pending.count, done=kept.count, answers=kept.count,
            do=lambda now: review_in_free_slot(now=now, linger_for=timedelta(0)), rows=2 * ROWS, kill_after=(20, 30),
        )  # fmt: skip


@contextmanager
def validations(slug: str) -> Iterator[KilledKind]:
    with PersonaModel() as server:
        provider(server, slug, "validator")
        for number in range(ROWS):
            one = persona(number)
            Persona.objects.create(name=one["name"], language="en", text=one["text"], spec=one["spec"])
        enqueue_validations()
        rows = PersonaValidation.objects
        done = rows.filter(status="completed", persona__status="validated")
        yield KilledKind(
            purpose="persona_validation", server=server, left=rows.filter(status="pending").count, done=done.count,
            answers=done.count, do=lambda now: validate_due(now=now, until=now() + timedelta(minutes=1)),
        )  # fmt: skip


@contextmanager
def analyses(slug: str) -> Iterator[KilledKind]:
    with Analyst(lambda prompt: {"findings": [finding(HEADER.findall(prompt))]}) as server:
        provider(server, slug, "analyzer")
        evaluation = judged_run(3, 2)
        for _ in range(ROWS):
            request_analysis(evaluation_id=evaluation.pk, now=timezone.now())
        rows = Analysis.objects
        done = rows.filter(status="completed", provider="stub")
        yield KilledKind(
            purpose="analyzer", server=server, left=rows.filter(status="pending").count, done=done.count,
            answers=done.count, do=lambda now: pay_analyses(now=now),
        )  # fmt: skip


@contextmanager
def generations(slug: str) -> Iterator[KilledKind]:
    with PersonaModel() as server:
        provider(server, slug, "persona_generator")
        Agent.objects.create(name="booking", kind="scripted", options={"replies": ["Hello"]}, profile={"role": "Hair."})
        numbers = itertools.count()
        server.write = lambda slot, tries: somebody(slot, next(numbers))
        for _ in range(SETS):
            request_generation(
                agent="booking", languages=["en"], goals=["book"], tempers=["a"], count=24, requested_by="amina",
            )  # fmt: skip
        yield KilledKind(
            purpose="persona_generation",
            server=server,
            left=PersonaGeneration.objects.filter(status="pending").count,
            done=PersonaGeneration.objects.filter(status="completed").count,
            answers=lambda: Persona.objects.count() // 4,  # so many are written by one answer
            rows=SETS,
            do=lambda now: generate_due(now=now, until=now() + timedelta(minutes=1)),
        )


@contextmanager
def groupings(slug: str) -> Iterator[KilledKind]:
    """One is open at a time: the worker asks for the next itself."""
    with Grouper("price") as server:
        provider(server, slug, "optimizer")
        for row in make_run(MIN_NOTES)[1]:
            add_note(conversation_id=row.pk, text="No price", author="amina")
        rows = ModeGrouping.objects
        done = rows.filter(status="completed", model="stub-model")

        def work(now: Clock) -> None:
            if done.count() < ROWS and not rows.filter(status="pending").exists():
                request_grouping(by="amina")
            group_due(now=now, until=now() + timedelta(minutes=1))

        yield KilledKind(
            purpose="mode_grouping", server=server, left=lambda: ROWS - done.count(), done=done.count,
            answers=done.count, do=work, kill_after=(3, 6),
        )  # fmt: skip
        assert FailureMode.objects.get().notes.count() == MIN_NOTES


def clock_at(later: timedelta) -> Clock:
    return lambda: timezone.now() + later


def forked(kind: KilledKind, slug: str, clock: Clock) -> int:
    """A worker process with a connection of its own."""
    connections.close_all()
    if pid := os.fork():
        return pid
    try:
        with in_tenant(slug):
            while kind.left():
                kind.do(clock)
                time.sleep(0.05)
    finally:
        os._exit(0)


def killed_in_a_call(kind: KilledKind, slug: str, clock: Clock, more: int) -> bool:
    """Kill a worker when so many more questions have reached the model; whether it was at work then."""
    before = len(kind.server.requests)
    pid = forked(kind, slug, clock)
    give_up_at = time.monotonic() + 30
    while len(kind.server.requests) < before + more and time.monotonic() < give_up_at:
        if os.waitpid(pid, os.WNOHANG) != (0, 0):
            return False
        time.sleep(0.005)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return True


@pytest.mark.parametrize("of", [reviews, validations, analyses, generations, groupings])
def test_killed_workers_lose_nothing_and_do_nothing_twice(of: Any, fresh_tenant: str) -> None:
    chance = random.Random(7)
    with in_tenant(fresh_tenant), of(fresh_tenant) as kind:
        inner = kind.server._handle

        def slow(request: Request) -> Answer:
            return replace(inner(request), delay_s=CALL_S)

        kind.server.server._handler = slow
        kills = 0
        for number in range(KILLS):
            kills += killed_in_a_call(kind, fresh_tenant, clock_at(BETWEEN * number), chance.randint(*kind.kill_after))
        last = BETWEEN * (KILLS + 1)
        end_by = time.monotonic() + 120
        while kind.left() and time.monotonic() < end_by:
            kind.do(lambda: timezone.now() + last)
        settle_lost(now=timezone.now() + last + BETWEEN)
        rows = ModelCall.objects.filter(purpose=kind.purpose)
        outcomes = {name: rows.filter(outcome=name).count() for name in ("ok", "lost", "open")}
        print(f"{of.__name__}: {kills} kills, {kind.rows} rows, {kind.done()} done, {kind.left()} left, "
              f"{len(kind.server.requests)} questions, ledger {outcomes}")  # fmt: skip
        assert kills == KILLS
        assert (kind.left(), kind.done()) == (0, kind.rows), "nothing is lost, and nothing was given up"
        assert outcomes["ok"] == kind.answers(), "each answer that is in the ledger was stored once"
        assert outcomes["open"] == 0
        assert outcomes["ok"] + outcomes["lost"] == rows.count()
        written = ModelCall.objects.exclude(purpose="simulator").count()
        assert written >= len(kind.server.requests), "no question was asked before its row was written"

"""One worker with one process has three kinds of work to do, each for longer than a minute: none waits for another."""

import itertools
import json
import os
import time
from dataclasses import replace
from pathlib import Path

from django.utils import timezone

from apps.catalog.connections.services.storing import save_model_provider
from apps.catalog.models import ModelProvider as Provider
from apps.improvement.analysis.services.enqueue_analyses import request_analysis
from apps.jobs.models import InteractiveJob
from apps.runs.agents.services.provider_check_job import request_provider_check
from apps.tenants.context import in_tenant
from apps.tenants.services import update_workflow_config
from ratiba_eval import programs
from tests.evaluations.bench import evaluated, make_config
from tests.improvement.test_analysing import HEADER, Analyst, finding, judged_run
from tests.journey.conftest import Machine, until
from tests.loopback.http_server import Answer, LoopbackServer, Request
from tests.loopback.stub_model import Behaviour, StubModel
from tests.personas.conftest import choose

MAX_WAIT_S = 20.0  # a tick, for nobody wakes the workers here, and a call; a judge alone has work for minutes
WATCHED_S = float(os.environ.get("WATCHED_S", "25"))
CALL_S = 2.0


class SlowAnalyst(Analyst):
    """Takes its time, and tells when it was asked."""

    def __init__(self) -> None:
        super().__init__(lambda prompt: {"findings": [finding(HEADER.findall(prompt))]})
        self.asked_at: list[float] = []

    def _handle(self, request: Request) -> Answer:
        self.asked_at.append(time.monotonic())
        return replace(super()._handle(request), delay_s=CALL_S)


class Judge(StubModel):
    """Tells when it was asked."""

    def __init__(self) -> None:
        super().__init__(Behaviour(latency_s=CALL_S))
        self.asked_at: list[float] = []

    def __call__(self, request: Request) -> Answer:
        self.asked_at.append(time.monotonic())
        return super().__call__(request)


def start(machine: Machine) -> None:
    """What `make loop` starts: `control`, a worker, and the clock."""
    for program in (*programs.workers(1, concurrency=1), programs.beat(Path(machine.env["RATIBA_STATE_DIR"]))):
        machine.supervisor.start(replace(program, env={**program.env, **machine.env}, grace_s=1.0), restart=False)


def longest_wait(at: list[float], since: float, end: float) -> float:
    """Between two beginnings of a kind's calls, from when it was due."""
    moments = [since, *(one for one in at if since < one < end), end]
    return max(after - before for before, after in itertools.pairwise(moments))


def test_no_kind_of_work_waits_while_another_is_served(machine: Machine, fresh_tenant: str):
    update_workflow_config(slug=fresh_tenant, changes={"max_concurrent_judgements": 4})
    judge = Judge()
    with LoopbackServer(judge) as server, SlowAnalyst() as analyst:
        with in_tenant(fresh_tenant):
            evaluation = judged_run(3, 2)
            evaluated(make_config(url=f"{server.url}/v1", name="slow"), *(f"c-{n}" for n in range(int(20 * WATCHED_S))))
            save_model_provider(name="analyst", kind="openai", base_url=analyst.base_url("openai"), api_key="none")
            choose(fresh_tenant, {"analyzer": {"provider": "analyst", "model": "stub-model"}})
        start(machine)
        until(lambda: len(judge.asked_at) >= 8, what="the judge at work")
        began = time.monotonic()
        with in_tenant(fresh_tenant):
            for _ in range(int(WATCHED_S)):
                request_analysis(evaluation_id=evaluation.pk, now=timezone.now())
            pressed_at = presses(began + WATCHED_S)
        ended = time.monotonic()
        waits = {
            "judging": longest_wait(judge.asked_at, began, ended),
            "analysis": longest_wait(analyst.asked_at, began, ended),
            "button": longest_wait(pressed_at, began, ended),
        }
    print(json.dumps(waits), len(judge.asked_at), len(analyst.asked_at), len(pressed_at))
    assert max(waits.values()) < MAX_WAIT_S, waits


def presses(until: float) -> list[float]:
    """Somebody presses a button, and again when the answer is there; when each was pressed."""
    provider, pressed_at = Provider.objects.get(name="analyst").pk, []
    while time.monotonic() < until:
        if not InteractiveJob.objects.filter(status="pending").exists():
            pressed_at.append(time.monotonic())
            request_provider_check(provider_id=provider, model="m", requested_by="amina", now=timezone.now())
        time.sleep(0.2)
    return pressed_at

"""A trial whose workers are killed, whose broker is emptied and whose model is down for a while: it ends, once.

`RATIBA_TRIAL_KILLS=20` and `-k killed` is the drill of the closing note; the suite kills as often as a minute allows.
"""

import json
import os
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
import redis
from django.db import connection
from django.utils import timezone

from apps.catalog.connections.services.storing import save_model_provider
from apps.catalog.models import Scenario
from apps.evaluations.models import Evaluation, Judgement
from apps.improvement.models import Optimization, PromptDraft, Trial
from apps.runs.models import Conversation, TestRun
from apps.tenants.context import in_tenant
from apps.tenants.services import update_workflow_config
from ratiba_eval import programs
from ratiba_eval.supervisor import Program
from tests.evaluations.bench import make_config
from tests.improvement.optimization_rows import ask as ask_optimization
from tests.improvement.optimization_rows import found as found_by_analysis
from tests.improvement.optimization_rows import go_on, make_scene
from tests.improvement.test_analysing import judged_run
from tests.improvement.test_optimizing import Writers
from tests.improvement.trial_rows import ask, make_world
from tests.journey.conftest import Machine, until
from tests.loopback import formats
from tests.loopback.http_server import Answer, LoopbackServer, Request
from tests.loopback.stub_model import Behaviour, StubModel

KILLS = int(os.environ.get("RATIBA_TRIAL_KILLS", "2"))
REPEATS = 1 if KILLS < 5 else 3  # so that there is work left for the last one
DOWN_S = 2.0


class ModelThatFalls(StubModel):
    """Judges as the stub does, speaks as its prompt says, and answers 503 while it is down."""

    down = False

    def __call__(self, request: Request) -> Answer:
        kind = formats.kind_of(request.path)
        if self.down and kind is not None:
            self.outcomes["503"] += 1
            return formats.error(kind, 503, "down")
        body = json.loads(request.body) if kind is not None and request.body else {}
        if kind is None or body.get("response_format"):
            return super().__call__(request)
        prompt = " ".join(str(one["content"]) for one in body["messages"] if one["role"] == "system")
        said = "A haircut is 1,500 shillings." if "Say the price" in prompt else "We cut hair."
        self.outcomes["spoken"] += 1
        answer = formats.answer(kind, said, model=body["model"], tokens=(100, 10))
        answer.delay_s = self.behaviour.latency_s
        return answer


@pytest.fixture
def patient(machine: Machine) -> Machine:
    """Who is told 503 asks again a second later."""
    return replace(machine, env={**machine.env, "RATIBA_MODEL_BACKOFF_S": "1"})


def kill_workers(patient: Machine, tenant: str, model: ModelThatFalls, folder: Path) -> None:
    """Kill one worker after the other, each after a step of its own, and let the model fall in the middle; the last
    one lives."""
    begin(patient, programs.worker("control", queues=("control",), concurrency=0))
    begin(patient, programs.beat(folder))
    for number in range(KILLS + 1):
        name = f"worker-{number}"
        begin(patient, programs.worker(name, concurrency=1))
        if number == KILLS:
            break
        done = progress(tenant)
        until(partial(moved, tenant, done), timeout_s=120, what=f"a step of {name}")
        if number == KILLS // 2:
            fall(patient, model)
        patient.supervisor.kill(name)
        patient.supervisor.stop(name)
        expire(tenant)


def test_a_trial_whose_workers_are_killed_ends_once(patient: Machine, fresh_tenant: str, tmp_path) -> None:
    model = ModelThatFalls(Behaviour(latency_s=0.15))
    with LoopbackServer(model) as server:
        trial = owed(fresh_tenant, f"{server.url}/v1")
        kill_workers(patient, fresh_tenant, model, tmp_path)
        until(lambda: ended(fresh_tenant, trial), timeout_s=240, what="the end of the trial")
    told(fresh_tenant, trial, model)


def test_an_optimization_whose_workers_are_killed_tries_each_draft_once(
    patient: Machine, fresh_tenant: str, tmp_path
) -> None:
    model = ModelThatFalls(Behaviour(latency_s=0.1))
    with LoopbackServer(model) as server, Writers() as writers:
        row = optimizing(fresh_tenant, f"{server.url}/v1", writers.base_url("openai"))
        kill_workers(patient, fresh_tenant, model, tmp_path)
        until(lambda: settled(fresh_tenant, row), timeout_s=300, what="the end of the optimization")
    with in_tenant(fresh_tenant):
        found = Optimization.objects.get(pk=row)
        drafts = list(found.drafts.order_by("position"))
        figures = {
            "kills": KILLS, "status": found.status, "sentence": found.sentence, "asked": writers.asked,
            "drafts": [(one.place, one.left_out) for one in drafts], "trials": Trial.objects.count(),
            "runs": TestRun.objects.count(), "answers": dict(model.outcomes),
        }  # fmt: skip
        print(f"\noptimization under faults: {figures}")
        assert found.status == "completed", found.error_message
        assert PromptDraft.objects.count() == len(drafts) >= 2
        assert len({one.draft_id for one in drafts}) == len(drafts)
        assert Trial.objects.count() == len({one.trial_id for one in drafts}) == len(drafts)
        assert TestRun.objects.filter(kind="trial").count() == 1 + len(drafts)  # the live side plays once for all
        assert {one.status for one in Trial.objects.all()} == {"completed"}
        assert {one.attempts for one in Trial.objects.all()} == {0}
    connection.close()


def optimizing(tenant: str, url: str, writers: str) -> str:
    """Two fixes of six families that choose, found and not yet written."""
    update_workflow_config(slug=tenant, changes={"battle_stagger_s": [0, 0], "max_concurrent_battles": 4})
    with in_tenant(tenant):
        evaluation = make_scene(judged_run(3, 2), families=6)
        save_model_provider(name="speaker", kind="openai", base_url=url, api_key="k")
        save_model_provider(name="author", kind="openai", base_url=writers, api_key="k")
        make_config(url=url, name="paired")
        Scenario.objects.update(max_turns=4)
    update_workflow_config(slug=tenant, changes={"models": {
        "simulator": {"provider": "offline", "model": "offline-rules"},
        "optimizer": {"provider": "author", "model": "writer-1"}}})  # fmt: skip
    with in_tenant(tenant):
        row = ask_optimization(evaluation, drafts=2, evaluator_configs=("paired",))
        go_on(row)
        found_by_analysis(row, "payment", "prices")
        return str(row.pk)


def settled(tenant: str, row: str) -> bool:
    with in_tenant(tenant):
        found = not Optimization.objects.filter(pk=row, status__in=["pending", "running"]).exists()
    connection.close()
    return found


def owed(tenant: str, url: str) -> str:
    """A trial of twelve families, asked for and not begun."""
    update_workflow_config(slug=tenant, changes={"battle_stagger_s": [0, 0], "max_concurrent_battles": 4})
    with in_tenant(tenant):
        draft = make_world()
        save_model_provider(name="speaker", kind="openai", base_url=url, api_key="k")
        make_config(url=url, name="paired")
        Scenario.objects.update(max_turns=4)
        return str(ask(draft, evaluator_config="paired", repeats=REPEATS).pk)


def begin(machine: Machine, program: Program) -> None:
    machine.supervisor.start(replace(program, env={**program.env, **machine.env}), restart=False)


def progress(tenant: str) -> int:
    """Conversations that ended and judgements that were given."""
    with in_tenant(tenant):
        found = Conversation.objects.filter(ended_at__isnull=False).count() + Judgement.objects.exclude(
            status="pending"
        ).count()  # fmt: skip
    connection.close()
    return found


def moved(tenant: str, done: int) -> bool:
    return progress(tenant) > done


def fall(machine: Machine, model: ModelThatFalls) -> None:
    """The model does not answer for a while, and the broker forgets everything meanwhile."""
    model.down = True
    socket = unquote(machine.env["REDIS_URL"].removeprefix("redis+socket://").partition("?")[0])
    redis.Redis(unix_socket_path=socket).flushall()
    time.sleep(DOWN_S)
    model.down = False


def expire(tenant: str) -> None:
    """What the killed worker held is free at once: nobody waits for its leases here."""
    with in_tenant(tenant):
        for rows in (Conversation.objects.filter(status="running"), Judgement.objects.filter(status="pending")):
            rows.exclude(lease_token=None).update(lease_expires_at=timezone.now())
    connection.close()


def ended(tenant: str, trial: str) -> bool:
    with in_tenant(tenant):
        found = not Trial.objects.filter(pk=trial, status__in=["pending", "running"]).exists()
    connection.close()
    return found


def told(tenant: str, trial: str, model: ModelThatFalls) -> None:
    """Two sides, one run and one evaluation each, each conversation judged once, one decision, one look."""
    with in_tenant(tenant):
        row = Trial.objects.get(pk=trial)
        sides = list(row.sides.all())
        figures: dict[str, Any] = {
            "kills": KILLS, "status": row.status, "sentence": row.sentence, "runs": TestRun.objects.count(),
            "evaluations": Evaluation.objects.count(), "conversations": Conversation.objects.count(),
            "failed": Conversation.objects.exclude(status="ended").count(),
            "judgements": Judgement.objects.count(), "scored": Judgement.objects.filter(status="scored").count(),
            "attempts": max(Conversation.objects.values_list("attempt", flat=True)), "answers": dict(model.outcomes),
        }  # fmt: skip
        print(f"\ntrial under faults: {figures}")
        assert (row.status, row.look, row.attempts) == ("completed", 1, 0), row.error_message
        assert {side.side for side in sides} == {"live", "draft"}
        assert {side.test_run_id for side in sides} == set(TestRun.objects.values_list("pk", flat=True))
        assert {side.evaluation_id for side in sides} == set(Evaluation.objects.values_list("pk", flat=True))
        assert (figures["runs"], figures["evaluations"], figures["conversations"]) == (2, 2, 24 * REPEATS)
        assert figures["judgements"] == 24 * REPEATS - Conversation.objects.filter(judgements=None).count()
        assert row.decision["pairs"] + row.decision["left_out"] == 12 * REPEATS
        assert row.decision["left_out"] <= figures["failed"]
        assert Trial.objects.count() == Trial.objects.filter(look=1).count() == 1
        assert PromptDraft.objects.get().status in ("better", "not_shown", "blocked")
    connection.close()

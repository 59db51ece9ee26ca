"""A client made from the OpenAPI document by a generator, as its user would: it runs a whole evaluation."""

import compileall
import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.utils import timezone

from apps.catalog.files.services.packs import load_pack
from apps.evaluations.judging.services.completion import finish_evaluations
from apps.evaluations.judging.services.judging import judge_in_free_slot
from apps.runs.playing.services.control import finish_runs
from apps.tenants.context import in_tenant
from apps.tenants.models import Domain, Tenant
from tests.api.api_client import Door, stock
from tests.api.test_journey import spoken

PACKAGE = "ratiba_generated_client"


class Generated:
    """The package, and a client of it: `call("evaluations.get_evaluation", id=…)` gives the parsed answer."""

    def __init__(self, server: str, bearer: str) -> None:
        self.client = importlib.import_module(PACKAGE).AuthenticatedClient(base_url=server, token=bearer)
        self.models = importlib.import_module(f"{PACKAGE}.models")

    def call(self, operation: str, *path: Any, status: int = 200, **more: Any) -> Any:
        module: ModuleType = importlib.import_module(f"{PACKAGE}.api.{operation}")
        answer = module.sync_detailed(*path, client=self.client, **more)
        assert answer.status_code == status, answer.content
        assert answer.parsed is not None, operation
        assert set(answer.parsed.to_dict()) == set(json.loads(answer.content)), operation
        return answer.parsed


@pytest.fixture(scope="module")
def generated(server: str, django_db_setup: Any, django_db_blocker: Any, tmp_path_factory: Any) -> Iterator[Generated]:
    folder: Path = tmp_path_factory.mktemp("client")
    config = folder / "config.yaml"
    config.write_text("post_hooks: []\ncontent_type_overrides: {application/xml: text/plain}\n")  # JUnit is a text
    with django_db_blocker.unblock():
        tenant = Tenant.objects.get(slug="acme")
        Domain.objects.create(tenant=tenant, domain="127.0.0.1", is_primary=False)
        bearer, _ = stock("acme")
        with in_tenant("acme"):
            load_pack("service-booking", at=datetime.now(UTC))
        argv = [sys.executable, "-m", "openapi_python_client", "generate", "--url", f"{server}/api/v1/schema/",
                "--meta", "none", "--output-path", str(folder / PACKAGE), "--config", str(config),
                "--fail-on-warning"]  # fmt: skip
        made = subprocess.run(argv, capture_output=True, text=True, timeout=120)
        assert made.returncode == 0, made.stdout + made.stderr
        sys.path.insert(0, str(folder))
        try:
            yield Generated(server, bearer)
        finally:
            sys.path.remove(str(folder))
            django_db_setup.reset()


def test_everything_that_was_generated_can_be_imported(generated: Generated) -> None:
    folder = Path(str(importlib.import_module(PACKAGE).__file__)).parent
    assert compileall.compile_dir(folder, quiet=1)
    operations = [path for path in (folder / "api").rglob("*.py") if path.stem != "__init__"]
    assert len(operations) >= 19
    for path in operations:
        importlib.import_module(".".join((PACKAGE, *path.relative_to(folder).with_suffix("").parts)))


def test_it_runs_a_whole_evaluation(generated: Generated, django_db_blocker: Any) -> None:
    models, call = generated.models, generated.call
    asked = models.ConversationsEvaluationRequest(
        evaluator_config="booking-quality",
        conversations=[models.ConversationRequest.from_dict(spoken(name)) for name in ("a", "b", "c")],
        repeat=1,
    )
    taken = call("evaluations.create_evaluation", status=202, body=asked, idempotency_key="first")
    assert call("evaluations.create_evaluation", status=202, body=asked, idempotency_key="first").id == taken.id
    assert call("test_runs.get_test_run_status", taken.test_run_id).conversations.ended == 3
    with django_db_blocker.unblock(), in_tenant("acme"):
        judge_in_free_slot(slots=2, concurrency=8, now=timezone.now)
        finish_evaluations(now=timezone.now())
    found = call("evaluations.get_evaluation", taken.id)
    assert (found.status.value, found.counts.scored) == ("completed", 3)
    assert isinstance(found.weighted_score, float)
    assert isinstance(found.warnings[0], str)
    first = call("evaluations.list_judgements", taken.id, limit=2, cursor="")
    assert len(first.results) == 2
    (cursor,) = parse_qs(urlsplit(first.next_).query)["cursor"]
    rest = call("evaluations.list_judgements", taken.id, limit=2, cursor=cursor)
    assert {one.conversation_id for one in (*first.results, *rest.results)} == {"a", "b", "c"}
    assert all(score.criterion for one in first.results for score in one.criteria)
    turns = call("test_runs.list_conversations", taken.test_run_id).results[0].turns
    assert turns[0].content == spoken("a")["turns"][0]["content"]
    again = models.RunEvaluationRequest(evaluator_config="booking-quality", test_run_id=taken.test_run_id)
    second = call("evaluations.create_evaluation", status=202, body=again)
    assert call("evaluations.compare_evaluation", taken.id, second.id) is not None
    listed = call("evaluations.list_evaluations")
    assert {one.id for one in listed.results} >= {taken.id, second.id}
    assert call("evaluations.create_analysis", taken.id, status=202).status == "pending"
    assert call("evaluations.list_analyses", taken.id).results


def test_it_starts_and_steers_a_run(generated: Generated, django_db_blocker: Any) -> None:
    models, call = generated.models, generated.call
    body = models.BattleRequest(kind="battle", agent="waiter", scenarios="all", max_turns=4)
    run = call("test_runs.start_test_run", status=202, body=body)
    assert call("test_runs.pause_test_run", run.id).status.value == "paused"
    assert call("test_runs.resume_test_run", run.id).status.value == "running"
    assert call("test_runs.cancel_test_run", run.id).status.value == "cancelled"
    assert call("test_runs.get_test_run", run.id).kind.value == "battle"
    assert [one.id for one in call("test_runs.list_test_runs").results].count(run.id) == 1
    with django_db_blocker.unblock(), in_tenant("acme"):
        finish_runs(now=timezone.now())
    assert call("test_runs.requeue_test_run", run.id, status=200).status.value == "cancelled"


def test_a_problem_is_read_as_one(generated: Generated) -> None:
    models = generated.models
    asked = models.RunEvaluationRequest(evaluator_config="nobody-made-this", test_run_id="0" * 32)
    problem = generated.call("evaluations.create_evaluation", status=404, body=asked)
    assert isinstance(problem, models.Problem)
    assert (problem.code, problem.pointer) == ("not_found", "/evaluator_config")


@pytest.mark.parametrize("field, value", [("max_turns", 21.0), ("repeats", 1.0)])
def test_a_whole_number_may_have_a_point(acme: Door, field: str, value: float) -> None:
    body = {"kind": "battle", "agent": "waiter", "scenarios": "all", field: value}
    assert acme.post("test-runs/", body).status_code == 202
    assert acme.post("test-runs/", body | {field: value + 0.5}).status_code == 400


@pytest.mark.parametrize("query", ["limit=21.0", "cursor=", "cursor=&limit=2"])
def test_a_page_is_asked_for_as_the_document_says(acme: Door, query: str) -> None:
    assert acme.get(f"test-runs/?{query}").status_code == 200
    assert acme.get("test-runs/?limit=2.5").status_code == 400

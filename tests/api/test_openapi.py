"""The OpenAPI document is true: what it describes is what the API does."""

import os
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.core.management import call_command
from drf_spectacular.drainage import reset_generator_stats
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import ignored_auth, negative_data_rejection, positive_data_acceptance

from apps.api.schema_requests import EXAMPLES
from apps.tenants.context import in_tenant
from apps.tenants.models import Domain, Tenant
from tests.api.api_client import Door, evaluation, stock
from tests.catalog.samples import add_persona

BOUNDED = settings(
    max_examples=8, deadline=None, derandomize=True, database=None, phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)  # fmt: skip


@pytest.fixture(scope="module")
def stocked(server: str, django_db_setup: Any, django_db_blocker: Any) -> Iterator[dict[str, str]]:
    with django_db_blocker.unblock():
        tenant = Tenant.objects.get(slug="acme")
        Domain.objects.create(tenant=tenant, domain="127.0.0.1", is_primary=False)  # so that no Host header is needed
        bearer, _ = stock("acme")
        door = Door("acme", bearer)
        taken = door.post("evaluations/", evaluation("c-1", "c-2")).json()
        battle = door.post("test-runs/", {"kind": "battle", "agent": "waiter", "scenarios": "all"}).json()
        with in_tenant("acme"):
            persona = str(add_persona("shemeji", needs_release=True).pk)
        yield {"bearer": bearer, "persona": persona, "server": server, "evaluation": taken["id"], "run": battle["id"],
               "past": taken["test_run_id"]}  # fmt: skip
        django_db_setup.reset()


@pytest.fixture(scope="module")
def document(stocked: dict[str, str]) -> Any:
    found = schemathesis.openapi.from_url(f"{stocked['server']}/api/v1/schema/")
    return found


def test_every_answer_is_as_described(document: Any, stocked: dict[str, str], record_property: Any) -> None:
    """Good and bad requests made from the document: each answer's status, media type, headers and body are in it."""
    seen: Counter[int] = Counter()
    wrong = []
    for found in document.get_all_operations():
        operation = found.ok()
        for mode in GenerationMode:
            if mode is GenerationMode.POSITIVE or can_be_wrong(operation):
                try:
                    explore(operation, mode, stocked, seen)
                except (Exception, BaseExceptionGroup) as error:
                    wrong.append(f"{operation.label}, {mode.value}: {str(error)[:1500]}")
    record_property("schemathesis_cases", sum(seen.values()))
    print(f"\nschemathesis: {sum(seen.values())} cases, {dict(seen)}")
    assert not wrong, "\n\n".join(wrong)
    assert not [status for status in seen if status >= 500]
    assert {200, 202, 400, 404} <= set(seen)


def explore(operation: Any, mode: GenerationMode, stocked: dict[str, str], seen: Counter[int]) -> None:
    headers = {"authorization": f"Bearer {stocked['bearer']}"}

    @BOUNDED
    @given(case=operation.as_strategy(generation_mode=mode))
    def check(case: Any) -> None:
        if mode is GenerationMode.POSITIVE:
            make_known(case, stocked, turn=sum(seen.values()))
        case.headers.pop("webhook-signature", None)  # its kind of authentication, which cannot be guessed
        answer = case.call(headers=headers)
        seen[answer.status_code] += 1
        unsure = [positive_data_acceptance, ignored_auth]
        unsure += [negative_data_rejection] if answer.status_code == 413 else []  # a refusal, before it is read
        case.validate_response(answer, headers=headers, excluded_checks=unsure)

    check()


def make_known(case: Any, stocked: dict[str, str], *, turn: int) -> None:
    """Ids and names that are there, two times of three: otherwise everything would be 404."""
    if turn % 3 == 0:
        return
    if "id" in case.path_parameters:
        of = {"test-runs": "run", "personas": "persona"}
        case.path_parameters["id"] = stocked[next((of[one] for one in of if one in case.path), "evaluation")]
    if isinstance(case.body, dict):
        names = {
            "evaluator_config": "tea-service",
            "test_run_id": stocked["run"],
            "agent": "waiter",
            "scenarios": "all",
        }
        case.body = {name: names.get(name, value) for name, value in case.body.items() if name not in UNSURE}


UNSURE = ("callback_url", "personas")  # well formed addresses and names may be refused for what they are


def can_be_wrong(operation: Any) -> bool:
    return bool(operation.body)


def test_the_document_validates_without_a_warning() -> None:
    reset_generator_stats()  # what other tests were warned of
    call_command("spectacular", validate=True, fail_on_warn=True, file=os.devnull)  # raises with what is wrong


def test_its_examples_work(acme: Door) -> None:
    for body, path in (("EvaluationRequest", "evaluations/"), ("TestRunRequest", "test-runs/")):
        for title, example in EXAMPLES[body]:
            ours = {"evaluator_config": "tea-service"} if body == "EvaluationRequest" else {"agent": "waiter"}
            assert acme.post(path, example | ours).status_code == 202, title


def test_swagger_comes_from_our_own_files(acme: Door) -> None:
    page = acme.client.get("/api/v1/docs/").content.decode()
    assert "swagger-ui" in page
    assert "cdn." not in page
    assert "https://" not in page

"""What docs/api.md shows is run: its clients work against a real server, its codes are those the API has."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from apps.api.domain.statuses import _BY_CODE
from apps.evaluations.models import Evaluation
from apps.tenants.context import in_tenant
from tests.api.api_client import conversation, evaluation, stock
from tests.api.test_bad_input import CASES

PAGE = (Path(__file__).parents[2] / "docs" / "api.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def program(block: str, **replaced: str) -> dict[str, Any]:
    for old, new in replaced.items():
        block = block.replace({"host": "http://localhost:8000", "key": "rk_…", "secret": "whsec_…"}[old], new)
    names: dict[str, Any] = {"__name__": "docs"}
    exec(block, names)  # noqa: S102 - our own page
    return names


@pytest.fixture
def quick(server: str, committed_db: None) -> tuple[str, str, str]:
    bearer, secret = stock("acme")
    return server, bearer, secret


def test_the_python_client_evaluates(quick: tuple[str, str, str]) -> None:
    server, bearer, _ = quick
    client = program(BLOCKS[0], host=server, key=bearer)
    client["api"].headers["host"] = "acme.localhost"

    def finish(seconds: float) -> None:
        with in_tenant("acme"):
            Evaluation.objects.update(status="completed", ended_at=timezone.now())

    client["time"].sleep, before = finish, client["time"].sleep
    get = client["api"].get
    client["api"].get = lambda url, **more: get(str(url).replace("http://acme.localhost", server), **more)
    try:
        found = client["evaluate"]([conversation("c-1"), conversation("c-2")], "tea-service", key="build-1")
    finally:
        client["time"].sleep = before
    assert found["status"] == "completed"
    assert {one["conversation_id"] for one in client["judgements"](found["id"])} == {"c-1", "c-2"}


def test_the_signing_example_is_taken(quick: tuple[str, str, str]) -> None:
    server, _, secret = quick
    block = BLOCKS[1].replace('"content-type"', '"host": "acme.localhost", "content-type"')
    post_signed = program(block, host=server, secret=secret)["post_signed"]
    body = __import__("json").dumps(evaluation())
    first, again = (post_signed("/evaluations/", body, "msg_docs") for _ in range(2))
    assert (first.status_code, again.headers["idempotency-replayed"]) == (202, "true")


def test_every_code_is_in_the_page() -> None:
    codes = {case.code for case in CASES} | set(_BY_CODE) - {"unknown_tenant"}
    assert not {code for code in codes if f"`{code}`" not in PAGE}


def test_the_client_is_short() -> None:
    assert len(BLOCKS[0].splitlines()) <= 60

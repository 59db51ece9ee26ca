"""Whatever goes wrong under /api/ is told in problem+json, and tells no secret."""

from typing import Any

import pytest
from django.db import OperationalError

from tests.api.api_client import Door


def test_methods_that_are_not_there_are_405(acme: Door) -> None:
    answer = acme.client.delete("/api/v1/evaluations/", headers=acme.headers({}))
    assert (answer.status_code, answer["Content-Type"]) == (405, "application/problem+json")
    assert "POST" in answer["Allow"]


def test_a_host_nobody_has_answers_in_problem_json(db: None) -> None:
    for host in ("nobody.localhost", "evil.example"):
        answer = Door("x").client.get("/api/v1/evaluations/", headers={"host": host})
        assert answer.status_code == 404, host
        assert answer["Content-Type"] == "application/problem+json", host


@pytest.mark.parametrize("where", ["apps.tenants.middleware.TenantMiddleware.get_tenant", "apps.api.pages._limit"])
def test_a_database_that_is_away_is_503_and_worth_another_try(
    acme: Door, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    def away(*_: Any) -> None:
        raise OperationalError("the server closed the connection")

    monkeypatch.setattr(where, away)
    answer = acme.get("evaluations/")
    assert (answer.status_code, answer.json()["code"]) == (503, "database_unavailable")
    assert answer["Retry-After"] == "5"


def test_what_nobody_expected_is_500_in_problem_json_and_tells_nothing(
    acme: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("apps.api.pages._limit", broken)
    answer = acme.get("evaluations/")
    assert (answer.status_code, answer.json()["code"]) == (500, "internal")
    assert answer["Content-Type"] == "application/problem+json"
    assert b"secret detail" not in answer.content

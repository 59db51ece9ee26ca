"""Anchors and trends over HTTP: what is posted, what is refused, and that every answer is as the document says."""

from datetime import timedelta
from typing import Any

import jsonschema
import pytest
from django.utils import timezone

from apps.api.schema import components
from apps.evaluations.judging.services.enqueue import enqueue_judgements
from apps.production.models import AnchorSet
from apps.production.sampling.domain.rates import window_starting
from apps.production.sampling.services.anchors import grade_due
from apps.production.sampling.services.drawing import draw_due
from apps.tenants.context import in_tenant
from apps.tenants.models import Tenant
from tests.api.api_client import CONFIG, Door
from tests.production.sampling_rows import many, rule, score
from tests.production.test_anchors import judge, labelled


def fits(component: str, body: Any) -> Any:
    """The body, which is exactly as the document describes it."""
    jsonschema.validate(body, {"$ref": f"#/components/schemas/{component}", "components": {"schemas": components()}})
    return body


@pytest.fixture
def watching(acme: Door) -> Door:
    Tenant.objects.filter(slug="acme").update(vertical="salon", settings={"phase": 2, "sampling_floor": 0})
    return acme


def test_anchors_are_frozen_graded_and_read_with_who_moved(watching: Door) -> None:
    with in_tenant("acme"):
        labelled(36)
    assert fits("AnchorSets", watching.get("production/anchors/").json()) == {"results": []}
    made = watching.post("production/anchors/", {"evaluator_config": CONFIG, "count": 30})
    assert made.status_code == 201, made.content
    assert fits("AnchorSetFrozen", made.json())["anchors"] == 30
    with in_tenant("acme"):
        _baseline_and_one_week()
    (found,) = fits("AnchorSets", watching.get("production/anchors/").json())["results"]
    assert (found["id"], found["anchors"], found["status"]) == (made.json()["id"], 30, "active")
    (week,) = found["weeks"]
    assert (found["baseline_gradings"], week["week"], week["mover"], week["shift"]["shown"]) == (5, 1, "judge", True)
    assert (week["customers"], week["requests"], week["requests_counted"]) == (None, [], False)


def _baseline_and_one_week() -> None:
    """The server's clock froze them: the moments are those of its rows."""
    frozen = AnchorSet.objects.get().created_at
    judge()
    grade_due(now=frozen + timedelta(hours=1))
    week = frozen + timedelta(days=7, hours=2)
    grade_due(now=week)
    judge(shift=-0.6, now=week)
    grade_due(now=week + timedelta(hours=1))


@pytest.mark.parametrize(
    "body, status, code",
    [
        ({}, 400, "required"),
        ({"evaluator_config": ""}, 400, "required"),
        ({"evaluator_config": 7}, 400, "invalid"),
        ({"evaluator_config": CONFIG, "count": "forty"}, 400, "invalid"),
        ({"evaluator_config": CONFIG, "count": 29}, 400, "bad_count"),
        ({"evaluator_config": CONFIG, "more": 1}, 400, "unknown_field"),
        ({"evaluator_config": "nobody"}, 404, "not_found"),
        ({"evaluator_config": CONFIG}, 409, "too_few_labelled"),
    ],
)
def test_a_body_that_cannot_be_taken_is_refused_with_its_field_and_freezes_nothing(
    watching: Door, body: Any, status: int, code: str
) -> None:
    answer = watching.post("production/anchors/", body)
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.json()
    assert watching.get("production/anchors/").json() == {"results": []}


def test_the_trend_of_real_conversations_is_as_the_document_says(watching: Door) -> None:
    with in_tenant("acme"):
        begins = window_starting(timezone.now()) - timedelta(days=1)
        rule(CONFIG, drawn_until=begins)
        many(4, at=begins + timedelta(hours=1))
        draw_due(now=begins + timedelta(hours=7))
        enqueue_judgements(now=begins + timedelta(hours=7))
        score(7.0)
    (series,) = fits("Trends", watching.get("trends/?kind=production").json())["series"]
    assert (series["kind"], series["evaluator_config"], len(series["points"])) == ("production", CONFIG, 1)
    assert series["points"][0]["population"] == 4
    nothing: dict[str, Any] = {"series": [], "agreement": [], "triggers": []}
    assert fits("Trends", watching.get("trends/?kind=production&config=other").json()) == nothing
    assert fits("Trends", watching.get("trends/").json()) == nothing


@pytest.mark.parametrize("query, code", [("kind=nobody", "bad_option"), ("days=7", "unknown_parameter")])
def test_a_trend_that_nobody_has_is_refused(watching: Door, query: str, code: str) -> None:
    answer = watching.get(f"trends/?{query}")
    assert (answer.status_code, answer.json()["code"]) == (400, code)

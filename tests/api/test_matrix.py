"""The matrix over HTTP: the rows and verdicts of its page, window by window, with every filter of it."""

from dataclasses import fields
from typing import Any

import pytest

from apps.api.views.matrices import Matrix
from apps.dashboard.results.queries.matrix import matrix_page
from apps.reports.tables.domain.matrix_filters import MatrixFilter
from apps.tenants.context import in_tenant
from tests.api.api_client import Door
from tests.dashboard.matrix_samples import NAMES, mixed_evaluation


@pytest.fixture
def path(acme: Door) -> str:
    with in_tenant("acme"):
        evaluation, _ = mixed_evaluation(60)
        return f"test-runs/{evaluation.run_id}/matrix/"


def rows(door: Door, path: str) -> list[dict[str, Any]]:
    """All windows."""
    found, at = [], path
    while at:
        answer = door.get(at).json()
        found += answer["results"]
        at = answer["next"]
    return found


def test_it_holds_the_rows_of_the_page_in_their_order(acme: Door, path: str) -> None:
    answer = acme.get(path).json()
    with in_tenant("acme"):
        page = matrix_page(answer["evaluation_id"], asked={})
    assert [one["conversation_id"] for one in answer["results"]] == [
        str(one.judgement.conversation_id) for one in page.rows
    ]
    assert (answer["total"], answer["conversations"]) == (60, 60)
    assert [one["name"] for one in answer["criteria"]] == list(page.names)
    assert [one["blocking"] for one in answer["criteria"]].count(True) == 1
    first = answer["results"][0]
    assert set(first["cells"][0]) == {"criterion", "score", "pass_mark", "unscored_reason", "decision"}
    assert [cell["criterion"] for cell in first["cells"]] == list(page.names)


def test_windows_hold_every_row_once(acme: Door, path: str) -> None:
    ids = [one["conversation_id"] for one in rows(acme, f"{path}?limit=7")]
    assert (len(ids), len(set(ids))) == (60, 60)
    second = acme.get(acme.get(f"{path}?limit=7").json()["next"]).json()
    assert [one["conversation_id"] for one in acme.get(second["previous"]).json()["results"]] == ids[:7]


def test_filters_choose_as_the_page_does(acme: Door, path: str) -> None:
    failing = rows(acme, f"{path}?verdict=fail&language=sw")
    assert failing
    assert {(one["verdict"], one["language"]) for one in failing} == {("fail", "sw")}
    unscored = rows(acme, f"{path}?criterion={NAMES[1]}&having=unscored&columns={NAMES[1]}")
    assert unscored
    assert {cell["unscored_reason"] for one in unscored for cell in one["cells"]} <= {"missing", "not_applicable"}
    assert {len(one["cells"]) for one in unscored} == {1}


def test_every_filter_of_the_page_is_one_of_the_api(acme: Door) -> None:
    assert {one.name for one in fields(MatrixFilter)} == set(Matrix.query_names) - {"evaluation", "limit"}


@pytest.mark.parametrize(
    "query, pointer",
    [("verdict=bad", "/verdict"), ("low=eleven", "/low"), ("criterion=nobody", "/criterion"), ("limit=0", "/limit"),
     ("limit=0000019999", "/limit"),
     ("having=fail", "/criterion"), ("since=yesterday", "/since"), ("evaluation=7", "/evaluation")],
)  # fmt: skip
def test_what_cannot_be_read_is_named(acme: Door, path: str, query: str, pointer: str) -> None:
    answer = acme.get(f"{path}?{query}")
    assert (answer.status_code, answer.json()["code"], answer.json()["pointer"]) == (400, "bad_parameter", pointer)


def test_a_misspelt_filter_is_refused_and_another_runs_evaluation_is_not_there(acme: Door, path: str) -> None:
    assert acme.get(f"{path}?langauge=sw").json()["code"] == "unknown_parameter"
    with in_tenant("acme"):
        other, _ = mixed_evaluation(2, seed=3, name="Other")
    assert acme.get(f"{path}?evaluation={other.pk}").status_code == 404


def test_another_tenant_reads_none_of_it(beta: Door, acme: Door, path: str) -> None:
    assert beta.get(path).status_code == 404

"""Tests go into a dataset of the team's Langfuse, once each, and its items come in as drafts that a person releases."""

import io
import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.management import CommandError, call_command

from apps.catalog.models import GoldenSession, Scenario
from tests.loopback.http_server import Answer, LoopbackServer, Request
from tests.loopback.langfuse import LangfuseProject, answer
from tests.production.langfuse_rows import langfuse_source

ITEMS = "/api/public/dataset-items"


REST: dict[str, Any] = {
    "status": "ACTIVE", "expectedOutput": None, "metadata": None, "input": None, "datasetId": "d", "datasetName": "d",
    "createdAt": "2026-11-24T10:00:00Z", "updatedAt": "2026-11-24T10:00:00Z", "mediaReferences": [],
}  # fmt: skip


class DatasetProject(LangfuseProject):
    """Items by id; pages of two."""

    def __init__(self) -> None:
        super().__init__()
        self.items: dict[str, dict[str, Any]] = {}
        self.datasets: list[str] = []
        self.bodies: list[tuple[str, Any]] = []
        self.more = {
            ("GET", "/api/public/v2/datasets/tests"): self._dataset,
            ("POST", "/api/public/v2/datasets"): self._make,
            ("POST", ITEMS): self._put,
            ("GET", ITEMS): self._list,
        }

    def _dataset(self, request: Request) -> Answer:
        return answer({"id": "d"}) if self.datasets else answer({"message": "no", "error": "x"}, status=404)

    def _make(self, request: Request) -> Answer:
        self.bodies.append(("/api/public/v2/datasets", json.loads(request.body)))
        self.datasets.append(self.bodies[-1][1]["name"])
        return answer({"id": "d"})

    def _put(self, request: Request) -> Answer:
        self.bodies.append((ITEMS, json.loads(request.body)))
        one = self.bodies[-1][1]
        self.items[one["id"]] = one
        return answer(one)

    def _list(self, request: Request) -> Answer:
        page = int(parse_qs(urlsplit(request.path).query)["page"][0])
        rows = [{**REST, **one} for one in self.items.values()]
        meta = {"page": page, "limit": 2, "totalItems": len(rows), "totalPages": -(-len(rows) // 2)}
        return answer({"data": rows[2 * page - 2 : 2 * page], "meta": meta})


@pytest.fixture
def langfuse(tenant: str):
    project = DatasetProject()
    with LoopbackServer(project) as server:
        langfuse_source(server.url)
        yield project


def command(way: str, **options: Any) -> Any:
    out = io.StringIO()
    call_command("langfuse_dataset", way, "tests", tenant="acme", as_json=True, stdout=out, **options)
    return json.loads(out.getvalue())


def scenario(slug: str, **more: Any) -> Scenario:
    fields = {"goal": "books", "opening": "Habari, 0712 345 678", "language": "sw", "status": "released", **more}
    return Scenario.objects.create(slug=slug, **fields)


def test_released_tests_are_items_there_once_each_and_masked(langfuse):
    scenario("braids")
    scenario("a_draft", status="draft")
    assert command("push")["items"] == 1
    command("push")
    (item,) = langfuse.items.values()
    assert item["input"] == {"content": "Habari, +254 7** *** 678", "goal": "books"}
    assert item["metadata"] == {"source": "ratiba-eval", "kind": "scenario", "name": "braids", "language": "sw"}
    assert langfuse.datasets == ["tests"]


def test_items_come_in_as_drafts_and_candidates_and_ours_do_not_come_back(langfuse):
    scenario("braids")
    command("push")
    langfuse.items |= {
        "i1": {"id": "i1", "input": "Mko wazi kesho?", "status": "ACTIVE"},
        "i2": {"id": "i2", "input": {"question": "Price of braids?"}, "expectedOutput": "800 shillings."},
        "i3": {"id": "i3", "input": {"nothing": 1}},
    }
    with pytest.raises(SystemExit) as ended:
        command("pull")
    assert ended.value.code == 1  # one was refused
    assert list(Scenario.objects.exclude(slug="braids").values_list("status", "opening")) == [
        ("draft", "Mko wazi kesho?")
    ]
    assert GoldenSession.objects.get().versions.get().status == "candidate"
    with pytest.raises(SystemExit):
        command("pull")
    assert (Scenario.objects.count(), GoldenSession.objects.count()) == (2, 1)


def test_a_dry_run_sends_and_stores_nothing(langfuse):
    scenario("braids")
    assert command("push", dry_run=True)["items"] == 1
    assert langfuse.items == {}
    langfuse.items = {"i1": {"id": "i1", "input": "Mko wazi kesho?"}}
    command("pull", dry_run=True)
    assert Scenario.objects.count() == 1


@pytest.mark.parametrize("fault", [Answer(status=401), Answer(body=b"<html>"), Answer(fault="reset")])
def test_a_langfuse_that_does_not_answer_ends_the_command_and_stores_nothing(langfuse, fault: Answer):
    langfuse.faults = [fault] * 9
    with pytest.raises((CommandError, SystemExit)):
        command("pull")
    assert not Scenario.objects.exists()


@pytest.mark.shared
def test_what_is_sent_is_what_the_published_api_describes(langfuse):
    from tests.production.langfuse_api import fits  # noqa: PLC0415 - reads ../shared

    scenario("braids")
    command("push")
    assert len(langfuse.bodies) == 2
    for path, body in langfuse.bodies:
        fits(body, path=path, method="post")

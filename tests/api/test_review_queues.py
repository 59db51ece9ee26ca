"""Review queues over HTTP: of a filter as its page shows it, how far they are, and their ratings."""

import pytest

from apps.api.services.keys import add_api_key
from apps.calibration.models import HumanLabel, LabellingItem
from apps.tenants.context import in_tenant
from tests.api.api_client import Door
from tests.dashboard.conftest import make_evaluation, make_run
from tests.dashboard.test_queues import CRITERIA, person

LIST = "/admin/runs/conversation/"


@pytest.fixture
def door(db) -> Door:
    with in_tenant("acme"):
        run, rows = make_run(6)
        make_evaluation(run, rows, criteria=CRITERIA)
        return Door("acme", add_api_key(scopes=["read", "write", "curate"]).secret)


def test_a_queue_of_a_filter_is_made_followed_exported_closed_and_opened_again(door) -> None:
    made = door.post("review-queues/", {"name": "Bei", "list": f"{LIST}?q=b-000", "size": 4, "raters": 1})
    assert made.status_code == 201
    queue = made.json()
    assert (queue["conversations"], queue["matched"], queue["at_random"], queue["ratings"]) == (4, 6, True, 0)
    assert (queue["list"], queue["criteria"]) == (f"{LIST}?q=b-000", ["first"])
    address = f"review-queues/{queue['id']}/"
    assert door.get(f"{address}ratings/").json() == {"results": []}
    with in_tenant("acme"):
        item = LabellingItem.objects.filter(round=queue["id"]).order_by("position")[0]
        HumanLabel.objects.create(item=item, rater="otieno", criterion="first", value=2.0, reason="No price")
    assert door.get(address).json()["complete"] == 1
    (rating,) = door.get(f"{address}ratings/").json()["results"]
    assert (rating["rater"], rating["value"], rating["resolved_value"]) == ("otieno", 2.0, None)
    assert door.post(f"{address}close/", {}).json()["closed_at"]
    assert door.post(f"{address}reopen/", {}).json()["closed_at"] is None
    (line,) = door.get("review-queues/").json()["results"]
    assert (line["ratings"], line["ratings_wanted"]) == (1, 4)


@pytest.mark.parametrize(
    "change, status, code",
    [
        ({"list": "https://evil.example/admin/runs/conversation/"}, 400, "bad_list"),
        ({"list": "/alerts/"}, 400, "bad_list"),
        ({"list": f"{LIST}?q=nothing-like-it"}, 409, "nothing_matched"),
        ({"assigned": ["nobody"]}, 422, "unknown_rater"),
        ({"raters": 99}, 400, "invalid"),
        ({"evaluator_config": "x" * 300}, 400, "invalid"),
    ],
)
def test_what_cannot_be_made_says_why(door, change, status, code) -> None:
    answer = door.post("review-queues/", {"name": "Bei", "list": LIST, "size": 4, "raters": 2, **change})
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_a_signed_in_owner_makes_one_and_a_rater_none(door) -> None:
    body = {"name": "Bei", "list": LIST, "size": 2, "raters": 1}
    for role, status in (("owner", 201), ("rater", 403), ("viewer", 403)):
        client = person(role, role)
        answer = client.post("/api/v1/review-queues/", body, content_type="application/json")
        assert answer.status_code == status, (role, answer.content)


def test_who_rates_and_what_counts_is_said_over_http_too(door) -> None:
    person("otieno", "rater"), person("wanjiru", "rater")
    queue = door.post("review-queues/", {"name": "Bei", "list": LIST, "size": 2, "raters": 2}).json()
    address = f"review-queues/{queue['id']}/"
    for nobody in ("nobody", " "):
        assert door.post(f"{address}assign/", {"assigned": [nobody]}).json()["code"] == "unknown_rater"
    assert door.post(f"{address}assign/", {"assigned": ["otieno", "wanjiru"]}).json()["assigned"] == [
        "otieno",
        "wanjiru",
    ]
    with in_tenant("acme"):
        item = LabellingItem.objects.filter(round=queue["id"]).order_by("position")[0]
        HumanLabel.objects.create(item=item, rater="otieno", criterion="first", value=2.0, reason="No price")
    said = {"conversation_id": str(item.conversation_id), "criterion": "first", "value": 4, "reason": "The price came"}
    assert door.post(f"{address}resolve/", said).json()["code"] == "not_complete"
    with in_tenant("acme"):
        HumanLabel.objects.create(item=item, rater="wanjiru", criterion="first", value=5.0, reason="There it is")
    for wrong, status in (({"value": "4"}, 400), ({"value": 99}, 400), ({"criterion": "x"}, 404),
                          ({"conversation_id": queue["id"]}, 404), ({"reason": "\u200b"}, 400)):  # fmt: skip
        assert door.post(f"{address}resolve/", said | wrong).status_code == status, wrong
    with in_tenant("acme"):
        second = LabellingItem.objects.filter(round=queue["id"]).order_by("position")[1]
        for rater in ("otieno", "wanjiru"):
            HumanLabel.objects.create(item=second, rater=rater, criterion="first", value=1.0, reason="No")
    alike = said | {"conversation_id": str(second.conversation_id), "value": 5}
    assert door.post(f"{address}resolve/", alike).json()["code"] == "no_disagreement"
    assert door.get(address).json()["open_disagreements"] == 1
    assert door.post(f"{address}resolve/", said).json()["open_disagreements"] == 0
    assert door.post(f"{address}resolve/", said).json()["code"] == "already_resolved"
    ratings = door.get(f"{address}ratings/").json()["results"]
    assert {one["resolved_value"] for one in ratings if one["value"] > 1} == {4.0}

"""Review queues: from a filter, by several people at once, blindly; and what counts where they differ."""

import json
import re
import threading

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from django.utils import timezone

from apps.calibration.models import HumanLabel, LabellingItem, LabellingRound, LabelResolution, RatingLease
from apps.tenants.context import in_tenant
from tests.dashboard.conftest import make_evaluation, make_run

CRITERIA = [{"name": "first", "description": "Says the price", "scoring_guide": {}, "weight": 1.0, "blocking": False}]
RATERS = ("otieno", "wanjiru", "zuhura")


def person(name: str, role: str) -> Client:
    client = Client(headers={"host": "acme.localhost"})
    with in_tenant("acme"):
        user = User.objects.create_user(name, is_staff=True)
        user.groups.set(Group.objects.filter(name=role))
        client.force_login(user)
    return client


@pytest.fixture
def judged(db):
    with in_tenant("acme"):
        run, rows = make_run(6)
        return make_evaluation(run, rows, criteria=CRITERIA), rows


def made(owner: Client, **more: object) -> LabellingRound:
    form = {
        "list": "/admin/runs/conversation/",
        "name": "Complaints",
        "size": 4,
        "raters": 2,
        "at_random": "yes",
        **more,
    }
    answer = owner.post("/labelling/queues/new/", form)
    assert answer.status_code == 302, answer.content
    with in_tenant("acme"):
        return LabellingRound.objects.get(month=None)


def shown_item(page) -> int:
    return int(re.search(rb"/labelling/(\d+)/save/", page.content).group(1))


def rate_item(client: Client, item: int, value: str, reason: str, round_: LabellingRound) -> object:
    form: dict[str, str] = {}
    for n in range(len(round_.criteria)):
        form |= {f"value-{n}": value, f"reason-{n}": reason}
    return client.post(f"/labelling/{item}/save/", form)


def test_a_queue_is_made_of_what_a_list_shows(judged):
    owner = person("amina", "owner")
    with in_tenant("acme"):
        named = judged[1][0].external_id
    assert b"Review these together" in owner.get("/admin/runs/conversation/").content
    round_ = made(owner, list=f"/admin/runs/conversation/?q={named}", size=9)
    with in_tenant("acme"):
        items = list(round_.items.values_list("conversation__external_id", flat=True))
    assert named in items
    assert round_.source["matched"] == len(items) < 6
    assert round_.at_random


def test_a_queue_is_made_of_a_filtered_matrix(judged):
    round_ = made(person("amina", "owner"), list=f"/evaluations/{judged[0].pk}/matrix/?low=0", at_random="no", size=3)
    with in_tenant("acme"):
        assert round_.items.count() == 3
    assert not round_.at_random


@pytest.mark.parametrize(
    "change, why",
    [
        ({"name": ""}, "1 to 100 characters"),
        ({"size": 0}, "1 to 500"),
        ({"size": "many"}, "whole number"),
        ({"raters": 99}, "1 to 9"),
        ({"assigned": ["nobody"]}, "may not rate"),
        ({"list": "https://evil.example/admin/runs/conversation/"}, "filter it"),
        ({"list": "/alerts/"}, "list of conversations or of a matrix"),
        ({"list": "/admin/runs/conversation/?q=nothing-like-it"}, "matches no conversation"),
    ],
)
def test_what_cannot_be_made_says_why_and_keeps_what_was_typed(judged, change, why):
    form = {"list": "/admin/runs/conversation/", "name": "Mine", "size": 4, "raters": 2, **change}
    page = person("amina", "owner").post("/labelling/queues/new/", form)
    assert page.status_code == 422
    assert why in page.content.decode()
    with in_tenant("acme"):
        assert not LabellingRound.objects.exists()


def test_no_more_people_begin_a_conversation_than_are_wanted(judged):
    round_ = made(person("amina", "owner"), size=1, raters=2)
    clients = {name: person(name, "rater") for name in RATERS}
    address = f"/labelling/?queue={round_.pk}"
    assert shown_item(clients["otieno"].get(address)) == shown_item(clients["wanjiru"].get(address))
    page = clients["zuhura"].get(address)
    assert b"/save/" not in page.content
    item = shown_item(clients["otieno"].get(address))
    refused = rate_item(clients["zuhura"], item, "3", "", round_)
    with in_tenant("acme"):
        assert not HumanLabel.objects.exists()
    assert refused.status_code == 302
    with in_tenant("acme"):
        RatingLease.objects.filter(rater="otieno").update(until=timezone.now())
    assert shown_item(clients["zuhura"].get(address)) == item


def test_what_was_written_is_kept_when_the_lease_ran_out(judged):
    round_ = made(person("amina", "owner"), size=1, raters=1)
    slow, quick = person("otieno", "rater"), person("wanjiru", "rater")
    address = f"/labelling/?queue={round_.pk}"
    item = shown_item(slow.get(address))
    with in_tenant("acme"):
        RatingLease.objects.update(until=timezone.now())
    assert shown_item(quick.get(address)) == item
    rate_item(quick, item, "4", "quick", round_)
    rate_item(slow, item, "2", "slow", round_)
    with in_tenant("acme"):
        assert set(HumanLabel.objects.values_list("rater", "value")) == {("wanjiru", 4.0), ("otieno", 2.0)}


def test_nobody_sees_a_rating_before_theirs_is_in(judged):
    owner = person("amina", "owner")
    round_ = made(owner, size=1, raters=2)
    one, two = person("otieno", "rater"), person("wanjiru", "rater")
    address = f"/labelling/?queue={round_.pk}"
    item = shown_item(one.get(address))
    rate_item(one, item, "1", "He never said the price", round_)
    queue, labels = f"/labelling/queues/{round_.pk}/", "/calibration/human_labelled.yaml"
    for reader, page in ((two, address), (owner, queue), (owner, address), (owner, labels)):
        assert b"He never said the price" not in reader.get(page).content
    export = b"".join(owner.get(f"/labelling/queues/{round_.pk}/export/").streaming_content)
    assert b"He never said" not in export
    for page in (f"/labelling/queues/{round_.pk}/", f"/labelling/queues/{round_.pk}/export/"):
        assert one.get(page).status_code == 403
    early = {"item": item, "criterion": round_.criteria[0]["name"], "value": "3", "reason": "x"}
    owner.post(f"/labelling/queues/{round_.pk}/resolve/", early)
    with in_tenant("acme"):
        assert not LabelResolution.objects.exists()
    rate_item(two, item, "2", "The price came late", round_)
    assert b"He never said the price" in owner.get(labels).content


def test_disagreements_are_resolved_with_both_reasons_side_by_side(judged):
    owner = person("amina", "owner")
    round_ = made(owner, size=1, raters=2)
    one, two = person("otieno", "rater"), person("wanjiru", "rater")
    address = f"/labelling/?queue={round_.pk}"
    item = shown_item(one.get(address))
    rate_item(one, item, "1", "never said the price", round_)
    assert shown_item(two.get(address)) == item
    rate_item(two, item, "5", "=said it twice", round_)
    page = owner.get(f"/labelling/queues/{round_.pk}/").content.decode()
    assert "never said the price" in page
    assert "=said it twice" in page
    in_italian = owner.get(f"/labelling/queues/{round_.pk}/", headers={"accept-language": "it"}).content.decode()
    choices = re.findall(r'<option value="([^"]+)">', page)
    assert choices
    assert re.findall(r'<option value="([^"]+)">', in_italian) == choices  # a number that is posted has no comma
    rate_item(one, item, "5", "now I have seen it", round_)  # complete: it would not be blind
    name = round_.criteria[0]["name"]
    answer = {"item": item, "criterion": name, "value": "1.0", "reason": "the amount is missing"}
    for _ in range(2):
        owner.post(f"/labelling/queues/{round_.pk}/resolve/", answer)
    with in_tenant("acme"):
        assert HumanLabel.objects.filter(rater="otieno").count() == len(round_.criteria)
        assert LabelResolution.objects.get().value == 1.0
    rows = b"".join(owner.get(f"/labelling/queues/{round_.pk}/export/?format=jsonl").streaming_content)
    of_it = [row for row in map(json.loads, rows.splitlines()) if row["criterion"] == name]
    assert {(row["rater"], row["value"], row["resolved_value"]) for row in of_it} == {
        ("otieno", 1.0, 1.0), ("wanjiru", 5.0, 1.0),
    }  # fmt: skip
    csv = b"".join(owner.get(f"/labelling/queues/{round_.pk}/export/").streaming_content)
    assert b"'=said it twice" in csv


def test_a_queue_that_is_given_to_some_or_closed_is_for_nobody_else(judged):
    owner = person("amina", "owner")
    one, two, three = (person(name, "rater") for name in RATERS)
    round_ = made(owner, assigned=["otieno", "wanjiru"])
    address = f"/labelling/?queue={round_.pk}"
    assert three.get(address).status_code == 404
    assert b"/save/" not in three.get("/labelling/").content
    item = shown_item(one.get("/labelling/"))
    rate_item(three, item, "3", "", round_)
    owner.post(f"/labelling/queues/{round_.pk}/change/", {"do": "close"})
    assert two.get(address).status_code == 404
    rate_item(one, item, "3", "", round_)
    with in_tenant("acme"):
        assert not HumanLabel.objects.exists()


@pytest.mark.usefixtures("committed_db")
def test_three_raters_and_an_owner_at_once_lose_nothing(committed_db):
    with in_tenant("acme"):
        run, rows = make_run(6)
        make_evaluation(run, rows, criteria=CRITERIA)
    owner = person("amina", "owner")
    round_ = made(owner, size=6, raters=2)
    clients = {name: person(name, "rater") for name in RATERS}
    seen: list[bytes] = []
    faults: list[BaseException] = []

    def work(name: str) -> None:
        try:
            for _ in range(8):
                page = clients[name].get(f"/labelling/?queue={round_.pk}")
                seen.append(page.content.replace(f"of-{name}".encode(), b""))
                if b"/save/" not in page.content:
                    continue
                rate_item(clients[name], shown_item(page), "4", f"of-{name}", round_)
        except BaseException as error:
            faults.append(error)
        finally:
            from django.db import connections  # noqa: PLC0415

            connections.close_all()

    def watch() -> None:
        for _ in range(8):
            owner.get(f"/labelling/queues/{round_.pk}/")
        from django.db import connections  # noqa: PLC0415

        connections.close_all()

    threads = [threading.Thread(target=work, args=(name,)) for name in RATERS] + [threading.Thread(target=watch)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults
    assert not any(b"of-" in page for page in seen)
    with in_tenant("acme"):
        pairs = list(HumanLabel.objects.values_list("item", "rater").distinct())
        by_item = {
            item: sum(one == item for one, _ in pairs) for item in LabellingItem.objects.values_list("pk", flat=True)
        }
    assert set(by_item.values()) == {2}

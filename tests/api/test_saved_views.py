"""Saved views over HTTP are people's own: a key reads what is shared, and keeps none."""

from apps.api.services.keys import add_api_key
from apps.tenants.context import in_tenant
from tests.api.api_client import Door
from tests.dashboard.test_queues import person

RUNS = "/admin/runs/testrun/?status__exact=failed"


def test_people_keep_share_and_remove_their_own(db) -> None:
    amina, asha = person("amina", "owner"), person("asha", "viewer")

    def ask(client, path, body=None):
        address = f"/api/v1/saved-views/{path}"
        if body is None:
            return client.get(address)
        return client.post(address, body, content_type="application/json")

    view = ask(asha, "", {"name": "Failed", "address": f"{RUNS}&p=3"}).json()
    assert (view["address"], view["shared"], view["user"]) == (RUNS, False, "asha")
    with in_tenant("acme"):
        door = Door("acme", add_api_key().secret)
    assert ask(amina, "").json() == door.get("saved-views/").json() == {"results": []}
    assert ask(amina, f"{view['id']}/remove/", {}).status_code == 404
    assert ask(amina, f"{view['id']}/share/", {"shared": True}).status_code == 404
    assert ask(asha, f"{view['id']}/share/", {"shared": True}).json()["shared"]
    assert [one["name"] for one in door.get("saved-views/").json()["results"]] == ["Failed"]
    assert door.post("saved-views/", {"name": "x", "address": RUNS}).json()["code"] == "no_person"
    for address in ("https://evil.example/", "//evil.example/", "/nothing/here/"):
        refused = ask(asha, "", {"name": "x", "address": address})
        assert (refused.status_code, refused.json()["pointer"]) == (400, "/address")
    assert ask(amina, f"{view['id']}/remove/", {}).json() == {"id": view["id"], "name": "Failed"}
    assert ask(asha, "").json() == {"results": []}

"""Where a page cannot be shown: what happened and what to do, and nothing about who else is there."""

import pytest
from django.test import Client

from tests.dashboard.conftest import signed_in


def test_an_unknown_address_and_an_unknown_host_look_the_same(owner):
    gone = owner.get("/runs/nowhere/")
    nobody = Client(headers={"host": "nobody.localhost"}).get("/admin/")
    assert gone.status_code == nobody.status_code == 404
    assert gone.content == nobody.content
    assert "There is nothing at this address" in gone.content.decode()
    assert "each has its own, such as demo.localhost" in gone.content.decode()


def test_who_lacks_the_role_is_told_so(db):
    answer = signed_in("nobody").get("/usage/")
    assert answer.status_code == 403
    assert "Your role does not allow this" in answer.content.decode()


def test_our_own_fault_is_said_to_be_ours(owner, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("apps.dashboard.usage.views.month.usage_page", lambda *_, **__: 1 / 0)
    owner.raise_request_exception = False
    answer = owner.get("/usage/")
    assert answer.status_code == 500
    assert "Something went wrong on our side" in answer.content.decode()

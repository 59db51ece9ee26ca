"""`rollout start|status|promote|rollback`: what it answers, and with which exit code."""

import io
import json
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.core.management import CommandError, call_command

from apps.production.models import Rollout
from tests.production.rollout_rows import CANARY, aged, role


@pytest.fixture(autouse=True)
def _inside(tenant: str) -> None:
    """All of it in a tenant, rolled back."""
    role()


def rollout(*arguments: str) -> tuple[dict[str, Any], int]:
    out, code = io.StringIO(), 0
    words = ("rollout", *arguments, "--role", "greeting", "--tenant", "acme", "--json")
    try:
        call_command(*words, stdout=out, stderr=io.StringIO())
    except SystemExit as exit_:
        code = int(exit_.code or 0)
    return json.loads(out.getvalue()), code


def test_it_is_started_looked_at_and_rolled_back() -> None:
    forecast, _ = rollout("start", "--canary", CANARY, "--forecast")
    assert forecast["forecast"]["too_few"]
    assert not Rollout.objects.exists()
    assert rollout("start", "--canary", CANARY)[0]["status"] == "running"
    found, code = rollout("status")
    assert (found["percentage"], code) == (5, 3)
    assert rollout("rollback", "--reason", "enough")[0]["reason"] == "Rolled back: enough"
    assert rollout("status")[1] == 1


def test_a_promotion_names_a_person_who_may_and_is_refused_while_nothing_is_shown() -> None:
    rollout("start", "--canary", CANARY)
    with pytest.raises(CommandError, match="person"):
        rollout("promote", "--by", "nobody")
    get_user_model().objects.create_superuser("amina")
    aged(Rollout.objects.get(), hours=25)
    found, code = rollout("promote", "--by", "amina", "--acknowledge")
    assert (code, found["status"]) == (1, "running")
    assert found["refusals"][0]["code"] == "too_few"

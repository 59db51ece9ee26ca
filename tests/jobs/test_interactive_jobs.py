"""What a button asks for: owed once, done step by step by whoever claims it, never paid for twice."""

import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from apps.core.errors import BadInput, Conflict
from apps.jobs.adapters import interactive_handlers
from apps.jobs.domain.interactive_states import InteractiveRequest, InteractiveStep
from apps.jobs.domain.losses import MAX_LOSSES
from apps.jobs.models import InteractiveJob
from apps.jobs.queries.interactive import interactive_job
from apps.jobs.services.interactive import LEASE, request_interactive_job, run_due
from apps.tenants.context import in_tenant

START = datetime(2026, 11, 22, 9, tzinfo=UTC)
SUBJECT = uuid.UUID(int=7)


def count_to_three(request: InteractiveRequest) -> InteractiveStep:
    done = request.answer.get("done", 0) + 1
    return InteractiveStep(answer={"done": done}, more=done < 3)


def refuse(request: InteractiveRequest) -> InteractiveStep:
    raise BadInput("the address is no address")


def break_down(request: InteractiveRequest) -> InteractiveStep:
    raise KeyError("slot")


def die(request: InteractiveRequest) -> InteractiveStep:
    raise KeyboardInterrupt


@pytest.fixture(autouse=True)
def kinds(db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for kind, handler in (("counting", count_to_three), ("refused", refuse), ("lost", die), ("broken", break_down)):
        monkeypatch.setitem(interactive_handlers, kind, f"{__name__}.{handler.__name__}")
    with in_tenant("acme"):
        yield


def ask(kind: str) -> uuid.UUID:
    return request_interactive_job(kind=kind, subject_id=SUBJECT, requested_by="amina", now=START)


def run(at: datetime = START, until: datetime | None = None) -> bool:
    return run_due(now=lambda: at, until=until or at + timedelta(hours=1))


def found(kind: str) -> InteractiveJob:
    row = interactive_job(kind=kind, subject_id=SUBJECT)
    assert row is not None
    return row


def test_it_is_done_step_by_step_and_the_answer_grows() -> None:
    ask("counting")
    assert run(until=START) is True  # its turn is over after one step, and there is more
    assert (found("counting").status, found("counting").answer) == ("pending", {"done": 1})
    assert run() is False
    row = found("counting")
    assert (row.status, row.answer, row.ended_at, row.lease_token) == ("completed", {"done": 3}, START, None)


def test_asking_twice_is_refused_while_it_is_owed_and_begins_anew_after() -> None:
    first = ask("counting")
    with pytest.raises(Conflict):
        ask("counting")
    run()
    assert ask("counting") == first
    assert (found("counting").status, found("counting").answer) == ("pending", {})


def test_what_cannot_be_done_says_why() -> None:
    ask("refused")
    assert run() is False
    assert (found("refused").status, found("refused").error_message) == ("failed", "the address is no address")


def test_a_worker_that_is_lost_leaves_it_to_the_next_and_after_three_it_has_failed() -> None:
    ask("lost")
    at = START
    for _ in range(MAX_LOSSES):
        with pytest.raises(KeyboardInterrupt):
            run(at)
        assert run(at) is False  # the lease is held: nobody else does it meanwhile
        at += LEASE + timedelta(seconds=1)
    assert run(at) is False
    assert found("lost").status == "failed"
    assert "lost 3 times" in found("lost").error_message


def test_one_that_breaks_fails_alone() -> None:
    ask("broken")
    ask("counting")
    assert run() is False
    assert (found("broken").status, found("counting").status) == ("failed", "completed")
    assert "cannot be used: KeyError('slot')" in found("broken").error_message

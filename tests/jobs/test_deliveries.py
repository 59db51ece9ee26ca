"""The outbox: a delivery that breaks its adapter fails alone."""

import uuid
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from apps.budgets.services.metered_run import model_client
from apps.core.events import EventType
from apps.jobs import deliveries, work
from apps.jobs.deliveries import DeliveryKind, register_delivery
from apps.jobs.domain.delivery_outcome import DeliveryOutcome
from apps.jobs.models import OutboundDelivery
from apps.jobs.services.delivering import deliver_due
from apps.jobs.services.outbound import DueDelivery, PreparedDelivery
from apps.jobs.tasks import MAX_ROUNDS
from apps.tenants.context import in_tenant

NOW = datetime(2026, 11, 23, 9, tzinfo=UTC)
BAD = uuid.UUID(int=3)


class Letters:
    def prepare(self, due: Sequence[DueDelivery], now: Callable[[], datetime]) -> list[PreparedDelivery]:
        if any(one.subject_id == BAD for one in due):
            raise KeyError("criteria")
        return [PreparedDelivery(receiver="r", send=self.send) for _ in due]

    async def send(self, client: Any, within_s: float) -> DeliveryOutcome:
        return DeliveryOutcome(delivered=True, status=204)

    def client(self) -> Any:
        return model_client()


LETTERS = Letters()


def register_letters(monkeypatch: pytest.MonkeyPatch, **more: Any) -> None:
    monkeypatch.setattr(deliveries, "_KINDS", {})
    monkeypatch.setattr(work, "_REGISTRY", dict(work._REGISTRY))
    named: dict[str, Any] = {"name": "letters", "label": "letter", "work": "letters", "adapter": f"{__name__}.LETTERS"}
    register_delivery(DeliveryKind(**named, sent=EventType.ALERT_SENT, failed=EventType.ALERT_FAILED, **more))


def test_one_that_cannot_be_built_is_tried_again_alone(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    register_letters(monkeypatch)
    with in_tenant("acme"):
        for number in range(1, 6):
            OutboundDelivery.objects.create(
                kind="letters", subject_id=uuid.UUID(int=number), event="written", not_before=NOW
            )
        deliver_due(now=lambda: NOW)
        rows = {row.subject_id.int: row for row in OutboundDelivery.objects.filter(kind="letters")}
    assert [rows[n].status for n in range(1, 6)] == ["delivered", "delivered", "pending", "delivered", "delivered"]
    assert "cannot be used: KeyError('criteria')" in rows[3].last_error
    assert rows[3].not_before > NOW


def test_what_a_tick_calls_outlives_the_rounds_that_may_wait_before_it() -> None:
    """A shorter call is void before its turn comes: where a worker takes from two queues in turn, the other one starves
    it, since each turn finds one that is void."""
    short = [kind.name for kind in work.registered() if kind.expires_s < MAX_ROUNDS * kind.every_s]
    assert short == []

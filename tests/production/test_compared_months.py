"""What customers asked for is counted where windows are drawn, and two months are compared by it."""

from datetime import timedelta

import pytest

from apps.evaluations.judging.services.enqueue import enqueue_judgements
from apps.production.models import AnchorSet, SampledConversation, SampleDraw
from apps.production.sampling.domain.rates import LATE, WINDOW
from apps.production.sampling.queries.anchor_grades import MONTH, months_of
from apps.production.sampling.services.drawing import draw_due
from tests.production.sampling_rows import NIGHT, arrived, phase, rule, score

FIRST, LATER = NIGHT, NIGHT + 2 * MONTH


@pytest.fixture(autouse=True)
def _inside(tenant: str) -> None:
    """All of it in a tenant, rolled back."""
    phase(tenant)


def drawn(config: str, said: dict[str, int], *, starts) -> None:
    for number, (words, count) in enumerate(said.items()):
        for n in range(count):
            arrived(f"{starts} {number} {n}", at=starts + timedelta(hours=1), turns=[
                {"role": "user", "content": words}, {"role": "assistant", "content": "Karibu"},
            ])  # fmt: skip
    draw_due(now=starts + WINDOW + LATE)
    enqueue_judgements(now=starts + WINDOW + LATE)
    score(7.0)


def test_whoever_writes_the_agent_names_no_kind_of_request(judge_config: str) -> None:
    rule(judge_config)
    arrived("posted", at=FIRST + timedelta(hours=1), intent="complaint", turns=[
        {"role": "user", "content": "Can I book braids?"}, {"role": "assistant", "content": "refund"},
    ])  # fmt: skip
    draw_due(now=FIRST + WINDOW + LATE)
    assert SampledConversation.objects.get().request == "booking"


def test_two_months_are_compared_by_what_was_asked_for_once_it_was_counted_in_both(judge_config: str) -> None:
    made = rule(judge_config)
    row = AnchorSet(evaluator_config=judge_config, created_at=FIRST + timedelta(days=1))
    drawn(judge_config, {"Can I book braids?": 12, "Kunyoa ni bei gani?": 2}, starts=FIRST)
    type(made).objects.update(drawn_until=LATER, due_at=None)
    drawn(judge_config, {"Can I book braids?": 10, "Naomba kurudishiwa pesa": 10}, starts=LATER)
    assert set(SampledConversation.objects.values_list("request", flat=True)) == {"booking", "price", "complaint"}

    found = months_of(row, now=LATER + timedelta(days=1))
    assert found is not None
    assert found.with_requests
    assert sorted(found.after) == ["en · whatsapp · booking", "en · whatsapp · complaint"]
    assert [one.kind for one in found.requests] == ["complaint", "booking", "price"]

    draw = SampleDraw.objects.order_by("starts").first()
    assert draw is not None
    before = [{name: value for name, value in one.items() if name != "request"} for one in draw.population]
    SampleDraw.objects.filter(pk=draw.pk).update(population=before)  # drawn before kinds were counted
    SampledConversation.objects.filter(draw=draw).update(request="")
    old = months_of(row, now=LATER + timedelta(days=1))
    assert old is not None
    assert (old.with_requests, sorted(old.before), sorted(old.after)) == (False, ["en · whatsapp"], ["en · whatsapp"])

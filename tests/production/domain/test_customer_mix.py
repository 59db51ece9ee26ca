"""Customers who ask for other things are told from an agent that answers worse."""

import pytest

from apps.production.intake.domain.request_kinds import request_kind
from apps.production.sampling.domain.anchor_test import CustomerStratum, attribute_drift, judge_shift, mean_by_anchor
from apps.production.sampling.domain.customer_mix import Cell, by_request, by_stratum, changed_requests
from apps.production.sampling.domain.states import DriftCause
from tests.production.domain.test_anchor_test import BASELINE, graded

JUDGE = judge_shift(BASELINE, mean_by_anchor([graded(seed=k) for k in range(20, 24)]))
MEANS = {"booking": 8.5, "price": 8.0, "complaint": 5.0}


def month(shares: dict[str, float], *, shift: float = 0.0, judged: int = 400) -> dict[Cell, CustomerStratum]:
    return {
        ("en · whatsapp", kind): CustomerStratum(
            population=round(8000 * share), n=round(judged * share), mean=MEANS.get(kind, 6.0) + shift, variance=1.0
        )
        for kind, share in shares.items()
    }


USUAL = {"booking": 0.6, "price": 0.3, "complaint": 0.1}
CROSS = {"booking": 0.35, "price": 0.3, "complaint": 0.35}


def mover(before: dict[Cell, CustomerStratum], after: dict[Cell, CustomerStratum]) -> DriftCause:
    return attribute_drift(JUDGE, *by_request(before, after)).mover


def test_more_complaints_are_other_customers_and_by_language_and_channel_alone_they_look_like_the_agent() -> None:
    before, after = month(USUAL), month(CROSS)
    assert mover(before, after) == DriftCause.CUSTOMERS
    assert attribute_drift(JUDGE, by_stratum(before), by_stratum(after)).mover == DriftCause.AGENT
    assert [(one.kind, round(one.before, 2), round(one.after, 2)) for one in changed_requests(before, after)] == [
        ("booking", 0.6, 0.35), ("complaint", 0.1, 0.35),
    ]  # fmt: skip


def test_an_agent_that_answers_the_same_requests_worse_is_the_agent() -> None:
    assert mover(month(USUAL), month(USUAL, shift=-0.8)) == DriftCause.AGENT
    assert mover(month(USUAL), month(USUAL)) == DriftCause.NOBODY


def test_a_kind_of_request_that_nobody_asked_before_is_new_customers() -> None:
    after = month({"booking": 0.45, "price": 0.2, "complaint": 0.05, "gift cards": 0.3})
    assert mover(month(USUAL), after) == DriftCause.CUSTOMERS


def test_a_kind_that_was_rarely_judged_is_counted_with_the_rest() -> None:
    before, after = by_request(month({"booking": 0.99, "price": 0.01}), month({"booking": 0.99, "price": 0.01}))
    assert sorted(before) == ["en · whatsapp · booking", "en · whatsapp · other requests"]
    assert sum(one.population for one in after.values()) == 8000


def test_several_as_one_have_the_mean_and_variance_of_all_their_scores() -> None:
    cells = {("a", "x"): CustomerStratum(population=2, n=2, mean=1.5, variance=0.5),  # 1, 2
             ("a", "y"): CustomerStratum(population=2, n=2, mean=5.0, variance=2.0)}  # 4, 6  # fmt: skip
    (one,) = by_stratum(cells).values()
    assert (one.n, one.mean) == (4, 3.25)
    assert one.variance == pytest.approx(14.75 / 3)


@pytest.mark.parametrize(
    "said, kind",
    [
        ("I want my money back, please refund me for the booking", "complaint"),
        ("Naomba kubadilisha miadi yangu ya kesho", "change"),
        ("Vorrei spostare l'appuntamento", "change"),
        ("Nimelipa kwa M-Pesa lakini sijapata risiti", "payment"),
        ("Kunyoa ni bei gani?", "price"),
        ("Quanto costa la piega?", "price"),
        ("Can I book braids for Friday?", "booking"),
        ("Vorrei prenotare per domani", "booking"),
        ("Mko wapi?", "hours_and_place"),
        ("Habari", "other"),
    ],
)
def test_what_was_asked_for_is_read_by_words_in_three_languages(said: str, kind: str) -> None:
    assert request_kind([said]) == kind


def test_later_messages_change_nothing() -> None:
    assert request_kind(["Habari", "Poa", "refund!"]) == "other"

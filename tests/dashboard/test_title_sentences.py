"""Sentences that the API says with names are shown with what readers call criteria."""

from types import SimpleNamespace

from apps.dashboard.templatetags.criterion_titles import certificate_words
from apps.statistics.decision import decide_evaluation

TITLES = {"tone": "Natural tone", "pay": "Safe payment", "pay.fast": "Fast \\1 payment"}
CONTEXT = {"request": SimpleNamespace(criterion_titles=TITLES)}


def test_a_decision_names_criteria_by_title() -> None:
    blocked = {"pay": 3, "pay.fast": 1}
    asked = {"status": "completed", "score": 8.0, "mark": 6.0, "undecided": {}}
    found = decide_evaluation(**asked, blocked=blocked, titles=TITLES)
    assert found.sentence == "fails: Safe payment blocks 3 conversations and Fast \\1 payment blocks 1 conversation"
    assert found.blocked == blocked
    assert decide_evaluation(**asked, blocked=blocked).sentence.startswith(
        "fails: pay blocks 3 conversations and pay.f"
    )


def test_a_certificate_does_and_its_reason_stays_as_it_is() -> None:
    told = certificate_words(CONTEXT, "The judge was refused on pay, tone and 2 more: people disagree on tone.")
    assert told == "The judge was refused on Safe payment, Natural tone and 2 more: people disagree on tone."
    assert certificate_words(CONTEXT, "The certificate has expired on tone. Calibrate again.") == (
        "The certificate has expired on Natural tone. Calibrate again."
    )

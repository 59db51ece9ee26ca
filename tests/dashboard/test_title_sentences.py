"""Sentences that the API says with names are shown with what readers call criteria."""

from types import SimpleNamespace

from apps.dashboard.templatetags.criterion_titles import certificate_words, decision_words

TITLES = {"tone": "Natural tone", "pay": "Safe payment", "pay.fast": "Fast \\1 payment"}
CONTEXT = {"request": SimpleNamespace(criterion_titles=TITLES)}


def test_a_decision_names_criteria_by_title() -> None:
    sentence = "fails: pay blocks 3 conversations and pay.fast blocks 1 conversation"
    told = decision_words(CONTEXT, {"sentence": sentence})
    assert told == "fails: Safe payment blocks 3 conversations and Fast \\1 payment blocks 1 conversation"
    assert decision_words({}, {"sentence": sentence}) == sentence


def test_a_certificate_does_and_its_reason_stays_as_it_is() -> None:
    told = certificate_words(CONTEXT, "The judge was refused on pay, tone and 2 more: people disagree on tone.")
    assert told == "The judge was refused on Safe payment, Natural tone and 2 more: people disagree on tone."
    assert certificate_words(CONTEXT, "The certificate has expired on tone. Calibrate again.") == (
        "The certificate has expired on Natural tone. Calibrate again."
    )

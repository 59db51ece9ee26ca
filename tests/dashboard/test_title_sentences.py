"""Sentences call criteria as their readers do; names stand beside for programs."""

from apps.calibration.domain.agreement_with_people import CertificateStatus
from apps.calibration.queries.certificates import _sentence
from apps.reports.results.queries.warnings import _without_rule
from apps.statistics.decision import decide_evaluation

TITLES = {"tone": "Natural tone", "pay": "Safe payment", "pay.fast": "Fast \\1 payment"}


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
    refused = {"status": "refused", "reason": "people disagree on tone"}
    items = [{"criterion": name, **refused} for name in ("pay", "tone", "x", "y", "z")]
    assert _sentence(CertificateStatus.REFUSED, items, "", TITLES) == (
        "The judge was refused on Safe payment, Natural tone, x and 2 more: people disagree on tone."
    )
    expired = [{"criterion": "tone", "status": "expired", "reason": ""}]
    assert _sentence(CertificateStatus.EXPIRED, expired, "", TITLES) == (
        "The certificate has expired on Natural tone. Calibrate again."
    )


def test_criteria_that_no_offline_rule_scores_are_called_by_title_and_named_beside() -> None:
    criteria = [{"name": "tone"}, {"name": "pay.fast", "offline_rule": "nowhere"}, {"name": "bare"}]
    (found,) = _without_rule(criteria, TITLES)
    assert found.text.startswith("offline rules have no rule for: Natural tone, Fast \\1 payment, bare (unscored")
    assert list(found.names) == ["tone", "pay.fast", "bare"]

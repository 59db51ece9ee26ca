"""What the analyzer found, on the page of its evaluation."""

import re

import pgtrigger
import pytest
from django.utils import timezone

from apps.runs.models import Conversation
from apps.tenants.context import in_tenant
from tests.dashboard.conftest import make_evaluation, make_run, signed_in
from tests.dashboard.test_pages import text_of


@pytest.fixture
def failing(db):
    with in_tenant("acme"):
        run, rows = make_run(3)
        evaluation = make_evaluation(run, rows, score=5.0)
        guide = {"description": "Is it right?", "pass_mark": 6, "weight": 1, "scoring_guide": {"10": "All of it."}}
        evaluation.snapshot["criteria"] = [{"name": name, **guide} for name in ("first", "second")]
        with pgtrigger.ignore("evaluations.Evaluation:snapshot_is_frozen"):
            evaluation.save()
        return evaluation


def pay():
    from apps.improvement.analysis.services.analysing import pay_analyses  # noqa: PLC0415 - apps are loaded by pytest-django

    with in_tenant("acme"):
        pay_analyses(now=timezone.now)


def test_findings_are_asked_for_read_and_shown_with_their_evidence(owner, failing):
    assert "Not analysed yet" in text_of(owner.get(f"/evaluations/{failing.pk}/"))
    assert owner.post(f"/evaluations/{failing.pk}/analysis/").status_code == 302
    waiting = owner.get(f"/evaluations/{failing.pk}/")
    assert "Being read" in text_of(waiting)
    assert 'hx-trigger="every 3s"' in waiting.content.decode()
    pay()
    page = owner.get(f"/evaluations/{failing.pk}/")
    text = text_of(page)
    assert "2 things to change, found in 3 of 3 failing conversations" in text
    assert "first is missed in 3 conversations" in text
    assert "Offline rules, no model was asked" in text
    html = page.content.decode()
    assert "every 3s" not in html
    with in_tenant("acme"):
        named = {row.external_id: row.pk for row in Conversation.objects.filter(run=failing.run_id)}
    for name, pk in named.items():
        assert re.search(rf'/conversations/{pk}/\?evaluation={failing.pk}(#turn-\d+)?">{name}', html), name
    assert f'/evaluations/{failing.pk}/matrix/?criterion=first&amp;having=fail"' in html


def test_a_viewer_reads_findings_and_cannot_ask(failing):
    viewer = signed_in("juma", "view_evaluation")
    assert "Analyse what fails" not in viewer.get(f"/evaluations/{failing.pk}/analysis/").content.decode()
    assert viewer.post(f"/evaluations/{failing.pk}/analysis/").status_code == 403


def test_the_actions_of_the_page_lead_to_it(owner, failing):
    page = owner.get(f"/evaluations/{failing.pk}/").content.decode()
    assert '<a class="rb-button" href="#rb-analysis">Failure analysis</a>' in page
    assert 'id="rb-analysis"' in page

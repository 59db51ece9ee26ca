"""Words that a person reads: what is unknown is not $0.00, what ended promises nothing, one is no plural."""

import gzip
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.utils import timezone

import apps.dashboard
from apps.audit.admin import EntryAdmin
from apps.audit.models import Entry
from apps.budgets.models import ModelCall
from apps.catalog.configs.services.versions import create_draft, publish
from apps.dashboard.templatetags.ratiba import chance, counted
from apps.evaluations.domain.parsing import NOT_REPEATED, OTHER_NUMBER
from apps.evaluations.models import Evaluation
from apps.tenants.context import in_public, in_tenant
from apps.tenants.domain.workflow_config import Store
from apps.tenants.services import update_workflow_config
from tests.catalog.samples import content
from tests.dashboard.conftest import make_evaluation, make_run, signed_in, version
from tests.dashboard.test_pages import text_of


def test_the_cost_of_an_evaluation_without_prices_is_unknown_and_says_where_to_declare_them(owner, db):
    with in_tenant("acme"):
        evaluation = make_evaluation(*make_run(2))
        for priced in (None, None):
            ModelCall.objects.create(
                purpose="judge", provider="google", requested_model="m", outcome="ok", cost_usd=priced,
                evaluation_id=evaluation.pk, created_at=timezone.now(),
            )  # fmt: skip
    text = text_of(owner.get(f"/evaluations/{evaluation.pk}/"))
    assert "Cost unknown 2 of 2 calls have no price" in " ".join(text.split())
    assert "Declare the price" in text
    assert "$0.00" not in text
    assert "the cost is unknown" in text
    viewer = signed_in("juma", "view_evaluation", "view_modelcall")
    assert "Declare the price" not in text_of(viewer.get(f"/evaluations/{evaluation.pk}/"))


def test_the_usage_page_says_no_figure_of_a_month_in_which_nothing_has_a_price(owner, db):
    with in_tenant("acme"):
        ModelCall.objects.create(
            purpose="judge", provider="google", requested_model="m", outcome="ok", created_at=timezone.now()
        )
    budgets = text_of(owner.get("/usage/")).partition("Budgets")[2].partition("By day")[0]
    assert "$300.00 unknown $0.00 unknown cannot be held: calls without a price" in " ".join(budgets.split()).replace(
        "! ", ""
    )


def test_what_has_ended_does_not_promise_scores(owner, db):
    with in_tenant("acme"):
        run, rows = make_run(2)
        ended = make_evaluation(run, rows, states=["parse_error"] * 2, status="failed")
        live = make_evaluation(run, rows, states=["parse_error"] * 2, status="running")
    for page in ("", "slices/"):
        assert "Scores appear here" not in text_of(owner.get(f"/evaluations/{ended.pk}/{page}"))
        assert "Scores appear here" in text_of(owner.get(f"/evaluations/{live.pk}/{page}"))


@pytest.mark.parametrize("said", [NOT_REPEATED, OTHER_NUMBER])
def test_a_reply_to_another_question_is_said_in_a_persons_words(said):
    assert "nonce" not in said
    assert said.endswith("it does not follow instructions. Check the judge.")


def test_a_version_can_be_chosen_to_judge_a_run_with(owner, db):
    with in_tenant("acme"):
        run, rows = make_run(2)
        make_evaluation(run, rows)
        for version_id in (version(("first", "second")), create_draft(config="tea", content=content("first"))):
            publish(version_id=version_id, at=timezone.now())
    page = owner.get(f"/runs/{run.pk}/").content.decode()
    assert '<option value="tea@2">tea@2 (newest)</option><option value="tea@1">tea@1</option>' in page
    owner.post(f"/runs/{run.pk}/evaluate/", {"config": "tea@1"})
    with in_tenant("acme"):
        assert Evaluation.objects.order_by("-created_at").first().config_ref == "tea@1"


def test_the_import_page_leads_to_the_setting_that_masks(owner, db):
    assert "/settings/#id_store" in owner.get("/conversations/import/").content.decode()
    assert 'id="id_store"' in owner.get("/settings/").content.decode()
    with in_public():
        update_workflow_config(slug="acme", changes={"store": Store.MASKED})
    assert "masked before anything is stored" in text_of(owner.get("/conversations/import/"))


def test_pages_are_compressed_for_browsers_that_take_it(owner, db):
    plain = owner.get("/comparisons/")
    packed = owner.get("/comparisons/", headers={"accept-encoding": "gzip"})
    assert packed["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in packed["Vary"]
    assert len(packed.content) < len(plain.content) / 2
    assert b"Which of two is better" not in packed.content
    assert b"evaluations" in gzip.decompress(packed.content)


def test_what_somebody_said_begins_where_its_bubble_does():
    """A bubble keeps the blanks of a text, so the template's own layout must not stand in it."""
    templates = Path(apps.dashboard.__file__).parent / "templates"
    indented = [
        path.name for path in templates.rglob("*.html") if re.search(r'"rb-bubble[^>]*>\s*\n', path.read_text())
    ]
    assert not indented


def test_one_is_no_plural_and_a_small_chance_is_not_none():
    assert [counted(n, "conversation") for n in (0, 1, 1200)] == [
        "0 conversations", "1 conversation", "1,200 conversations",
    ]  # fmt: skip
    assert [chance(p) for p in (0.0, 0.0004, 0.001, 0.25, None)] == ["< 0.001", "< 0.001", "0.001", "0.250", "–"]


def test_the_trail_tells_times_as_every_page_does():
    row = Entry(at=datetime.now(UTC) - timedelta(minutes=26, seconds=5))
    assert ">26 min ago<" in EntryAdmin.when(None, row)


def test_evaluations_of_one_run_beside_each_other_say_nothing_of_the_agent(owner, db):
    with in_tenant("acme"):
        run, rows = make_run(10)
        strict, mild = make_evaluation(run, rows, score=6.5), make_evaluation(run, rows, score=8.0)
        other = make_evaluation(*make_run(10), score=6.5)
    text = text_of(owner.get(f"/comparisons/?cases=1&e={mild.pk}&e={strict.pk}"))
    assert "nothing about the agent is compared" in text
    assert "fell" not in text
    apart = text_of(owner.get(f"/comparisons/?cases=1&e={mild.pk}&e={other.pk}"))
    assert "10 cases fell below an earlier column" in apart
    both = text_of(owner.get(f"/comparisons/?cases=1&e={other.pk}&e={mild.pk}&e={strict.pk}"))
    assert "fell below" not in both


def test_a_score_just_below_its_mark_is_said_so_in_every_list(owner, db):
    with in_tenant("acme"):
        run, rows = make_run(12)
        criteria = [{"name": name, "weight": 1.0, "pass_mark": 6.0} for name in ("first", "second")]
        make_evaluation(run, rows, score=6.249, criteria=criteria)  # the last conversation takes 0.25 off the mean
        make_evaluation(*make_run(2), score=8.0)
    lists = ("/admin/", "/admin/runs/testrun/", "/admin/evaluations/evaluation/")
    for page in (*lists, f"/runs/{run.pk}/", "/comparisons/"):
        assert "6.0, just below the mark" in owner.get(page).content.decode(), page

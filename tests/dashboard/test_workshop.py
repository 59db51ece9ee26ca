"""The workshop: which prompt has which drafts, writing one, and a draft with what became of it."""

import html
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.catalog.connections.services.storing import save_model_provider
from apps.catalog.prompts.services.recording import record_prompt_text
from apps.evaluations.models import Evaluation
from apps.improvement.drafts.services.drafting import DraftSource, create_draft
from apps.improvement.models import Analysis, FixProposal, PromptDraft
from apps.tenants.context import in_tenant
from apps.tenants.services import update_workflow_config
from tests.dashboard.conftest import make_evaluation, make_run, signed_in
from tests.dashboard.test_pages import text_of
from tests.improvement.trial_rows import decided, gain, make_world

LIVE = "# Role\nYou are {{ name }}.\n\n# Prices\nSay nothing of prices.\n\n# Legal\nPrices include VAT.\n"
BETTER = LIVE.replace("Say nothing of prices.", "Say the price of each service.")
DRAFT_URL = re.compile(r"/workshop/drafts/[0-9a-f-]+/$")


@pytest.fixture
def live(db):
    with in_tenant("acme"):
        return record_prompt_text(name="salon", text=LIVE, revision="a1b2c3d", path="prompts/salon.md")


def kept(text=BETTER, **fields):
    with in_tenant("acme"):
        return create_draft(name="salon", text=text, source=DraftSource(by="amina", **fields))


def words(answer):
    """What a reader sees, whatever the status."""
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", answer.content.decode())))


def posted(owner, text, **more):
    return owner.post("/workshop/new/", {"prompt": "salon", "base": "salon@a1b2c3d", "text": text, **more}, follow=True)


def test_an_empty_workshop_says_how_to_begin(owner):
    page = text_of(owner.get("/workshop/"))
    assert "No prompt is live yet." in page
    assert "Record a prompt" in page


def test_a_prompt_without_a_draft_offers_to_write_one(owner, live):
    page = owner.get("/workshop/")
    assert "No draft of this prompt yet." in text_of(page)
    assert "/workshop/new/?prompt=salon" in page.content.decode()


def test_the_list_says_how_far_each_draft_is_and_what_comes_next(owner, live):
    kept(note="customers ask for prices")
    kept(LIVE.replace("{{ name }}", "Amina"))
    page = text_of(owner.get("/workshop/"))
    assert "1 draft waits to be tried." in page
    assert "customers ask for prices" in page
    assert "to be tried" in page
    assert "Try it" in page
    assert "The variable name of the live prompt is missing: put it back." in page


def test_the_list_costs_as_many_queries_for_many_drafts_as_for_one(owner, live):
    counts = []
    for number in range(5):
        kept(BETTER.replace("price of", f"price {number} of"))
        if number in (0, 4):
            with CaptureQueriesContext(connection) as queries:
                owner.get("/workshop/")
            counts.append(len(queries))
    assert counts[0] == counts[1]


def test_the_live_text_is_there_to_be_edited_and_a_look_keeps_nothing(owner, live):
    form = owner.get("/workshop/new/?prompt=salon").content.decode()
    assert "You are {{ name }}." in form
    looked = posted(owner, BETTER.replace("\n", "\r\n"), preview="1")
    assert looked.status_code == 200
    assert "<ins>" in looked.content.decode()
    assert "What changes" in text_of(looked)
    assert "Role" in text_of(looked)
    with in_tenant("acme"):
        assert not PromptDraft.objects.exists()


def test_a_draft_that_is_kept_has_a_page_of_its_own(owner, live):
    made = posted(owner, BETTER.replace("\n", "\r\n"), note="prices")
    assert DRAFT_URL.search(made.redirect_chain[-1][0])
    told = text_of(made)
    assert "This draft waits to be tried against the live prompt." in told
    assert "prices" in told
    with in_tenant("acme"):
        row = PromptDraft.objects.get()
        assert (row.created_by, row.text) == ("amina", BETTER)
    assert row.version_id
    assert "written by amina against salon@a1b2c3d" in told


def test_what_guards_refuse_is_said_at_its_place_and_the_words_stay(owner, live):
    text = BETTER.replace("Prices include VAT.", "Prices may change.").replace("{{ name }}", "Amina")
    answer = posted(owner, text)
    told = words(answer)
    assert answer.status_code == 422
    assert "Guards refuse this draft" in told
    assert "Line 7, § Legal" in told
    assert "The variable name of the live prompt is missing" in told
    assert "Prices may change." in answer.content.decode()
    with in_tenant("acme"):
        refused = PromptDraft.objects.get()
    page = text_of(owner.get(f"/workshop/drafts/{refused.pk}/"))
    assert "This draft is refused: it cannot be tried." in page
    assert "Line 7, § Legal" in page


def test_a_file_counts_in_place_of_the_field(owner, live):
    posted(owner, LIVE, file=SimpleUploadedFile("salon.md", BETTER.encode()))
    with in_tenant("acme"):
        assert PromptDraft.objects.get().text == BETTER
    answer = posted(owner, LIVE, file=SimpleUploadedFile("salon.md", b"\xff\xfe\x00"))
    assert answer.status_code == 422
    assert "is no text in UTF-8" in words(answer)


def test_another_prompt_that_became_live_meanwhile_is_told(owner, live):
    with in_tenant("acme"):
        record_prompt_text(name="salon", text=LIVE + "\n# More\nMore.\n", revision="b1b2c3d")
    answer = posted(owner, BETTER)
    assert answer.status_code == 409
    assert "salon@b1b2c3d is live by now" in words(answer)


def test_a_finding_leads_to_a_draft_that_names_it(owner, live):
    with in_tenant("acme"):
        run, rows = make_run(2)
        judged = make_evaluation(run, rows, states=("scored", "scored"))
        found = {"title": "No prices", "criteria": ["tone"], "section": "Prices", "suggestion": "Name the price.",
                 "conversations": [], "n": 2, "evidence": [], "doubts": [], "support": "exact"}  # fmt: skip
        analysis = Analysis.objects.create(evaluation=judged, status="completed", findings=[found], read=2, failing=2)
        Evaluation.objects.filter(pk=judged.pk).update(status="completed")
    page = owner.get(f"/evaluations/{judged.pk}/analysis/").content.decode()
    address = f"/workshop/new/?prompt=salon&amp;analysis={analysis.pk}&amp;finding=1"
    assert address in page
    assert "Name the price." in text_of(owner.get(address.replace("&amp;", "&")))
    made = posted(owner, BETTER, analysis=str(analysis.pk), finding="1")
    assert "No prices" in text_of(made)
    with in_tenant("acme"):
        assert PromptDraft.objects.get().finding_number == 1
    assert owner.get(f"/workshop/new/?prompt=salon&analysis={analysis.pk}&finding=2").status_code == 404


def test_without_a_prompt_one_is_chosen_and_the_finding_goes_along(owner, live):
    page = owner.get("/workshop/new/?analysis=a&finding=2")
    assert "Which prompt shall say something else?" in text_of(page)
    assert 'href="/workshop/new/?prompt=salon&amp;analysis=a&amp;finding=2"' in page.content.decode()
    assert owner.post("/workshop/new/", {"text": BETTER}).status_code == 404


def test_a_rejected_draft_says_why_and_offers_nothing_more(owner, live):
    made = kept()
    address = f"/workshop/drafts/{made}/"
    assert "Reject" in text_of(owner.get(address))
    told = text_of(owner.post(f"{address}reject/", {"reason": "Too long for WhatsApp."}, follow=True))
    assert "is rejected: Too long for WhatsApp." in told
    assert "Reject it" not in told


def test_a_better_draft_is_released_handed_over_and_seen_live(owner, db):
    with in_tenant("acme"):
        draft = make_world(16)
        decided(draft, gain(1.5))
        version = PromptDraft.objects.get(pk=draft).version.version
    address = f"/workshop/drafts/{draft}/"
    page = owner.get(address)
    assert f'action="{address}release/"' in page.content.decode()
    assert "decision" in text_of(page)
    told = text_of(owner.post(f"{address}release/", {"reason": ""}, follow=True))
    assert f"{version} is released, not yet seen live." in told
    assert "Put it in force" in told
    patch = owner.get(f"{address}patch/")
    assert b"+Say the price of each service." in patch.content
    assert b"Subject: [PATCH] Prompt " in patch.content
    assert ".patch" in patch["Content-Disposition"]
    with in_tenant("acme"):
        record_prompt_text(name="greeting", text=PromptDraft.objects.get(pk=draft).text, revision="ccc3333")
    told = text_of(owner.get(address))
    assert f"{version} is live." in told
    assert "Put it in force" not in told
    with in_tenant("acme"):
        record_prompt_text(name="greeting", text="# Role\nAnother.\n", revision="ddd4444")
    told = text_of(owner.get(address))
    assert f"{version} is live." not in told
    assert f"{version} went live on " in told
    assert "and is live no more: greeting@ddd4444 is." in told


def test_what_guards_warn_of_stands_on_the_page_and_in_the_release_dialog(owner, live):
    made = posted(owner, BETTER.replace("price of each service.", "price of each service for the highest score."))
    told = text_of(made)
    assert "This draft waits to be tried against the live prompt." in told
    assert "1 warning; nothing is refused for it" in told
    assert "“highest score” may speak of being scored" in told
    with in_tenant("acme"):
        draft = make_world(16)
        decided(draft, gain(1.5))
        warning = {"code": "judge_words", "sentence": "“score” may speak of it.", "span": None, "stops": False}
        PromptDraft.objects.filter(pk=draft).update(refusals=[warning])
    page = owner.get(f"/workshop/drafts/{draft}/").content.decode()
    dialog = page[page.index('release/"') :].partition("</form>")[0]
    assert "Warning: “score” may speak of it." in html.unescape(dialog)


def test_a_draft_not_shown_to_be_better_needs_a_reason_and_that_one_knows_it(owner, db):
    with in_tenant("acme"):
        draft = make_world(12)
        decided(draft, gain(0.0, spread=0.0))
    address = f"/workshop/drafts/{draft}/"
    assert "I know that it was not shown to be better" in text_of(owner.get(address))
    told = text_of(owner.post(f"{address}release/", {"reason": "", "acknowledged": "yes"}, follow=True))
    assert "say why it is released all the same" in told
    told = text_of(
        owner.post(f"{address}release/", {"reason": "The owner wants it.", "acknowledged": "yes"}, follow=True)
    )
    assert "The owner wants it." in told
    assert "not yet seen live" in told


def test_who_may_only_read_sees_no_button(db, live):
    made = kept()
    viewer = signed_in("viewer", "improvement.view_promptdraft", "catalog.view_promptversion")
    page = viewer.get(f"/workshop/drafts/{made}/").content.decode()
    assert "reject/" not in page
    assert viewer.get("/workshop/new/?prompt=salon").status_code == 403
    assert viewer.post(f"/workshop/drafts/{made}/reject/", {"reason": "No"}).status_code == 403


def test_a_draft_of_another_tenant_is_not_there(owner, live):
    missing = "/workshop/drafts/00000000-0000-7000-8000-000000000000/"
    for address in (missing, f"{missing}patch/"):
        assert owner.get(address).status_code == 404
    for verb in ("release", "reject"):
        assert owner.post(f"{missing}{verb}/", {"reason": "No"}).status_code == 404


def test_a_model_is_asked_for_a_fix_beside_the_finding(owner, live):
    with in_tenant("acme"):
        save_model_provider(name="author", kind="openai", base_url="http://127.0.0.1:10/v1", api_key="k")
        chosen = {"models": {"optimizer": {"provider": "author", "model": "writer-1"}}}
        update_workflow_config(slug="acme", changes=chosen)
        run, rows = make_run(2)
        judged = make_evaluation(run, rows, states=("scored", "scored"))
        found = {"title": "No prices", "criteria": ["tone"], "section": "Prices", "suggestion": "Name the price.",
                 "conversations": [], "n": 2, "evidence": [], "doubts": [], "support": "exact"}  # fmt: skip
        analysis = Analysis.objects.create(evaluation=judged, status="completed", findings=[found], read=2, failing=2)
    address = f"/analyses/{analysis.pk}/propose/"
    page = owner.get(f"/evaluations/{judged.pk}/analysis/")
    assert f'action="{address}"' in page.content.decode()
    told = owner.post(address, {"finding": "1", "prompt": "salon"}, follow=True)
    assert "A model is asked for a fix" in text_of(told)
    assert 'hx-trigger="every 3s"' in told.content.decode()
    assert "already" in text_of(owner.post(address, {"finding": "1", "prompt": "salon"}, follow=True))
    with in_tenant("acme"):
        made = kept()
        FixProposal.objects.update(status="completed", draft=made, model="writer-1")
    page = owner.get(f"/evaluations/{judged.pk}/analysis/")
    assert f'href="/workshop/drafts/{made}/"' in page.content.decode()
    assert "writer-1 proposed" in text_of(page)
    assert 'hx-trigger="every 3s"' not in page.content.decode()
    assert owner.post("/analyses/00000000-0000-7000-8000-000000000000/propose/").status_code == 404

"""Winning fixes together: seen before they are kept, and what two change differently is chosen by a person."""

import pytest

from apps.improvement.models import PromptDraft
from apps.tenants.context import in_tenant
from tests.dashboard.prompt_samples import make_prompt_matrix
from tests.dashboard.test_pages import text_of

PAGE = "/workshop/combine/"
TIME, PIN, LESS = "Say the time twice", "Never name the PIN", "Ask less"


@pytest.fixture
def drafts(db):
    with in_tenant("acme"):
        make_prompt_matrix(10)
        return {row.note: str(row.pk) for row in PromptDraft.objects.all()}


def asked(drafts, *notes):
    return "&".join(f"d={drafts[note]}" for note in notes)


def test_the_matrix_offers_the_winners_ticked(owner, drafts):
    with in_tenant("acme"):
        rows = {row.note: row.version.version for row in PromptDraft.objects.select_related("version")}
    query = {"prompt": "booking", "v": [rows[TIME], rows[PIN], rows[LESS]]}
    page = owner.get("/workshop/compare/", query).content.decode()
    assert "Apply winning fixes…" in page
    ticked = [note for note in (TIME, PIN, LESS) if f'value="{drafts[note]}" aria-label="Apply {note}" checked' in page]
    assert ticked == [TIME, PIN]


def test_fixes_of_two_sections_are_shown_together_and_kept_as_one_draft(owner, drafts):
    page = text_of(owner.get(f"{PAGE}?{asked(drafts, TIME, PIN)}"))
    assert "2 fixes together change 2 sections" in page
    assert "Nobody needs a PIN." in page
    answer = owner.post(PAGE, {"d": [drafts[TIME], drafts[PIN]]})
    with in_tenant("acme"):
        made = PromptDraft.objects.get(origin="combined")
    assert answer["Location"] == f"/workshop/drafts/{made.pk}/"
    assert [one["sections"] for one in made.parts] == [["Confirming"], ["Payment"]]
    assert "put together from other drafts by amina" in text_of(owner.get(answer["Location"]))


def test_two_fixes_of_one_section_stand_side_by_side_until_somebody_chooses(owner, drafts):
    page = text_of(owner.get(f"{PAGE}?{asked(drafts, TIME, LESS, PIN)}"))
    assert "3 fixes together, 1 section is changed by more than one" in page
    assert "Confirming: choose below" in page
    assert "Make it a draft" not in page
    body = {"d": [drafts[TIME], drafts[LESS], drafts[PIN]]}
    refused = owner.post(PAGE, body)
    assert refused.status_code == 409
    assert b"choose for each whose words count" in refused.content
    preview = text_of(owner.post(PAGE, {**body, "choice 2": drafts[LESS], "preview": "1"}))
    assert "Repeat the day." in preview
    assert "Make it a draft" in preview
    assert owner.post(PAGE, {**body, "choice 2": drafts[LESS]}).status_code == 302
    with in_tenant("acme"):
        assert "Repeat the day." in PromptDraft.objects.get(origin="combined").text


def test_one_draft_alone_leads_back_with_the_reason(owner, drafts):
    answer = owner.get(f"{PAGE}?{asked(drafts, TIME)}&back=prompt%3Dbooking", follow=True)
    assert b"Name two to 8 drafts to combine; 1 is named." in answer.content
    assert owner.get(f"{PAGE}?d=00000000-0000-7000-8000-000000000000&d={drafts[TIME]}").status_code == 404

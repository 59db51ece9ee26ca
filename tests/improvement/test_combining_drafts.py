"""Fixes of different sections become one draft, with whose words stand where; of one section a person chooses."""

import pytest

from apps.catalog.prompts.services.recording import record_prompt_text
from apps.core.documents import as_json
from apps.core.errors import BadInput, Conflict, NotFound
from apps.improvement.drafts.queries.documents import draft_document
from apps.improvement.drafts.queries.provenance import provenance_of_draft
from apps.improvement.drafts.services.combining_drafts import combine_drafts
from apps.improvement.drafts.services.drafting import DraftSource, create_draft, reject_draft
from apps.improvement.models import PromptDraft
from tests.improvement.trial_rows import NOW

pytestmark = pytest.mark.usefixtures("tenant")
LIVE = "# Role\nYou book haircuts.\n\n# Prices\nSay nothing of prices.\n\n# Closing\nSay goodbye.\n"
FIXES = {
    "prices": LIVE.replace("Say nothing of prices.", "Say the price of each service."),
    "other prices": LIVE.replace("Say nothing of prices.", "Name the cheapest price."),
    "closing": LIVE.replace("Say goodbye.", "Say goodbye by name."),
}


@pytest.fixture
def drafts(tenant) -> dict[str, str]:
    record_prompt_text(name="salon", text=LIVE, revision="a1b2c3d")
    return {
        note: str(create_draft(name="salon", text=text, source=DraftSource(by="amina", note=note)))
        for note, text in FIXES.items()
    }


def test_fixes_of_different_sections_become_one_draft_that_names_its_parts(drafts) -> None:
    made = PromptDraft.objects.get(pk=combine_drafts([drafts["closing"], drafts["prices"]], by="juma"))
    assert made.text == FIXES["prices"].replace("Say goodbye.", "Say goodbye by name.")
    assert (made.origin, made.status, made.note) == ("combined", "proposed", "Combined: closing; prices")
    assert made.parts == [
        {"draft": drafts["closing"], "sections": ["Closing"]}, {"draft": drafts["prices"], "sections": ["Prices"]},
    ]  # fmt: skip
    told = [one["sentence"] for one in provenance_of_draft(made, None)]
    assert any("combined by juma from 2 drafts" in one for one in told)
    assert sum("written by amina" in one for one in told) == 2
    assert as_json(draft_document(made.pk))["parts"] == made.parts


def test_the_same_parts_again_are_the_same_draft_in_any_order(drafts) -> None:
    one = combine_drafts([drafts["closing"], drafts["prices"]], by="juma")
    assert combine_drafts([drafts["prices"], drafts["closing"]], by="amina") == one


def test_two_fixes_of_one_section_wait_for_a_choice(drafts) -> None:
    with pytest.raises(Conflict) as refused:
        combine_drafts(drafts.values(), by="juma")
    assert refused.value.code == "sections_conflict"
    (conflict,) = refused.value.extra["conflicts"]
    assert (conflict["section"], conflict["title"]) == ("2", "Prices")
    assert {one["draft"] for one in conflict["texts"]} == {drafts["prices"], drafts["other prices"]}
    made = combine_drafts(drafts.values(), by="juma", choices={"2": drafts["other prices"]})
    row = PromptDraft.objects.get(pk=made)
    assert "Name the cheapest price." in row.text
    assert "Say goodbye by name." in row.text
    assert {one["draft"] for one in row.parts} == {drafts["other prices"], drafts["closing"]}


def test_what_went_live_meanwhile_stays(drafts) -> None:
    record_prompt_text(name="salon", text=LIVE.replace("haircuts", "haircuts and nails"), revision="b2")
    row = PromptDraft.objects.get(pk=combine_drafts([drafts["closing"], drafts["prices"]], by="juma"))
    assert "haircuts and nails" in row.text
    assert row.base.version == "salon@b2"
    record_prompt_text(name="salon", text=FIXES["other prices"], revision="b3")
    with pytest.raises(Conflict) as refused:
        combine_drafts([drafts["closing"], drafts["prices"]], by="juma")
    assert {one["draft"] for one in refused.value.extra["conflicts"][0]["texts"]} == {drafts["prices"], "live"}


def test_what_is_out_of_use_alone_unknown_or_of_two_bases_is_refused(drafts) -> None:
    with pytest.raises(BadInput) as alone:
        combine_drafts([drafts["prices"], drafts["prices"]], by="juma")
    assert alone.value.code == "bad_drafts"
    with pytest.raises(NotFound):
        combine_drafts([drafts["prices"], "00000000-0000-7000-8000-000000000000"], by="juma")
    reject_draft(drafts["prices"], by="amina", reason="no", now=NOW)
    with pytest.raises(Conflict) as rejected:
        combine_drafts([drafts["prices"], drafts["closing"]], by="juma")
    assert rejected.value.code == "wrong_state"
    record_prompt_text(name="salon", text=LIVE.replace("haircuts", "nails"), revision="b2")
    later = create_draft(
        name="salon", text=LIVE.replace("haircuts", "nails").replace("goodbye", "bye"), source=DraftSource(by="amina")
    )
    with pytest.raises(BadInput) as bases:
        combine_drafts([drafts["closing"], later], by="juma")
    assert bases.value.code == "several_bases"

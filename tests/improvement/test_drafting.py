"""A person's own draft: kept as a version that is not live, or refused with its reasons."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.catalog.models import Agent, Criterion, PromptLine, PromptVersion, Scenario
from apps.catalog.prompts.services.recording import record_prompt_text
from apps.core.digest import sha256_hex
from apps.core.errors import BadInput, Conflict, NotFound
from apps.improvement.drafts.services.drafting import DraftSource, create_draft
from apps.improvement.models import PromptDraft

pytestmark = pytest.mark.django_db
LIVE = """\
# Role
You are the assistant of {{ salon_name }}.

# Booking
Offer two free times.

# Legal
Prices include VAT.
"""
BETTER = LIVE.replace("Offer two free times.", "Offer two free times and say the price of each.")


@pytest.fixture
def live(tenant):
    return record_prompt_text(name="salon", text=LIVE, revision="a1b2c3d")


def draft(text=BETTER, **fields):
    base = fields.pop("base", "")
    return PromptDraft.objects.get(
        pk=create_draft(name="salon", text=text, source=DraftSource(by="user amina", **fields), base=base)
    )


def test_a_draft_is_a_version_of_its_own_and_live_stays(live):
    row = draft(note="customers ask for prices")
    digest = sha256_hex(BETTER)
    assert (row.status, row.version.version) == ("proposed", f"salon@sha256-{digest[:8]}")
    assert row.version.text == row.text == BETTER
    assert row.base.version == row.original.version == live
    assert PromptLine.objects.get(name="salon").live.version == live
    assert (row.created_by, row.note) == ("user amina", "customers ask for prices")


def test_a_refused_draft_keeps_its_words_and_reasons_and_is_no_version(live):
    row = draft(BETTER.replace("Prices include VAT.", "Prices may change.").replace("{{ salon_name }}", "the salon"))
    assert row.status == "refused"
    assert row.version is None
    assert [one["code"] for one in row.refusals] == ["protected_span", "variable"]
    start, end = row.refusals[0]["span"]
    assert row.text[start:end] == "# Legal\nPrices may change."
    assert PromptVersion.objects.count() == 1


def test_the_same_words_twice_are_one_draft_refused_or_not(live):
    assert draft().pk == draft().pk
    refused = LIVE.replace("Prices include VAT.", "No.")
    assert draft(refused).pk == draft(refused).pk


def test_a_browsers_line_ends_are_no_change(live):
    assert draft(BETTER.replace("\n", "\r\n")).version.text == BETTER
    assert [one["code"] for one in draft(LIVE.replace("\n", "\r\n")).refusals] == ["nothing_changed"]


def test_another_version_that_became_live_meanwhile_is_told(live):
    record_prompt_text(name="salon", text=LIVE + "\n# More\n", revision="b1b2c3d")
    with pytest.raises(Conflict, match="salon@b1b2c3d is live by now") as error:
        draft(base=live)
    assert error.value.code == "live_moved"
    assert not PromptDraft.objects.exists()


def test_the_lineage_keeps_its_first_prompt_and_nobody_goes_back_to_it(live):
    draft()
    record_prompt_text(name="salon", text=BETTER, revision="b1b2c3d")
    second = draft(BETTER.replace("two", "three"))
    assert (second.base.version, second.original.version) == ("salon@b1b2c3d", live)
    assert [one["code"] for one in draft(LIVE).refusals] == ["revert"]


def test_what_cannot_be_a_draft_is_told_and_nothing_is_kept(live):
    for name, text, error in (("nobody", BETTER, NotFound), ("salon", "  ", BadInput), ("salon", "a\0b", BadInput)):
        with pytest.raises(error):
            create_draft(name=name, text=text, source=DraftSource(by=""))
    assert not PromptDraft.objects.exists()


def test_a_surgical_draft_changes_one_section(live):
    both = BETTER.replace("You are", "You remain")
    assert [one["code"] for one in draft(both, mode="surgical").refusals] == ["not_surgical"]
    assert draft(BETTER, mode="surgical").status == "proposed"


def test_words_of_judges_scenarios_and_conversations_are_looked_for_in_the_tenants_own(live):
    Criterion.objects.create(
        name="asks_first",
        texts={"en": {"description": "The agent asks for service, day and time before it books anything."}},
    )
    Scenario.objects.create(slug="en-late-2", goal="Move the appointment of Saturday to the Monday after it, please.")
    for words, code in (
        ("The agent asks for service, day and time before it books.", "judge_words"),
        ("Mind asks_first.", "judge_words"),
        ("Some move the appointment of Saturday to the Monday after it.", "scenario_words"),
        ("Say yes in en-late-2.", "persona_name"),
    ):
        found = draft(LIVE.replace("Offer two free times.", f"Offer two free times. {words}"))
        assert [one["code"] for one in found.refusals] == [code], words


def test_a_warning_stands_beside_a_draft_that_may_be_tried_and_is_looked_at_anew(live):
    words = LIVE.replace("two free times", "two free times of find_slots")
    row = draft(words)
    assert (row.status, row.stop_reasons) == ("proposed", [])
    assert [one["code"] for one in row.guard_warnings] == ["unknown_tool"]
    tool = {"name": "find_slots", "description": "Free times.", "parameters": {}, "answers": []}
    Agent.objects.create(name="salon", kind="prompted", options={"prompt": "salon", "tools": [tool]})
    again = draft(words)
    assert (again.pk, again.guard_warnings) == (row.pk, [])


def test_words_that_guards_of_before_refused_may_be_handed_in_again(live):
    row = draft(LIVE.replace("Prices include VAT.", "No."))
    words = LIVE.replace("two free times", "two free times after the assessment")
    old = [{"code": "judge_words", "sentence": "It speaks of being scored.", "span": None}]
    PromptDraft.objects.filter(pk=row.pk).update(refused_text=words, digest=sha256_hex(words), refusals=old)
    row.refresh_from_db()
    assert [one["code"] for one in row.stop_reasons] == ["judge_words"]
    assert draft(words).status == "proposed"


def test_what_guards_compare_with_costs_as_many_queries_for_many_rows_as_for_one(live):
    counts = []
    for number in range(3):
        for one in range(1 + 10 * number):
            Scenario.objects.create(slug=f"s-{number}-{one}", goal="A haircut.")
            Criterion.objects.create(name=f"c_{number}_{one}", texts={"en": {"description": "Is polite."}})
        with CaptureQueriesContext(connection) as queries:
            draft(BETTER.replace("two", f"two or {number + 3}"))
        counts.append(len(queries))
    assert counts[1] == counts[2]

"""What customers complained of, and whether it holds with a prompt: told where a draft is released and on Home."""

from dataclasses import replace

import pytest

from apps.catalog.models import Scenario
from apps.dashboard.home.queries.needs import _unfixed
from apps.dashboard.prompts.queries.draft import draft_page
from apps.improvement.failure_modes.domain.complaints import ComplaintStanding, HeldComplaint, complaints_sentence
from apps.improvement.failure_modes.queries.complaints import complaints_with
from apps.improvement.models import FamilyPart, PromptDraft
from tests.evaluations.bench import NOW
from tests.gates.played_runs import COMPLAINT, again_there, draft_beside_a_complaint, judged, run_of


def held(passes: int, plays: int, opening: str = "Braids at ten?") -> HeldComplaint:
    return HeldComplaint(
        scenario="production_1", opening=opening, criterion="flow", below=6, passes=passes, plays=plays
    )


@pytest.mark.parametrize(
    "passes, plays, standing",
    [(0, 0, "unknown"), (1, 1, "fixed"), (0, 1, "open"), (1, 2, "open"), (2, 3, "fixed"), (1, 3, "not_fixed"),
     (0, 3, "not_fixed"), (9, 10, "fixed"), (3, 9, "not_fixed")],
)  # fmt: skip
def test_two_failures_of_three_plays_are_no_fix_and_one_is_a_slip(passes: int, plays: int, standing: str) -> None:
    assert held(passes, plays).standing is ComplaintStanding(standing)


def test_the_sentence_counts_and_names_what_is_not_fixed() -> None:
    assert complaints_sentence([]) == ""
    assert complaints_sentence([held(0, 3), held(3, 3, "Manicure?")]) == (
        "1 of 2 complaints is not fixed: “Braids at ten?” happened again in 3 of 3 plays."
    )
    assert complaints_sentence([held(1, 1), held(0, 0)]) == (
        "1 of 2 complaints is fixed. 1 was not played with it yet."
    )
    assert complaints_sentence([held(0, 0)]) == "1 complaint of real customers was not played with it yet."


def test_a_case_in_the_hold_out_is_no_case_that_nobody_played() -> None:
    sealed = replace(held(0, 0), sealed=True)
    told = "in the hold-out: its trials decide over all of it, and tell no single case."
    assert complaints_sentence([sealed]) == f"1 complaint of real customers is {told}"
    assert complaints_sentence([held(3, 3), sealed]) == f"1 of 2 complaints is fixed. 1 is {told}"
    assert complaints_sentence([held(0, 0), sealed]) == f"1 was not played with it yet. 1 is {told}"
    assert replace(held(0, 3), sealed=True).standing is ComplaintStanding.NOT_FIXED, "a run of its own told it"


@pytest.fixture
def version(tenant: str) -> str:
    return draft_beside_a_complaint()


def test_a_complaint_is_read_from_the_plays_of_the_version_that_is_asked_about(version: str) -> None:
    judged(run_of(), again_there)
    (live,), (draft,) = complaints_with("greeting@aaa1111"), complaints_with(version)
    assert (live.scenario, live.passes, live.plays, draft.plays) == (COMPLAINT, 0, 1, 0)
    judged(run_of(version, repeats=3))
    (draft,) = complaints_with(version)
    assert (draft.passes, draft.plays, draft.standing) == (3, 3, ComplaintStanding.FIXED)
    Scenario.objects.filter(slug=COMPLAINT).update(provenance={"prompt_version": "another@1"})
    assert complaints_with(version) == [], "it was of another prompt"


def test_the_page_of_a_draft_says_that_its_complaint_is_in_the_hold_out(version: str) -> None:
    FamilyPart.objects.create(
        family=Scenario.objects.get(slug=COMPLAINT).family_name, part="hold_out", set_number=1, drawn_at=NOW
    )
    page = draft_page(PromptDraft.objects.get(version__version=version).pk)
    assert page.complaints_sentence.startswith("1 complaint of real customers is in the hold-out")
    assert [one.standing.value for one in page.complaints] == ["sealed"]


def test_the_page_of_a_draft_and_home_say_what_is_not_fixed(version: str) -> None:
    judged(run_of(repeats=3), again_there)
    judged(run_of(version, repeats=3), again_there)
    page = draft_page(PromptDraft.objects.get(version__version=version).pk)
    told = "1 of 1 complaint is not fixed: “Hi.” happened again in 3 of 3 plays."
    assert (page.unfixed, page.complaints_sentence) == (True, told)
    assert told in page.headline.note
    (need,) = _unfixed()
    assert need.title == "greeting@aaa1111, which is live, has complaints that are not fixed"
    assert need.note == told

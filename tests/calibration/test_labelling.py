"""The monthly ritual: which conversations are rated, by how many, and that nothing anybody said is lost."""

import threading
from datetime import UTC, date, datetime, timedelta

import pytest
from django.db import DatabaseError, connection, transaction
from hypothesis import given
from hypothesis import strategies as st

from apps.calibration.domain.label_sampling import (
    Candidate,
    SamplingReason,
    first_monday,
    is_quarterly,
    sample_for_labelling,
)
from apps.calibration.models import HumanLabel, LabellingItem, LabellingRound
from apps.calibration.queries.labelling import latest_round, may_read, queue_for, round_is_due
from apps.calibration.queries.labels import gathered_labels
from apps.calibration.services.labelling import Given, note_languages, note_models_reviewed, open_round, rate
from apps.core.errors import BadInput, Conflict
from apps.runs.models import Conversation
from apps.tenants.context import current_slug, in_tenant
from apps.tenants.models import Tenant
from tests.calibration.calibration_bench import imported_judge
from tests.evaluations.bench import NOW, imported, make_config
from tests.production.sampling_rows import arrived

MONDAY = datetime(2026, 3, 2, 6, 0, tzinfo=UTC)
GIVEN = {"x": Given(value=4, reason="Simu 0712 345 678 ilirudiwa")}


def ask_the_judges_criteria():
    """People rate the one criterion x of these judges, and not the three ratings of a tenant that chose nothing."""
    Tenant.objects.filter(slug=current_slug()).update(settings={"calibration_config": "judged"})


def judged(count=15, config="salon", prefix="c"):
    ids = [f"{prefix}-{n}" for n in range(count)]
    return imported_judge(imported(*ids), config, {id: n % 11 for n, id in enumerate(ids)})


def opened():
    ask_the_judges_criteria()
    judged()
    open_round(now=MONDAY)
    state = latest_round()
    assert state is not None
    return state


@pytest.mark.usefixtures("tenant")
def test_nothing_is_opened_before_the_first_monday_or_without_anything_judged():
    assert open_round(now=MONDAY) is None
    judged()
    assert open_round(now=MONDAY - timedelta(days=1)) is None  # Sunday, the first of March
    assert not LabellingRound.objects.exists()


@pytest.mark.usefixtures("tenant")
def test_a_round_opens_once_however_often_the_tick_comes():
    judged()
    assert open_round(now=MONDAY) is not None
    assert open_round(now=MONDAY) is None
    assert open_round(now=MONDAY + timedelta(days=20)) is None
    assert LabellingItem.objects.count() == 10
    assert set(LabellingItem.objects.values_list("why", flat=True)) == set(SamplingReason) - {
        SamplingReason.REQUESTED,
        SamplingReason.FILTERED,
    }


@pytest.mark.usefixtures("tenant")
def test_people_are_asked_for_the_three_ratings_where_nobody_chose_and_the_pack_comes_with_the_round():
    judged()
    open_round(now=MONDAY)
    row = LabellingRound.objects.get()
    assert (row.config_ref, row.scale) == ("human-ratings@1", "1-5")
    asked = [one["name"] for one in row.criteria]
    assert asked == ["intent_comprehension", "response_naturalness", "cultural_appropriateness"]


@pytest.mark.usefixtures("tenant")
def test_real_conversations_come_first_whichever_config_judged_them():
    judged(20)  # tests, judged by the config that judged most
    real = [arrived(f"r-{n}", at=NOW) for n in range(4)]
    rows = Conversation.objects.filter(pk__in=real)
    imported_judge(rows[0].run_id, "sampling", {row.external_id: 6 for row in rows})
    open_round(now=MONDAY)
    drawn = list(LabellingItem.objects.order_by("position").values_list("conversation_id", flat=True))
    assert len(drawn) == 10
    assert set(drawn[:4]) == set(real)


@pytest.mark.usefixtures("tenant")
def test_real_conversations_that_no_judge_has_scored_come_before_tests_too():
    judged(20)
    real = [arrived(f"r-{n}", at=NOW) for n in range(3)]
    Conversation.objects.filter(pk__in=real).update(status="ended", created_at=NOW)
    open_round(now=MONDAY)
    drawn = list(LabellingItem.objects.order_by("position").values_list("conversation_id", flat=True))
    assert (len(drawn), set(drawn[:3])) == (10, set(real))


@pytest.mark.usefixtures("tenant")
def test_a_tick_that_was_missed_opens_the_round_later_in_the_month():
    judged()
    assert round_is_due(now=MONDAY + timedelta(days=9))
    assert open_round(now=MONDAY + timedelta(days=9)) is not None


@pytest.mark.usefixtures("tenant")
def test_nobody_is_asked_about_the_same_conversation_in_two_months():
    judged()
    open_round(now=MONDAY)
    open_round(now=datetime(2026, 4, 6, 6, 0, tzinfo=UTC))
    rows = list(LabellingItem.objects.values_list("conversation", flat=True))
    assert len(rows) == len(set(rows)) == 15


@pytest.mark.usefixtures("tenant")
def test_a_rating_needs_every_criterion_and_the_scale():
    item = opened().items[0].item
    for ratings in ({}, {"x": Given(value=7)}, {"x": Given(value=2.5)}, {"x": Given(value=1), "y": Given(value=1)}):
        with pytest.raises(BadInput):
            rate(item_id=item.pk, rater="amina", ratings=ratings)
    assert not HumanLabel.objects.exists()


@pytest.mark.usefixtures("tenant")
def test_no_more_people_than_wanted_may_rate_a_conversation():
    item = opened().items[0].item
    assert rate(item_id=item.pk, rater="amina", ratings=GIVEN) == 1
    assert rate(item_id=item.pk, rater="juma", ratings={"x": Given(value=None)}) == 1
    with pytest.raises(Conflict, match="which is all that were wanted"):
        rate(item_id=item.pk, rater="otieno", ratings=GIVEN)
    assert HumanLabel.objects.count() == 2


@pytest.mark.usefixtures("tenant")
def test_a_correction_is_a_further_revision_and_the_first_is_kept():
    item = opened().items[0].item
    rate(item_id=item.pk, rater="amina", ratings=GIVEN)
    assert rate(item_id=item.pk, rater="amina", ratings=GIVEN) == 0
    assert rate(item_id=item.pk, rater="amina", ratings={"x": Given(value=2)}) == 1
    assert list(HumanLabel.objects.order_by("revision").values_list("value", flat=True)) == [4, 2]
    (labelled,) = gathered_labels().items
    assert [one.value for one in labelled.ratings["x"]] == [2]
    with pytest.raises(DatabaseError, match="Cannot update or delete"), transaction.atomic():
        HumanLabel.objects.update(value=5)


@pytest.mark.usefixtures("tenant")
def test_a_person_is_asked_only_in_languages_they_read_and_about_what_they_have_not_rated():
    state = opened()
    assert len(queue_for("amina", state=state)) == 10
    note_languages(rater="amina", languages=["SW "])
    assert queue_for("amina", state=state) == []  # all of these are English
    with pytest.raises(Conflict, match="in en"):
        rate(item_id=state.items[0].item.pk, rater="amina", ratings=GIVEN)
    note_languages(rater="amina", languages=["sw", "en"])
    rate(item_id=state.items[0].item.pk, rater="amina", ratings=GIVEN)
    again = latest_round()
    assert state.items[0].item not in queue_for("amina", state=again)
    assert queue_for("juma", state=again)[-1] == state.items[0].item  # others come first
    with pytest.raises(BadInput):
        note_languages(rater="amina", languages=["sw; drop"])


@pytest.mark.parametrize(
    "reads, language, may",
    [
        ([], "sw", True),
        (["sw"], "", True),
        (["sw"], "sw-KE", True),
        (["sw"], "en", False),
        (["sw"], "mixed", False),
        (["sw", "en"], "mixed", True),
    ],
)
def test_which_conversations_a_person_reads(reads, language, may):
    assert may_read(reads, language) is may


@pytest.mark.usefixtures("tenant")
def test_what_was_labelled_is_gathered_masked():
    item = opened().items[0].item
    rate(item_id=item.pk, rater="amina", ratings=GIVEN)
    labels = gathered_labels()
    assert labels.scales["x"].name == "1-5"
    assert labels.items[0].ratings["x"][0].reason == "Simu +254 7** *** 678 ilirudiwa"
    assert [turn.role for turn in labels.items[0].document.turns] == ["user", "assistant"]


@pytest.mark.usefixtures("tenant")
def test_the_pinned_models_are_reviewed_once_a_quarter():
    judged()
    open_round(now=datetime(2026, 4, 6, 6, 0, tzinfo=UTC))
    state = latest_round()
    assert state.reviewed is False
    assert note_models_reviewed(round_id=state.round.pk, by="amina", now=NOW)
    assert not note_models_reviewed(round_id=state.round.pk, by="juma", now=NOW)
    assert latest_round().reviewed is True
    assert latest_round().round.models_reviewed_by == "amina"


def test_two_people_who_race_for_the_last_place_do_not_both_get_it(fresh_tenant):
    with in_tenant(fresh_tenant):
        item = opened().items[0].item
        rate(item_id=item.pk, rater="amina", ratings=GIVEN)
    outcomes, start = [], threading.Barrier(4)

    def try_it(name):
        try:
            with in_tenant(fresh_tenant):
                start.wait()
                outcomes.append(rate(item_id=item.pk, rater=name, ratings=GIVEN))
        except Conflict as error:
            outcomes.append(error.code)
        finally:
            connection.close()

    threads = [threading.Thread(target=try_it, args=(name,)) for name in ("juma", "otieno", "wanjiru", "njeri")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(str, outcomes)) == ["1", "enough_raters", "enough_raters", "enough_raters"]


CANDIDATES = st.lists(
    st.builds(
        Candidate,
        id=st.integers(),
        language=st.sampled_from(["en", "sw", ""]),
        score=st.floats(0, 10),
        spread=st.floats(0, 10),
        evidence=st.one_of(st.none(), st.floats(0, 1)),
    ),
    unique_by=lambda one: one.id,
    max_size=30,
)


@given(CANDIDATES, st.integers(0, 5), st.randoms())
def test_the_same_seed_chooses_the_same_conversations_in_any_order(found, seed, chance):
    chosen = sample_for_labelling(found, seed=seed, size=10)
    shuffled = list(found)
    chance.shuffle(shuffled)
    assert {one.id for one, _ in sample_for_labelling(shuffled, seed=seed, size=10)} == {one.id for one, _ in chosen}
    assert len({one.id for one, _ in chosen}) == len(chosen) == min(10, len(found))


def test_the_most_surprising_come_first_and_no_language_waits_for_ever():
    def one(id, language="en", **more):
        return Candidate(id=id, language=language, **{"score": 5.0, "spread": 0.0, "evidence": 1.0, **more})

    found = [one(n) for n in range(20)]
    found += [one("disputed", spread=6.0), one("extreme", score=0.0), one("unproven", evidence=0.0)]
    found += [one("sw-disputed", "sw", spread=3.0)]
    chosen = dict((item.id, why) for item, why in sample_for_labelling(found, seed=1, size=4))
    assert chosen == {
        "disputed": SamplingReason.DISAGREEMENT,
        "extreme": SamplingReason.EXTREME,
        "unproven": SamplingReason.LOW_EVIDENCE,
        "sw-disputed": SamplingReason.DISAGREEMENT,
    }


@given(st.dates(date(2020, 1, 1), date(2040, 12, 31)))
def test_the_first_monday_is_a_monday_in_the_first_week(day):
    found = first_monday(day)
    assert (found.weekday(), found.month, found.day <= 7) == (0, day.month, True)
    assert is_quarterly(day) == (day.month in (1, 4, 7, 10))


@pytest.mark.usefixtures("tenant")
def test_a_config_with_odd_signs_in_its_name_is_found():
    make_config(name="salon.v-1", weights={"x": 1.0})
    judged(config="salon.v-1")
    ask_the_judges_criteria()
    assert open_round(now=MONDAY) is not None
    assert latest_round().round.config_ref.startswith("salon.v-1@")

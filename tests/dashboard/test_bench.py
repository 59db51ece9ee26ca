"""The conversation as a place to work: the list around it, disagreeing, noting, having it rated and judged again."""

import re
import uuid
from datetime import date
from urllib.parse import quote

import pytest
from django.core.cache import cache
from django.db.utils import ProgrammingError
from django.test.utils import CaptureQueriesContext

from apps.calibration.models import ConversationNote, HumanLabel, LabellingItem, LabellingRound, NonBlindLabel
from apps.calibration.queries.labelling import latest_round, queue_for
from apps.calibration.queries.labels import gathered_labels
from apps.calibration.services.labelling import Given, rate
from apps.calibration.services.remarks import MAX_TEXT
from apps.core.errors import Conflict
from apps.evaluations.models import CriterionScore, Judgement
from apps.tenants.connection import connection
from apps.tenants.context import in_tenant
from tests.dashboard.conftest import make_evaluation, make_run, signed_in
from tests.dashboard.matrix_samples import mixed_evaluation
from tests.dashboard.test_pages import text_of
from tests.databases import as_superuser


@pytest.fixture
def judged(db):
    with in_tenant("acme"):
        run, rows = make_run(4)
        return make_evaluation(run, rows, states=["parse_error"]), rows


@pytest.fixture
def labelling(db, judged):
    """A round with the last conversation in it."""
    with in_tenant("acme"):
        row = LabellingRound.objects.create(
            month=date(2026, 11, 1), seed=1, raters_wanted=2, scale="1-5", config_ref="tea@1",
            criteria=[{"name": "first", "description": "", "scoring_guide": {}}],
        )  # fmt: skip
        conversation = judged[1][3]
        LabellingItem.objects.create(round=row, conversation=conversation, position=0, language="sw", why="extreme")
        return row


def disagreed(client, judged, row, **more):
    asked = {
        "evaluation": str(judged.pk),
        "criterion": "first",
        "value": "3",
        "reason": "Alisema saa tano.",
        **more,
    }
    return client.post(f"/conversations/{row.pk}/disagree/", asked, follow=True)


def next_of(html, name="rb-next"):
    found = re.search(rf'id="{name}" href="([^"]+)"', html)
    return found.group(1).replace("&amp;", "&") if found else ""


def test_next_leads_through_the_list_one_came_from_and_back(owner, db):
    with in_tenant("acme"):
        evaluation, _ = mixed_evaluation(30)
    view = "language=sw&sort=criterion%3Atone"
    page = owner.get(f"/evaluations/{evaluation.pk}/matrix/?{view}").content.decode()
    listed = re.findall(r'<th scope="row"><a href="/conversations/([^/]+)/\?([^"]+)"', page)
    address = f"/conversations/{listed[0][0]}/?{listed[0][1].replace('&amp;', '&')}"
    walked = []
    while address:
        walked.append(address.split("/")[2])
        html = owner.get(address).content.decode()
        assert "language: sw, tone, worst first" in text_of(owner.get(address))
        address = next_of(html)
    assert walked == [one for one, _ in listed]
    assert next_of(html, "rb-prev").split("/")[2] == walked[-2]
    assert f'href="/evaluations/{evaluation.pk}/matrix/?language=sw' in html


def test_without_a_judgement_the_runs_own_order_leads_on(owner, db):
    with in_tenant("acme"):
        _, rows = make_run(3)
    html = owner.get(f"/conversations/{rows[1].pk}/").content.decode()
    assert str(rows[2].pk) in next_of(html)
    assert str(rows[0].pk) in next_of(html, "rb-prev")


def test_goal_persona_and_profile_stand_there(owner, db):
    with in_tenant("acme"):
        run, rows = make_run(1)
        with connection.cursor() as cursor:
            as_superuser("SET session_replication_role = replica")  # plans are frozen
            plan = '{"agent": {"name": "booking", "profile": {"known_facts": ["Opens at nine"]}}}'
            cursor.execute("UPDATE runs_testrun SET plan = %s WHERE id = %s", [plan, run.pk])
            spec = '{"goal": "Book braids <b>", "persona": "Wanjiru", "scenario": "late-change"}'
            cursor.execute("UPDATE runs_conversation SET spec = %s WHERE id = %s", [spec, rows[0].pk])
            as_superuser("SET session_replication_role = DEFAULT")
    answer = owner.get(f"/conversations/{rows[0].pk}/")
    text = text_of(answer)
    for told in ("scenario late-change", "Book braids &lt;b&gt;", "Agent: what it knows", "Opens at nine"):
        assert told in text


class TestDisagreeing:
    def test_it_stands_beside_the_score_and_says_that_it_is_not_blind(self, owner, judged):
        evaluation, rows = judged
        text = text_of(disagreed(owner, evaluation, rows[3]))
        assert re.search(r"amina disagrees and would give 3\.0 ?\. Alisema saa tano\.", text)
        assert "not blind, in no certificate" in text
        with in_tenant("acme"):
            assert CriterionScore.objects.get(judgement__conversation=rows[3], criterion="first").score == 8.0

    @pytest.mark.parametrize(
        "given, told",
        [
            ({"reason": "  "}, "Say why"),
            ({"value": "11"}, "A score is 0 to 10"),
            ({"value": "good"}, "number from 0 to 10"),
            ({"value": "nan"}, "A score is 0 to 10"),
            ({"reason": "x" * (MAX_TEXT + 1)}, "Longer than"),
        ],
    )
    def test_what_is_wrong_is_said_and_nothing_kept(self, owner, judged, given, told):
        evaluation, rows = judged
        assert told in text_of(disagreed(owner, evaluation, rows[3], **given))
        with in_tenant("acme"):
            assert not NonBlindLabel.objects.exists()

    def test_what_was_not_judged_is_not_found(self, owner, judged):
        evaluation, rows = judged
        assert disagreed(owner, evaluation, rows[3], criterion="colour").status_code == 404
        assert disagreed(owner, evaluation, rows[3], evaluation="nonsense").status_code == 404
        assert disagreed(owner, evaluation, rows[0]).status_code == 404  # its reply could not be read

    def test_said_twice_it_is_one_and_said_otherwise_the_last_counts(self, owner, judged):
        evaluation, rows = judged
        for value in ("3", "3", "4"):
            text = text_of(disagreed(owner, evaluation, rows[3], value=value))
        with in_tenant("acme"):
            assert NonBlindLabel.objects.count() == 2
        assert "would give 4.0" in text
        assert "would give 3.0" not in text

    def test_the_database_keeps_it_as_it_was_said(self, owner, judged):
        evaluation, rows = judged
        disagreed(owner, evaluation, rows[3])
        with in_tenant("acme"), pytest.raises(ProgrammingError):
            NonBlindLabel.objects.update(value=9)


class TestBlindness:
    """Who has seen the score is no measure of it."""

    def labels(self):
        return {item.id: {name: [one.rater for one in ratings] for name, ratings in item.ratings.items()}
                for item in gathered_labels().items}  # fmt: skip

    def test_no_calibration_reads_a_disagreement(self, owner, judged, labelling):
        evaluation, rows = judged
        disagreed(owner, evaluation, rows[3])
        with in_tenant("acme"):
            assert self.labels() == {}
            assert HumanLabel.objects.count() == 0

    def test_what_was_rated_before_stays_and_what_comes_after_is_left_out(self, owner, judged, labelling):
        evaluation, rows = judged
        with in_tenant("acme"):
            item = LabellingItem.objects.get()
            rate(item_id=item.pk, rater="amina", ratings={"first": Given(value=4)})
            rate(item_id=item.pk, rater="otieno", ratings={"first": Given(value=2)})
        disagreed(owner, evaluation, rows[3])
        with in_tenant("acme"):
            assert self.labels() == {rows[3].external_id: {"first": ["amina", "otieno"]}}
            with pytest.raises(Conflict, match="not be blind"):
                rate(item_id=item.pk, rater="amina", ratings={"first": Given(value=1)})
            # Even a row that came by another way counts only as it was before the score was seen.
            HumanLabel.objects.create(item=item, rater="amina", criterion="first", value=1, revision=2)
            (found,) = gathered_labels().items
            assert {one.rater: one.value for one in found.ratings["first"]} == {"amina": 4, "otieno": 2}

    def test_it_is_not_offered_to_them_any_more(self, owner, judged, labelling):
        evaluation, rows = judged
        with in_tenant("acme"):
            assert len(queue_for("amina", state=latest_round())) == 1
        disagreed(owner, evaluation, rows[3])
        with in_tenant("acme"):
            assert queue_for("amina", state=latest_round()) == []
            assert len(queue_for("otieno", state=latest_round())) == 1


def test_a_note_is_there_for_the_next_reader(owner, judged):
    _, rows = judged
    text = text_of(owner.post(f"/conversations/{rows[3].pk}/note/", {"text": "Mteja ni <b>wa kweli</b>"}, follow=True))
    assert "Mteja ni &lt;b&gt;wa kweli&lt;/b&gt;" in text
    assert "A note needs some words" in text_of(owner.post(f"/conversations/{rows[3].pk}/note/", {}, follow=True))
    with in_tenant("acme"):
        assert ConversationNote.objects.get().author == "amina"
    assert owner.post(f"/conversations/{uuid.uuid4()}/note/", {"text": "x"}).status_code == 404


def test_a_conversation_is_added_to_the_round_once(owner, judged, labelling):
    _, rows = judged
    for told in ("Added to the round of November 2026", "It is in the round of November 2026 already"):
        assert told in text_of(owner.post(f"/conversations/{rows[2].pk}/label/", {}, follow=True))
    with in_tenant("acme"):
        added = LabellingItem.objects.get(conversation=rows[2])
        assert (added.position, added.why) == (1, "requested")


def test_adding_the_first_conversation_opens_a_round(owner, judged):
    _, rows = judged
    assert "in the round of" in text_of(owner.post(f"/conversations/{rows[2].pk}/label/", {}, follow=True))
    with in_tenant("acme"):
        assert LabellingItem.objects.filter(conversation=rows[2]).count() == LabellingRound.objects.count() == 1


def test_only_what_ended_in_an_error_is_judged_again(owner, judged):
    evaluation, rows = judged
    asked = {"evaluation": str(evaluation.pk)}
    text = text_of(owner.post(f"/conversations/{rows[0].pk}/judge-again/", asked, follow=True))
    assert "It will be judged again." in text
    with in_tenant("acme"):
        assert Judgement.objects.get(conversation=rows[0]).status == "pending"
        evaluation.refresh_from_db()
        assert evaluation.status == "running"
    assert "a score is final" in text_of(owner.post(f"/conversations/{rows[3].pk}/judge-again/", asked, follow=True))


def test_prompt_and_raw_reply_arrive_as_a_second_partial(owner, judged):
    evaluation, rows = judged
    address = f"/conversations/{rows[0].pk}/calls/?evaluation={evaluation.pk}"
    for headers in ({}, {"HX-Request": "true"}):
        text = text_of(owner.get(address, headers=headers))
        assert "not JSON" in text
        assert "What the judge replied" in text


def test_forms_lead_back_to_the_same_view(owner, judged):
    evaluation, rows = judged
    asked = {"text": "x", "evaluation": str(evaluation.pk), "list": "state=scored"}
    answer = owner.post(f"/conversations/{rows[3].pk}/note/", asked)
    assert answer["Location"] == f"/conversations/{rows[3].pk}/?evaluation={evaluation.pk}&list=state%3Dscored"


def test_nobody_else_opens_any_of_its_doors(judged):
    evaluation, rows = judged
    neighbour = signed_in("neighbour", host="beta.localhost", superuser=True)
    reader = signed_in("wanjiku", "view_conversation", "view_evaluation")
    asked = {"evaluation": str(evaluation.pk), "criterion": "first", "reason": "x", "text": "x"}
    for door in ("disagree", "note", "label", "judge-again"):
        address = f"/conversations/{rows[3].pk}/{door}/"
        assert neighbour.get(address).status_code == 405
        assert reader.post(address, asked).status_code == 403
        answer = neighbour.post(address, asked, follow=True)
        assert answer.status_code == 404, door
    calls = f"/conversations/{rows[3].pk}/calls/"
    assert (neighbour.get(calls).status_code, reader.get(calls).status_code) == (404, 200)
    page = reader.get(f"/conversations/{rows[3].pk}/").content.decode()
    assert "I disagree" not in page  # no dead button
    assert "Add to labelling" not in page
    with in_tenant("acme"):
        assert not NonBlindLabel.objects.exists()
        assert not ConversationNote.objects.exists()


def test_the_page_costs_the_same_in_a_list_of_ten_and_of_three_hundred(owner, db):
    def queries(evaluation, row, view):
        cache.clear()
        with CaptureQueriesContext(connection) as caught:
            answer = owner.get(f"/conversations/{row.pk}/?evaluation={evaluation.pk}&list={quote(view)}")
        assert answer.status_code == 200
        return sum(not one["sql"].startswith("SET search_path") for one in caught.captured_queries)

    with in_tenant("acme"):
        small, large = mixed_evaluation(10), mixed_evaluation(300, seed=3)
    queries(small[0], small[1][4], "")
    for view in ("sort=score", "language=sw", "sort=criterion:tone"):
        assert queries(large[0], large[1][150], view) <= queries(small[0], small[1][4], view) + 2 <= 26

"""A conversation comes back as a candidate scenario: masked, with what must not happen again, once."""

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model

from apps.catalog.domain.states import ScenarioStatus
from apps.catalog.models import Criterion, Scenario
from apps.catalog.scenarios.services.releasing import release_scenario
from apps.core.conversation import ConversationDocument, TurnRole, Utterance
from apps.core.errors import BadInput, Conflict, NotFound
from apps.core.redaction import hash_arguments
from apps.production.intake.services.conversations import take_conversation
from apps.production.intake.services.feedback import take_feedback
from apps.production.models import Feedback, Promotion
from apps.production.privacy.services.pseudonyms import pseudonyms
from apps.production.promotion.services.candidates import (
    archive_candidate,
    clear_masking,
    drop_expectation,
    forbid_score,
    release_candidate,
    require_metric,
)
from apps.production.promotion.services.promoting import promote_conversation
from apps.production.retention.services.scrubbing import scrub_promotion
from apps.runs.imports.services.importing import import_documents
from apps.runs.models import Conversation
from apps.tenants.models import Tenant

NOW = datetime(2026, 11, 24, 10, 30, tzinfo=UTC)
SAID = (
    "Hi, this is Wanjiku Kamau, 0712 345 678",
    "Karibu Wanjiku!",
    "I want braids on Friday at ten, please",
    "KES 900",
)


def posted(id: str = "chat-1", *words: str, **more: Any) -> uuid.UUID:
    turns = [{"role": ("user", "assistant")[n % 2], "content": one} for n, one in enumerate(words or SAID)]
    document = {"id": id, "turns": turns, "customer": {"names": ["Wanjiku Kamau"]}, "ended": True} | more
    return take_conversation(raw=document, now=NOW).conversation_id


def thumbs_down(conversation: uuid.UUID, id: str = "f-1", comment: str = "", now: datetime = NOW) -> None:
    body = {"id": id, "conversation_id": str(conversation), "rating": "down", "comment": comment}
    take_feedback(body=body, now=now)


def imported(*words: str) -> uuid.UUID:
    turns = tuple(
        Utterance(role=(TurnRole.USER, TurnRole.ASSISTANT)[n % 2], content=one) for n, one in enumerate(words)
    )
    run = import_documents(
        documents=[ConversationDocument(id="c", turns=turns)], name="n", triggered_by="test", now=NOW
    )
    return uuid.UUID(str(Conversation.objects.get(run_id=run).pk))


def promote(conversation: uuid.UUID, **more: Any):
    return promote_conversation(conversation_id=conversation, by="amina", now=NOW, **more)


@pytest.fixture(autouse=True)
def _inside(tenant: str) -> None:
    """All of it in a tenant, rolled back."""
    Tenant.objects.filter(slug=tenant).update(vertical="salon")
    Criterion.objects.create(name="price_clarity")


def test_a_conversation_becomes_a_candidate_with_tokens_where_a_person_was() -> None:
    conversation = posted()
    thumbs_down(conversation, comment="call me, 0712345678")
    made = promote(conversation, must_not=[{"criterion": "price_clarity", "below": 6}], feedback_id="f-1")

    scenario = Scenario.objects.get(pk=made.scenario_id)
    assert (made.created, made.blocked, scenario.status) == (True, False, "candidate")
    assert scenario.opening == "Hi, this is <name>, +254 7** *** 678"
    assert "“I want braids on Friday at ten, please”" in scenario.goal
    assert (scenario.language, scenario.origin) == ("en", "production")
    assert scenario.must_not == [{"criterion": "price_clarity", "below": 6.0}]
    feedback = str(Feedback.objects.get().pk)
    assert scenario.provenance["feedback"] == [feedback]
    assert scenario.provenance["conversation_id"] == str(conversation)
    row = Promotion.objects.get()
    assert [turn["content"] for turn in row.transcript][:2] == [scenario.opening, "Karibu <name>!"]
    assert [(one["kind"], one["text"]) for one in row.signals] == [("thumbs_down", "call me, +254 7** *** 678")]
    stored = f"{scenario.__dict__} {row.__dict__}"
    for person in ("Wanjiku", "Kamau", "345 678", "712345678"):
        assert person not in stored


def test_a_candidate_says_which_prompt_its_conversation_met() -> None:
    made = promote(posted(prompt_version="booking@a1b2c3d"))
    assert Scenario.objects.get(pk=made.scenario_id).provenance["prompt_version"] == "booking@a1b2c3d"


def test_asking_again_changes_nothing() -> None:
    conversation = posted()
    first = promote(conversation)
    again = promote(conversation, must_not=[{"criterion": "price_clarity", "below": 6}])

    assert (again.scenario_id, again.created) == (first.scenario_id, False)
    assert Scenario.objects.get().must_not == []
    assert Promotion.objects.count() == 1


def test_any_conversation_can_become_a_test_and_is_masked_with_the_names_of_its_document_and_of_the_team() -> None:
    get_user_model().objects.create(username="njeri", first_name="Njeri", last_name="Otieno")
    conversation = imported("I am Achieng, Njeri knows me", "Hello Achieng", "Book me a manicure for Saturday")
    Conversation.objects.filter(pk=conversation).update(extra={"customer": {"names": ["Achieng"]}})
    made = promote(conversation)

    scenario = Scenario.objects.get(pk=made.scenario_id)
    assert scenario.opening == "I am <name>, <name> knows me"
    assert Promotion.objects.get().signals[-1]["kind"] == "by_hand"


def test_what_cannot_become_a_test_is_refused_with_its_reason_and_nothing_is_written() -> None:
    silent = imported("", "Hello?")
    running = posted("open", ended=False)
    cases = [
        (uuid.uuid4(), {}, NotFound, "not_found"),
        ("no id", {}, NotFound, "not_found"),
        (running, {}, Conflict, "not_ended"),
        (silent, {}, BadInput, "nothing_said"),
        (posted("a"), {"must_not": [{"criterion": "nobody", "below": 6}]}, BadInput, "unknown_criterion"),
        (posted("b"), {"must_not": [{"criterion": "price_clarity", "below": 60}]}, BadInput, "invalid"),
        (posted("d"), {"feedback_id": "of somebody else"}, BadInput, "unknown_feedback"),
    ]
    for conversation, more, kind, code in cases:
        with pytest.raises(kind) as error:
            promote(conversation, **more)
        assert error.value.code == code
    assert Promotion.objects.count() == Scenario.objects.count() == 0


@pytest.mark.parametrize("vertical", ["dental", "physio", "medical", "legal"])
def test_verticals_that_nobody_decided_about_are_blocked_in_the_words_of_the_decision(tenant: str, vertical: str):
    Tenant.objects.filter(slug=tenant).update(vertical=vertical)
    with pytest.raises(Conflict, match=f"Vertical '{vertical}' requires the future privacy ADR's") as error:
        promote(posted())
    assert error.value.code == "vertical_blocked"
    assert Promotion.objects.count() == 0


def test_an_unknown_vertical_is_refused(tenant: str):
    Tenant.objects.filter(slug=tenant).update(vertical="dentist")
    with pytest.raises(BadInput) as error:
        promote(posted())
    assert error.value.code == "unknown_vertical"


def test_near_duplicates_are_one_family() -> None:
    first = promote(posted("a", "Hi, I want braids on Friday at ten, please", "ok", "thank you"))
    second = promote(posted("b", "I want braids on Friday at ten please, is it free?", "no"))
    other = promote(posted("d", "Bei ya kunyoa ni ngapi, na mko wapi?", "Westlands"))

    families = {one.slug: one.family_name for one in Scenario.objects.all()}
    assert families == {first.slug: first.slug, second.slug: first.slug, other.slug: other.slug}


def test_what_masking_left_blocks_every_door_until_a_person_clears_it() -> None:
    made = promote(
        posted("a", "call me on zero seven one two three four five six seven eight"),
        must_not=[{"criterion": "price_clarity", "below": 6}],
    )
    row = Promotion.objects.get()
    assert made.blocked
    assert [one["kind"] for one in row.residues] == ["spelled"]
    for release in (
        lambda: release_candidate(promotion_id=row.pk, by="amina", now=NOW),
        lambda: release_scenario(scenario_id=made.scenario_id, by="amina", now=NOW),
    ):
        with pytest.raises(Conflict) as error:
            release()
        assert error.value.code == "masking_not_cleared"

    clear_masking(promotion_id=row.pk, by="amina", now=NOW)
    clear_masking(promotion_id=row.pk, by="somebody else", now=NOW + timedelta(days=1))
    release_candidate(promotion_id=row.pk, by="amina", now=NOW)

    row.refresh_from_db()
    assert (row.cleared_by, row.cleared_at) == ("amina", NOW)
    assert row.residues == [{"kind": "spelled", "turn": 0}]
    assert Scenario.objects.get().status == ScenarioStatus.RELEASED


def test_nothing_is_released_that_could_not_fail() -> None:
    made = promote(posted())
    row = Promotion.objects.get()
    with pytest.raises(Conflict) as error:
        release_candidate(promotion_id=row.pk, by="amina", now=NOW)
    assert error.value.code == "nothing_must_not_happen"

    forbid_score(promotion_id=row.pk, criterion="price_clarity", below="6,5")
    forbid_score(promotion_id=row.pk, criterion="price_clarity", below="7")
    require_metric(promotion_id=row.pk, metric="EnglishFluencyMetric", threshold="0.8")
    scenario = Scenario.objects.get(pk=made.scenario_id)
    assert scenario.must_not == [{"criterion": "price_clarity", "below": 7.0}]
    assert scenario.assertions == [{"metric": "EnglishFluencyMetric", "threshold": 0.8}]
    drop_expectation(promotion_id=row.pk, metric="EnglishFluencyMetric")
    release_candidate(promotion_id=row.pk, by="amina", now=NOW)
    with pytest.raises(Conflict) as changed:
        forbid_score(promotion_id=row.pk, criterion="price_clarity", below=5)
    assert changed.value.code == "not_a_candidate"
    archive_candidate(promotion_id=row.pk)
    assert Scenario.objects.get().status == ScenarioStatus.ARCHIVED


@pytest.mark.parametrize(
    "ask, code",
    [
        (lambda pk: forbid_score(promotion_id=pk, criterion="nobody", below=6), "unknown_criterion"),
        (lambda pk: forbid_score(promotion_id=pk, criterion="price_clarity", below="much"), "invalid"),
        (lambda pk: forbid_score(promotion_id=pk, criterion="price_clarity", below="nan"), "invalid"),
        (lambda pk: require_metric(promotion_id=pk, metric="<script>", threshold=1), "unknown_metric"),
        (lambda pk: require_metric(promotion_id=pk, metric="EnglishFluencyMetric", threshold=7), "invalid"),
        (lambda pk: clear_masking(promotion_id=uuid.uuid4(), by="a", now=NOW), "not_found"),
    ],
)
def test_what_a_form_sends_is_read_strictly(ask: Any, code: str) -> None:
    promote(posted())
    with pytest.raises(BadInput) as error:
        ask(Promotion.objects.get().pk)
    assert error.value.code == code
    assert Scenario.objects.get().must_not == []


PAID = {"phone": "0712345678", "amount": 900, "customer_name": "Wanjiku"}


def with_a_call(arguments: dict[str, Any]) -> uuid.UUID:
    return posted("calls", turns=[
        {"role": "user", "content": SAID[2]},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "name": "pay", "arguments": arguments}]},
        {"role": "tool", "tool_call_id": "c1", "content": "paid by 0712345678"},
        {"role": "assistant", "content": "Booked."},
    ])  # fmt: skip


def test_calls_of_tools_stand_in_it_masked_with_the_digest_of_what_came() -> None:
    promote(with_a_call(PAID))
    row = Promotion.objects.get()
    (call,) = row.transcript[1]["tool_calls"]
    masked = {"phone": "+254 7** *** 678", "amount": 900, "customer_name": "<name>"}
    assert (call["name"], call["arguments"]["masked"]) == ("pay", masked)
    assert call["arguments"]["hmac_sha256"] == hash_arguments(PAID, key=pseudonyms().arguments_key)
    assert not row.blocked


def test_a_number_said_in_words_in_an_argument_blocks_and_goes_when_nobody_looked() -> None:
    promote(with_a_call({"note": "sifuri saba moja mbili tatu nne tano sita saba nane"}))
    row = Promotion.objects.get()
    assert [one["turn"] for one in row.residues] == [1]
    scrub_promotion(row)
    assert "sifuri" not in str(Promotion.objects.get().transcript)
    assert "hmac_sha256" in str(Promotion.objects.get().transcript)


@pytest.mark.parametrize(
    "call",
    [
        {"name": "pay", "arguments": {"a": "071", "b": "234", "c": "567", "d": "8"}},
        {"name": "zero seven one two three four five six seven eight", "arguments": {}},
        {"name": "pay", "arguments": {"note": "thirty-four million one hundred and two thousand"}},
    ],
)
def test_a_number_in_pieces_of_arguments_or_in_the_name_of_a_tool_blocks(call: dict[str, Any]) -> None:
    conversation = posted("pieces", turns=[
        {"role": "user", "content": SAID[2]}, {"role": "assistant", "content": "ok", "tool_calls": [call]},
    ])  # fmt: skip
    assert promote(conversation).blocked


def test_a_comment_that_may_tell_who_wrote_it_stays_on_the_conversation() -> None:
    conversation = posted()
    thumbs_down(conversation, comment="call zero seven one two three four five six seven eight")
    promote(conversation)
    thumbs_down(conversation, "f-2", comment="still wrong")
    (signal,) = [one for one in Promotion.objects.get().signals if one["kind"] == "thumbs_down"]
    assert "seven" not in signal["text"]
    assert signal["text"].startswith("a comment that may tell")


@pytest.mark.parametrize("written", ["WÀNJIKÙ KÂMAU", "Kam au Wan jiku", "Ванджику", "W@njiku", "W a n j i k u"])
def test_a_listed_name_in_other_letters_is_masked_when_it_comes_and_in_a_comment(written: str) -> None:
    conversation = posted("names", f"Hi, I am {written}", "Karibu", SAID[2])
    thumbs_down(conversation, comment=f"{written} is angry")
    promote(conversation)
    row = Promotion.objects.get()
    assert "<name>" in row.transcript[0]["content"]
    assert "<name>" in Feedback.objects.get().comment
    for part in written.split():
        assert part not in f"{row.transcript} {Feedback.objects.get().comment}" or len(part) < 3


def test_a_name_that_masking_of_before_let_by_is_seen_by_its_digest() -> None:
    conversation = posted("before", "Hi, it is me", "Karibu", SAID[2])
    turns = Conversation.objects.get(pk=conversation)
    Conversation.objects.filter(pk=conversation).update(status="running")
    turns.turns.filter(position=0).update(content="Hi, it is Ванджику")
    Conversation.objects.filter(pk=conversation).update(status="ended")
    assert promote(conversation).blocked


def test_comments_go_with_their_conversation_and_what_has_no_words_is_not_released() -> None:
    conversation = posted()
    thumbs_down(conversation, comment="still wrong")
    promote(conversation, must_not=[{"criterion": "price_clarity", "below": 6}])
    row = Promotion.objects.get()
    scrub_promotion(row)
    assert [one["text"] for one in Promotion.objects.get().signals if one["kind"] == "thumbs_down"] == [""]
    Scenario.objects.update(goal="", opening="")
    with pytest.raises(Conflict) as error:
        release_candidate(promotion_id=row.pk, by="amina", now=NOW)
    assert error.value.code == "nothing_to_play"


def test_the_id_that_a_conversation_was_posted_with_names_it_as_it_does_for_feedback() -> None:
    own = posted("chat-7")
    made = promote("chat-7")
    assert Scenario.objects.get(pk=made.scenario_id).provenance["conversation_id"] == str(own)
    assert not promote(own).created
    with pytest.raises(NotFound):
        promote("chat-8")

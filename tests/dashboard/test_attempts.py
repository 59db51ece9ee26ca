"""A conversation's page: the last attempt, a way to the earlier ones, nudges, and why it ended."""

import re

import pytest

from apps.runs.models import Conversation, Turn
from apps.tenants.context import in_tenant
from tests.dashboard.conftest import make_evaluation, make_run
from tests.dashboard.test_pages import text_of

LINES = [("user", "customer", "Niko tena"), ("user", "nudge", "Bado uko?"), ("assistant", "agent", "Ndiyo, karibu")]


@pytest.fixture
def twice(db):
    with in_tenant("acme"):
        run, (row,) = make_run(1, conversation_status="running")
        Turn.objects.update(attempt=1)
        Conversation.objects.update(attempt=2, status="ended", end_reason="customer_left")
        Turn.objects.bulk_create(
            Turn(conversation=row, attempt=2, position=at, role=role, purpose=purpose, content=text)
            for at, (role, purpose, text) in enumerate(LINES)
        )
        make_evaluation(run, [row])
        return row


def test_the_last_attempt_is_shown_with_a_way_to_the_earlier_one(owner, twice):
    answer = owner.get(f"/conversations/{twice.pk}/")
    text = text_of(answer)
    assert "Attempt 2 · attempt 1" in text
    assert "the customer took leave" in text
    assert "Niko tena" in text
    assert "kusukwa" not in text
    assert 'href="?attempt=1&amp;evaluation=' in answer.content.decode()


def test_a_nudge_is_shown_as_such_and_has_no_number(owner, twice):
    answer = owner.get(f"/conversations/{twice.pk}/")
    assert "nudge, not judged" in text_of(answer)
    html = answer.content.decode()
    assert 'id="turn-1" class="rb-turn rb-assistant"' in html
    assert 'id="turn-2"' not in html


def test_an_earlier_attempt_says_that_it_does_not_count(owner, twice):
    answer = owner.get(f"/conversations/{twice.pk}/?attempt=1")
    text = text_of(answer)
    assert "Attempt 1, which was cut short and does not count · attempt 2" in text
    assert "kusukwa" in text
    assert "Niko tena" not in text
    assert re.search(r'href="\?evaluation=[^"#]+#turn-1"', answer.content.decode()), "evidence is of the last attempt"


@pytest.mark.parametrize("attempt", ["3", "x", "-1"])
def test_an_attempt_that_is_not_there_is_not_found(owner, twice, attempt):
    assert owner.get(f"/conversations/{twice.pk}/?attempt={attempt}").status_code == 404


def test_the_list_of_conversations_counts_the_last_attempt(owner, twice):
    html = owner.get("/admin/runs/conversation/").content.decode()
    assert ">3<" in html
    assert ">5<" not in html

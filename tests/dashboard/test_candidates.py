"""The inbox of candidates: what was said, why it is here, what must not happen again."""

import re
import uuid

import pytest

from apps.catalog.models import Criterion, Scenario
from apps.production.models import Promotion
from apps.production.promotion.queries import candidates as inbox_query
from apps.production.promotion.services.promoting import promote_conversation
from apps.runs.models import Conversation, Turn
from apps.tenants.context import in_tenant
from apps.tenants.models import Tenant
from tests.dashboard.conftest import NOW, make_evaluation, make_run, signed_in
from tests.dashboard.test_pages import text_of

SIGNED = "call me on zero seven one two three four five six seven eight"


@pytest.fixture
def rows(db):
    """Two conversations of a salon that have ended."""
    Tenant.objects.filter(slug="acme").update(vertical="salon")
    with in_tenant("acme"):
        _, rows = make_run(2)
        Criterion.objects.get_or_create(name="price_clarity", defaults={"titles": {"en": "Price clarity"}})
        Conversation.objects.update(ended_at=NOW)
        return rows


def promoted(rows, text="Hi, braids on Friday for Wanjiru at ten please"):
    with in_tenant("acme"):
        run = rows[0].run
        new = Conversation.objects.create(
            run=run, position=run.conversations.count(), external_id=f"c-{uuid.uuid4()}", kind="imported",
            status="ended", ended_at=NOW, extra={"customer": {"names": ["Wanjiru"]}},
        )  # fmt: skip
        Turn.objects.create(conversation=new, position=0, purpose="customer", role="user", content=text)
        return promote_conversation(conversation_id=new.pk, by="amina", now=NOW)


def test_the_button_on_a_conversation_makes_a_candidate(owner, rows):
    page = owner.get(f"/conversations/{rows[0].pk}/")
    assert "Make this a test" in page.content.decode()
    made = owner.post(f"/conversations/{rows[0].pk}/test/", follow=True)
    assert re.search(r"/production/candidates/[0-9a-f-]+/$", made.redirect_chain[-1][0])
    assert "What must not happen again?" in text_of(made)
    again = owner.post(f"/conversations/{rows[0].pk}/test/", follow=True)
    assert "already" in text_of(again)


def test_what_the_judge_found_wrong_is_what_must_not_happen_again(owner, rows):
    with in_tenant("acme"):
        make_evaluation(rows[0].run, rows, states=["scored", "scored"])
    made = owner.post(f"/conversations/{rows[0].pk}/test/", follow=True)
    with in_tenant("acme"):
        row = Promotion.objects.get()
        failed = row.scenario.must_not
    assert [one["kind"] for one in row.signals][:1] in (["failed_criterion"], ["by_hand"])
    for one in failed:
        assert one["criterion"] in made.content.decode()


def test_an_empty_inbox_says_how_the_first_one_comes(owner):
    page = text_of(owner.get("/production/candidates/"))
    assert "No conversation waits to become a test." in page
    assert "Make this a test" in page


def test_a_person_says_what_must_not_happen_and_releases(owner, rows):
    made = promoted(rows)
    address = f"/production/candidates/{made.promotion_id}/"
    inbox = text_of(owner.get("/production/candidates/"))
    assert "1 conversation waits for you to become a test." in inbox
    assert "braids on Friday for" in inbox
    assert "Wanjiru" not in inbox
    assert "say what must not happen again" in inbox
    page = owner.get(address).content.decode()
    assert f'action="{address}release/"' not in page

    refused = owner.post(f"{address}release/", follow=True)
    assert "names nothing that must not happen again" in text_of(refused)
    bad = owner.post(f"{address}forbid/", {"criterion": "price_clarity", "below": "much"}, follow=True)
    assert "must be a number" in text_of(bad)
    owner.post(f"{address}forbid/", {"criterion": "price_clarity", "below": "6"})
    page = owner.get(address)
    assert "Price clarity below 6" in text_of(page)
    assert f'action="{address}release/"' in page.content.decode()
    assert "is a test: amina released it." in text_of(owner.post(f"{address}release/", follow=True))
    with in_tenant("acme"):
        assert Scenario.objects.get(slug=made.slug).released_by == "amina"


def test_what_masking_left_is_shown_and_cleared_by_a_person(owner, rows):
    address = f"/production/candidates/{promoted(rows, SIGNED).promotion_id}/"
    page = text_of(owner.get(address))
    assert "Masking may have left something of a person here" in page
    assert "a number said in words" in page
    owner.post(f"{address}forbid/", {"criterion": "price_clarity", "below": "6"})
    assert "look at it on its page" in text_of(owner.post(f"{address}release/", follow=True))
    assert "masked, cleared by a person" in text_of(owner.post(f"{address}clear/", follow=True))
    assert "is a test" in text_of(owner.post(f"{address}release/", follow=True))


def test_whatever_a_customer_wrote_is_shown_as_words(owner, rows):
    made = promoted(rows, "</td><script>alert(1)</script> {{ 7|add:7 }} \u202eabc <name> braids please")
    for path in ("/production/candidates/", f"/production/candidates/{made.promotion_id}/"):
        html = owner.get(path).content.decode()
        assert "<script>alert(1)" not in html
        assert "&lt;script&gt;alert(1)" in html
        assert "\u202e" not in html


def test_who_may_only_read_sees_no_button_and_is_refused(db, rows):
    made = promoted(rows)
    reader = signed_in("baraka", "view_promotion", "view_conversation", "view_scenario")
    address = f"/production/candidates/{made.promotion_id}/"
    assert "Must not happen" not in reader.get(address).content.decode()
    assert "Make this a test" not in reader.get(f"/conversations/{rows[0].pk}/").content.decode()
    for verb in ("release", "archive", "clear", "forbid", "allow"):
        assert reader.post(f"{address}{verb}/").status_code == 403
    assert reader.post(f"/conversations/{rows[0].pk}/test/").status_code == 403


def test_pages_cost_the_same_queries_however_many_candidates_there_are(owner, rows, django_assert_max_num_queries):
    for number in range(4):
        promoted(rows, f"Hi, braids number {number} please, thank you")
    owner.get("/production/candidates/")
    with django_assert_max_num_queries(25):
        owner.get("/production/candidates/")


def test_conversations_that_are_alike_are_one_row_whose_others_are_listed_and_archived_together(owner, rows):
    wanted = "Hi, braids on Friday for Wanjiru at ten please"
    first, second, third = (promoted(rows, wanted + end) for end in ("", ", is it free?", ", thank you"))
    other = promoted(rows, "Nataka kurudishiwa pesa zangu za jana tafadhali")
    inbox = owner.get("/production/candidates/")
    said = text_of(inbox)
    assert "4 conversations wait for you to become tests. They ask for 2 different things." in said
    assert "and 2 alike" in said
    for one in (first, second, third, other):
        assert f"/production/candidates/{one.promotion_id}/" in inbox.content.decode()
    address = f"/production/candidates/{second.promotion_id}/"
    assert "2 others like this" in text_of(owner.get(address))
    assert "Archived 2 that are like this one" in text_of(owner.post(f"{address}archive/", {"alike": "1"}, follow=True))
    with in_tenant("acme"):
        left = Scenario.objects.filter(status="candidate").values_list("slug", flat=True)
        assert set(left) == {second.slug, other.slug}


def test_candidates_that_are_too_many_to_list_are_counted_and_a_full_list_of_findings_says_so(owner, rows, monkeypatch):
    monkeypatch.setattr(inbox_query, "LISTED", 2)
    words = ["zero", "one", "two", "three", "four"]
    said = (f"call zero seven nine two nine four five {a} {b} please sir thanks" for a in words for b in words)
    many = promoted(rows, ". ".join(said))
    for n in range(2):
        promoted(rows, f"Nataka kurudishiwa pesa zangu za jana tafadhali sana namba {n}")
    inbox = text_of(owner.get("/production/candidates/"))
    assert "3 conversations wait for you to become tests." in inbox
    assert "1 older one comes into view when you have decided about these." in inbox
    page = text_of(owner.get(f"/production/candidates/{many.promotion_id}/"))
    assert "There may be more than these: read all that was said" in page


def test_what_no_rule_found_is_called_that_and_words_that_may_be_names_are_marked(owner, rows):
    made = promoted(rows, "Hi, it is Otieno from Kilimani, KES 500 on Friday please. É vero, <name>?")
    html = owner.get(f"/production/candidates/{made.promotion_id}/").content.decode()
    assert "nothing found by rules; names are found only where listed: read it" in html
    assert "second check clean" not in html
    assert re.findall(r'<mark class="rb-on">(.*?)</mark>', html) == ["Otieno", "Kilimani"]

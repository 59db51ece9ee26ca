"""Working on a config version: see what a judge would be sent, ask it once, compare, go on from there."""

import pytest

from apps.tenants.context import in_tenant
from tests.catalog.samples import NOW, content, criterion_fields, text
from tests.dashboard.conftest import make_run, signed_in
from tests.dashboard.test_pages import queries_of, text_of

CURATOR = ("change_evaluatorconfigversion", "view_evaluatorconfigversion", "view_conversation")


@pytest.fixture
def draft(db):
    from apps.catalog.configs.services.versions import create_draft  # noqa: PLC0415 - see above
    from apps.catalog.models import Criterion  # noqa: PLC0415 - apps are loaded by pytest-django

    with in_tenant("acme"):
        for name in ("first", "second"):
            Criterion.objects.create(name=name, **criterion_fields(offline_rule="brevity"))
        return create_draft(config="tea", content=content("first", "second"))


def test_without_a_conversation_the_page_says_what_to_do(owner, draft):
    shown = text_of(owner.get(f"/configs/{draft}/try/"))
    assert "There is no conversation to try it on" in shown
    assert "Import conversations" in shown


def test_the_prompt_is_shown_word_for_word_for_the_latest_or_the_named_conversation(owner, draft):
    with in_tenant("acme"):
        _, rows = make_run(3)
    html = owner.get(f"/configs/{draft}/try/").content.decode()
    assert "System message" in html
    assert "kusukwa" in html
    assert "<b>kusukwa" not in html
    named = text_of(owner.get(f"/configs/{draft}/try/?conversation=b-0001"))
    assert "“b-0001”" in named
    swahili = text_of(owner.get(f"/configs/{draft}/try/?conversation={rows[0].pk}&language=sw"))
    assert "“b-0000”" in swahili
    assert "Ni nzuri?" in swahili
    assert "There is no conversation named “moon”" in text_of(owner.get(f"/configs/{draft}/try/?conversation=moon"))


def test_a_dry_run_of_a_draft_shows_scores_and_reasons_and_stores_no_judgement(owner, draft):
    from apps.budgets.models import ModelCall  # noqa: PLC0415 - see draft
    from apps.evaluations.models import Judgement  # noqa: PLC0415 - see draft

    with in_tenant("acme"):
        _, rows = make_run(1)
    asked = {"conversation": str(rows[0].pk)}
    shown = text_of(owner.post(f"/configs/{draft}/try/", asked))
    assert "“b-0000” scores 10.0 with tea@1" in shown
    assert "offline-rules" in shown
    part = owner.post(f"/configs/{draft}/try/", asked, headers={"HX-Request": "true"}).content.decode()
    assert part.lstrip().startswith('<div id="rb-result"')
    with in_tenant("acme"):
        assert set(ModelCall.objects.values_list("purpose", flat=True)) <= {"dry_run"}
        assert not Judgement.objects.exists()


def test_what_is_wrong_is_said_and_no_error_page(owner, draft):
    from apps.catalog.configs.services.versions import update_draft  # noqa: PLC0415 - see draft

    with in_tenant("acme"):
        make_run(1)
        update_draft(version_id=draft, content=content())
    assert "has no criteria yet" in text_of(owner.get(f"/configs/{draft}/try/"))
    with in_tenant("acme"):
        judge = {"judge": {"provider": "openai", "model": "gpt-x"}}
        update_draft(version_id=draft, content=content("first", llm_config=judge))
    shown = text_of(owner.post(f"/configs/{draft}/try/", {"conversation": "b-0000"}))
    assert "Nobody was asked" in shown


def test_only_who_may_change_versions_may_try_them_and_spend(draft):
    with in_tenant("acme"):
        make_run(1)
    viewer = signed_in("viewer", "view_evaluatorconfigversion", "view_conversation", "view_evaluation")
    curator = signed_in("curator", *CURATOR, "add_evaluation")
    stingy = signed_in("stingy", *CURATOR)
    asked = {"conversation": "b-0000"}
    assert [one.get(f"/configs/{draft}/try/").status_code for one in (viewer, curator, stingy)] == [403, 200, 200]
    assert [one.post(f"/configs/{draft}/try/", asked).status_code for one in (viewer, curator, stingy)] == [
        403,
        200,
        403,
    ]
    assert viewer.get(f"/configs/{draft}/compare/").status_code == 200
    assert viewer.post(f"/configs/{draft}/new-version/").status_code == 403
    neighbour = signed_in("neighbour", host="beta.localhost", superuser=True)
    assert neighbour.get(f"/configs/{draft}/try/").status_code == 404
    assert neighbour.get(f"/configs/{draft}/compare/").status_code == 404
    assert neighbour.post(f"/configs/{draft}/new-version/").status_code == 404


def test_two_versions_stand_side_by_side_with_what_changed_first(owner, draft):
    from apps.catalog.configs.services.versions import publish, update_draft  # noqa: PLC0415 - see draft
    from apps.catalog.models import Criterion, EvaluatorConfigVersion  # noqa: PLC0415 - see draft

    assert "is the only version" in text_of(owner.get(f"/configs/{draft}/compare/"))
    with in_tenant("acme"):
        publish(version_id=draft, at=NOW)
    assert owner.get(f"/configs/{draft}/new-version/").status_code == 405
    answer = owner.post(f"/configs/{draft}/new-version/", follow=True)
    assert "A new draft with the same content" in text_of(answer)
    with in_tenant("acme"):
        newer = EvaluatorConfigVersion.objects.get(number=2).pk
    assert "tea@2 and tea@1 judge the same" in text_of(owner.get(f"/configs/{newer}/compare/"))
    with in_tenant("acme"):
        Criterion.objects.filter(name="first").update(texts={"en": text("Is it hot?")})
        changed = content("first", system_prompt_template="You judge.\nBe strict.")
        update_draft(version_id=newer, content={**changed, "pass_marks": {"first": 7}})
    shown = text_of(owner.get(f"/configs/{newer}/compare/"))
    assert "tea@2 differs from tea@1 in 2 criteria in what is judged" in shown
    assert "the wording of 1 criterion" in shown
    assert "the prompt" in shown
    assert "weight 1, pass mark 6 weight 1, pass mark 7" in shown
    assert "Is it hot?" in shown
    assert "− removed" in shown
    assert owner.get(f"/configs/{newer}/compare/?with={newer}").status_code == 404
    page = owner.get(f"/configs/{newer}/").content.decode()
    for address in (f"/configs/{newer}/try/", f"/configs/{newer}/compare/", f"/configs/{newer}/new-version/"):
        assert address in page


def test_trying_comparing_and_starting_cost_the_same_queries_at_3_and_at_60_conversations(owner, draft):
    costs = []
    for n in (3, 60):
        with in_tenant("acme"):
            make_run(n, name=f"run of {n}")
        pages = (f"/configs/{draft}/try/", f"/configs/{draft}/compare/", "/runs/start/")
        costs.append([queries_of(owner, page) for page in pages])
    assert costs[0] == costs[1]
    assert max(costs[1]) <= 16, costs[1]

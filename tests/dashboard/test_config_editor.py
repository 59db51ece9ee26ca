"""The editor of a config version: rows with texts and titles, tried beside the published one by a worker, and published
after the difference was shown."""

import pytest
from django.utils import timezone

from apps.tenants.context import in_tenant
from tests.catalog.samples import NOW, content, criterion_fields
from tests.dashboard.conftest import make_run, signed_in
from tests.dashboard.test_pages import queries_of, text_of

VIEW = ("view_evaluatorconfigversion", "view_conversation")
WRITE = (*VIEW, "change_evaluatorconfigversion", "add_evaluatorconfigversion", "add_evaluation")


@pytest.fixture
def versions(db):
    """tea@1, published, judges by `first`; tea@2, a draft, by both and with `first` weighing more."""
    from apps.catalog.configs.services.versions import create_draft, publish  # noqa: PLC0415 - see above
    from apps.catalog.models import Criterion  # noqa: PLC0415 - apps are loaded by pytest-django

    with in_tenant("acme"):
        titles = {"en": "Short replies", "sw": "Majibu mafupi"}
        Criterion.objects.create(name="first", **criterion_fields(offline_rule="brevity"), titles=titles)
        Criterion.objects.create(name="second", **criterion_fields(offline_rule="brevity"))
        old = create_draft(config="tea", content=content("first"))
        publish(version_id=old, at=NOW, by="amina")
        heavier = content("first", "second")
        heavier["criteria"]["weights"] = {"first": 1.5}
        return old, create_draft(config="tea", content=heavier)


def work():
    """What a worker does with what the buttons asked for."""
    from apps.jobs.services.interactive import run_due  # noqa: PLC0415 - see versions

    with in_tenant("acme"):
        while run_due(now=timezone.now, until=timezone.now()):
            pass


def test_rows_carry_titles_in_the_readers_language_and_what_differs(owner, versions):
    _, draft = versions
    shown = text_of(owner.get(f"/configs/{draft}/"))
    assert "Draft @2 of tea: 2 changes against @1, not tried yet" in shown
    assert "Short replies first" in shown
    assert "weight 1 → 1.5" in shown
    swahili = text_of(owner.get(f"/configs/{draft}/", headers={"Accept-Language": "sw-KE, en;q=0.5"}))
    assert "Majibu mafupi first" in swahili
    assert "not tried" in text_of(owner.get(f"/configs/{draft}/publish/"))


def test_dry_runs_are_owed_done_by_a_worker_and_shown_beside_the_published_version(owner, versions):
    from apps.budgets.models import ModelCall  # noqa: PLC0415 - see versions
    from apps.evaluations.models import Judgement  # noqa: PLC0415 - see versions

    _, draft = versions
    with in_tenant("acme"):
        _, rows = make_run(4)
    asked = owner.post(f"/configs/{draft}/dry-runs/", {"conversation": [str(row.pk) for row in rows[:3]]}, follow=True)
    assert "0 of 3 conversations tried" in text_of(asked)
    assert 'hx-trigger="every 2s"' in asked.content.decode()
    work()
    shown = text_of(owner.get(f"/configs/{draft}/", headers={"HX-Request": "true"}))
    assert "b-0002" in shown
    assert "Stored as no judgement" in shown
    with in_tenant("acme"):
        assert not Judgement.objects.exists()
        assert set(ModelCall.objects.values_list("purpose", flat=True)) <= {"dry_run"}
    page = text_of(owner.get(f"/configs/{draft}/"))
    assert "not tried" not in page
    changed = {
        f"rows-{at}-{key}": value
        for at, name in enumerate(("first", "second"))
        for key, value in {"name": name, "kind": "domain", "domain": "tea", "used": "on", "weight": "2"}.items()
    }
    rest = {"rubric_language": "en", "prompt_language": "en", "reason_language": "en", "max_output_tokens": "4096"}
    roles = {"roles-judge-provider": "offline", "roles-judge-model": "offline-rules"}
    assert owner.post(f"/configs/{draft}/", {**changed, **rest, **roles}).status_code == 302
    assert "changed since it was tried" in text_of(owner.get(f"/configs/{draft}/"))


@pytest.mark.parametrize("chosen, words", [(1, "3 to 20 conversations, not on 1"), (21, "not on 21")])
def test_too_few_or_too_many_conversations_are_refused_in_words(owner, versions, chosen, words):
    from apps.jobs.models import InteractiveJob  # noqa: PLC0415 - see versions

    with in_tenant("acme"):
        _, rows = make_run(21)
    answer = owner.post(
        f"/configs/{versions[1]}/dry-runs/", {"conversation": [str(row.pk) for row in rows[:chosen]]}, follow=True
    )
    assert words in text_of(answer)
    for wrong in ({"conversation": "moon"}, {"named": "moon"}):
        assert owner.post(f"/configs/{versions[1]}/dry-runs/", wrong).status_code == 302
    with in_tenant("acme"):
        assert not InteractiveJob.objects.exists()


def test_the_judge_is_checked_by_a_button_and_a_worker(owner, versions):
    _, draft = versions
    shown = text_of(owner.post(f"/configs/{draft}/judge-check/", follow=True))
    assert "The judge is being asked" in shown
    work()
    assert "of the known answers" in text_of(owner.get(f"/configs/{draft}/", headers={"HX-Request": "true"}))


def test_publishing_shows_the_difference_first_and_a_failed_judge_wants_a_reason(owner, versions):
    from apps.catalog.configs.queries.judges import digest_of_judge, model_in_force  # noqa: PLC0415 - see versions
    from apps.catalog.configs.queries.versions import content_of  # noqa: PLC0415 - see versions
    from apps.catalog.models import EvaluatorConfigVersion, JudgeCheck  # noqa: PLC0415 - see versions

    _, draft = versions
    confirm = text_of(owner.get(f"/configs/{draft}/publish/"))
    assert "weight 1, pass mark 6 weight 1.5, pass mark 6" in confirm
    with in_tenant("acme"):
        row = EvaluatorConfigVersion.objects.get(pk=draft)
        found = content_of(row)
        digest = digest_of_judge(
            found.models().get("judge") or model_in_force("judge"), template="", parameters=found.settings()
        )
        figures = {"shortfalls": ["agreement 40 %"], "agreement": 0.4, "valid": 1.0}
        JudgeCheck.objects.create(version=row, judge_digest=digest, passed=False, figures=figures)
    refused = owner.post(f"/configs/{draft}/publish/")
    assert refused.status_code == 422
    assert "Nothing was published" in refused.content.decode()
    assert owner.post(f"/configs/{draft}/publish/", {"despite": "the only one there is"}).status_code == 302
    with in_tenant("acme"):
        row.refresh_from_db()
    assert (row.status, row.published_by) == ("published", "amina")
    assert "the only one there is (amina)" in row.note
    assert "is published and in use" in text_of(owner.get(f"/configs/{draft}/"))


def test_who_may_only_read_sees_no_button_and_presses_none(versions):
    viewer, writer = signed_in("viewer", *VIEW), signed_in("writer", *WRITE)
    for version in versions:
        page = viewer.get(f"/configs/{version}/")
        assert page.status_code == 200
        assert "<button" not in page.content.decode().partition('<div class="rb"')[2].partition("</main>")[0]
        for verb in ("", "dry-runs/", "judge-check/", "publish/", "retire/", "new-version/"):
            assert viewer.post(f"/configs/{version}/{verb}").status_code == 403, verb
    assert writer.get(f"/configs/{versions[1]}/").content.decode().count("<button") > 3
    neighbour = signed_in("neighbour", host="beta.localhost", superuser=True)
    for verb in ("", "publish/"):
        assert neighbour.get(f"/configs/{versions[1]}/{verb}").status_code == 404
    for verb in ("dry-runs/", "judge-check/", "retire/"):
        assert neighbour.post(f"/configs/{versions[1]}/{verb}").status_code in (302, 404)
    with in_tenant("beta"):
        from apps.jobs.models import InteractiveJob  # noqa: PLC0415 - see versions

        assert not InteractiveJob.objects.exists()


def test_the_page_costs_the_same_for_few_and_many(owner, versions):
    from apps.catalog.configs.services.versions import new_version_from  # noqa: PLC0415 - see versions
    from apps.catalog.models import Criterion  # noqa: PLC0415 - see versions

    costs = []
    for n in (3, 40):
        with in_tenant("acme"):
            make_run(n, name=f"run of {n}")
            for at in range(n):
                Criterion.objects.create(name=f"more-{n}-{at}", **criterion_fields())
            new_version_from(version_id=versions[0])
        costs.append(queries_of(owner, f"/configs/{versions[1]}/"))
    assert costs[0] == costs[1]
    assert costs[1] <= 40


def test_what_a_blocking_criterion_stops_is_red_and_first_among_the_candidates(owner, versions):
    from apps.evaluations.models import Evaluation  # noqa: PLC0415 - see versions
    from tests.dashboard.test_headline_traps import Line, judged  # noqa: PLC0415 - see versions

    with in_tenant("acme"):
        judged([Line(score=6.5)], config="tea@1")
        stopped = judged([Line(score=5.9)], config="tea@1", days=1, blocking=True)
        assert Evaluation.objects.get(pk=stopped.pk).snapshot["criteria"][0]["blocking"]
        fine = judged([Line(score=9.0)], config="tea@1", days=2)
        conversations = [str(one.judgements.get().conversation_id) for one in (stopped, fine)]
    html = owner.get(f"/configs/{versions[1]}/").content.decode().split('id="rb-choice"')[1]
    order = [html.index(one) for one in conversations]
    assert order == sorted(order)
    assert "stopped by first" in html


def test_a_dry_run_says_what_it_will_cost_before_it_is_started(owner, versions):
    from apps.catalog.models import EvaluatorConfigVersion  # noqa: PLC0415 - see versions

    with in_tenant("acme"):
        make_run(3)
    assert "About $0.00 for each conversation judged twice" in text_of(owner.get(f"/configs/{versions[1]}/"))
    with in_tenant("acme"):
        judge = {"judge": {"provider": "moon", "model": "m"}}
        EvaluatorConfigVersion.objects.filter(pk=versions[1]).update(llm_config=judge)
    assert "Cost unknown" in text_of(owner.get(f"/configs/{versions[1]}/"))

"""What a tenant is set up with, without a shell: packs, settings, keys, budgets, prompts."""

import re

import pytest

from apps.tenants.context import in_tenant
from apps.tenants.models import Tenant
from tests.dashboard.conftest import make_run, signed_in
from tests.dashboard.test_pages import text_of


def test_a_starter_pack_is_loaded_by_a_button_and_again_changes_nothing(owner):
    from apps.catalog.configs.queries.versions import published_configs  # noqa: PLC0415 - see above
    from apps.catalog.models import Criterion  # noqa: PLC0415 - apps are loaded by pytest-django

    assert "Choose what your agent does" in text_of(owner.get("/packs/"))
    assert "12 scenarios" in text_of(owner.get("/packs/"))
    assert "added." in text_of(owner.post("/packs/", {"pack": "service-booking"}, follow=True))
    with in_tenant("acme"):
        assert "booking-quality" in published_configs()
        before = Criterion.objects.count()
    assert "here already" in text_of(owner.post("/packs/", {"pack": "service-booking"}, follow=True))
    assert "there is no pack" in text_of(owner.post("/packs/", {"pack": "moon"}, follow=True))
    with in_tenant("acme"):
        assert Criterion.objects.count() == before


def settings_form(owner):
    html = owner.get("/settings/").content.decode()
    found = dict(re.findall(r'<input[^>]*?name="([\w-]+)"[^>]*?value="([^"]*)"', html))
    found |= {name: value for value, name in re.findall(r'<input[^>]*?value="([^"]*)"[^>]*?name="([\w-]+)"', html)}
    found |= {
        "certificate_rule": "point",
        "certificate_kappa": "auto",
        "store": "as_is",
        "phase": "1",
        "simulator_review": "on",
    }
    return {name: value for name, value in found.items() if name != "csrfmiddlewaretoken"}


def test_an_owner_changes_the_tenants_settings_on_its_own_host(owner):
    from apps.tenants.queries import workflow_config  # noqa: PLC0415 - see above

    form = settings_form(owner)
    assert form["pass_mark"] == "6.0"
    refused = owner.post("/settings/", {**form, "pass_mark": "11"})
    assert refused.status_code == 422
    assert "pass_mark" in refused.context["form"].errors
    for name in ("calibration_owner", "calibration_config"):
        unknown = owner.post("/settings/", {**form, name: "nobody-here"})
        assert unknown.status_code == 422
        assert list(unknown.context["form"].errors) == [name]
    changed = {"pass_mark": "6.5", "calibration_owner": "amina", "store": "masked", "budget_month_usd": "40"}
    changed |= {"models-judge-provider": "offline", "models-judge-model": "offline-rules"}
    assert owner.post("/settings/", {**form, **changed}).status_code == 302
    found, beta = workflow_config("acme"), workflow_config("beta")
    assert (found.pass_mark, found.calibration_owner, found.store, found.budget_month_usd) == (
        6.5, "amina", "masked", 40,
    )  # fmt: skip
    assert found.models["judge"].provider == "offline"
    assert (beta.pass_mark, beta.calibration_owner) == (6.0, "")


def test_a_phase_3_of_earlier_days_is_shown_and_saved_as_2(owner):
    Tenant.objects.filter(slug="acme").update(settings={"phase": 3})
    html = owner.get("/settings/").content.decode()
    options = html.partition('name="phase"')[2].partition("</select>")[0]
    assert re.findall(r'<option value="(\d)" selected', options) == ["2"]


@pytest.mark.parametrize("model, prefix", [("apikey", "rk_"), ("webhookkey", "whsec_")])
def test_a_key_is_made_shown_once_and_revoked_in_the_browser(owner, model, prefix):
    from apps.api.models import ApiKey, WebhookKey  # noqa: PLC0415 - see above

    table = ApiKey if model == "apikey" else WebhookKey
    form = {"name": "runner", "may_read": "on", "expires_at_0": "", "expires_at_1": ""}
    made = owner.post(f"/admin/api/{model}/add/", form)
    secret = re.search(rf'value="({prefix}[^"]+)"', made.content.decode())
    assert made.status_code == 200
    assert secret is not None
    assert "no-store" in made["Cache-Control"]
    with in_tenant("acme"):
        key = table.objects.get(name="runner")
    for page in (f"/admin/api/{model}/", f"/admin/api/{model}/{key.pk}/change/"):
        assert secret[1] not in owner.get(page).content.decode()
    if model == "apikey":
        bearer = {"host": "acme.localhost", "authorization": f"Bearer {secret[1]}"}
        assert owner.get("/api/v1/evaluations/", headers=bearer).status_code == 200
        nothing = owner.post(f"/admin/api/{model}/add/", {**form, "may_read": ""})
        assert "Tick at least one of reading" in nothing.content.decode()
    assert "Revoke this key" in owner.get(f"/admin/api/{model}/{key.pk}/change/").content.decode()
    owner.post(f"/admin/api/{model}/", {"action": "revoke", "_selected_action": str(key.pk), "index": "0"})
    with in_tenant("acme"):
        assert table.objects.get(pk=key.pk).revoked_at is not None
    assert "Revoke this key" not in owner.get(f"/admin/api/{model}/{key.pk}/change/").content.decode()


def test_a_budget_is_changed_from_the_page_that_shows_it(owner):
    from apps.budgets.models import Budget  # noqa: PLC0415 - see above

    with in_tenant("acme"):
        run, _ = make_run(1)
    shown = owner.get("/usage/").content.decode()
    assert 'action="/usage/budget/"' in shown
    assert "set_budget" not in shown
    asked = {"scope": f"run {run.pk}"}
    assert "2.50 dollars" in text_of(owner.post("/usage/budget/", {**asked, "usd": "2,50"}, follow=True))
    with in_tenant("acme"):
        assert float(Budget.objects.get(kind="run").limit_usd) == 2.5
    for wrong in ({**asked, "usd": "lots"}, {**asked, "usd": "-1"}, {"scope": "moon", "usd": "1"}):
        owner.post("/usage/budget/", wrong)
    with in_tenant("acme"):
        assert float(Budget.objects.get(kind="run").limit_usd) == 2.5
    assert "as the settings say" in text_of(owner.post("/usage/budget/", {**asked, "usd": ""}, follow=True))


def test_a_prompt_is_read_with_its_versions_and_what_changed(owner):
    from apps.catalog.models import PromptVersion  # noqa: PLC0415 - see above
    from apps.catalog.prompts.services.recording import record_prompt_text  # noqa: PLC0415 - see above

    with in_tenant("acme"):
        for revision, text in (("a1", "Greet.\nBe short."), ("b2", "Greet <b>warmly</b>.\nBe short.")):
            record_prompt_text(name="greeting", text=text, revision=revision)
        old, new = (PromptVersion.objects.get(version=f"greeting@{one}").pk for one in ("a1", "b2"))
    assert owner.get(f"/admin/catalog/promptversion/{new}/change/")["location"] == f"/prompts/{new}/"
    html = owner.get(f"/prompts/{new}/").content.decode()
    assert "Greet &lt;b&gt;warmly" in html
    assert "<b>warmly" not in html
    shown = text_of(owner.get(f"/prompts/{new}/"))
    assert "greeting@b2 is the live prompt of greeting" in shown
    assert "against greeting@a1" in shown
    assert "against greeting@b2" in text_of(owner.get(f"/prompts/{old}/?with={new}"))
    assert owner.get(f"/prompts/{old}/?with={old}").status_code == 404


def test_one_press_goes_back_to_an_earlier_prompt_and_a_viewer_has_no_such_button(owner):
    from apps.catalog.models import PromptVersion  # noqa: PLC0415 - see above
    from apps.catalog.prompts.queries.versions import live_prompt  # noqa: PLC0415 - see above
    from apps.catalog.prompts.services.recording import record_prompt_text  # noqa: PLC0415 - see above

    with in_tenant("acme"):
        record_prompt_text(name="greeting", text="Greet.", revision="a1")
        record_prompt_text(name="greeting", text="Greet warmly.", revision="b2")
        record_prompt_text(name="greeting", text="Greet and sell.", revision="c3", draft=True)
        pages = {row.version: f"/prompts/{row.pk}/" for row in PromptVersion.objects.all()}
    viewer = signed_in("viewer", "view_promptversion")
    assert "greeting@c3 is not live: greeting@b2 is" in text_of(owner.get(pages["greeting@c3"]))
    assert "Make it live" not in text_of(viewer.get(pages["greeting@a1"]))
    assert viewer.post(f"{pages['greeting@a1']}live/").status_code == 403
    shown = text_of(owner.post(f"{pages['greeting@a1']}live/", follow=True))
    assert "greeting@a1 is the live prompt of greeting" in shown
    assert "Make it live" not in shown
    with in_tenant("acme"):
        assert live_prompt("greeting") == "greeting@a1"


def test_only_owners_make_keys_change_settings_and_raise_budgets(db):
    curator = signed_in("curator", "view_criterion", "add_criterion", "view_modelcall")
    assert curator.get("/settings/").status_code == 403
    assert curator.post("/settings/", {}).status_code == 403
    assert curator.post("/usage/budget/", {"scope": "tenant", "usd": "1"}).status_code == 403
    assert 'action="/usage/budget/"' not in curator.get("/usage/").content.decode()
    for model in ("apikey", "webhookkey"):
        assert curator.get(f"/admin/api/{model}/add/").status_code == 403
    assert curator.get("/packs/").status_code == 403


def test_an_evaluation_that_ends_while_its_page_is_read_is_looked_at_again(owner):
    """What was counted before the end is not shown as the end: the page goes on asking."""
    from django.db import connection  # noqa: PLC0415 - see above

    from apps.evaluations.models import Evaluation, Judgement  # noqa: PLC0415 - see above
    from tests.dashboard.conftest import make_evaluation  # noqa: PLC0415 - see above

    with in_tenant("acme"):
        run, rows = make_run(1)
        evaluation = make_evaluation(run, rows, states=("pending",), status="running")
    ended: list[str] = []

    def end_after_the_counts(execute, sql, params, many, context):
        answer = execute(sql, params, many, context)
        if not ended and "evaluations_judgement" in sql:
            ended.append(sql)
            Judgement.objects.filter(evaluation=evaluation).update(status="scored", weighted_score=8.0)
            Evaluation.objects.filter(pk=evaluation.pk).update(status="completed")
        return answer

    with connection.execute_wrapper(end_after_the_counts):
        html = owner.get(f"/evaluations/{evaluation.pk}/").content.decode()
    assert ended
    assert 'hx-trigger="every 3s"' in html


def test_the_settings_mark_no_field_as_needed_and_choose_reviews_from_a_list(owner, db):
    html = owner.get("/settings/").content.decode()
    assert "(needed)" not in html
    assert '<option value="rules">by rules alone</option>' in html

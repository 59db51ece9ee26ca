"""The platform's pages: who may, what is refused and at which field, and what is done when nothing is."""

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from apps.core.errors import RatibaError
from apps.tenants import queries, services
from apps.tenants.context import in_tenant
from apps.tenants.models import Tenant

HOST = "platform.localhost"
URLCONF = "ratiba_eval.urls_public"
LIST = "/admin/tenants/tenant/"


def address(slug: str, page: str = "change") -> str:
    return f"{LIST}{Tenant.objects.get(slug=slug).pk}/{page}/"


def operator(*permissions: str, superuser: bool = False) -> Client:
    """A browser of somebody of the public schema."""
    from django.contrib.auth.models import Permission, User  # noqa: PLC0415 - apps are loaded by pytest-django

    client = Client(headers={"host": HOST})
    if superuser:
        user = User.objects.create_superuser("operator")
    else:
        user = User.objects.create_user("clerk", is_staff=True)
        user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    client.force_login(user)
    return client


@pytest.fixture
def boss(db):
    return operator(superuser=True)


def settings_of(page) -> dict:
    """What a browser would send back without touching anything."""
    form = page.context["form"]
    return {name: "" if (value := form[name].value()) is None else value for name in form.fields}


# --- Who may ----------------------------------------------------------------------------------------------------------
PAGES = ("", "add/", "change", "delete", "health")


def where(page: str) -> str:
    if page == "health":
        return "/admin/health/"
    return address("acme", page) if page in ("change", "delete") else f"{LIST}{page}"


@pytest.mark.parametrize("page", PAGES)
def test_strangers_are_sent_to_sign_in(db, page):
    answer = Client(headers={"host": HOST}).get(where(page))
    assert answer.status_code == 302
    assert answer["Location"].startswith("/admin/login/")


@pytest.mark.parametrize("page", PAGES)
def test_staff_without_the_right_are_refused(db, page):
    assert operator().get(where(page)).status_code == 403


def test_a_tenants_owner_has_no_platform_pages_on_any_host(db):
    from django.contrib.auth.models import User  # noqa: PLC0415 - as above

    paths = [where(page) for page in PAGES]
    client = Client(headers={"host": "acme.localhost"})
    with in_tenant("acme"):
        client.force_login(User.objects.create_superuser("owner"))
    assert {client.get(path).status_code for path in paths} == {404}
    assert {client.get(path, headers={"host": HOST}).status_code for path in paths} == {302}


def test_who_may_look_may_change_nothing(db):
    client = operator("view_tenant")
    page = client.get(address("acme"))
    assert page.status_code == 200
    assert b"Save the settings" not in page.content
    assert client.post(address("acme"), settings_of(page)).status_code == 403
    assert client.post(address("acme", "switch"), {"to": "suspended"}).status_code == 403
    assert client.post(address("acme", "delete"), {"typed": "acme"}).status_code == 403
    assert client.post(f"{LIST}add/", {"slug": "gamma", "vertical": "spa"}).status_code == 403
    assert queries.each_ready_tenant() == ["acme", "beta"]


def test_a_form_without_its_token_is_refused(db):
    from django.contrib.auth.models import User  # noqa: PLC0415 - as above

    client = Client(headers={"host": HOST}, enforce_csrf_checks=True)
    client.force_login(User.objects.create_superuser("operator"))
    for page, body in (("delete", {"typed": "acme"}), ("switch", {"to": "suspended"})):
        assert client.post(address("acme", page), body).status_code == 403
    assert queries.each_ready_tenant() == ["acme", "beta"]


# --- The public schema ------------------------------------------------------------------------------------------------
def test_the_public_schema_is_no_tenant_here(boss):
    assert b"public" not in boss.get(LIST).content.split(b"result_list")[-1]
    for page in ("change", "delete", "switch"):
        assert boss.post(address("public", page), {"typed": "public", "to": "suspended"}).status_code in (302, 404)
    with pytest.raises(RatibaError):
        services.suspend_tenant(slug="public")
    public = Tenant.objects.get(schema_name="public")
    assert not public.suspended
    body = {"action": "suspend_chosen", "_selected_action": [public.pk]}
    boss.post(LIST, body)
    assert not Tenant.objects.get(schema_name="public").suspended


# --- List, suspend, open ----------------------------------------------------------------------------------------------
def test_the_list_says_how_things_stand_before_it_shows_them(boss):
    Tenant.objects.filter(slug="beta").update(schema_key="older", ready=False)
    services.suspend_tenant(slug="acme")
    page = boss.get(LIST).content.decode()
    assert "2 tenants" in page
    assert "1 suspended" in page
    assert "1 behind in migrations" in page
    assert "acme.localhost" in page


def test_without_a_tenant_the_list_says_how_to_begin(boss):
    Tenant.objects.exclude(schema_name="public").delete()
    page = boss.get(LIST).content.decode()
    assert "No tenant yet" in page
    assert "Add the first one" in page


def test_the_list_costs_the_same_with_more_tenants(boss, django_assert_max_num_queries):
    from django.test.utils import CaptureQueriesContext  # noqa: PLC0415 - as above

    boss.get(LIST)
    with CaptureQueriesContext(connection) as few:
        boss.get(LIST)
    Tenant.objects.bulk_create(
        Tenant(slug=f"more-{n}", schema_name=f"t_more_{n}", name=f"More {n}", vertical="spa") for n in range(40)
    )
    with django_assert_max_num_queries(len(few)):
        boss.get(LIST)


def test_suspending_closes_a_tenant_and_opening_brings_it_back(boss):
    assert boss.get(address("acme", "switch")).status_code == 405
    boss.post(address("acme", "switch"), {"to": "suspended"})
    assert queries.each_ready_tenant() == ["beta"]
    assert b"is suspended" in boss.get(address("acme")).content
    boss.post(address("acme", "switch"), {"to": "open"})
    assert queries.each_ready_tenant() == ["acme", "beta"]


def test_many_are_suspended_and_opened_from_the_list(boss):
    chosen = list(Tenant.objects.filter(slug__in=["acme", "beta"]).values_list("pk", flat=True))
    boss.post(LIST, {"action": "suspend_chosen", "_selected_action": chosen})
    assert queries.each_ready_tenant() == []
    boss.post(LIST, {"action": "open_chosen", "_selected_action": chosen})
    assert queries.each_ready_tenant() == ["acme", "beta"]
    assert b"delete_selected" not in boss.get(LIST).content


# --- Add --------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "body, field",
    [
        ({"slug": "Ac me", "vertical": "spa"}, "slug"),
        ({"slug": "acme", "vertical": "spa"}, "slug"),
        ({"slug": "public", "vertical": "spa"}, "slug"),
        ({"slug": "gamma", "vertical": "Spa!"}, "vertical"),
        ({"slug": "gamma", "vertical": ""}, "vertical"),
        ({"slug": "gamma", "vertical": "spa", "domains": "acme.localhost"}, "domains"),
        ({"slug": "gamma", "vertical": "spa", "domains": "not a host"}, "domains"),
    ],
)
def test_what_is_wrong_is_said_at_its_field_and_nothing_is_made(boss, body, field):
    answer = boss.post(f"{LIST}add/", body)
    assert answer.status_code == 200
    assert list(answer.context["form"].errors) == [field]
    assert queries.known_slugs() == ["acme", "beta"]


def test_a_tenant_is_added_with_its_own_hosts(committed_db):
    client = operator(superuser=True)
    body = {"slug": "gamma", "name": "", "vertical": "spa", "domains": "Gamma.Example\nwww.gamma.example\n"}
    answer = client.post(f"{LIST}add/", body)
    assert (answer.status_code, answer["Location"]) == (302, address("gamma"))
    made = queries.find_tenant("gamma")
    assert {one.domain for one in made.domains.all()} == {"gamma.example", "www.gamma.example"}
    assert made.ready


# --- Delete -----------------------------------------------------------------------------------------------------------
def test_nothing_is_deleted_before_the_name_is_typed(boss):
    assert b"gone for good" in boss.get(address("acme", "delete")).content
    for typed in ("", "Acme", "beta", "acme x"):
        answer = boss.post(address("acme", "delete"), {"typed": typed})
        assert answer.status_code == 200
        assert answer.context["form"].errors["typed"]
    assert boss.get(address("acme", "delete"), {"typed": "acme"}).status_code == 200
    assert queries.known_slugs() == ["acme", "beta"]


def test_a_tenant_whose_name_was_typed_is_gone_with_its_schema(committed_db):
    client = operator(superuser=True)
    made = services.add_ephemeral_tenant(label="leaving")
    answer = client.post(address(made.slug, "delete"), {"typed": made.slug})
    assert (answer.status_code, answer["Location"]) == (302, LIST)
    assert made.slug not in queries.known_slugs()
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_namespace WHERE nspname = %s", [made.schema_name])
        assert cursor.fetchone()[0] == 0


# --- Settings ---------------------------------------------------------------------------------------------------------
def test_saving_untouched_settings_changes_nothing(boss):
    services.update_workflow_config(slug="acme", changes={"pass_mark": 7, "models": {"judge": {
        "provider": "anthropic", "model": "claude-opus-4-7"}}})  # fmt: skip
    before = queries.find_tenant("acme").settings
    assert boss.post(address("acme"), settings_of(boss.get(address("acme")))).status_code == 302
    assert queries.find_tenant("acme").settings == before


def test_settings_and_models_are_saved_and_what_is_emptied_is_the_default_again(boss):
    body = settings_of(boss.get(address("acme")))
    body |= {
        "pass_mark": "7.5", "battle_stagger_s-0": "0", "battle_stagger_s-1": "2", "budget_month_usd": "",
        "models-judge-provider": "openai", "models-judge-model": "gpt-4",
        "models-judge-fallback-provider": "google", "models-judge-fallback-model": "gemini-2.5-flash",
    }  # fmt: skip
    assert boss.post(address("acme"), body).status_code == 302
    config = queries.workflow_config("acme")
    assert (config.pass_mark, config.battle_stagger_s, config.budget_month_usd) == (7.5, (0.0, 2.0), None)
    assert (config.models["judge"].model, config.models["judge"].fallback.model) == ("gpt-4", "gemini-2.5-flash")
    assert queries.tenant_models("acme") == {"judge"}
    body |= {name: "" for name in body if name.startswith("models-")}
    boss.post(address("acme"), body)
    assert queries.tenant_models("acme") == frozenset()


@pytest.mark.parametrize(
    "wrong, fields",
    [
        ({"pass_mark": "11"}, {"pass_mark"}),
        ({"pass_mark": "six", "kappa_target": "2"}, {"pass_mark", "kappa_target"}),
        ({"max_concurrent_battles": ""}, {"max_concurrent_battles"}),
        ({"battle_stagger_s-0": "9", "battle_stagger_s-1": "3"}, {"battle_stagger_s-1"}),
        ({"battle_stagger_s-1": "301"}, {"battle_stagger_s-1"}),
        ({"calibration_scale": "5-1"}, {"calibration_scale"}),
        ({"models-judge-provider": "openai"}, {"models-judge-model"}),
        (
            {"models-panel-model": "gpt-4", "models-judge-model": "x"},
            {"models-panel-provider", "models-judge-provider"},
        ),
        (
            {"models-judge-provider": "openai", "models-judge-model": "x", "models-judge-fallback-model": "y"},
            {"models-judge-fallback-provider"},
        ),
    ],
)
def test_each_wrong_setting_is_named_at_its_field_and_none_is_saved(boss, wrong, fields):
    body = settings_of(boss.get(address("acme"))) | {"watchdog_minutes": "31"} | wrong
    answer = boss.post(address("acme"), body)
    assert answer.status_code == 200
    assert set(answer.context["form"].errors) == fields
    assert queries.workflow_config("acme").watchdog_minutes == 30


def test_settings_that_cannot_be_read_are_said_and_can_be_mended(boss):
    Tenant.objects.filter(slug="acme").update(settings={"pass_mark": "high"})
    page = boss.get(address("acme"))
    assert b"cannot be read" in page.content
    assert boss.post(address("acme"), settings_of(page)).status_code == 302
    assert queries.workflow_config("acme").pass_mark == 6.0


def test_the_health_page_is_on_the_platforms_host(boss):
    assert reverse("platform_health", URLCONF) == "/admin/health/"
    page = boss.get("/admin/health/").content.decode()
    assert "Oldest waiting work" in page
    assert "2 tenants looked at" in page

"""Host names and the first owner, from the platform's pages: what is refused and why, what is kept of it, and where."""

import re
import threading
from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test import Client

from apps.audit.models import Entry
from apps.core.errors import BadInput, Conflict, NotFound
from apps.tenants import first_owner, host_names, queries, services
from apps.tenants.context import in_tenant
from apps.tenants.models import Domain, Tenant
from tests.tenants.test_platform_admin import address, operator

OWNER = {"username": "amina", "email": "amina@spa.example"}


@pytest.fixture
def boss(db) -> Client:
    return operator(superuser=True)


def names(slug: str = "acme") -> list[str]:
    return host_names.host_names(slug=slug)


# --- Host names -------------------------------------------------------------------------------------------------------
def test_a_host_name_is_added_and_then_leads_to_the_tenant(boss, settings):
    settings.ALLOWED_HOSTS = [".localhost", "acme.example"]
    assert Client(headers={"host": "acme.example"}).get("/admin/").status_code == 404
    answer = boss.post(address("acme", "hosts"), {"domains": "Acme.Example"}, follow=True)
    assert "acme.example leads to acme." in answer.content.decode()
    assert names() == ["acme.localhost", "acme.example"]
    assert Client(headers={"host": "acme.example"}).get("/admin/").status_code == 302
    boss.post(address("acme", "hosts"), {"domains": "acme.example"})
    assert names() == ["acme.localhost", "acme.example"], "adding it again changes nothing"


def test_a_name_that_the_web_server_would_refuse_is_said_to_be_so(boss):
    answer = boss.post(address("acme", "hosts"), {"domains": "acme.example"}, follow=True)
    assert answer.content.decode().count("ALLOWED_HOSTS") >= 1


@pytest.mark.parametrize(
    "wrong, why",
    [
        ("", "required"),
        ("https://acme.example", "is not a host name"),
        ("acme.example:8000", "is not a host name"),
        ("acme example", "is not a host name"),
        ("*.acme.example", "is not a host name"),
        ("-acme.example", "is not a host name"),
        ("x" * 64 + ".example", "is not a host name"),
        ("beta.localhost", "already leads to another tenant"),
        ("platform.localhost", "already leads to another tenant"),
    ],
)
def test_a_wrong_name_is_refused_at_its_field(boss, wrong, why):
    answer = boss.post(address("acme", "hosts"), {"domains": wrong})
    assert answer.status_code == 200
    assert why in " ".join(answer.context["form"].errors["domains"])
    assert names() == ["acme.localhost"]


def test_the_last_name_stays_and_another_becomes_the_main_one(boss):
    answer = boss.post(address("acme", "hosts"), {"remove": "acme.localhost"})
    assert answer.status_code == 200
    assert "is the only host name of acme" in answer.content.decode()
    host_names.add_host_name(slug="acme", domain="acme.example")
    assert boss.post(address("acme", "hosts"), {"remove": "acme.localhost"}).status_code == 302
    assert names() == ["acme.example"]
    assert Domain.objects.get(domain="acme.example").is_primary
    with pytest.raises(Conflict, match="only host name"):
        host_names.remove_host_name(slug="acme", domain="acme.example")


@pytest.mark.parametrize("theirs", ["beta.localhost", "platform.localhost", "nobody.example"])
def test_nobody_elses_name_is_removed(boss, theirs):
    host_names.add_host_name(slug="acme", domain="acme.example")
    answer = boss.post(address("acme", "hosts"), {"remove": theirs})
    assert "does not lead to acme" in answer.content.decode()
    assert names("beta") == ["beta.localhost"]
    with pytest.raises(NotFound):
        host_names.remove_host_name(slug="acme", domain=theirs)
    with pytest.raises((Conflict, BadInput)):
        host_names.remove_host_name(slug="public", domain="platform.localhost")


def test_two_who_remove_the_last_two_at_once_leave_one(committed_db):
    made = services.add_ephemeral_tenant(label="hosts")
    domain = names(made.slug)[0]
    host_names.add_host_name(slug=made.slug, domain=f"two.{domain}")
    ready, said = threading.Barrier(2), []

    def remove(name: str) -> None:
        try:
            ready.wait(5)
            host_names.remove_host_name(slug=made.slug, domain=name)
            said.append("removed")
        except Conflict as error:
            said.append(error.code)
        finally:
            connection.close()

    both = [threading.Thread(target=remove, args=(name,)) for name in (domain, f"two.{domain}")]
    for one in both:
        one.start()
    for one in both:
        one.join()
    assert sorted(said) == ["last_domain", "removed"]
    assert len(names(made.slug)) == 1
    services.delete_tenant(slug=made.slug)


def test_the_platforms_trail_says_who_added_and_who_removed_it(boss):
    boss.post(address("acme", "hosts"), {"domains": "acme.example"})
    boss.post(address("acme", "hosts"), {"remove": "acme.example"})
    kept = list(
        Entry.objects.filter(table_name="tenants_domain", object_text="acme.example")
        .order_by("id")
        .values_list("actor", "action", "object_text")
    )
    assert kept == [("user operator", "added", "acme.example"), ("user operator", "deleted", "acme.example")]


# --- The first owner --------------------------------------------------------------------------------------------------
def password_in(page: str) -> str:
    found = re.search(r'<code class="rb-once">([^<]+)</code>', page)
    assert found, "no password is shown"
    return found[1]


def test_where_to_sign_in_has_the_port_of_the_page(boss):
    host = boss.get(address("acme")).wsgi_request.get_host()
    answer = boss.post(address("acme", "owner"), OWNER, headers={"host": f"{host}:8000"})
    assert b"acme.localhost:8000/admin/" in answer.content


def test_the_first_owner_is_made_and_can_sign_in_with_the_password_shown(boss):
    from django.contrib.auth.models import User  # noqa: PLC0415 - apps are loaded by pytest-django

    assert b"Make its first owner" in boss.get(address("acme")).content
    answer = boss.post(address("acme", "owner"), OWNER)
    assert answer.status_code == 200
    assert "no-store" in answer["Cache-Control"]
    password = password_in(answer.content.decode())
    assert len(password) == 23
    client = Client(headers={"host": "acme.localhost"})
    form = {"username": "amina", "password": password}
    assert client.post("/admin/login/?next=/admin/", form)["Location"] == "/admin/"
    assert client.get("/admin/auth/user/add/").status_code == 200
    assert Client(headers={"host": "beta.localhost"}).post("/admin/login/", form).status_code == 200
    with in_tenant("acme"):
        made = User.objects.get(username="amina")
        assert (made.email, made.is_staff, made.is_superuser) == ("amina@spa.example", True, False)
        assert [group.name for group in made.groups.all()] == ["owner"]
    assert not User.objects.filter(username="amina").exists(), "nobody was made on the platform's own side"


def test_the_password_is_shown_once_and_stands_nowhere(boss):
    password = password_in(boss.post(address("acme", "owner"), OWNER).content.decode())
    again = boss.post(address("acme", "owner"), OWNER | {"username": "second"}).content.decode()
    assert "has an owner already" in again
    for page in (again, *(boss.get(address("acme", one)).content.decode() for one in ("owner", "change", "history"))):
        assert password not in page
    with connection.cursor() as cursor:
        for schema in ("t_acme", "public"):
            cursor.execute(f"SELECT count(*) FROM {schema}.audit_entry e WHERE e::text LIKE %s", [f"%{password}%"])  # noqa: S608 - names of ours
            assert cursor.fetchone()[0] == 0


def test_the_tenants_own_trail_says_that_the_platform_did_it(boss):
    boss.post(address("acme", "owner"), OWNER)
    with in_tenant("acme"):
        kept = Entry.objects.get(table_name="auth_user", action="added")
    assert (kept.actor, kept.object_text) == ("platform user operator", "amina")


@pytest.mark.parametrize(
    "wrong, field",
    [
        ({"username": ""}, "username"),
        ({"username": "two words"}, "username"),
        ({"username": "x" * 151}, "username"),
        ({"username": "juma"}, "username"),
        ({"email": ""}, "email"),
        ({"email": "amina"}, "email"),
    ],
)
def test_a_wrong_person_is_refused_at_the_field(boss, wrong, field):
    from django.contrib.auth.models import User  # noqa: PLC0415 - as above

    with in_tenant("acme"):
        User.objects.create_user("juma")
        before = User.objects.count()
    answer = boss.post(address("acme", "owner"), OWNER | wrong)
    assert list(answer.context["form"].errors) == [field]
    with in_tenant("acme"):
        assert User.objects.count() == before


@pytest.mark.parametrize("who", [{"is_superuser": True}, {"is_superuser": False}])
def test_where_somebody_owns_it_the_platform_has_no_way_in(boss, who):
    from django.contrib.auth.models import Group, User  # noqa: PLC0415 - as above

    with in_tenant("acme"):
        juma = User.objects.create_user("juma", is_staff=True, **who)
        juma.groups.set(Group.objects.filter(name="owner"))
    assert b"has an owner already" in boss.get(address("acme", "owner")).content
    assert b"Make its first owner" not in boss.get(address("acme")).content
    with pytest.raises(Conflict, match="has an owner already"):
        first_owner.make_first_owner(slug="acme", **OWNER)
    with in_tenant("acme"):
        User.objects.filter(username="juma").update(is_active=False)
    assert first_owner.make_first_owner(slug="acme", **OWNER).username == "amina"


def test_a_tenant_that_is_closed_gets_nobody_and_its_page_says_why(boss):
    services.suspend_tenant(slug="acme")
    assert b"is suspended" in boss.get(address("acme", "owner")).content
    assert b"is suspended" in boss.post(address("acme", "owner"), OWNER).content
    Tenant.objects.filter(slug="acme").update(suspended=False, ready=False)
    assert b"is not ready" in boss.post(address("acme", "owner"), OWNER).content
    Tenant.objects.filter(slug="acme").update(ready=True)
    assert not first_owner.has_an_owner(slug="acme")


def test_two_at_once_make_one(committed_db):
    made = services.add_ephemeral_tenant(label="owner")
    ready, said = threading.Barrier(2), []

    def make(username: str) -> None:
        try:
            ready.wait(5)
            said.append(first_owner.make_first_owner(slug=made.slug, username=username, email="a@b.example").username)
        except Conflict as error:
            said.append(error.code)
        finally:
            connection.close()

    both = [threading.Thread(target=make, args=(name,)) for name in ("amina", "juma")]
    for one in both:
        one.start()
    for one in both:
        one.join()
    assert "has_an_owner" in said
    assert len(said) == 2
    assert queries.find_tenant(made.slug).created < datetime.now(UTC)
    services.delete_tenant(slug=made.slug)


# --- Who may ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("page", ["hosts", "owner"])
def test_who_may_only_look_is_refused(db, page):
    client = operator("view_tenant")
    assert client.get(address("acme", page)).status_code == 403
    assert client.post(address("acme", page), OWNER | {"domains": "acme.example"}).status_code == 403
    assert client.post(address("acme", page), {"remove": "acme.localhost"}).status_code == 403
    assert names() == ["acme.localhost"]
    assert not first_owner.has_an_owner(slug="acme")


@pytest.mark.parametrize("page", ["hosts", "owner"])
def test_the_public_schema_has_neither_page(boss, page):
    body = {"remove": "platform.localhost", "domains": "acme.example", **OWNER}
    assert boss.post(address("public", page), body).status_code in (302, 404)
    assert Domain.objects.get(tenant__schema_name="public").domain == "platform.localhost"

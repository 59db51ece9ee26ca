"""A host name leads to one tenant; whoever asks for another learns nothing."""

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext

from apps.dashboard.templatetags.ratiba import exact
from apps.tenants import middleware
from apps.tenants.context import current_schema, in_tenant
from apps.tenants.middleware import TenantMiddleware
from apps.tenants.models import Tenant


def ask(host: str, view) -> HttpResponse:
    return TenantMiddleware(view)(RequestFactory().get("/", headers={"host": host}))


def where(request: HttpRequest) -> HttpResponse:
    return HttpResponse(current_schema())


def test_each_host_has_its_schema_and_the_thread_gets_its_own_back(db):
    assert ask("acme.localhost:8000", where).content == b"t_acme"
    assert ask("beta.localhost", where).content == b"t_beta"
    assert ask("platform.localhost", where).content == b"public"
    assert current_schema() == "public"


def the_time(request: HttpRequest) -> HttpResponse:
    return HttpResponse(exact(datetime(2026, 11, 22, 5, 17, tzinfo=UTC)))


def test_pages_tell_the_time_in_the_tenants_zone_and_name_it(db):
    assert ask("acme.localhost", the_time).content == b"22 Nov 2026 08:17 EAT"
    assert ask("platform.localhost", the_time).content == b"22 Nov 2026 05:17 UTC"
    for zone, told in (("Europe/Rome", b"22 Nov 2026 06:17 CET"), ("Nowhere/At all", b"22 Nov 2026 05:17 UTC")):
        Tenant.objects.filter(slug="acme").update(settings={"time_zone": zone})
        middleware._lookups.clear()
        assert ask("acme.localhost", the_time).content == told


def test_an_error_in_a_page_gives_the_schema_back(db):
    def broken(request):
        raise RuntimeError

    with pytest.raises(RuntimeError):
        ask("acme.localhost", broken)
    assert current_schema() == "public"


def test_a_streamed_body_is_made_in_its_tenant(db):
    answer = ask("acme.localhost", lambda request: StreamingHttpResponse(current_schema() for _ in range(3)))
    assert current_schema() == "public"
    assert b"".join(answer.streaming_content) == b"t_acme" * 3
    assert current_schema() == "public"


@pytest.mark.parametrize("change", [None, {"ready": False}, {"suspended": True}])
def test_unknown_closed_and_suspended_look_the_same(db, change):
    host = "nobody.localhost"
    if change:
        Tenant.objects.filter(slug="acme").update(**change)
        host = "acme.localhost"
    assert Client().get("/admin/", headers={"host": host}).status_code == 404


def test_a_host_is_looked_up_once_a_second_and_hosts_are_never_mixed_up(db, settings, monkeypatch):
    settings.TENANT_LOOKUP_S = 1.0
    clock = [100.0]
    monkeypatch.setattr(middleware, "_lookups", {})
    monkeypatch.setattr(middleware, "monotonic", lambda: clock[0])
    for _ in range(3):  # one connection, two tenants, one after the other
        assert ask("acme.localhost", where).content == b"t_acme"
        assert ask("beta.localhost", where).content == b"t_beta"
    with CaptureQueriesContext(connection) as asked:
        ask("acme.localhost", where)
    assert len(asked) == 0
    Tenant.objects.filter(slug="acme").update(suspended=True)
    assert ask("acme.localhost", where).content == b"t_acme", "the bound that is documented"
    clock[0] += 1.1
    with pytest.raises(Http404):
        ask("acme.localhost", where)
    Tenant.objects.filter(slug="acme").update(suspended=False)
    assert ask("acme.localhost", where).content == b"t_acme", "a refusal is not remembered"


def test_tenants_are_listed_on_the_platforms_host_only(db):
    with in_tenant("acme"):
        owner = User.objects.create_superuser("wanjiku")
    signed_in = Client(headers={"host": "acme.localhost"})
    with in_tenant("acme"):
        signed_in.force_login(owner)
    assert signed_in.get("/admin/auth/user/").status_code == 200
    assert signed_in.get("/admin/tenants/tenant/").status_code == 404
    assert Client().get("/admin/tenants/tenant/", headers={"host": "platform.localhost"}).status_code == 302


def test_health_is_answered_on_any_host(db):
    assert Client().get("/healthz", headers={"host": "whatever.example"}).json() == {"status": "ok"}

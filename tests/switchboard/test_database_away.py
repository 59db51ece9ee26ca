"""While the database is away pages say so with 503, as the API does; what needs no database is served."""

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from apps.tenants import middleware
from apps.tenants.context import in_tenant


@pytest.fixture
def away(committed_db: None, tmp_path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Client]]:
    """Signed-in browsers at a tenant and at the platform, whose database then cannot be reached."""
    browsers = {slug: Client(headers={"host": f"{slug}.localhost"}, raise_request_exception=False)
                for slug in ("acme", "platform")}  # fmt: skip
    with in_tenant("acme"):
        browsers["acme"].force_login(User.objects.create_superuser("wanjiku"))
    browsers["platform"].force_login(User.objects.create_superuser("operator"))
    assert {browser.get("/admin/").status_code for browser in browsers.values()} == {200}
    connection.close()
    with monkeypatch.context() as patch:
        patch.setitem(connection.settings_dict, "HOST", str(tmp_path))  # nobody listens there
        yield browsers
        connection.close()


def is_page(answer) -> bool:
    return (
        answer.status_code == 503
        and answer["Content-Type"].startswith("text/html")
        and b"The database cannot be reached now" in answer.content
        and answer["Retry-After"] == "5"
        and "Content-Security-Policy" in answer
    )


@pytest.mark.parametrize("is_known", [True, False], ids=["host known", "host not known"])
def test_a_tenants_pages_say_so(away, is_known: bool) -> None:
    if not is_known:
        middleware._lookups.clear()
    for path in ("/", "/admin/", "/admin/login/", "/admin/runs/testrun/"):
        assert is_page(away["acme"].get(path)), path


@pytest.mark.parametrize("path", ["/admin/", "/admin/health/", "/admin/tenants/tenant/"])
def test_the_platforms_pages_say_so(away, path: str) -> None:
    assert is_page(away["platform"].get(path))


def test_a_form_that_is_sent_is_told_too(away) -> None:
    assert is_page(away["acme"].post("/admin/login/", {"username": "wanjiku", "password": "x"}))


def test_the_api_answers_in_its_own_words_and_files_are_served(away) -> None:
    answer = away["acme"].get("/api/v1/evaluations/")
    assert (answer.status_code, answer.json()["code"]) == (503, "database_unavailable")
    assert away["acme"].get("/static/dashboard/dashboard.css").status_code == 200
    assert away["acme"].get("/healthz").status_code == 200
    ready = away["acme"].get("/readyz")
    assert (ready.status_code, ready.json()["checks"]["schema"]) == (503, "not looked at")


def test_what_went_wrong_otherwise_is_still_500(db, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("apps.tenants.middleware.connection.set_tenant", lambda *_, **__: 1 / 0)
    answer = Client(headers={"host": "acme.localhost"}, raise_request_exception=False).get("/admin/login/")
    assert answer.status_code == 500
    assert b"Something went wrong on our side" in answer.content

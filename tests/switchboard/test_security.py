"""Headers, the brake on guessing, limits on bodies, and a start without secrets."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client, RequestFactory

from apps.tenants.context import in_tenant
from apps.tenants.domain.sign_in import FREE_TRIES, FREE_TRIES_OF_ADDRESS, MAX_WAIT_S, wait_after
from apps.tenants.models import SignInTry
from apps.tenants.sign_in import forgive, take_try
from ratiba_eval import env
from ratiba_eval.security.sign_in import address_of

NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)
LOGIN = "/admin/login/"


@pytest.fixture
def browser(db) -> Client:
    with in_tenant("acme"):
        User.objects.create_user("amina", password="karibu-sana-1", is_staff=True)
    return Client(headers={"host": "acme.localhost"})


def sign_in(browser: Client, password: str, **more):
    return browser.post(LOGIN, {"username": "amina", "password": password} | more)


# --- Headers ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "path, status, scripts",
    [
        (LOGIN, 200, "script-src 'self' 'unsafe-eval'"),
        ("/api/v1/docs/", 200, "script-src 'self';"),
        ("/api/v1/schema/", 200, "default-src 'none'; frame-ancestors 'none'"),
        ("/api/v1/evaluations/", 401, "default-src 'none'; frame-ancestors 'none'"),
        ("/nothing-here/", 404, "script-src 'self' 'unsafe-eval'"),
        ("/healthz", 200, "default-src 'none'"),
    ],
)
def test_every_answer_has_its_policy_and_no_page_may_run_inline_script(db, path, status, scripts) -> None:
    answer = Client(headers={"host": "acme.localhost"}).get(path)
    assert answer.status_code == status
    policy = answer["Content-Security-Policy"]
    assert scripts in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe-inline" not in next((part for part in policy.split("; ") if part.startswith("script-src")), "")
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "camera=()" in answer["Permissions-Policy"]


def test_a_host_nobody_has_is_answered_with_a_policy_too(db) -> None:
    answer = Client(headers={"host": "nobody.localhost"}).get("/")
    assert (answer.status_code, "frame-ancestors 'none'" in answer["Content-Security-Policy"]) == (404, True)


def test_pages_tell_no_other_site_where_one_came_from_and_share_no_window(db) -> None:
    answer = Client(headers={"host": "acme.localhost"}).get(LOGIN)
    assert answer["Referrer-Policy"] == "same-origin"
    assert answer["Cross-Origin-Opener-Policy"] == "same-origin"
    assert answer["X-Frame-Options"] == "DENY"
    assert answer.cookies["csrftoken"]["samesite"] == "Lax"


def test_the_check_before_a_deployment_is_clean() -> None:
    own = {"RATIBA_HTTPS": "true", "ALLOWED_HOSTS": ".eval.example.org", "SECRET_KEY": "k" * 20 + "0123456789" * 4}
    done = run("manage.py", "check", "--deploy", "--fail-level", "WARNING", **own)
    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        env=os.environ | environment,
        cwd=settings.BASE_DIR,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    "program",
    [
        ("manage.py", "check"),
        ("-m", "ratiba_eval.web"),
        ("-m", "celery", "-A", "ratiba_eval.celery", "worker"),
    ],
)
def test_without_a_secret_key_nothing_starts_outside_the_demo_and_one_line_says_why(program) -> None:
    done = run(*program, DATABASE_URL="postgresql://nobody@127.0.0.1:1/none", SECRET_KEY="", SECRET_KEY_FILE="")
    assert done.returncode == 2
    assert done.stderr.strip().splitlines() == [
        "ratiba: SECRET_KEY is not set: with DATABASE_URL set it must be given (see .env.example)"
    ]


@pytest.mark.parametrize(
    "name, value, said",
    [
        ("SECRET_KEY", "x", "SECRET_KEY is too weak: 40 characters"),
        ("SECRET_KEY", "ab" * 40, "10 of them different"),
        ("RATIBA_FIELD_KEY", "abc", "RATIBA_FIELD_KEY: key 1 of 1 is not 32 bytes"),
        ("RATIBA_FIELD_KEY", "A" * 43 + "=", "is not random"),
        ("RATIBA_FIELD_KEY", "KhcVDIQ5hjSEqz3dYZF0tbmGSaIaK9QkRRAuXWF5KfQ=,abc", "key 2 of 2 is not 32 bytes"),
    ],
)
def test_a_weak_key_refuses_the_start_with_a_sentence_and_is_not_repeated(name, value, said) -> None:
    done = run("manage.py", "check", **{name: value})
    assert done.returncode == 2
    assert said in done.stderr
    assert "Make one with: python" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert len(value) < 4 or value not in done.stderr


def test_an_older_key_behind_a_new_one_may_be_what_it_was(monkeypatch) -> None:
    old = "A" * 43 + "="
    assert env.check_field_key(f"{env.field_key()},{old}").endswith(old)


# --- What leaves no trace, and where one lands -------------------------------------------------------------------
@pytest.mark.parametrize("path", ["/api/v1/evaluations/", "/api/v1/nothing/", "/api/v1/schema/"])
def test_no_answer_of_the_api_is_kept_by_anybody(db, path) -> None:
    assert Client(headers={"host": "acme.localhost"}).get(path)["Cache-Control"] in ("no-store", "private, no-cache")


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example", "javascript:alert(1)", "/admin/"])
def test_a_refused_next_leads_to_a_page_that_is_there(browser: Client, target: str) -> None:
    answer = browser.post(f"{LOGIN}?next={target}", {"username": "amina", "password": "karibu-sana-1", "next": target})
    assert (answer.status_code, answer["Location"]) == (302, "/admin/")
    assert browser.get(answer["Location"]).status_code == 200


@pytest.mark.parametrize("host", ["ACME.localhost", "Acme.LocalHost:8000", "acme.localhost.", "WWW.acme.localhost"])
def test_case_means_nothing_in_a_host_name(browser: Client, host: str) -> None:
    assert Client(headers={"host": host}).get(LOGIN).status_code == 200


# --- The brake on guessing ----------------------------------------------------------------------------------------
def test_after_five_wrong_passwords_even_the_right_one_has_to_wait(browser: Client) -> None:
    for _ in range(FREE_TRIES):
        assert sign_in(browser, "wrong").status_code == 200
    assert sign_in(browser, "karibu-sana-1", username="Amina ").status_code == 429
    refused = sign_in(browser, "karibu-sana-1")
    assert refused.status_code == 429
    assert 25 <= int(refused["Retry-After"]) <= 30
    page = refused.content.decode()
    assert "Too many tries" in page
    assert "30 seconds" in page or "29 seconds" in page
    assert "sessionid" not in refused.cookies


@pytest.mark.parametrize(
    "spelling", ["ａmina", "AMINA", "ＡＭＩＮＡ", " amina", "amina" + " " * 300, " " * 252 + "amina", "\u3000amina"]
)
def test_another_spelling_of_a_name_has_no_tries_of_its_own(browser: Client, spelling: str) -> None:
    for _ in range(FREE_TRIES):
        assert sign_in(browser, "wrong").status_code == 200
    assert sign_in(browser, "karibu-sana-1", username=spelling).status_code == 429


def test_a_right_password_forgets_the_wrong_ones(browser: Client) -> None:
    for _ in range(2):
        for _ in range(FREE_TRIES - 1):
            assert sign_in(browser, "wrong").status_code == 200
        assert sign_in(browser, "karibu-sana-1").status_code == 302


def test_another_address_another_tenant_and_another_person_do_not_wait(browser: Client) -> None:
    for _ in range(FREE_TRIES + 1):
        last = sign_in(browser, "wrong")
    assert last.status_code == 429
    assert browser.post(LOGIN, {"username": "juma", "password": "wrong"}).status_code == 200
    elsewhere = Client(headers={"host": "acme.localhost"}, REMOTE_ADDR="192.0.2.7")
    assert sign_in(elsewhere, "karibu-sana-1").status_code == 302
    assert sign_in(Client(headers={"host": "beta.localhost"}), "wrong").status_code == 200


def test_many_accounts_from_one_address_are_stopped_as_well(db) -> None:
    waits = [
        take_try(schema="t_acme", username=f"user{n}", address="192.0.2.9", now=NOW)
        for n in range(FREE_TRIES_OF_ADDRESS + 1)
    ]
    assert waits[:-1] == [0] * FREE_TRIES_OF_ADDRESS
    assert waits[-1] == 30


def test_the_wait_grows_ends_and_is_not_made_longer_by_knocking(db) -> None:
    who = {"schema": "t_acme", "username": "amina", "address": "192.0.2.1"}
    for _ in range(FREE_TRIES):
        assert take_try(**who, now=NOW) == 0
    assert take_try(**who, now=NOW + timedelta(seconds=10)) == 20
    assert take_try(**who, now=NOW + timedelta(seconds=29)) == 1
    assert take_try(**who, now=NOW + timedelta(seconds=30)) == 0
    assert take_try(**who, now=NOW + timedelta(seconds=31)) == 59
    later = NOW + timedelta(seconds=MAX_WAIT_S * 3)
    assert [take_try(**who, now=later) for _ in range(FREE_TRIES)] == [0] * FREE_TRIES
    forgive(**who, now=later)
    assert take_try(**who, now=later) == 0


def test_tries_at_the_same_time_are_all_counted(committed_db) -> None:
    def one(_: int) -> int:
        try:
            return take_try(schema="t_acme", username="amina", address="192.0.2.1", now=NOW)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        waits = list(pool.map(one, range(24)))
    assert waits.count(0) == FREE_TRIES
    assert not SignInTry.objects.filter(key__contains="amina").exists()  # who tried is not kept in clear


@pytest.mark.parametrize("tries, wait", [(0, 0), (4, 0), (5, 30), (6, 60), (9, 480), (10, 900), (400, 900)])
def test_the_wait_doubles_up_to_a_quarter_of_an_hour(tries: int, wait: int) -> None:
    assert wait_after(tries, FREE_TRIES) == wait


def test_only_our_own_proxy_is_believed_about_an_address(settings) -> None:
    request = RequestFactory().post(LOGIN, headers={"x-forwarded-for": "6.6.6.6, 192.0.2.1"})
    assert address_of(request) == "127.0.0.1"
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    assert address_of(request) == "192.0.2.1"

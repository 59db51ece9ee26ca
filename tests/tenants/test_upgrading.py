"""An upgrade: nothing to do is nothing done, a kill loses nothing, a broken tenant is named and blocks nobody."""

import io
import json
import os
import signal

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from apps.tenants import services, upgrading
from apps.tenants.models import Tenant
from apps.tenants.queries import tenants_behind
from apps.tenants.upgrading import upgrade_all


def left_behind(*slugs: str) -> None:
    Tenant.objects.filter(slug__in=slugs).update(schema_key="an-older-one")


def break_acme() -> None:
    """A migration that was half undone by hand: its table exists, its record does not."""
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM t_acme.django_migrations WHERE app = 'audit'")


def test_nothing_owed_enters_no_tenant(committed_db, monkeypatch, django_assert_max_num_queries):
    monkeypatch.setattr(upgrading, "call_command", lambda *args, **kwargs: pytest.fail(f"migrated {args}"))
    with django_assert_max_num_queries(17):
        done = upgrade_all()
    assert (done.public, done.migrated, dict(done.broken)) == (False, 0, {})


def test_a_broken_tenant_is_named_and_closed_and_the_next_one_follows(committed_db):
    left_behind("acme", "beta")
    break_acme()
    heard = []
    done = upgrade_all(on_tenant=lambda slug, problem: heard.append((slug, problem is None)))
    assert heard == [("acme", False), ("beta", True)]
    assert list(done.broken) == ["acme"]
    assert "already exists" in done.broken["acme"]
    assert dict(Tenant.objects.filter(slug__in=["acme", "beta"]).values_list("slug", "ready")) == {
        "acme": False,
        "beta": True,
    }
    assert tenants_behind() == 1


def test_killed_midway_it_goes_on_where_it_was(committed_db):
    left_behind("acme", "beta")

    def kill(slug: str, problem: str | None) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        upgrade_all(on_tenant=kill)
    assert tenants_behind() == 1
    assert upgrade_all().migrated == 1
    assert upgrade_all().migrated == 0


def test_the_command_says_no_when_a_tenant_is_broken(committed_db):
    out = io.StringIO()
    call_command("upgrade", "--json", stdout=out, stderr=io.StringIO())
    assert json.loads(out.getvalue()) == {"public_migrated": False, "tenants_migrated": 0, "broken": {}}
    left_behind("acme")
    break_acme()
    out = io.StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("upgrade", stdout=out, stderr=io.StringIO())
    assert ended.value.code == 1
    assert "acme" in out.getvalue()
    out = io.StringIO()
    call_command("upgrade", "--allow-broken", stdout=out, stderr=io.StringIO())
    assert "broken, and closed until it is mended: acme" in out.getvalue()


def test_beside_each_other_all_are_migrated_and_the_broken_one_is_named(committed_db):
    more = [services.add_ephemeral_tenant(label=f"up {n}").slug for n in range(2)]
    left_behind("acme", "beta", *more)
    break_acme()
    heard = []
    done = upgrade_all(on_tenant=lambda slug, problem: heard.append(slug), parallel=2)
    assert (done.migrated, list(done.broken)) == (3, ["acme"])
    assert sorted(heard) == sorted(["acme", "beta", *more])
    assert tenants_behind() == 1
    for slug in more:
        services.delete_tenant(slug=slug)


HERE, REAL = os.getpid(), upgrading._migrate


def fails_elsewhere(schema: str) -> str | None:
    return REAL(schema) if os.getpid() == HERE else "InternalError: tuple concurrently updated"


def dies_elsewhere(schema: str) -> str | None:
    if os.getpid() != HERE:
        os.kill(os.getpid(), signal.SIGKILL)
    return REAL(schema)


@pytest.mark.parametrize("trouble", [fails_elsewhere, dies_elsewhere])
def test_what_went_wrong_only_beside_others_costs_no_tenant(committed_db, monkeypatch, trouble):
    left_behind("acme", "beta")
    monkeypatch.setattr(upgrading, "_migrate", trouble)
    done = upgrade_all(parallel=2)
    assert (done.migrated, dict(done.broken)) == (2, {})


@pytest.mark.parametrize("parallel", ["0", "9"])
def test_the_command_refuses_too_few_and_too_many_processes(committed_db, parallel):
    with pytest.raises(CommandError) as ended:
        call_command("upgrade", "--parallel", parallel, stdout=io.StringIO(), stderr=io.StringIO())
    assert ended.value.returncode == 2

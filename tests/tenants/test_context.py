"""A tenant is entered explicitly, left again, and never by accident."""

import threading

import pytest
from django.contrib.auth.models import User
from django.db import connection

from apps.core.errors import BadInput
from apps.tenants.context import current_schema, current_slug, in_public, in_tenant
from apps.tenants.errors import TenantRequired, UnknownTenant


def test_unknown_tenant_is_refused_and_nothing_changes(db):
    with pytest.raises(UnknownTenant), in_tenant("nobody"):
        pass
    assert current_schema() == "public"


@pytest.mark.parametrize("name", ["public", "t_public; drop", "Acme", "a", "", "pg_catalog", "test_tenant", "acme_one"])
def test_what_is_no_name_is_refused(db, name):
    with pytest.raises(BadInput), in_tenant(name):
        pass


def test_no_tenant_is_said_so():
    with pytest.raises(TenantRequired):
        current_slug()


def test_blocks_nest_and_restore_the_one_before(db):
    with in_tenant("acme"):
        with in_tenant("t_beta"):
            assert current_slug() == "beta"
            with in_public():
                assert current_schema() == "public"
            assert current_slug() == "beta"
        assert current_slug() == "acme"
    assert current_schema() == "public"


def test_an_error_inside_leaves_the_tenant(db):
    with pytest.raises(RuntimeError), in_tenant("acme"):
        raise RuntimeError
    assert current_schema() == "public"


def test_rows_of_one_tenant_are_not_seen_in_the_other(db):
    with in_tenant("acme"):
        User.objects.create_user("wanjiku")
    with in_tenant("beta"):
        assert not User.objects.filter(username="wanjiku").exists()


def test_threads_in_two_tenants_do_not_mix(committed_db):
    seen: dict[str, set[str]] = {"acme": set(), "beta": set()}
    errors: list[BaseException] = []
    meet = threading.Barrier(2, timeout=10)

    def work(slug: str) -> None:
        try:
            for _ in range(20):
                with in_tenant(slug):
                    meet.wait()
                    with connection.cursor() as cursor:
                        cursor.execute("SELECT current_schema()")
                        seen[slug].add(cursor.fetchone()[0])
                    meet.wait()
                seen[slug].add(f"after: {current_schema()}")
        except BaseException as error:
            errors.append(error)
            meet.abort()
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=[slug]) for slug in seen]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert seen == {"acme": {"t_acme", "after: public"}, "beta": {"t_beta", "after: public"}}

"""A spare schema becomes a tenant's by its name, once, whole or not at all; nobody sees it before."""

import threading

import pytest
from django.db import connection, transaction

from apps.core.errors import BadInput
from apps.tenants import queries, services, tasks
from apps.tenants.domain.naming import SPARE, check_slug, schema_for
from apps.tenants.schema_template import migration_key, replay
from apps.tenants.spares import drop_stale_spares, keep_spares, take_spare
from tests.tenants.test_services import schemas, tables

STALE = f"spare_{'0' * 40}_{'1' * 12}"


def spares() -> set[str]:
    return {name for name in schemas() if name.startswith("spare_")}


def test_as_many_as_wanted_are_kept_and_no_tenant_can_have_their_names(committed_db):
    known = queries.known_slugs()
    assert keep_spares(wanted=2) == 2
    assert keep_spares(wanted=2) == 0
    assert len(spares()) == 2
    assert queries.known_slugs() == known
    for name in spares():
        assert SPARE.fullmatch(name)
        assert migration_key() in name
        with pytest.raises(BadInput):
            schema_for(name)
        with pytest.raises(BadInput):
            check_slug(name.replace("_", "-"))
    keep_spares(wanted=1)
    assert len(spares()) == 1
    keep_spares(wanted=0)
    assert not spares()


def test_a_tenant_takes_a_spare_and_the_next_one_is_replayed(committed_db):
    keep_spares(wanted=1)
    one, other = (services.add_ephemeral_tenant(label="spare") for _ in range(2))
    assert not spares()
    assert tables(one.schema_name) == tables(other.schema_name) == tables("t_acme")
    assert {one.slug, other.slug} <= set(queries.each_ready_tenant())


def test_a_tenant_that_is_rolled_back_leaves_its_spare(committed_db):
    keep_spares(wanted=1)
    before = spares()

    with transaction.atomic():
        services.add_tenant(slug="undone", vertical="spa")
        assert not spares()
        transaction.set_rollback(True)
    assert spares() == before
    assert "t_undone" not in schemas()


def test_two_never_take_the_same_spare(committed_db):
    keep_spares(wanted=2)
    errors: list[BaseException] = []

    def add(number: int) -> None:
        try:
            services.add_tenant(slug=f"taker-{number}", vertical="spa")
        except BaseException as error:
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=add, args=[number]) for number in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert not spares()
    assert len({frozenset(tables(f"t_taker_{number}")) for number in range(5)}) == 1


def test_spares_of_other_migrations_are_never_taken_and_go_with_an_upgrade_or_a_sweep(committed_db):
    replay(STALE)
    with transaction.atomic():
        assert not take_spare("t_wrong")
    keep_spares(wanted=1)
    assert STALE in spares()  # while code of two kinds runs, neither drops the other's
    assert services.sweep_ephemeral() == []
    assert STALE not in spares()
    assert len(spares()) == 1
    assert drop_stale_spares() == 0


def test_the_tick_keeps_what_the_settings_say(committed_db, settings):
    settings.SPARE_SCHEMAS = 1
    tasks.keep_spares()
    assert len(spares()) == 1

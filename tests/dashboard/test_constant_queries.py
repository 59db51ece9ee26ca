"""Pages, lists and answers ask the database as often at 1,000 rows as at 60; benchmarks.pages times the same ones."""

from math import isnan

import pytest
from django.core.cache import cache
from django.utils import timezone

from apps.catalog.files.services.packs import load_pack
from apps.tenants.context import in_tenant
from benchmarks.pages import CONFIG, addresses, ask, fill
from tests.dashboard.conftest import signed_in

# Home, and what looks in several places; every other page asks 25 times at most.
MOST = {"/admin/": 32, "/search/?q=kesho": 27, "/search/?q=sababu": 27}


@pytest.fixture
def filled(db: None) -> tuple[dict, dict]:
    with in_tenant("acme"):
        load_pack(CONFIG, at=timezone.now())
        return fill(60, calls=True), fill(1000, calls=True)  # of fewer, a filter may leave none, which costs less


def test_queries_do_not_grow_with_rows(filled: tuple[dict, dict]) -> None:
    client = signed_in("rows", superuser=True)
    few, many = filled
    costs = {}
    for form in addresses():
        client.get(form.format(**few))  # what a process reads once
        cache.clear()
        small = ask(client, form.format(**few))
        cache.clear()
        large = ask(client, form.format(**many))
        assert not isnan(small[0] + large[0]), f"{form} was not answered"
        costs[form] = (small[1], large[1])
    assert not {form: cost for form, cost in costs.items() if cost[1] > cost[0]}
    assert not {form: cost for form, cost in costs.items() if cost[1] > MOST.get(form, 26)}

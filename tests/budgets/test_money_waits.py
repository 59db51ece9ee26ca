"""Whatever kind of paid work waits for a budget goes on when it is raised: the registry says which these are."""

from importlib import import_module
from typing import Any

import pytest

from apps.budgets.services.paid_rows import PaidRows
from apps.jobs.work import registered


def kinds(base: type[Any]) -> list[type[Any]]:
    return [one for sub in base.__subclasses__() for one in (sub, *kinds(sub))]


@pytest.mark.parametrize("room", ["improvement", "personas", "reports"])
def test_a_kind_of_paid_rows_is_registered_as_one_that_pays(room: str) -> None:
    import_module(f"apps.{room}.tasks")
    found = {one.table.table for one in kinds(PaidRows) if one.__module__.startswith(f"apps.{room}.")}
    assert found
    assert found <= {work.table for work in registered() if work.metered}

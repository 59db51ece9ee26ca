"""A catalog with two criteria, inside the tenant."""

import pytest

from tests.catalog.samples import criterion_fields


@pytest.fixture
def criteria(tenant) -> list[str]:
    from apps.catalog.models import Criterion  # noqa: PLC0415 - apps are loaded once pytest-django has set them up

    for name in ("first", "second"):
        Criterion.objects.create(name=name, **criterion_fields())
    return ["first", "second"]

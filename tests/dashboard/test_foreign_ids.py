"""A page about something that is not this tenant's is 404, whichever way it is asked: looked at, or posted to."""

import uuid
from typing import Any

import pytest
from django.urls import URLPattern, reverse

from apps.dashboard.urls import urlpatterns
from tests.dashboard.conftest import signed_in

SAMPLES = {"uuid": lambda: uuid.UUID(int=7), "int": lambda: 1, "str": lambda: "pause"}


def addresses() -> list[tuple[str, str]]:
    found = []
    for one in urlpatterns:
        if isinstance(one, URLPattern) and one.name and "<uuid:" in str(one.pattern):
            converters: dict[str, Any] = one.pattern.converters
            kinds = {name: type(kind).__name__.removesuffix("Converter").lower() for name, kind in converters.items()}
            given = {name: SAMPLES.get(kind, SAMPLES["str"])() for name, kind in kinds.items()}
            found.append((one.name, reverse(one.name, kwargs=given)))
    return found


@pytest.mark.parametrize("name, address", addresses())
def test_what_is_not_there_is_404_and_no_redirect(db: None, name: str, address: str) -> None:
    owner = signed_in("amina", superuser=True)
    for answer in (owner.post(address, {}), owner.get(address)):
        assert answer.status_code in (404, 405), (name, answer.status_code, answer.headers.get("Location"))

"""One server for all tests that change nothing of it but their own conversations."""

from collections.abc import Iterator

import pytest

from tests.examples.pega.calls import PegaCalls, pega


@pytest.fixture(scope="package")
def node() -> Iterator[PegaCalls]:
    with pega("--lag-s", "0.3") as calls:
        yield calls

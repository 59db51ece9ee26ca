"""No pause between attempts, and a model provider on loopback that plays the customer."""

from collections.abc import Iterator

import pytest

from apps.connectors import retry
from tests.loopback.providers import ModelProvider


@pytest.fixture(autouse=True)
def no_backoff() -> Iterator[None]:
    with retry.testing():
        yield


@pytest.fixture
def simulator(tenant: str) -> Iterator[ModelProvider]:
    """Answers "And then?" for ever; `PLAN` is how a run names it."""
    from apps.catalog.connections.services.storing import save_model_provider  # noqa: PLC0415 - apps are loaded by now

    with ModelProvider('{"message": "And then?", "done": false}') as server:
        save_model_provider(
            name="stub", kind="openai", base_url=server.base_url("openai"), api_key="not-a-key",
            options={"price_provider": "openai"},
        )  # fmt: skip
        yield server

"""A model provider on loopback, and no pause between attempts."""

from collections.abc import Callable, Iterator

import pytest
from kombu.transport.memory import Channel

from apps.connectors import retry
from tests.loopback.providers import ModelProvider


@pytest.fixture(autouse=True)
def no_backoff() -> Iterator[None]:
    with retry.testing():
        yield


@pytest.fixture
def knocks() -> Iterator[Callable[[str], int]]:
    """Knocks go to a broker in this process, so no worker of this machine is woken for a tenant of a test. Gives how
    many wait in a queue."""
    from ratiba_eval.celery import app  # noqa: PLC0415 - apps are loaded by then

    before = app.conf.broker_url
    app.conf.update(broker_url="memory://")
    app._pool = app.amqp._producer_pool = None
    queues = Channel.queues
    queues.clear()
    yield lambda name: queues[name].qsize() if name in queues else 0
    queues.clear()
    app.conf.update(broker_url=before)
    app._pool = app.amqp._producer_pool = None


@pytest.fixture
def model() -> Iterator[ModelProvider]:
    from tests.evaluations.bench import GOOD_REPLY, reply  # noqa: PLC0415 - apps are loaded by then

    with ModelProvider(reply(GOOD_REPLY)) as server:
        yield server


@pytest.fixture
def fallback() -> Iterator[ModelProvider]:
    from tests.evaluations.bench import reply  # noqa: PLC0415 - see `model`

    with ModelProvider(reply({"first": 2, "second": 2, "third": 2})) as server:
        yield server


@pytest.fixture
def config(tenant: str, model: ModelProvider) -> str:
    from tests.evaluations.bench import make_config  # noqa: PLC0415 - see `model`

    return make_config(url=model.base_url("openai"))


@pytest.fixture
def backed(tenant: str, model: ModelProvider, fallback: ModelProvider) -> str:
    """The same with another provider behind it."""
    from tests.evaluations.bench import make_config  # noqa: PLC0415 - see `model`

    return make_config(url=model.base_url("openai"), fallback_url=fallback.base_url("anthropic"))


@pytest.fixture
def now():
    from django.utils import timezone  # noqa: PLC0415 - settings are there by then

    return timezone.now()


@pytest.fixture
def priced(tenant, model) -> str:
    """A judge with a known price: at most about two cents a judgement, half a cent in truth."""
    from tests.evaluations.bench import make_config  # noqa: PLC0415 - see `model`

    return make_config(url=model.base_url("openai"), model="gpt-4o", parameters={"max_output_tokens": 400})

"""Agents without a pause between attempts, and a judge on loopback."""

import pytest

from apps.connectors import retry
from apps.tenants.models import Tenant


@pytest.fixture(autouse=True)
def no_backoff():
    with retry.testing():
        yield


@pytest.fixture
def judge(tenant):
    from tests.checks.metrics.bench import LoopbackJudge  # noqa: PLC0415 - apps are loaded by then
    from tests.checks.metrics.test_measure_command import judged_by  # noqa: PLC0415 - as above

    with (one := LoopbackJudge()).server:
        judged_by(tenant, "openai", one)
        yield one
        Tenant.objects.filter(slug=tenant).update(settings={})

"""The environment inside pytest-asyncio's loop. Loaded only where pytest-asyncio is in use."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from pytest_ratiba.environment.building import EvalEnvironments, ScenarioEnvironment
from pytest_ratiba.environment.fixtures import entered


@pytest_asyncio.fixture
async def _asyncio_scenario_environment(
    request: pytest.FixtureRequest, eval_environments: EvalEnvironments, scenario_id: str
) -> AsyncIterator[ScenarioEnvironment]:
    async for found in entered(request, eval_environments, scenario_id):
        yield found

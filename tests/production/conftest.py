"""A judge on loopback."""

import pytest

from tests.evaluations.conftest import config, model, priced  # noqa: F401 - fixtures


@pytest.fixture
def judge_config(priced: str) -> str:  # noqa: F811 - the fixture above
    """An evaluator config whose judge answers on loopback and has a price, with its number."""
    from apps.catalog.configs.queries.versions import resolve_config  # noqa: PLC0415 - apps are loaded by then

    return resolve_config(priced).ref


@pytest.fixture
def unpriced_config(config: str) -> str:  # noqa: F811 - the fixture above
    """The same with a judge whose price nobody knows."""
    from apps.catalog.configs.queries.versions import resolve_config  # noqa: PLC0415 - apps are loaded by then

    return resolve_config(config).ref

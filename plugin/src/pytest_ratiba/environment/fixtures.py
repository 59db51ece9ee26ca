"""Fixtures of layer 2: a tenant of its own for each scenario, on a real Postgres.

`tenant_scoped_eval_environment`  what `build_test_orchestrator(saver, tenant_id)` answered, in tests with a loop
                                  (pytest-asyncio, anyio) and without one
`eval_tenant`, `eval_saver`       the tenant and the checkpoint saver behind it
To be overridden in a conftest: `scenario_id`, `eval_environment_hooks`, `eval_database_url`.
"""

import inspect
import os
import statistics
from collections.abc import AsyncIterator, Generator, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pytest_ratiba.environment.building import EvalEnvironments, ScenarioEnvironment
    from pytest_ratiba.environment.hooks import EnvironmentHooks
    from pytest_ratiba.environment.tenant import EvalTenant

_ENVIRONMENTS = pytest.StashKey["EvalEnvironments"]()
_TAKEN = "ratiba_environment"  # the attribute of a report, which comes back from an xdist worker
_SESSION: list[dict[str, list[Any]]] = []  # of the process that reports


@pytest.fixture
def scenario_id(request: pytest.FixtureRequest) -> str:
    """The id of the scenario that the test plays: its `scenario` parameter's id, else the test's own name."""
    parameters = getattr(getattr(request.node, "callspec", None), "params", {})
    scenario = parameters.get("scenario")
    found = scenario.get("id") if isinstance(scenario, dict) else getattr(scenario, "id", scenario)
    return str(found or request.node.name)


@pytest.fixture(scope="session")
def eval_environment_hooks(pytestconfig: pytest.Config) -> "EnvironmentHooks":
    """Read the hooks that make this project's tenants: section `environment:` of its configuration."""
    from pytest_ratiba.environment.hooks import read_hooks
    from pytest_ratiba.plugin import project_of

    return read_hooks(project_of(pytestconfig))


@pytest.fixture(scope="session")
def eval_database_url(pytestconfig: pytest.Config) -> str:
    """The database that test schemas are made in: RATIBA_TEST_DATABASE_URL, else an embedded Postgres.

    Never DATABASE_URL: that is somebody's data.
    """
    from pytest_ratiba.environment.embedded import database_url
    from pytest_ratiba.plugin import project_of

    return database_url(project_of(pytestconfig).folder)


@pytest.fixture(scope="session")
def eval_environments(
    request: pytest.FixtureRequest,
    eval_database_url: str,
    eval_environment_hooks: "EnvironmentHooks",
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator["EvalEnvironments"]:
    """Share one set of eval environments among the scenarios of this process.
    Drops the schemas that dead sessions left, before the first scenario."""
    from pytest_ratiba.environment.building import EvalEnvironments
    from pytest_ratiba.environment.templates import SchemaTemplate

    workers = "PYTEST_XDIST_WORKER" in os.environ
    shared = tmp_path_factory.getbasetemp().parent / "ratiba-schema.sql" if workers else None
    found = EvalEnvironments(eval_database_url, eval_environment_hooks, SchemaTemplate(shared), workers=workers)
    request.config.stash[_ENVIRONMENTS] = found
    yield found
    found.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the time that schemas took so far to the test's report.
    With xdist the controller writes the summary."""
    report = yield
    if report.when == "teardown" and (taken := _not_reported(item.config)):
        setattr(report, _TAKEN, taken)
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _SESSION.append(getattr(report, _TAKEN, {}))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    rows = [*_SESSION, _not_reported(config)]
    _SESSION.clear()
    seconds = [one for row in rows for one in row.get("seconds", ())]
    swept = [name for row in rows for name in row.get("swept", ())]
    parts = []
    if seconds:
        middle = statistics.median(seconds) * 1000
        parts.append(f"{len(seconds)} scenario schemas, median {middle:.0f} ms to make and drop")
    if swept:
        parts.append(f"dropped of dead sessions: {', '.join(swept)}")
    if parts:
        terminalreporter.write_line("ratiba environment: " + "; ".join(parts))


def _not_reported(config: pytest.Config) -> dict[str, list[Any]]:
    """Seconds and names that no report has told yet; {} for none."""
    from pytest_ratiba.sessions import server_session

    own = config.stash.get(_ENVIRONMENTS, None)
    everything = [*([own] if own is not None else []), *server_session(config).environments()]
    rows: dict[str, list[Any]] = {
        "seconds": [one for environments in everything for one in environments.seconds],
        "swept": [name for environments in everything for name in environments.swept],
    }
    for environments in everything:
        environments.seconds.clear()
        environments.swept.clear()
    return rows if any(rows.values()) else {}


@pytest.fixture
def _scenario_environment(
    request: pytest.FixtureRequest, eval_environments: "EvalEnvironments", scenario_id: str
) -> "ScenarioEnvironment":
    """The environment for the kind of test that asks: with pytest-asyncio's loop, anyio's, or none.

    The arguments are what those three need: named here, so that a test may parametrize `scenario_id`.
    """
    kind = "plain"
    if inspect.iscoroutinefunction(getattr(request, "function", None)):
        kind = "anyio" if "anyio_backend" in request.fixturenames else "asyncio"
    found: ScenarioEnvironment = request.getfixturevalue(f"_{kind}_scenario_environment")
    return found


@pytest.fixture
def _plain_scenario_environment(
    request: pytest.FixtureRequest, eval_environments: "EvalEnvironments", scenario_id: str
) -> Iterator["ScenarioEnvironment"]:
    from pytest_ratiba.environment.building import ScenarioEnvironment, finished

    found = ScenarioEnvironment(eval_environments, scenario_id, request.node.nodeid, has_loop=False)
    yield finished(found.enter())
    _left(lambda: finished(found.leave()))


@pytest.fixture
async def _anyio_scenario_environment(
    request: pytest.FixtureRequest, eval_environments: "EvalEnvironments", scenario_id: str
) -> AsyncIterator["ScenarioEnvironment"]:
    async for found in entered(request, eval_environments, scenario_id):
        yield found


async def entered(
    request: pytest.FixtureRequest, environments: "EvalEnvironments", scenario: str
) -> AsyncIterator["ScenarioEnvironment"]:
    """The environment inside a running loop, for fixtures."""
    from pytest_ratiba.environment.building import ScenarioEnvironment
    from pytest_ratiba.environment.errors import LeftBehind

    found = ScenarioEnvironment(environments, scenario, request.node.nodeid, has_loop=True)
    yield await found.enter()
    try:
        await found.leave()
    except LeftBehind as error:
        pytest.fail(str(error), pytrace=False)


def _left(leave: Any) -> None:
    from pytest_ratiba.environment.errors import LeftBehind

    try:
        leave()
    except LeftBehind as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture
def tenant_scoped_eval_environment(_scenario_environment: "ScenarioEnvironment") -> Any:
    """The orchestrator of one scenario, in a tenant's schema of its own that is dropped at the end.

    What `build_test_orchestrator` answered; the EvalTenant where the project has no such hook.
    """
    return _scenario_environment.orchestrator


@pytest.fixture
def eval_tenant(_scenario_environment: "ScenarioEnvironment") -> "EvalTenant":
    """The tenant behind `tenant_scoped_eval_environment`: schema, url, tenant_id, `connect()`."""
    return _scenario_environment.tenant


@pytest.fixture
def eval_saver(_scenario_environment: "ScenarioEnvironment") -> Any:
    """The checkpoint saver behind `tenant_scoped_eval_environment`."""
    return _scenario_environment.saver


def pytest_configure(config: pytest.Config) -> None:
    if config.pluginmanager.hasplugin("asyncio"):
        from pytest_ratiba.environment import asyncio_fixtures

        config.pluginmanager.register(asyncio_fixtures, "ratiba_environment_asyncio")

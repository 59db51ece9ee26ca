"""Layers, and scenario files as tests: what `entry` loads first."""

from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_ratiba import hooks
from pytest_ratiba.collecting import ScenarioCase, ScenarioYaml, layer_of_file, refuse_missing_folders
from pytest_ratiba.config import Project
from pytest_ratiba.deepeval.user_metrics import UserMetrics, read_user_metrics
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.golden import GoldenCheck, check_named
from pytest_ratiba.layers import LayerRecord, forget, layer_of, order_and_select, register_marks
from pytest_ratiba.named_project import project_tested
from pytest_ratiba.options import check_options, limit, option
from pytest_ratiba.outcomes import CaseUnmeasurable
from pytest_ratiba.portable.hidden_characters import for_terminal
from pytest_ratiba.scenarios import RELEASED
from pytest_ratiba.sessions import open_session, server_session

_PROJECT = pytest.StashKey[Project]()
_METRICS = pytest.StashKey[UserMetrics]()
_RECORD = pytest.StashKey[LayerRecord]()


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    pluginmanager.add_hookspecs(hooks)


def pytest_configure(config: pytest.Config) -> None:
    register_marks(config)
    try:
        config.stash[_PROJECT] = project = project_tested(config)
        config.stash[_METRICS] = read_user_metrics(project)
        config.stash[_RECORD] = LayerRecord(config)
        check_options(config)
        refuse_missing_folders(project)
        open_session(config, project)
    except ProjectError as error:
        pytest.exit(str(error), returncode=2)


def project_of(config: pytest.Config) -> Project:
    """The project this session tests; read once, at the start."""
    return config.stash[_PROJECT]


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    config = parent.config
    project = project_of(config)
    layer = layer_of_file(project, file_path)
    if not layer:
        return None
    collector: ScenarioYaml = ScenarioYaml.from_parent(parent, path=file_path)
    collector.layer, collector.metrics = layer, config.stash[_METRICS]
    return collector


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    try:
        order_and_select(config, items)
        _refuse_repeated_ids(items)
        _limit(config, items)
    except ProjectError as error:
        pytest.exit(str(error), returncode=2)


def pytest_collection_finish(session: pytest.Session) -> None:
    cases = [item for item in session.items if isinstance(item, ScenarioCase) and item.case.status == RELEASED]
    server_session(session.config).selected(cases)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    red = item.config.stash[_RECORD].red_below(layer_of(item))
    if red:
        pytest.skip(f"layer {red} is red, so layer {layer_of(item)} does not start (--all-layers runs it all the same)")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if call.excinfo is not None and isinstance(call.excinfo.value, ProjectError):
        report.longrepr = str(call.excinfo.value)  # a mistake to mend: its traceback would be of our own code
    if report.failed and (words := for_terminal(str(report.longrepr))) != str(report.longrepr):
        report.longrepr = words  # replies of agents and models stand in it
    if report.failed:
        item.config.stash[_RECORD].note_failure(layer_of(item))
    return report


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """With xdist the controller starts the local server and the agents, once, for all workers that ask."""
    node.workerinput["ratiba_dist"] = node.config.getoption("dist", "")
    node.workerinput["ratiba_controller"] = server_session(node.config).for_worker()


def pytest_sessionfinish(session: pytest.Session) -> None:
    server_session(session.config).close()


def pytest_unconfigure(config: pytest.Config) -> None:
    forget(config)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    for run in server_session(config).runs():
        report = run.report
        words = [
            conversation["verdict"] if conversation["checks"] else "without checks"
            for conversation in report["conversations"]
        ]
        counts = ", ".join(f"{words.count(word)} {word}" for word in dict.fromkeys(words))
        layer = (report.get("subject") or {}).get("metadata", {}).get("layer", "")
        terminalreporter.write_line(
            f"ratiba: layer {layer}, test run {report['test_run_id']}: the server's checks {report['verdict']}"
            f" ({counts}), {_cost(report)}"
        )


def _cost(report: Mapping[str, Any]) -> str:
    return "cost unknown: calls without a price" if report["cost_usd"] is None else f"${report['cost_usd']:.4f}"


def _refuse_repeated_ids(items: list[pytest.Item]) -> None:
    seen: dict[str, ScenarioCase] = {}
    for item in items:
        if isinstance(item, ScenarioCase):
            other = seen.setdefault(item.case.id, item)
            if other is not item and other.case is not item.case:
                where = f"{other.case.source.path}:{other.case.line}"
                raise item.case.source.error(item.case.pointer, f"{item.case.id!r} is also the id of {where}")


def _limit(config: pytest.Config, items: list[pytest.Item]) -> None:
    most = limit(config)
    if most is None:
        return
    counts: dict[int, int] = {}
    left_out = []
    for item in items:
        if isinstance(item, ScenarioCase) and item.case.status == RELEASED:
            counts[item.case.layer] = counts.get(item.case.layer, 0) + 1
            if counts[item.case.layer] > most:
                left_out.append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


@pytest.fixture(scope="session")
def ratiba_project(pytestconfig: pytest.Config) -> Project:
    """The project's configuration, `ratiba.yaml` or `[tool.ratiba]`."""
    return project_of(pytestconfig)


@pytest.fixture
def golden_check(request: pytest.FixtureRequest) -> GoldenCheck:
    """The row of the check that the test is named after (`test_role_adherence`: role_adherence)."""
    if not option(request.config, "--golden"):
        pytest.skip("no golden session is named: --golden FILE or RATIBA_GOLDEN")
    try:
        outcome = server_session(request.config).golden_outcome()
        return check_named(outcome, str(request.node.originalname).removeprefix("test_"))
    except (ProjectError, CaseUnmeasurable) as error:
        why = str(error)
    pytest.fail(why, pytrace=False)


@pytest.fixture(scope="session")
def ratiba_agent_name(pytestconfig: pytest.Config) -> str:
    """The agent that `--agent` names; "" for the project's only one."""
    return option(pytestconfig, "--agent")

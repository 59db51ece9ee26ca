"""Scenario files as tests: a file of the scenarios' folders is collected, each case of it is an item."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_ratiba.config import Project
from pytest_ratiba.deepeval.metric_assertions import MetricAssertion, metric_assertions
from pytest_ratiba.deepeval.user_metrics import UserMetrics, read_user_metrics
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.outcomes import CaseOutcome, CaseUnmeasurable, CheckFailure
from pytest_ratiba.scenarios import RELEASED, ScenarioSource, ScenarioVariant, read_scenarios

SCENARIOS = "tests/eval/conversations/scenarios"
FROM_PRODUCTION = "tests/eval/conversations/from_production"
# (section of ratiba.yaml that names the folder, where it is without one, layer); the first that holds a file counts
_FOLDERS = (("from_production", FROM_PRODUCTION, 5), ("scenarios", SCENARIOS, 4))
_SUFFIXES = (".yaml", ".yml")


def layer_of_file(project: Project, path: Path) -> int:
    """4 for a file of the scenarios' folder, 5 for one of production's; 0 for any other file."""
    if path.suffix not in _SUFFIXES:
        return 0
    for section, default, layer in _FOLDERS:
        if path.is_relative_to(project.folder_of(section, default).resolve()):
            return layer
    return 0


def refuse_missing_folders(project: Project) -> None:
    """Raises `ProjectError` for a folder of scenarios that is named and not there: nothing would be tested. The usual
    one may be missing until there is something in it."""
    for section, default, _ in _FOLDERS:
        if project.sections.get(section, default) != default and not project.folder_of(section, default).is_dir():
            raise project.error(f"/{section}", f"there is no folder {project.folder_of(section, default)}")


def scenario_files(project: Project) -> Iterator[tuple[Path, int]]:
    """Every file of scenarios with its layer, sorted within each folder."""
    for section, default, layer in reversed(_FOLDERS):
        for path in sorted(project.folder_of(section, default).resolve().rglob("*")):
            if layer_of_file(project, path) == layer and path.is_file():
                yield path, layer


def all_scenarios(project: Project) -> ScenarioSource:
    """All cases of the project that a person released, and the other sections of a catalog that stand in their files.
    Raises `ProjectError`."""
    own = read_user_metrics(project).names
    sources = [read_scenarios(path, layer=layer, own_metrics=own) for path, layer in scenario_files(project)]
    return ScenarioSource(
        scenarios=tuple(case for source in sources for case in source.scenarios if case.status == RELEASED),
        sections=tuple(part for source in sources for part in source.sections),
    )


class ScenarioYaml(pytest.File):
    """A file of scenarios; its other sections (personas, criteria …) go to the server with them."""

    layer: int
    metrics: UserMetrics = UserMetrics()
    sections: tuple[Any, ...] = ()

    def collect(self) -> Iterator["ScenarioCase"]:
        try:
            source = read_scenarios(self.path, layer=self.layer, own_metrics=self.metrics.names)
            measured = [metric_assertions(case, self.metrics) for case in source.scenarios]
        except ProjectError as error:
            raise self.CollectError(str(error)) from error
        self.sections = source.sections
        for case, metrics in zip(source.scenarios, measured, strict=True):
            yield ScenarioCase.from_parent(self, name=case.id, case=case, metrics=metrics)


class ScenarioCase(pytest.Item):
    """One case. What the server's judge, budget or platform did is an error; what the agent did is a failure."""

    case: ScenarioVariant
    outcome: CaseOutcome | None = None
    below: tuple[str, ...] = ()  # metrics of the project that came out below their threshold

    def __init__(self, *, case: ScenarioVariant, metrics: Sequence[MetricAssertion] = (), **more: Any) -> None:
        super().__init__(**more)
        self.case, self.metrics = case, metrics
        self.add_marker(f"layer{case.layer}")
        if case.status != RELEASED:
            why = f"is {case.status}: only a released scenario is played (status: {RELEASED}, when you have read it)"
            self.add_marker(pytest.mark.skip(reason=f"{case.id} {why}"))

    def setup(self) -> None:
        """Plays the batch this case belongs to, unless that has been done."""
        from pytest_ratiba.sessions import server_session

        try:
            session = server_session(self.config)
            self.outcome = session.outcome_of(self.case)
            if output := session.output_of_agent(self.case):
                self.add_report_section("setup", "agent", output)  # shown where the case fails
            if self.metrics:
                self.outcome = replace(self.outcome, checked_here=True)
            self.outcome.raise_unless_measured()
        except (CaseUnmeasurable, ProjectError) as error:
            raise pytest.fail.Exception(str(error), pytrace=False) from None
        self.user_properties += [
            ("ratiba_test_run", self.outcome.test_run_id),
            ("ratiba_report_digest", self.outcome.digest),
        ]

    def runtest(self) -> None:
        """The server's verdict, and what the project's own metrics say."""
        assert self.outcome is not None  # noqa: S101 - setup has set it
        self.outcome.raise_unless_passed(self.below)

    def teardown(self) -> None:
        """Drops the tenant of the case's conversation; what it left behind is an error."""
        from pytest_ratiba.environment.errors import LeftBehind
        from pytest_ratiba.sessions import server_session

        if self.outcome is None:
            return
        try:
            server_session(self.config).leave_tenant(self.outcome)
        except LeftBehind as error:
            raise pytest.fail.Exception(str(error), pytrace=False) from None

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, CheckFailure | CaseUnmeasurable | ProjectError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.case.line - 1, self.name

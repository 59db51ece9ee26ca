"""Options and fixtures of layers 2 to 4: model replies from recordings."""

import dataclasses
import os
import re
import tempfile
from collections.abc import Generator, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

_HANDLE = pytest.StashKey[Any]()
_RECORDER = pytest.StashKey[Any]()
_ITEM = pytest.StashKey[pytest.Item]()  # the test that is on
_TURNS = pytest.StashKey[Any]()
_PROCESS_TURN = pytest.StashKey[Any]()
_SESSION: list[dict[str, Any]] = []  # of the process that reports: with xdist not the one that plays
_ITEM_OUTCOMES = pytest.StashKey[list[dict[str, Any]]]()
_OUTCOME = "ratiba_recording"  # the attribute of a report: survives the way from an xdist worker


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        'llm_recording(scenario_id, conversation=""): the recording that the fixture llm_recording opens for this test',
    )


def recorder_of(config: pytest.Config) -> Any:
    """The session's Recorder; made at the first call. Raises ProjectError for a wrong configuration."""
    if _RECORDER not in config.stash:
        from pytest_ratiba.options import option, record_mode
        from pytest_ratiba.plugin import project_of
        from pytest_ratiba.recording.recorder import Recorder
        from pytest_ratiba.recording.settings import RecordMode, read_settings

        mode = record_mode(config)
        server = option(config, "--ratiba")
        config.stash[_RECORDER] = Recorder(
            read_settings(project_of(config)),
            mode=RecordMode(mode),
            server_url=server,
            test_of=lambda: _test_name(config),
        )
    return config.stash[_RECORDER]


def _test_name(config: pytest.Config) -> str:
    """The test that is on, as its recordings are keyed: the same from any folder that pytest is started in. Where its
    parameters hold what is masked, their numbers tell it from the others."""
    from pytest_ratiba.plugin import project_of

    item = config.stash.get(_ITEM, None)
    if item is None:
        return ""
    path = os.path.relpath(item.path, project_of(config).folder).replace(os.sep, "/")
    name = f"{path}::{item.nodeid.partition('::')[2]}"
    masked = str(config.stash[_RECORDER].masker.request_text(name, []))
    if masked == name:
        return name
    numbers = getattr(getattr(item, "callspec", None), "indices", {})
    return f"{masked}#{'-'.join(map(str, numbers.values()))}"


def pytest_unconfigure(config: pytest.Config) -> None:
    recorder = config.stash.get(_RECORDER, None)
    if recorder is not None:
        recorder.stop()
    if _PROCESS_TURN in config.stash:
        config.stash[_PROCESS_TURN].remove()


@pytest.fixture(scope="session")
def ratiba_recorder(pytestconfig: pytest.Config) -> Any:
    """The Recorder of this session: `open`, `within`, `close`, `environment`."""
    from pytest_ratiba.errors import ProjectError

    try:
        return recorder_of(pytestconfig)
    except ProjectError as error:
        pytest.exit(str(error), returncode=2)


@pytest.fixture
def llm_recording(request: pytest.FixtureRequest, ratiba_recorder: Any) -> Iterator[Any]:
    """The test's model replies from its recording. The scenario is the mark's, else the fixture `scenario_id`'s, else
    the test's own name. Gives an OpenRecording; the test fails where a call had no recording, whatever became of it."""
    from pytest_ratiba.errors import ProjectError
    from pytest_ratiba.recording.recorder import OpenRecording

    scenario_id, conversation = _names(request)
    try:
        recording = ratiba_recorder.open(scenario_id, conversation)
    except ProjectError as error:
        pytest.fail(str(error), pytrace=False)
    handle = OpenRecording(recorder=ratiba_recorder, recording=recording)
    request.node.stash[_HANDLE] = handle
    yield handle
    outcome = ratiba_recorder.close(recording)
    keep_outcome(request.node, outcome)
    if outcome.problems and not handle.reported:
        pytest.fail("\n\n".join(outcome.problems), pytrace=False)


def keep_outcome(item: pytest.Item, outcome: Any) -> None:
    """Notes what became of a conversation of this item, for the line at the end of the session."""
    item.stash.setdefault(_ITEM_OUTCOMES, []).append(_plain(outcome))


@pytest.hookimpl(optionalhook=True)
def pytest_ratiba_around_turn(config: pytest.Config, turn: Any) -> AbstractAsyncContextManager[None] | None:
    """Model replies of scenarios from recordings; with --live from the models."""
    from pytest_ratiba.options import flag

    if flag(config, "--live"):
        return None
    if _TURNS not in config.stash:
        from pytest_ratiba.recording.process_turn import ProcessTurn
        from pytest_ratiba.recording.turns import TurnRecordings

        path = getattr(config, "workerinput", {}).get("ratiba_process_turn")
        config.stash[_TURNS] = TurnRecordings(recorder_of(config), ProcessTurn(Path(path)) if path else None)
    around: AbstractAsyncContextManager[None] = config.stash[_TURNS].around(turn)
    return around


@pytest.hookimpl(optionalhook=True)
def pytest_ratiba_agent_environment(config: pytest.Config) -> dict[str, str] | None:
    """An agent's own process asks the recorder's endpoint; with --live the models."""
    from pytest_ratiba.options import flag

    return None if flag(config, "--live") else dict(recorder_of(config).environment())


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """With xdist the controller has the agents' processes, and its workers the turns."""
    from pytest_ratiba.options import flag
    from pytest_ratiba.recording.process_turn import ProcessTurn

    if flag(node.config, "--live"):
        return
    turn = node.config.stash.setdefault(
        _PROCESS_TURN, ProcessTurn(Path(tempfile.gettempdir()) / f"ratiba-turn-{node.workerinput['testrunuid']}")
    )
    recorder_of(node.config).elsewhere = turn.endpoint
    node.workerinput["ratiba_process_turn"] = str(turn.path)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, Any, Any]:
    """A scenario is played while its item is set up: a miss in it is what failed, whatever verdict came of it."""
    item.config.stash[_ITEM] = item
    if _RECORDER in item.config.stash:
        item.config.stash[_RECORDER].begin_test()
    failed: BaseException | None = None
    try:
        yield
    except Exception as error:
        failed = error
    case = getattr(item, "case", None)
    problems = close_turns(item, case.id) if case is not None else []
    if problems:
        because = f"\n\nAfter it the scenario came to: {failed}" if failed is not None else ""
        pytest.fail("\n\n".join(problems) + because, pytrace=False)
    if failed is not None:
        raise failed


def close_turns(item: pytest.Item, scenario_id: str) -> list[str]:
    """Ends the recordings of what was played so far, and gives what is wrong with those of this scenario; once."""
    turns = item.config.stash.get(_TURNS, None)
    outcomes = turns.finished(scenario_id) if turns is not None else []
    for outcome in outcomes:
        keep_outcome(item, outcome)
    return [problem for outcome in outcomes for problem in outcome.problems]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.when == "teardown" and _ITEM_OUTCOMES in item.stash:
        setattr(report, _OUTCOME, item.stash[_ITEM_OUTCOMES])
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _SESSION.extend(getattr(report, _OUTCOME, []))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """One line of what was played and recorded, and one for each recorded call that nobody asked for."""
    if not _SESSION:
        return
    total = {name: sum(row[name] for row in _SESSION) for name in ("played", "recorded", "stubbed", "live")}
    counts = ", ".join(f"{number} {name}" for name, number in total.items() if number) or "no call"
    terminalreporter.write_line(f"model replies: {counts}")
    for row in _SESSION:
        for line in row["unused"]:
            terminalreporter.write_line(f"not asked for any more: {row['path']} {line}")
    _SESSION.clear()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """A miss is what failed, not what the agent or the test made of it."""
    failed: BaseException | None = None
    result = None
    try:
        result = yield
    except (Exception, pytest.fail.Exception) as error:
        failed = error
    handle = item.stash.get(_HANDLE, None)
    problems = handle.recording.problems() if handle is not None else []
    if handle is not None and problems:
        handle.reported = True
        because = f"\n\nAfter it the test failed with {type(failed).__name__}: {failed}" if failed is not None else ""
        pytest.fail("\n\n".join(problems) + because, pytrace=False)
    if failed is not None:
        raise failed
    return result


def _names(request: pytest.FixtureRequest) -> tuple[str, str]:
    mark = request.node.get_closest_marker("llm_recording")
    if mark is not None:
        return _marked(*mark.args, **mark.kwargs)
    if "scenario_id" in request.fixturenames:
        return str(request.getfixturevalue("scenario_id")), ""
    return re.sub(r"\W+", "_", request.node.name).strip("_"), ""


def _marked(scenario_id: str, conversation: str = "") -> tuple[str, str]:
    """A mark's arguments; a wrong one is a TypeError with this function's names."""
    return scenario_id, conversation


def _plain(outcome: Any) -> dict[str, Any]:
    row = dataclasses.asdict(outcome)
    return {name: str(value) if isinstance(value, Path) else value for name, value in row.items()}

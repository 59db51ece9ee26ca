"""The fixture `conversation_snapshot`, and snapshots of the scenarios of layer 4."""

from collections.abc import Generator, Mapping, Sequence
from typing import Any

import pytest

_BOOK = pytest.StashKey[Any]()
_USED = "ratiba_snapshots"  # the attribute of a report, which comes back from an xdist worker
_USED_BY_ITEM = pytest.StashKey[list[str]]()
_SESSION: list[str] = []


class SnapshotChanged(Exception):
    """A conversation that is not the accepted one, or that nobody has accepted yet."""


class SnapshotBook:
    """Holds what was played against what is accepted."""

    def __init__(self, config: pytest.Config) -> None:
        from pytest_ratiba.plugin import project_of
        from pytest_ratiba.recording.fixtures import recorder_of
        from pytest_ratiba.snapshots.store import store_of

        self.store = store_of(project_of(config))
        self._masker = recorder_of(config).masker

    def check(self, scenario_id: str, turns: Sequence[Mapping[str, Any]], *, language: str = "") -> None:
        """Raises SnapshotChanged where the conversation is not the accepted one; it then waits for a person. There is
        no option that accepts."""
        from pytest_ratiba.recording.scenario import now_utc
        from pytest_ratiba.snapshots.conversation import conversation, divergence, side_by_side
        from pytest_ratiba.snapshots.store import shown_path

        now = now_utc()
        played = conversation(scenario_id, turns, masker=self._masker, language=language)
        found = self.store.accepted(scenario_id)
        if found is None:
            self.store.wait(played, base="", now=now)
            raise SnapshotChanged(
                f"{scenario_id}: nobody has accepted this conversation yet. "
                f"Look at it with `ratiba-ci snapshots review` and commit {shown_path(self.store.path(scenario_id))}."
            )
        golden, golden_at = found
        parts = divergence(golden, played, golden_at=golden_at, now=now)
        if parts is None:
            self.store.forget(scenario_id)
            return
        self.store.wait(played, base=golden.digest, now=now)
        lines = "\n".join(side_by_side(golden, played)[:60])
        raise SnapshotChanged(
            f"{scenario_id} differs in turn {parts.position} from {shown_path(self.store.path(scenario_id))}\n"
            f"{parts.why}\n{lines}\n"
            "Review it with `ratiba-ci snapshots review`, and commit the file."
        )


def book_of(config: pytest.Config) -> SnapshotBook:
    """The session's snapshots; made at the first call. Raises ProjectError for a wrong configuration."""
    if _BOOK not in config.stash:
        config.stash[_BOOK] = SnapshotBook(config)
    book: SnapshotBook = config.stash[_BOOK]
    return book


@pytest.fixture
def conversation_snapshot(request: pytest.FixtureRequest) -> Any:
    """`conversation_snapshot(turns, scenario_id="", language="")` fails unless a person accepted this conversation; the
    scenario is the fixture `scenario_id`'s, else the test's own name."""

    def check(turns: Sequence[Mapping[str, Any]], scenario_id: str = "", language: str = "") -> None:
        name = scenario_id or _name(request)
        request.node.stash.setdefault(_USED_BY_ITEM, []).append(name)
        _failing(lambda: book_of(request.config).check(name, turns, language=language))

    return check


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """A scenario of layer 4 that has an accepted conversation is held against it; `snapshots: {scenarios: …}` says
    which ones need one."""
    result = yield
    case, outcome = getattr(item, "case", None), getattr(item, "outcome", None)
    if case is None or outcome is None or case.layer != 4:
        return result
    book = book_of(item.config)
    if book.store.holds(case.id):
        item.stash.setdefault(_USED_BY_ITEM, []).append(case.id)
        from pytest_ratiba.sessions import server_session

        rows = server_session(item.config).played_case(case, outcome).turns
        turns = [row for row in rows if row["role"] != "tool"]  # what was said and called; not what tools answered
        _failing(lambda: book.check(case.id, turns, language=str(case.document.get("language") or "")))
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.when == "teardown":
        setattr(report, _USED, item.stash.get(_USED_BY_ITEM, None) or [])
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _SESSION.extend(getattr(report, _USED, []))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Accepted files that nobody asked for, only where the whole suite was played: nothing deselected, by name or
    skipped; and how many conversations wait for a person."""
    from pytest_ratiba.errors import ProjectError
    from pytest_ratiba.snapshots.store import shown_path

    if not _SESSION and _BOOK not in config.stash:
        return
    try:
        book = book_of(config)
        if _whole(config, terminalreporter):
            for name, path in book.store.ids().items():
                if name not in _SESSION:
                    terminalreporter.write_line(f"snapshot that no test asked for: {shown_path(path)}")
        waiting = sum(1 for _ in book.store.pending())
    except ProjectError as error:
        terminalreporter.write_line(str(error))
        return
    finally:
        _SESSION.clear()
    if waiting:
        terminalreporter.write_line(f"{waiting} snapshots wait for a person: ratiba-ci snapshots review")


def _whole(config: pytest.Config, terminalreporter: Any) -> bool:
    stats = terminalreporter.stats
    some = stats.get("deselected") or stats.get("skipped") or stats.get("error")
    named = any("::" in word for word in config.args) or config.option.keyword or config.option.markexpr
    lasts = any(getattr(config.option, name, False) for name in ("lf", "failedfirst", "last_failed"))
    folders = config.args in ([], [str(config.rootpath)], ["."]) or config.args_source is not config.ArgsSource.ARGS
    return not (some or named or lasts) and folders


def _failing(check: Any) -> None:
    """A divergence and a file that cannot be read are failures with a text and no traceback."""
    from pytest_ratiba.errors import ProjectError

    why = ""
    try:
        check()
    except (SnapshotChanged, ProjectError) as error:
        why = str(error)
    if why:
        pytest.fail(why, pytrace=False)


def _name(request: pytest.FixtureRequest) -> str:
    from pytest_ratiba.recording.fixtures import _names

    return _names(request)[0]

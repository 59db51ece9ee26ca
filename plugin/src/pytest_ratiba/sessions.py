"""The one connection of a pytest session to its server, and which cases are played together."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from pytest_ratiba.agent_process import AgentProcesses
from pytest_ratiba.agents import AgentSetting, chosen_agent, read_agents
from pytest_ratiba.client import LOCAL, named_server
from pytest_ratiba.config import Project
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.golden import golden_source, golden_transport
from pytest_ratiba.options import option, stall_s
from pytest_ratiba.outcomes import CaseOutcome, CaseUnmeasurable
from pytest_ratiba.processes import sigterm_interrupts

if TYPE_CHECKING:
    from pytest_ratiba.collecting import ScenarioCase
    from pytest_ratiba.deepeval.case_conversion import CaseTranscript
    from pytest_ratiba.environment.building import EvalEnvironments
    from pytest_ratiba.played_run import PlayedRun
    from pytest_ratiba.playing import Player
    from pytest_ratiba.pulled import LeasedTurn
    from pytest_ratiba.scenarios import ScenarioVariant
    from pytest_ratiba.server import LocalServer
    from pytest_ratiba.shared_starts import SharedStarts

FILES_TOGETHER = ("loadfile", "loadscope")  # xdist's --dist
_SESSION = pytest.StashKey["ServerSession"]()


class ServerSession:
    """Connects when the first case needs it. Cases of one layer and agent are played in one run; with xdist those of a
    file, where it keeps files together, else each in a run of its own: nobody knows which worker gets which."""

    def __init__(self, config: pytest.Config, project: Project) -> None:
        self._config, self.project = config, project
        self._cases: list[ScenarioCase] = []
        self._batches: dict[tuple[int, str, str], PlayedRun | BaseException] = {}
        self._earlier: PlayedRun | None = None
        self._player: Player | None = None
        self._server: LocalServer | ProjectError | None = None
        self._controller: Mapping[str, str] | None = getattr(config, "workerinput", {}).get("ratiba_controller")
        self._starts: SharedStarts | None = None
        self._sigterm = ExitStack()
        elsewhere = self._start_agent_elsewhere if self._controller is not None else None
        self.processes = AgentProcesses(self._agent_environment, elsewhere=elsewhere)
        self._golden: CaseOutcome | Exception | None = None

    def selected(self, cases: Sequence["ScenarioCase"]) -> None:
        """The cases that this session will run."""
        self._cases = list(cases)

    def outcome_of(self, case: "ScenarioVariant") -> CaseOutcome:
        """Return the server's outcome of a case; the first case of a batch waits for the whole batch.
        A case that is not selected as a test is played by itself, once. Raises the error that stopped the play."""
        if run_id := option(self._config, "--test-run"):
            return self._found(self._read(run_id), case)
        agent, batch = self._agent_name(case), self._played_together(case)
        key = (case.layer, agent, batch[0].id)
        if key not in self._batches:
            try:
                self._batches[key] = self.player().play_scenarios(batch, agent=agent, layer=case.layer)
            except Exception as error:  # each case of the batch reports it
                self._batches[key] = error
        played = self._batches[key]
        if isinstance(played, BaseException):
            raise played
        return self._found(played, case)

    def _played_together(self, case: "ScenarioVariant") -> "list[ScenarioVariant]":
        """The cases of one run: those of the layer and agent; in an xdist worker those of them that are sure to come to
        this worker, which are the file's where xdist keeps files together."""
        item = next((one for one in self._cases if one.case.id == case.id), None)
        worker = getattr(self._config, "workerinput", None)
        if item is None or (worker is not None and worker.get("ratiba_dist") not in FILES_TOGETHER):
            return [case]
        return [
            one.case
            for one in self._cases
            if (one.case.layer, self._agent_name(one.case)) == (case.layer, self._agent_name(case))
            and (worker is None or one.path == item.path)
        ]

    def _read(self, run_id: str) -> "PlayedRun":
        """A run that was played before; read once. Raises `ProjectError`."""
        if self._earlier is None:
            self._earlier = self.player().read_run(run_id)
        return self._earlier

    def golden_outcome(self) -> CaseOutcome:
        """The replay of the golden session that `--golden` names; played once. Raises what stopped it."""
        if self._golden is None:
            try:
                source, transport = golden_source(self._config), golden_transport(self._config)
                agent = option(self._config, "--agent")
                played = self.player().play_golden(source, agent=agent, transport=transport)
                self._golden = next(iter(played.outcomes.values()))
            except Exception as error:  # each of the eight tests reports it
                self._golden = error
        if isinstance(self._golden, Exception):
            raise self._golden
        return self._golden

    def player(self) -> "Player":
        """The connection; made, and a local server started, when it is first wanted."""
        if self._player is None:
            from pytest_ratiba.client import RatibaClient
            from pytest_ratiba.playing import Player

            url, api_key = self._address()
            self._player = Player(
                processes=self.processes,
                client=RatibaClient(url, api_key),
                project=self.project,
                api_key=api_key,
                stall_s=stall_s(self._config),
                around=[self._around],
                sections=self._sections(),
            )
        return self._player

    def output_of_agent(self, case: "ScenarioVariant") -> str:
        """The last lines that the process of the case's agent printed; "" where it is none of ours."""
        return self.processes.output(self.agent_of(case))

    def case_named(self, case_id: str) -> "ScenarioVariant":
        """A case of the project's scenarios, selected as a test or not. Raises `ProjectError` that names them."""
        return next((one.case for one in self._cases if one.case.id == case_id), None) or self._unselected(case_id)

    def played_case(self, case: "ScenarioVariant", outcome: CaseOutcome) -> "CaseTranscript":
        """The case with every turn as the server has it. Raises `CaseUnmeasurable`."""
        from pytest_ratiba.deepeval.case_conversion import CaseTranscript

        player = self.player()
        personas = [entry for section in player.sections for entry in section.get("personas") or ()]
        turns = player.transcript(outcome)
        return CaseTranscript(variant=case, outcome=outcome, turns=turns, personas=tuple(personas))

    def agent_of(self, case: "ScenarioVariant") -> AgentSetting:
        """The agent that answers in this case. Raises `ProjectError`."""
        return chosen_agent(self.project, self._agent_name(case))

    def _agent_name(self, case: "ScenarioVariant") -> str:
        return case.agent or option(self._config, "--agent")

    def _unselected(self, case_id: str) -> "ScenarioVariant":
        from pytest_ratiba.collecting import all_scenarios

        every = all_scenarios(self.project)
        found = next((scenario for scenario in every.scenarios if scenario.id == case_id), None)
        if found is None:
            names = ", ".join(scenario.id for scenario in every.scenarios) or "none"
            raise ProjectError(f"there is no case {case_id!r}; there are {names}")
        player = self.player()
        player.sections = [*player.sections, *(section for section in every.sections if section not in player.sections)]
        return found

    def _sections(self) -> list[Any]:
        """List the sections that stand beside the selected cases in their files."""
        files = dict.fromkeys(case.parent for case in self._cases)
        return [part for file in files for part in file.sections]  # type: ignore[union-attr]

    def runs(self) -> "list[PlayedRun]":
        """Every run that has ended so far."""
        return self._player.runs if self._player is not None else []

    def environments(self) -> "list[EvalEnvironments]":
        """List the environments that the tenants of this session's conversations share."""
        return self._player.tenants.environments if self._player is not None else []

    def leave_tenant(self, case: CaseOutcome) -> None:
        """Drop the tenant of a conversation whose assertions were checked. Raises LeftBehind; safe to repeat."""
        if self._player is not None:
            self._player.tenants.leave(str(case.conversation["id"]))

    def close(self) -> None:
        """Stop answering; stop the server, if it was ours."""
        if self._starts is not None:
            self._starts.close()
        self.processes.stop()  # first: nobody waits for a reply that will not come
        if self._player is not None:
            self._player.close()
        if self._server is not None and not isinstance(self._server, ProjectError):
            self._server.stop()
        self._sigterm.close()

    def _address(self) -> tuple[str, str]:
        url = option(self._config, "--ratiba") or LOCAL
        if url == LOCAL:
            return self._local()
        server = named_server(url)
        if server is None:
            raise ProjectError("RATIBA_API_KEY is not set: the server's key, rk_…")
        return server.url, server.api_key

    def _local(self) -> tuple[str, str]:
        """The server on this machine; with xdist it is the controller's."""
        if self._controller is not None:
            from pytest_ratiba.shared_starts import ask_controller

            url, api_key = ask_controller(self._controller, {"server": LOCAL})
            return str(url), str(api_key)
        if self._server is None:
            from pytest_ratiba.server import LocalServer

            reporter = self._config.pluginmanager.getplugin("terminalreporter")
            say = reporter.write_line if reporter is not None else lambda line: None
            server = LocalServer(folder=self.project.folder, say=say)
            try:
                server.start()
            except ProjectError as error:  # every case that wants it reports the same
                self._server = error
            else:
                self._server = server
        if isinstance(self._server, ProjectError):
            raise self._server
        return self._server.url, self._server.api_key

    def for_worker(self) -> dict[str, str]:
        """Return the data by which an xdist worker asks for the local server and the agents."""
        if self._starts is None:
            from pytest_ratiba.shared_starts import SharedStarts

            # A start happens in a thread, which cannot see to SIGTERM.
            self._sigterm.enter_context(sigterm_interrupts())
            self._starts = SharedStarts(self._start_for_worker)
        return self._starts.for_worker()

    def _start_for_worker(self, asked: Mapping[str, Any]) -> Any:
        if name := asked.get("agent"):
            self.processes.need(self.project, read_agents(self.project)[name])
            return None
        return self._local()

    def _start_agent_elsewhere(self, agent: AgentSetting) -> None:
        from pytest_ratiba.shared_starts import ask_controller

        if self._controller is not None:
            ask_controller(self._controller, {"agent": agent.name})

    def _agent_environment(self) -> dict[str, str]:
        parts = self._config.hook.pytest_ratiba_agent_environment(config=self._config)
        return {name: value for part in parts if part for name, value in part.items()}

    def _around(self, turn: "LeasedTurn") -> AbstractAsyncContextManager[Any]:
        return _Surrounded(self._config.hook.pytest_ratiba_around_turn(config=self._config, turn=turn))

    def _found(self, played: "PlayedRun", case: "ScenarioVariant") -> CaseOutcome:
        outcome = played.outcomes.get(case.id)
        if outcome is None:
            raise CaseUnmeasurable(f"the run's report has no conversation {case.id!r}")
        return outcome


class _Surrounded(AsyncExitStack):
    """Every context manager that somebody wants around a turn, in the order of their hooks."""

    def __init__(self, managers: Sequence[AbstractAsyncContextManager[Any] | None]) -> None:
        super().__init__()
        self._managers = [manager for manager in managers if manager is not None]

    async def __aenter__(self) -> "_Surrounded":
        await super().__aenter__()
        try:
            for manager in self._managers:
                await self.enter_async_context(manager)
        except BaseException:
            await self.aclose()
            raise
        return self


def open_session(config: pytest.Config, project: Project) -> None:
    """Remember the session; nothing is connected yet."""
    config.stash[_SESSION] = ServerSession(config, project)


def server_session(config: pytest.Config) -> ServerSession:
    """The session's connection."""
    return config.stash[_SESSION]

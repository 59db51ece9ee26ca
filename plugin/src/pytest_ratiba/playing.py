"""A session's runs on the server: a run is started with its scenarios, turns are answered, its report comes back.

Nothing is brought into the team's catalog: scenarios, personas, golden sessions and the way to the agent go with the
run and count for it alone.
"""

import contextlib
import hashlib
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pytest_ratiba.agent_process import AgentProcesses
from pytest_ratiba.agents import AgentSetting, chosen_agent, load_callable
from pytest_ratiba.callable_agent import CallableAgent
from pytest_ratiba.callable_process import CallableProcess
from pytest_ratiba.client import RatibaClient, ServerError
from pytest_ratiba.config import Project
from pytest_ratiba.deepeval.user_metrics import project_metrics
from pytest_ratiba.documents import catalog_text
from pytest_ratiba.environment.conversations import AgentTenants
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.golden import GoldenSource
from pytest_ratiba.outcomes import CaseOutcome, CaseUnmeasurable
from pytest_ratiba.own_side import AssertionCheck, check_here, own_side_results
from pytest_ratiba.played_run import TERMINAL, PlayedRun, played_run, read_played_run
from pytest_ratiba.pulled import AroundTurn, TurnLoop, TurnResponder
from pytest_ratiba.relayed import RelayedAgent
from pytest_ratiba.scenarios import SCRIPTED_PERSONA, SCRIPTED_PERSONA_ENTRY, ScenarioVariant
from pytest_ratiba.subjects import PULLED, connection_of, may_be_pulled, replay_way, subject_of

POLL_S = (0.3, 2.0)
BLAME_S = 5.0  # after the agent's process has ended: its turns are answered by that, and the run is given up
NO_OPTIONS: Mapping[str, Any] = MappingProxyType({})


@dataclass(kw_only=True)
class Player:
    """Plays scenarios and golden sessions of one project on one server. Made once a session; `close` at its end."""

    client: RatibaClient
    project: Project
    api_key: str
    stall_s: float
    around: Sequence[AroundTurn] = ()
    sections: Sequence[Mapping[str, Any]] = ()  # personas that stand beside the scenarios
    processes: AgentProcesses = field(default_factory=AgentProcesses)
    apart: bool = False  # a callable answers in a process of its own, without our key
    check: AssertionCheck = check_here  # of the agent's own side
    # Of its runs' subjects. `job`: of runs played at the same time; `versions`: whose scenarios and checks are played;
    # `loop_ms`: how fast the machine was.
    marks: Mapping[str, str] = field(default_factory=dict)
    commit: str = ""  # whose files the project's folder holds; "": git says it
    case_folders: Sequence[Path] = ()  # projects whose cases are played; none: all are the project's own
    runs: list[PlayedRun] = field(default_factory=list)
    tenants: AgentTenants = field(default_factory=AgentTenants)
    _loops: dict[str, TurnLoop] = field(default_factory=dict)
    _variants: dict[str, ScenarioVariant] = field(default_factory=dict)
    _contexts: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    _transcripts: dict[str, dict[str, list[dict[str, Any]]]] = field(default_factory=dict)

    def close(self) -> None:
        """Stop answering, and close the connections."""
        for loop in self._loops.values():
            loop.stop()
        self.tenants.close()
        self.client.close()

    def play_scenarios(
        self, cases: Sequence[ScenarioVariant], *, agent: str, layer: int, options: Mapping[str, Any] = NO_OPTIONS
    ) -> PlayedRun:
        """Play these cases with everything beside them in one run, and wait for its report.

        `options` are further fields of the run: repeats, seed, pull_request.
        Raises `ProjectError` for what the server refuses, with the line of the scenario; `CaseUnmeasurable` where the
        run makes no progress.
        """
        setting = chosen_agent(self.project, agent)
        self.processes.need(self.project, setting)
        self._contexts |= {case.id: case.context for case in cases}
        self._variants |= {case.id: case for case in cases}
        loop = self._loop_of(setting)
        config, connection = self._evaluator_config(), connection_of(setting)
        started = self._started(
            self.client.start_battles,
            cases,
            agent=setting.name,
            scenarios=[case.id for case in cases],
            catalog={"files": self._files_of(cases)},
            triggered_by="pytest",
            subject=subject_of(self.project, setting, layer=layer, marks=self.marks, commit=self.commit),
            **({"connection": connection} if connection else {}),
            **({"evaluator_config": config} if config else {}),
            **options,
        )
        return self._until_reported(started, setting, loop)

    def play_golden(self, golden: GoldenSource, *, agent: str, transport: str) -> PlayedRun:
        """Replay a golden session once, one that came as files with these, and wait for its report. Raises as
        `play_scenarios`."""
        setting = chosen_agent(self.project, agent)
        self.processes.need(self.project, setting)
        loop = self._loop_of(setting, files=golden.attachments)
        catalog: dict[str, Any] = {"catalog": {"golden_sessions": [golden.as_sent()]}} if golden.files else {}
        started = self._started(
            self.client.start_replays,
            agent=setting.name,
            golden_sessions=[golden.name],
            **catalog,
            triggered_by="pytest",
            subject=subject_of(self.project, setting, layer=3),
            **replay_way(setting, transport),
        )
        return self._until_reported(started, setting, loop)

    def judge(self, documents: Sequence[Mapping[str, Any]], *, evaluator_config: str = "") -> list[dict[str, Any]]:
        """Have conversations of elsewhere imported and judged, and wait; their judgements in the same order. Costs the
        judge's calls. Raises `ProjectError` for what the server refuses, `CaseUnmeasurable` without an answer."""
        config = evaluator_config or self._evaluator_config()
        if not config:
            raise ProjectError("name an evaluator config, here or as evaluator_config: in ratiba.yaml")
        try:
            evaluation = self.client.evaluate_conversations(config, documents)
        except ServerError as error:
            raise ProjectError(f"the server does not judge these conversations: {error}") from error
        self._wait(self.client.evaluation_status, evaluation)
        found = {str(one["conversation_id"]): one for one in self._ask(self.client.judgements, evaluation)}
        missing = next((document["id"] for document in documents if document["id"] not in found), None)
        if missing is not None:
            raise CaseUnmeasurable(f"evaluation {evaluation} has no judgement of {missing!r}")
        return [found[str(document["id"])] for document in documents]

    def transcript(self, outcome: CaseOutcome) -> list[dict[str, Any]]:
        """Every turn of a played case as the server has it, tool calls with arguments included; asked for once a run.
        Raises `CaseUnmeasurable`."""
        run_id = outcome.test_run_id
        if run_id not in self._transcripts:
            rows = self._ask(self.client.conversations, run_id)
            self._transcripts[run_id] = {str(row["id"]): list(row["turns"]) for row in rows}
        return self._transcripts[run_id].get(str(outcome.conversation["id"]), [])

    def _started(self, start: Any, cases: Sequence[ScenarioVariant] = (), **fields: Any) -> dict[str, Any]:
        try:
            started: dict[str, Any] = start(**fields)
        except ServerError as error:
            if not 400 <= error.status < 500:
                raise CaseUnmeasurable(str(error)) from error
            case = next((one for one in cases if _file_of(one) == error.problem.get("file")), None)
            if case is None:
                raise ProjectError(f"the server does not start the run: {error}") from error
            pointer = str(error.problem.get("file_pointer") or "")
            sentence = re.sub(rf"^{re.escape(_file_of(case))}, line \d+, [^ :]*: ", "", str(error))
            raise case.source.error(case.written_at(pointer), sentence.removeprefix(f"{pointer}: ")) from error
        return started

    def _files_of(self, cases: Sequence[ScenarioVariant]) -> dict[str, str]:
        """The catalog of a run: these cases, and whatever stands beside them."""
        files = {f"catalog-{number}.yaml": catalog_text(section) for number, section in enumerate(self.sections)}
        if any(case.document.get("persona") == SCRIPTED_PERSONA for case in cases):
            files["scripted-customer.yaml"] = catalog_text({"personas": [SCRIPTED_PERSONA_ENTRY]})
        return files | {_file_of(case): catalog_text(self._with_metrics(case)) for case in cases}

    def _with_metrics(self, case: ScenarioVariant) -> dict[str, Any]:
        """The scenario with the project's own metrics behind its own assertions."""
        document = dict(case.document)
        own = list(document.get("assertions") or ())
        named = {one.get("metric") for one in own if isinstance(one, dict)}
        more = [one for one in project_metrics(self.project) if one["metric"] not in {*named, *case.own_metrics}]
        return document | ({"assertions": own + more} if own or more else {})

    def _loop_of(self, agent: AgentSetting, files: Mapping[str, bytes] = NO_OPTIONS) -> TurnLoop | None:
        """The loop that will bring turns to the agent; None for one that the server dials. `files` by name go with the
        turns that name them."""
        if not may_be_pulled(agent):
            return None
        loop = self._loops.get(agent.name)
        if loop is None:
            loop = self._loops[agent.name] = TurnLoop(
                url=self.client.url,
                api_key=self.api_key,
                agent=agent.name,
                responder=self._responder(agent),
                context_of=lambda scenario: self._contexts.get(scenario, {}),
                around=self.around,
                one_at_a_time=self.processes.are_recorded(agent),
            )
            loop.start()
        if isinstance(loop.responder, RelayedAgent):
            loop.responder.files |= {hashlib.sha256(content).hexdigest(): content for content in files.values()}
        return loop

    def _responder(self, agent: AgentSetting) -> TurnResponder:
        if agent.callable and self.apart:
            return CallableProcess(self.project, agent)
        if agent.callable:
            function = load_callable(self.project, agent)
            return CallableAgent(function, self.tenants.open(self.project, agent.name, function))
        return RelayedAgent(agent, gone=lambda: self.processes.ended(agent).partition(";")[0])

    def _evaluator_config(self) -> str:
        config = self.project.sections.get("evaluator_config", "")
        if not isinstance(config, str):
            raise self.project.error(
                "/evaluator_config", "must be the name of an evaluator config, name or name@version"
            )
        return config

    def _until_reported(self, started: Mapping[str, Any], agent: AgentSetting, loop: TurnLoop | None) -> PlayedRun:
        run_id = str(started["id"])
        loop = loop if started["transport"] == PULLED else None
        if loop is not None:
            loop.serve_run(run_id)
        try:
            self._wait(self.client.run_status, run_id, agent, loop)
            report = self._report(run_id)
            if self._post_own_side(report, loop):
                report = self._report(run_id)
        except BaseException:
            self._give_up(run_id)
            raise
        evaluation = str(started.get("evaluation_id") or "")
        played = played_run(self.client, report, evaluation=evaluation, failure_of=self.tenants.failure)
        self.runs.append(played)
        return played

    def _post_own_side(self, report: Mapping[str, Any], loop: TurnLoop | None) -> bool:
        """Check what only the agent's own side can answer, and post it; whether there was anything."""
        results = []
        for conversation in report["conversations"]:
            name = str(conversation["name"])  # of a repeated case with the repeat's number behind it
            variant = self._variants.get(name) or self._variants.get(
                name.removesuffix(f"#{conversation.get('repeat')}")
            )
            if variant is not None and variant.checked_here:
                observed = self.tenants.observed(loop.observed, str(conversation["id"])) if loop is not None else None
                results += own_side_results(
                    variant, conversation, observed, folder=self._folder_of(variant), check=self.check
                )
        if results:
            self._ask(lambda run_id: self.client.post_checks(run_id, results), str(report["test_run_id"]))
        return bool(results)

    def _folder_of(self, variant: ScenarioVariant) -> Path:
        """The project that a case stands in: schemas and modules that its assertions name are that project's."""
        path = variant.source.path.resolve()
        stands_in = (case_folder for case_folder in self.case_folders if path.is_relative_to(case_folder.resolve()))
        return next(stands_in, self.project.folder)

    def read_run(self, run_id: str) -> PlayedRun:
        """A run that was played before, judged by the project's config. Raises as `read_played_run`."""
        self.runs.append(read_played_run(self.client, run_id, evaluator_config=self._evaluator_config()))
        return self.runs[-1]

    def _wait(
        self, status_of: Any, run_id: str, agent: AgentSetting | None = None, loop: TurnLoop | None = None
    ) -> None:
        """Until a run with its evaluations, or an evaluation, has ended. Raises `CaseUnmeasurable` after `stall_s`
        without progress, and once the agent's process has ended and the turns it had are blamed."""
        gone_since: float | None = None
        seen, since, pause = None, time.monotonic(), POLL_S[0]
        while True:
            if loop is not None and loop.failure is not None:
                raise CaseUnmeasurable(f"turns can no longer be answered: {loop.failure}") from loop.failure
            status = self._ask(status_of, run_id)
            if status["status"] in TERMINAL:
                return
            if gone := self.processes.ended(agent) if agent is not None else "":
                gone_since = gone_since or time.monotonic()
                if time.monotonic() - gone_since > BLAME_S:
                    raise CaseUnmeasurable(gone)
            now = (status["progress"], status["conversations"], loop.answered if loop is not None else 0)
            if now != seen:
                seen, since = now, time.monotonic()
            elif time.monotonic() - since > self.stall_s:
                waits = status.get("waiting_for") or "nothing that it names; are the server's workers running?"
                raise CaseUnmeasurable(
                    f"test run {run_id} made no progress for {self.stall_s:g} s: it waits for {waits}"
                )
            time.sleep(pause)
            pause = min(pause * 1.2, POLL_S[1])

    def _report(self, run_id: str) -> dict[str, Any]:
        deadline = time.monotonic() + self.stall_s
        while (report := self._ask(self.client.run_report, run_id)) is None:
            if time.monotonic() > deadline:
                raise CaseUnmeasurable(f"the checks of test run {run_id} were not measured within {self.stall_s:g} s")
            time.sleep(POLL_S[0])
        return dict(report)

    def _ask(self, question: Any, run_id: str) -> Any:
        try:
            return question(run_id)
        except ServerError as error:
            raise CaseUnmeasurable(f"test run {run_id}: {error}") from error

    def _give_up(self, run_id: str) -> None:
        with contextlib.suppress(ServerError):  # it has ended, or the server is gone: the reason is on its way
            self.client.cancel_run(run_id)


def _file_of(case: ScenarioVariant) -> str:
    """Return the file name by which errors of the server call the case."""
    return f"{case.id}.yaml"

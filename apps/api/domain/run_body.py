"""The body of POST /test-runs/ as plain data."""

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from annotated_types import Interval, Len, MaxLen

from apps.api.domain.catalog_body import CatalogFiles
from apps.api.domain.golden_body import GoldenSessionRequest, contents_of, texts_of
from apps.api.domain.request_fields import HttpPaths, Name, Names, RequestOptions
from apps.core.errors import BadInput
from apps.core.shapes import WHOLE, Flag, Shape, Text, Word, described
from apps.core.turn_parsing import kind, shown
from apps.core.validation import validate
from apps.runs.agents.domain.run_connection import RunConnection
from apps.runs.goldens.domain.sent_golden import SentGoldenFiles


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionRequest(Shape):
    """How this run reaches its agent. One that the agent has on the server is used as it is there; another one counts
    for this run alone, without the agent's secrets, limits and pace."""

    kind: Literal["pulled", "a2a", "http", "agentx"]
    address: Annotated[Text, MaxLen(2000)] = ""
    runner: Annotated[
        Flag, described("The caller leases the turns and brings them to the address, where the server has no such way.")
    ] = False
    options: HttpPaths = field(default_factory=HttpPaths)

    def as_connection(self) -> RunConnection:
        """The connection for the service that starts the run."""
        options = self.options.as_json("/connection/options")
        return RunConnection(kind=self.kind, address=self.address, runner=self.runner, options=options)


@dataclass(frozen=True, slots=True, kw_only=True)
class BattleCatalog(Shape):
    """Scenarios and personas that count for this run alone, as YAML files by name; those that the server has too are
    played as the files say. Nothing of it is kept in the catalog."""

    files: CatalogFiles


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayCatalog(Shape):
    """Golden sessions that count for this run alone, each as POST /golden-sessions/ takes it; none is kept."""

    golden_sessions: Annotated[list[GoldenSessionRequest], Len(1, 20)]

    def as_files(self) -> list[SentGoldenFiles]:
        """The files for the service that starts the run. Raises BadInput with the pointer."""
        files = []
        for number, one in enumerate(self.golden_sessions):
            try:
                texts, contents = texts_of(one.files), contents_of(one.attachments)
            except BadInput as error:
                pointer = f"/catalog/golden_sessions/{number}{error.pointer or ''}"
                raise BadInput(error.message, code=error.code, pointer=pointer, **error.extra) from error
            files.append(SentGoldenFiles(document=one.document, files=texts, attachments=contents))
        return files


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions(RequestOptions):
    """What is asked for, whatever is played."""

    agent: Name
    connection: ConnectionRequest | None = None
    prompt: Annotated[
        Text,
        MaxLen(150),
        described(
            "The prompt version to be played: by an agent that is a prompt, or over a staging connection. One that is "
            "not live is never sent to a production address (no_staging_connection). `subject` says who is tested."
        ),
    ] = ""
    repeats: Annotated[int, Interval(ge=1, le=50), WHOLE] = 1
    evaluator_config: Annotated[Text, MaxLen(200)] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BattleRequest(RunOptions):
    """Personas talk to the agent."""

    kind: Literal["battle"]
    scenarios: Annotated[Names, Word("all")]
    catalog: BattleCatalog | None = None
    personas: Annotated[Names, Word("eligible")] | None = None
    max_turns: Annotated[int, Interval(ge=1, le=400), WHOLE] | None = None
    seed: Annotated[
        int, Interval(ge=0, le=2**31 - 1), WHOLE, described("Of the simulated customers; + 1 a repeat.")
    ] = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayRequest(RunOptions):
    """Golden sessions are played again."""

    kind: Literal["replay"]
    golden_sessions: Names
    catalog: ReplayCatalog | None = None
    transport: Literal["auto", "a2a", "agentx", "http", "pulled"] | None = None
    judge_gates: Annotated[
        bool, described("Ask the judge once about a reply that does not open its gate, before the agent is nudged.")
    ] = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ResimulationRequest(RunOptions):
    """Personas pursue the goals of golden sessions in their own way."""

    kind: Literal["resimulation"]
    golden_sessions: Names
    personas: Annotated[Names, Word("eligible")]
    max_turns: Annotated[int, Interval(ge=1, le=400), WHOLE] | None = None
    seed: Annotated[
        int, Interval(ge=0, le=2**31 - 1), WHOLE, described("Of the simulated customers; + 1 a repeat.")
    ] = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RerunRequest(Shape):
    """Which part of a run is played again, by whose verdicts, and what the new run is judged with; with `conversation`,
    one battle from its turn on, `repeats` times."""

    only: Literal["errored", "failed", "undecided", "cancelled"] = "errored"
    evaluation: Annotated[
        str, described("Whose verdicts and config are followed; else the newest completed one of the run.")
    ] = ""
    evaluator_config: Annotated[
        str, described("Judge the new run with this one; else with the config of the evaluation that is followed.")
    ] = ""
    conversation: Annotated[
        str, described("A battle of this run, instead of `only`: its customer says again what came before `turn`.")
    ] = ""
    turn: Annotated[
        int,
        Interval(ge=0, le=1000),
        WHOLE,
        described("A position in the transcript, from 0: free from there on."),
    ] = 0
    repeats: Annotated[int, Interval(ge=1, le=20), WHOLE, described("With `conversation`: how often.")] = 1


TestRunRequest = BattleRequest | ReplayRequest | ResimulationRequest


def read_run(body: Any) -> TestRunRequest:
    """Read the body of a run. Raises BadInput with a pointer. Fields of another kind are unknown fields. Pure."""
    if not isinstance(body, dict):
        raise BadInput(f"the body must be an object, not {kind(body)}", pointer="")
    shapes: dict[str, type[TestRunRequest]] = {
        "battle": BattleRequest,
        "replay": ReplayRequest,
        "resimulation": ResimulationRequest,
    }
    wanted = body.get("kind")
    if not isinstance(wanted, str) or wanted not in shapes:
        raise BadInput(
            f"kind must be {', '.join(list(shapes)[:-1])} or {list(shapes)[-1]}, not {shown(wanted)}", pointer="/kind"
        )
    read = validate(shapes[wanted], body)
    if not read.evaluator_config and (read.callback_url or read.run_analyzer):
        field = "callback_url" if read.callback_url else "run_analyzer"
        raise BadInput(
            f"{field} needs an evaluator_config: it is about the evaluation.",
            code="callback_needs_evaluation" if read.callback_url else "invalid",
            pointer=f"/{field}",
        )
    return read

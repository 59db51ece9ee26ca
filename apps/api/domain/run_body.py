"""The body of POST /test-runs/ as plain data."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from annotated_types import Interval, MaxLen

from apps.api.domain.request_fields import Name, Names, RequestOptions
from apps.core.errors import BadInput
from apps.core.shapes import WHOLE, Shape, Text, Word, described
from apps.core.turn_parsing import kind, shown
from apps.core.validation import validate


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions(RequestOptions):
    """What is asked for, whatever is played."""

    agent: Name
    repeats: Annotated[int, Interval(ge=1, le=50), WHOLE] = 1
    evaluator_config: Annotated[Text, MaxLen(200)] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BattleRequest(RunOptions):
    """Personas talk to the agent."""

    kind: Literal["battle"]
    scenarios: Annotated[Names, Word("all")]
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
    transport: Literal["auto", "a2a", "agentx", "http", "pulled"] | None = None


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
    """Which part of a run is played again."""

    only: Literal["errored", "failed", "undecided"] = "errored"


TestRunRequest = BattleRequest | ReplayRequest | ResimulationRequest


def read_run(body: Any) -> TestRunRequest:
    """Raises BadInput with a pointer. Fields of the other kind are unknown fields. Pure."""
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

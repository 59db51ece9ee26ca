"""The body of POST /gates/ as plain data."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated

from annotated_types import Interval, MaxLen

from apps.api.domain.request_fields import Id, Name
from apps.core.errors import BadInput
from apps.core.shapes import Check, Number, Shape, Text, described
from apps.gates.domain.gate_states import GateKind
from apps.gates.domain.judging_changes import JudgingChange
from apps.gates.domain.policy import GatePolicy

COMMIT = r"^[0-9a-fA-F]{7,64}$"


def _commit(value: str) -> str:
    if not (7 <= len(value) <= 64 and all(one in "0123456789abcdefABCDEF" for one in value)):
        raise BadInput("must be a commit: 7 to 64 hexadecimal digits")
    return value.lower()


_CHANGES = described("What the pull request alters of what decides.")
_ACCEPTANCE = described("A person accepted these changes: the commit's own versions decided.")
Commit = Annotated[Text, Check(_commit, {"pattern": COMMIT})]


@dataclass(frozen=True, slots=True, kw_only=True)
class GateSubject(Shape):
    """An evaluation on one side of a gate."""

    evaluation: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRequest(Shape):
    """May this pull request pass?"""

    agent: Name
    commit: Commit
    candidate: GateSubject
    base_commit: Annotated[Commit, described("The merge base; a baseline of another commit is stale.")] | None = None
    baseline: GateSubject | None = None
    pull_request: Annotated[Text, MaxLen(200), described("As its budget is named; its costs are the gate's.")] = ""
    title: Annotated[Text, MaxLen(300), described("Shown, escaped.")] = ""
    kind: GateKind = GateKind.BLOCKING
    policy: GatePolicy = field(default_factory=GatePolicy)
    first_look: Annotated[Id, described("An undecided gate of two looks: these are repeats of its cases.")] | None = (
        None
    )
    replays_of: Annotated[Id, described("A gate that names cases in play_again: these play them again.")] | None = None
    budget_usd: Annotated[Number, Interval(ge=0, le=1_000_000)] | None = None
    changes: Annotated[list[JudgingChange], MaxLen(2000), _CHANGES] = field(default_factory=list)
    acceptance: Annotated[Id, _ACCEPTANCE] | None = None

    def limit_usd(self) -> Decimal | None:
        """The limit as money."""
        return None if self.budget_usd is None else Decimal(str(self.budget_usd))


@dataclass(frozen=True, slots=True, kw_only=True)
class GateAcceptanceRequest(Shape):
    """A person accepts the changes that a gate tells."""

    seen: Annotated[Text, MaxLen(64), described("`changes_digest` of the gate, as the person saw it.")]
    note: Annotated[Text, MaxLen(2000)] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateOwnVersionsRequest(Shape):
    """What became of altered scenarios as the commit itself has them: one of the two."""

    evaluation: Annotated[Id, described("Of the commit, over these scenarios as it has them.")] | None = None
    left_out: Annotated[Text, MaxLen(300), described("Why they were not played.")] = ""

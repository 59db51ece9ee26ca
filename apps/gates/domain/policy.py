"""The rule of a gate, declared before anything is compared."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from annotated_types import Interval, MaxLen

from apps.core.errors import BadInput
from apps.core.shapes import WHOLE, Flag, Number, Shape, Text, described
from apps.core.validation import validate
from apps.gates.domain.gate_states import AdvisoryLoss, GateKind, HardRule, UndecidedPolicy
from apps.statistics.decision import Decision

ALPHA = 0.05  # the share of pull requests without effect that may be called worse, over all questions together
MARGIN = 0.5  # points of 10: a smaller loss is not worth stopping for (`WORTH` of apps.reports.comparisons)
LATENCY_MARGIN_S = 1.0  # seconds a turn: what people begin to wait for (Nielsen 1993)
TOKENS_MARGIN = 0.2  # of what the baseline's agent uses in a conversation
MAX_LOOKS = 2  # one answer, and one more after repeats
NET_LOSS = 2  # cases: one case that turns is an anecdote
SOFT_CHECKS = ("latency_regression",)  # a clock of a shared runner: compared, not a hard assertion

_Check = Annotated[Text, MaxLen(100)]


@dataclass(frozen=True, slots=True, kw_only=True)
class GatePolicy(Shape):
    """`margin` in points of the 0-10 scale; `net_loss` cases lost less gained; `alpha` the chance that a pull request
    without effect is called worse.

    `hard_checks` stop with every failing one, `soft_checks` are compared and nothing else; of every other check that no
    judge grades a fact stops at once, and what an agent may miss now and then when it is confirmed
    (domain/confirmation). `looks` is how often the data may be looked at, declared before the first: where the first
    look cannot tell, one more follows over more repeats, and each has its share of `alpha`. `undecided` absent: blocks
    where the gate is blocking, passes where it is advisory. `advisory_loss`: an advisory gate that shows a loss stops
    (block) or says so (warn). `latency_margin_s` (seconds a turn) and `tokens_margin` (a
    share of the baseline's tokens a conversation) are what the agent may become slower and dearer by."""

    margin: Annotated[Number, Interval(gt=0, le=10)] = MARGIN
    undecided: UndecidedPolicy | None = None
    require_certificate: Flag = False
    alpha: Annotated[Number, Interval(gt=0, le=0.5)] = ALPHA
    net_loss: Annotated[int, Interval(ge=1, le=1000), WHOLE] = NET_LOSS
    looks: Annotated[int, Interval(ge=1, le=MAX_LOOKS), WHOLE, described("2: repeated once where it cannot tell.")] = 1
    advisory_loss: Annotated[AdvisoryLoss, described("block: an advisory gate that shows a loss stops.")] = (
        AdvisoryLoss.BLOCK
    )
    hard: Annotated[HardRule, described("new: what failed for the baseline too does not stop.")] = HardRule.ANY
    latency_margin_s: Annotated[Number, Interval(gt=0, le=600), described("Seconds a turn.")] = LATENCY_MARGIN_S
    tokens_margin: Annotated[Number, Interval(gt=0, le=10), described("0.2: a fifth more a conversation.")] = (
        TOKENS_MARGIN
    )
    soft_checks: Annotated[tuple[_Check, ...], MaxLen(50)] = SOFT_CHECKS
    hard_checks: Annotated[tuple[_Check, ...], MaxLen(50), described("Each failing one stops, without a replay.")] = ()

    def __post_init__(self) -> None:
        both = sorted({*self.hard_checks} & {*self.soft_checks})
        if both:
            raise BadInput(
                f"{both[0]} stands in soft_checks and in hard_checks: it is one of them.",
                code="both_kinds",
                pointer="/hard_checks",
            )

    def as_json(self, kind: GateKind) -> dict[str, Any]:
        """Whole, with the rule for undecided that this kind of gate gets."""
        document = asdict(self)
        return {
            **document,
            "undecided": self.undecided_for(kind).value,
            "soft_checks": list(self.soft_checks),
            "hard_checks": list(self.hard_checks),
        }

    @property
    def alpha_of_a_look(self) -> float:
        """The level of one interim analysis: `alpha` divided by their number.

        Bonferroni's division holds however the analyses depend on each other. With two of them Pocock's boundary for
        normal data, 0.0294 of 0.05, is little wider than half (Pocock 1977, Biometrika 64).
        """
        return self.alpha / self.looks

    def undecided_for(self, kind: GateKind) -> UndecidedPolicy:
        """The rule for an undecided gate: the chosen one, else by the kind of gate."""
        if self.undecided is not None:
            return self.undecided
        return UndecidedPolicy.BLOCK if kind is GateKind.BLOCKING else UndecidedPolicy.PASS


def read_policy(raw: Any, pointer: str = "/policy") -> GatePolicy:
    """Read a policy from a request, a command or a stored row.

    Raises BadInput with the pointer of the field at fault.
    """
    return GatePolicy() if raw is None else validate(GatePolicy, raw, pointer=pointer)


def exit_code_of(decision: Decision, undecided: UndecidedPolicy) -> int:
    """0 pass, 1 worse, 3 could not be measured; undecided is 1 where the policy blocks, else 0."""
    if decision is Decision.UNDECIDED:
        return 1 if undecided is UndecidedPolicy.BLOCK else 0
    return {Decision.PASS: 0, Decision.FAIL: 1}.get(decision, 3)


def policy_sentence(policy: Mapping[str, Any]) -> str:
    """The declared rule in a line, for reports."""
    looks = " and both times the cases are looked at" if policy.get("looks", 1) > 1 else ""
    undecided = "passes" if policy["undecided"] == UndecidedPolicy.PASS else "blocks"
    return (
        f"A loss counts when it is shown (p ≤ {policy['alpha']:g} over all questions{looks}) and larger than "
        f"{policy['margin']:g} points, or {policy['net_loss']} cases; undecided: {undecided}."
    )

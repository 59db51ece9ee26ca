"""The results of a gate's questions, each in a sentence that a person can act on."""

from collections.abc import Sequence
from math import ceil

from apps.core.plurals import many
from apps.gates.domain.gate_states import AdvisoryLoss, GateKind, GateReasonCode
from apps.gates.domain.gate_words import p_equals
from apps.gates.domain.losses import GateMetric
from apps.gates.domain.measurability import GateReason
from apps.gates.domain.metric_titles import check_title, criterion_title
from apps.gates.domain.paired_metrics import DOUBLED_CALLS, LATENCY, PASSED, SCORE, TOKENS, TOOL_CALLS
from apps.gates.domain.policy import GatePolicy
from apps.statistics.decision import Decision

_UNITS = {
    LATENCY: "the agent's time for a turn, in seconds,",
    TOKENS: "the agent's tokens in a conversation",
    TOOL_CALLS: "the agent's tool calls in a conversation",
    DOUBLED_CALLS: "the share of conversations without a call made twice (same tool, same arguments)",
}
MAX_REPEATS = 20  # more of one case is no answer to a difference between cases


def metric_name(metric: GateMetric) -> str:
    """ "the score in sw", "the share of cases that pass", "flow", "the share of cases that hold: tool assertion"."""
    if metric.metric == SCORE:
        name = "the score"
    elif metric.metric == PASSED:
        name = "the share of cases that pass"
    elif metric.metric in _UNITS:
        name = _UNITS[metric.metric]
    elif metric.metric.startswith("check:"):
        check = check_title(metric.metric.removeprefix("check:").removesuffix(":score"))
        name = (
            f"the score of the {check}"
            if metric.metric.endswith(":score")
            else f"the share of cases that hold: {check}"
        )
    else:
        name = metric.title or criterion_title(metric.metric, {})
    return f"{name} in {metric.language}" if metric.language else name


_FOR_THE_JUDGE = frozenset({GateReasonCode.JUDGE_ADDRESSED, GateReasonCode.HIDDEN_WORDS})


def loss_reason(metric: GateMetric) -> GateReason:
    """A loss that is shown."""
    lost, gained = len(metric.lost), len(metric.gained)
    turned = f"; {many(lost, 'case')} that held before now {'fails' if lost == 1 else 'fail'}, {gained} the other way"
    turned = turned if metric.share else ""
    moved = "rose" if metric.lower_is_better else "fell"
    sentence = (
        f"{_subject(metric)} {moved} by {_amount(metric)} over {metric.n} cases ({p_equals(metric.adjusted)}){turned}."
    )
    return GateReason(code=GateReasonCode.LOSS, sentence=sentence)


def advisory_reasons(
    decision: Decision, policy: GatePolicy, kind: GateKind, unmeasurable: Sequence[GateReason]
) -> list[GateReason]:
    """Return the reason of an advisory gate that shows a loss, or whose agent speaks to the judge."""
    lost = decision is Decision.FAIL
    speaks = decision is Decision.UNMEASURABLE and any(reason.code in _FOR_THE_JUDGE for reason in unmeasurable)
    if kind is not GateKind.ADVISORY or not (lost or speaks):
        return []
    what = "a loss that is shown" if lost else "a change that speaks to the judge"
    effect = f"{what} stops it" if policy.advisory_loss is AdvisoryLoss.BLOCK else "it is let through"
    sentence = f"No prompt changed, so the gate is advisory: {effect} (advisory_loss: {policy.advisory_loss})."
    return [GateReason(code=GateReasonCode.ADVISORY_LOSS, sentence=sentence)]


def bought_reason(metric: GateMetric) -> GateReason:
    """Return the reason for a cost that rose but blocks nothing, since the change is better."""
    sentence = f"{_subject(metric)} rose by {_amount(metric)}; it stops nothing, since the whole is shown to be better."
    return GateReason(code=GateReasonCode.COSTS_MORE, sentence=sentence)


def more_repeats(metric: GateMetric, *, repeats: int) -> int | None:
    """Return how often each case must be played once more on both sides, `repeats` having been played.

    The new conversations make up for the missing cases. None where nobody knows, and beyond MAX_REPEATS: then the
    cases differ so much that repeats hardly tell.
    """
    if metric.needed is None or not metric.n:
        return None
    wanted = ceil(max(1, repeats) * metric.needed / metric.n)
    return wanted if wanted <= MAX_REPEATS else None


def possible_reason(metric: GateMetric, *, repeats: int) -> GateReason:
    """Return the reason for a loss that is neither shown nor excluded."""
    code = GateReasonCode.LOSS_POSSIBLE if metric.primary else GateReasonCode.GROUP_LOSS_POSSIBLE
    again = more_repeats(metric, repeats=repeats)
    times = "once" if again == 1 else f"{again} times"
    or_repeats = f", or each case {times} more on both sides" if again else ""
    more = f"; about {many(metric.needed, 'more case')} would tell{or_repeats}" if metric.needed else ""
    between = f"{metric.interval[0]:+.2f} to {metric.interval[1]:+.2f}" if metric.interval else "anything"
    sentence = (
        f"{_subject(metric)} moved by {metric.difference:+.2f} ({between}) over {metric.n} cases: "
        f"a loss of {metric.margin:.2g} is neither shown nor excluded{more}."
    )
    return GateReason(code=code, sentence=sentence)


def no_loss_reason(metric: GateMetric) -> GateReason:
    """The answer people hope for."""
    between = f" ({metric.interval[0]:+.2f} to {metric.interval[1]:+.2f})" if metric.interval else ""
    sentence = (
        f"{_subject(metric)} moved by {metric.difference:+.2f}{between} over {metric.n} cases: "
        f"a loss of {metric.margin:.2g} is excluded."
    )
    return GateReason(code=GateReasonCode.NO_LOSS, sentence=sentence)


def _subject(metric: GateMetric) -> str:
    name = metric_name(metric)
    return name[:1].upper() + name[1:]


def _amount(metric: GateMetric) -> str:
    low, high = metric.interval or (metric.difference, metric.difference)
    least, most = (low, high) if metric.lower_is_better else (-high, -low)
    points = " points of 10" if metric.metric == SCORE else ""
    return f"{abs(metric.difference):.2f}{points} [{least:.2f}, {most:.2f}]"

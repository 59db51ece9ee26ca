"""The verdict in a list on a run, an evaluation or a conversation: its state while it works or where it did not come to
its end, else what was decided about it (apps.statistics.decision). Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from apps.dashboard.domain.badge_shapes import Badge, Tone
from apps.dashboard.domain.badges import look
from apps.dashboard.results.domain.agent_standing import AgentStanding
from apps.evaluations.domain.states import EVALUATION_ACTIVE, EvaluationStatus
from apps.runs.domain.states import ConversationStatus, RunStatus
from apps.statistics.decision import Decision, decide_beside, decide_run

NOT_JUDGED = Badge("not_judged", "not judged", Tone.IDLE, "○")
NOT_MEASURED = Badge("not_measured", "not measured", Tone.IDLE, "○")
BEING_JUDGED = Badge("being_judged", "being judged", Tone.BUSY, "●")
_WORDS = {
    Decision.PASS: ("passes", Tone.GOOD, "▲"),
    Decision.FAIL: ("fails", Tone.BAD, "▼"),
    Decision.UNDECIDED: ("undecided", Tone.NEAR, "±"),
    Decision.UNMEASURABLE: ("unmeasurable", Tone.NEAR, "!"),
    Decision.SKIPPED: ("skipped", Tone.IDLE, "–"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """One decision, and how many of `of` conversations fail by themselves."""

    decision: Decision
    failed: int = 0
    of: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedGroup:
    """Group of `n` conversations of a run whose checks came out alike.

    It has the outcomes, whether the agent itself failed, and whether the conversation broke off and nobody can tell
    whether rightly.
    """

    outcomes: Sequence[str]
    agent_failed: bool
    stuck: bool
    n: int


def decided_by_checks(groups: Iterable[CheckedGroup]) -> Decided | None:
    """Decide a run by the checks of its conversations, as its report says it.

    None where nothing was checked and no conversation decides by itself.
    """
    rows = tuple(groups)
    if not any(row.outcomes or row.agent_failed or row.stuck for row in rows):
        return None
    checked = any(row.outcomes for row in rows)
    decided_groups = [(_of_group(row), row.n) for row in rows if checked or row.agent_failed or row.stuck]
    return Decided(
        decision=decide_run(decision for decision, _ in decided_groups),
        failed=sum(n for decision, n in decided_groups if decision is Decision.FAIL),
        of=sum(row.n for row in rows),
    )


def _of_group(group: CheckedGroup) -> Decision:
    outcomes = (Decision(outcome) for outcome in group.outcomes)
    return decide_run(outcomes, agent_failed=group.agent_failed, undecided=group.stuck)


def decided_look(decided: Decided | None) -> Badge:
    """Return the badge of a decision, as `fails 17 of 30`.

    A mean that passes although conversations fail gets a badge of its own, which says how many.
    """
    if decided is None:
        return NOT_JUDGED
    word, tone, shape = _WORDS[decided.decision]
    some = f"{decided.failed:,} of {decided.of:,}" if decided.failed and decided.of > 1 else ""
    if decided.decision is Decision.PASS and some:
        return Badge("pass", f"passes, {some} fail", Tone.NEAR, "■")
    label = f"{word} {some}" if some and decided.decision is Decision.FAIL else word
    return Badge(decided.decision.value, label, tone, shape)


def standing_look(standing: AgentStanding | None) -> Badge:
    """An agent by its newest evaluation, in the words that lists have for the same evaluation: from how few cases it is
    told stands beside it."""
    if standing is None:
        return NOT_MEASURED
    split = standing.split
    return decided_look(Decided(decision=standing.overall.decision, failed=split.failed, of=split.measured))


def evaluation_list_look(status: str, decided: Decided | None) -> Badge:
    """An evaluation in a list."""
    return decided_look(decided) if status == EvaluationStatus.COMPLETED else look("evaluation", status)


def run_list_look(
    status: str, *, evaluation: str = "", judged: Decided | None = None, checked: Decided | None = None
) -> Badge:
    """A run in a list: by its newest evaluation (`evaluation` is its state, "" without any) and its checks. What
    fails in either fails. A run that stopped early keeps its state, unless what it has fails already."""
    decision = decide_beside(judged.decision if judged else None, checked.decision if checked else None)
    deciding = next((one for one in (judged, checked) if one and one.decision is decision), None)
    if status != RunStatus.COMPLETED:
        fails = decision is Decision.FAIL and status in (RunStatus.TIMEOUT, RunStatus.CANCELLED)
        return decided_look(deciding) if fails else look("run", status)
    if evaluation in EVALUATION_ACTIVE and decision is not Decision.FAIL:
        return BEING_JUDGED
    return decided_look(deciding)


def conversation_list_look(
    status: str, checks: Iterable[Decision], *, judged: Decision | None = None, agent_failed: bool, stuck: bool
) -> Badge:
    """A conversation in a list: by its newest judgement and its checks, as a run is. One that did not end keeps its
    state, unless the agent itself failed in it."""
    groups = tuple(checks)
    if status != ConversationStatus.ENDED and not agent_failed:
        return look("conversation", status)
    checked = (
        decide_run(groups, agent_failed=agent_failed, undecided=stuck) if groups or agent_failed or stuck else None
    )
    decision = decide_beside(judged, checked)
    return decided_look(Decided(decision=decision) if decision else None)

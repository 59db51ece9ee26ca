"""Badges of states and scores: one word, one tone and one shape for each.

They are chosen here alone; colour is never alone.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from apps.dashboard.domain.badge_shapes import Badge, Tone, bad, busy, good, idle, looks, near
from apps.statistics.decision import LEAST_CASES, Decision, decide

_PENDING = idle("pending", icon="○")
_WORK = (_PENDING, busy("running"), bad("failed"), near("timeout"), idle("cancelled"))

_END_REASON = looks(
    idle("agent_closed", "the agent closed it", "■"),
    idle("customer_left", "the customer took leave", "■"),
    idle("goal_met", "the customer had what they wanted", "■"),
    idle("gave_up", "the customer gave up", "■"),
    near("loop", "it went round in circles", "■"),
    near("budget", "the model's account was empty"),
    near("max_turns", "the most turns allowed", "■"),
    idle("script_ended", "the last line was said", "■"),
    bad("failed", "it failed"),
    bad("timeout", "it timed out"),
    idle("cancelled", "it was cancelled"),
    idle("imported", "brought in as it is", "■"),
)
_OPTIMIZED = looks(
    good("better", "better"),
    good("helped", "a draft scored higher"),
    near("not_shown", "not shown to be better"),
    bad("blocked", icon="■"),
    near("unmeasurable", "cannot tell"),
)
_MOVER = looks(
    good("no_change", "nobody moved"),
    good("not_asked", "judge steady"),
    bad("judge", "the judge"),
    bad("agent", "the agent"),
    near("customers", "the customers", "◆"),
    bad("several", "several"),
    idle("cannot_tell", "cannot tell"),
)
_SIMULATOR_VERDICT = looks(
    idle("pending", "the simulated customer is being reviewed", "…"),
    good("kept", "the simulated customer kept its part"),
    idle("unmeasured", "the simulated customer was not reviewed", "–"),
    near("broke", "the simulated customer broke its part"),
    near("leaked", "the simulated customer gave itself away"),
    near("helped", "the simulated customer did the agent's work"),
    near("hindered", "the simulated customer stood in the agent's way"),
)
_MOVEMENT = looks(
    bad("worse", icon="▼"),
    good("better", icon="▲"),
    good("holds", icon="="),
    idle("cannot_tell", "too few to tell", "?"),
    idle("not_compared"),
)
_CERTIFICATE = looks(
    good("certified"),
    bad("refused"),
    near("expired"),
    idle("none", "not certified", "?"),
    idle("too_few", "not enough labels yet", "?"),
    near("unmeasurable"),
    busy("owed", "being judged"),
)
_HEAT = looks(
    bad("blocks", "fails a blocking criterion"),
    bad("most", "half or more below the mark", "▼"),
    near("some", "some below the mark", "■"),
    good("none", "none below the mark", "▲"),
    idle("too_few", "too few to tell", "?"),
)
_OUTCOME = looks(
    good("b_better", "B is better", "▲"),
    bad("a_better", "A is better", "▼"),
    idle("no_difference", icon="="),
    near("cannot_tell", "not enough data", "?"),
)
_OUTCOME_JUDGING = looks(
    idle("b_better", "B is milder", "▲"),
    idle("a_better", "B is stricter", "▼"),
    idle("no_difference", icon="="),
    near("cannot_tell", "not enough data", "?"),
)
_PERSONA = looks(
    near("pending_validation", "waits for validation", "○"),
    good("validated"),
    bad("rejected"),
    near("approved_override", "approved all the same"),
    idle("archived"),
)
_DRAFT = looks(
    idle("proposed", "to be tried", "○"),
    bad("refused"),
    busy("in_trial", "in a trial"),
    bad("blocked", icon="■"),
    near("not_shown", "not shown to be better", "?"),
    good("better", "better than live", "▲"),
    good("released"),
    idle("rejected"),
)
_COMPLAINT = looks(
    good("fixed"),
    bad("not_fixed", "not fixed"),
    near("open", "play it again", "?"),
    idle("unknown", "not played", "○"),
    idle("sealed", "in the hold-out", "○"),
)
_ROLLOUT = looks(
    busy("running"),
    good("promoted"),
    bad("rolled_back", "rolled back", "▼"),
    idle("stopped", icon="■"),
    near("inconclusive", "nothing shown", "?"),
)
_METRIC = looks(
    bad("worse", icon="▼"),
    bad("worse_rolled_back", "worse: rolled back", "▼"),
    good("within", "not worse"),
    idle("not_told", "not told yet", "?"),
    idle("no_data", "no data yet", "○"),
)
_CASE_CHANGE = looks(
    bad("lost", icon="▼"),
    bad("worse", icon="↓"),
    near("gone", "only in the baseline", "−"),
    near("left_out", "not measured"),
    busy("new", "only in B", "+"),
    good("gained", icon="▲"),
    good("better", icon="↑"),
)
_DIFFERENCE = looks(
    idle("same", icon="="),
    idle("wording", "other words", "≈"),
    bad("fact", "other value", "▼"),
    near("tool", "other tool call", "≠"),
    near("other", "says something else", "≠"),
    busy("added", "only in B", "+"),
    near("removed", "only in A", "−"),
)
_MOVED = looks(
    bad("worse", icon="▼"),
    good("better", icon="▲"),
    near("gone", "only in A", "−"),
    busy("new", "only in B", "+"),
    idle("same", icon="="),
)
_GATE = looks(
    good("unique", icon="◆"),
    near("weak", "weak: it hangs on one word, or opens for another reply too", "◇"),
    idle("none", "nothing to hold on to"),
)
_UNSCORED = looks(
    idle("missing", "missing from the reply"), idle("not_applicable", "not applicable here"), idle("no_evidence")
)
_VERDICT = looks(
    good("pass"), bad("fail"), near("undecided", icon="±"), near("unmeasurable"), idle("skipped"), idle("not_measured")
)
_MASKING = looks(
    near("blocked", "look at the masking", "■"),
    idle("clean", "nothing found by rules; names are found only where listed: read it", "?"),
    good("cleared", "masked, cleared by a person"),
)
_GROUP_MOVED = looks(
    bad("blocks", "worse: blocks the draft", "■"),
    bad("worse", icon="▼"),
    good("better", icon="▲"),
    idle("cannot_tell", "cannot tell", "±"),
    idle("too_few", "too few families", "?"),
)
_MOVED_JUDGING = looks(
    idle("worse", "lower", "▼"),
    idle("better", "higher", "▲"),
    near("gone", "only in A", "−"),
    busy("new", "only in B", "+"),
    idle("same", icon="="),
)
_SECTION = looks(
    near("protected", icon="◆"), near("edited", "changed", "≠"), good("come", "new", "+"), bad("gone", "taken out", "−")
)
_BLAME = looks(
    bad("agent_quality", "the agent itself", "▼"),
    bad("agent_transport", "the agent did not answer"),
    near("simulator", "the simulated customer"),
    near("judge", "the judge"),
    near("golden", "the golden session"),
    near("platform", "the platform"),
    near("budget", "the budget"),
)
_NEED = looks(
    bad("bad", "stuck"),
    bad("failed"),
    bad("fails", icon="▼"),
    bad("worse", "got worse", "▼"),
    near("near", "attention"),
    idle("idle", "later", "●"),
)
_MONEY = looks(
    bad("stopped", "work waits for money"),
    idle("nothing", "nothing may be spent", "■"),
    near("spent", "spent"),
    near("warned", "near its end: no cross-checks"),
    good("open"),
    near("cannot_hold", "cannot be held: calls without a price"),
    idle("unknown", icon="?"),
)
LOOKS: Mapping[str, Mapping[str, Badge]] = {
    "run": looks(*_WORK, near("paused", icon="‖"), good("completed")),
    "evaluation": looks(*_WORK, good("completed")),
    "conversation": looks(*_WORK, good("ended")),
    "judgement": looks(_PENDING, good("scored"), near("parse_error"), bad("model_error"), idle("not_judged")),
    "score": looks(good("scored"), idle("unscored"), bad("error")),
    "unscored": _UNSCORED,
    "evidence": looks(good("exact"), near("pattern", icon="≈"), bad("unverified")),
    "blame": _BLAME,
    "end_reason": _END_REASON,
    "simulator_verdict": _SIMULATOR_VERDICT,
    "verdict": _VERDICT,
    "persona": _PERSONA,
    "may_play": looks(good("yes", "may play"), near("unreleased", "not released", "○"), idle("no", "may not play")),
    "golden": looks(near("candidate", "waits for approval"), good("approved"), idle("retired")),
    "alert": looks(bad("critical"), near("warning"), idle("off")),
    "delivery": looks(_PENDING, good("delivered"), bad("failed"), bad("gone", "address is gone"), bad("refused")),
    "erasure": looks(busy("pending"), near("found", "waits for you"), good("erased"), good("completed"), bad("failed")),
    "candidate": looks(idle("draft"), near("candidate", "waits for a person", "○"), good("released"), idle("archived")),
    "promoted_for": looks(good("good", "keep it good", "▲")),
    "draft": _DRAFT,
    "complaint": _COMPLAINT,
    "rollout": _ROLLOUT,
    "metric": _METRIC,
    "trial": looks(*_WORK, good("completed", "decided")),
    "playground": looks(_PENDING, good("completed", "answered"), good("answered"), bad("failed")),
    "grouping": looks(_PENDING, good("completed"), bad("failed")),
    "mode": looks(near("proposed", "proposed by a model", "○"), good("named"), idle("merged"), idle("rejected")),
    "optimization": looks(*_WORK, good("completed", "done")),
    "optimized": _OPTIMIZED,
    "section": _SECTION,
    "group_moved": _GROUP_MOVED,
    "mover": _MOVER,
    "masking": _MASKING,
    "snapshot": looks(near("pending", "waits for a person", "○"), good("accepted"), bad("refused"), idle("superseded")),
    "gate": _GATE,
    "drift": looks(bad("drifts", icon="↗"), good("steady", icon="=")),
    "change": looks(
        idle("same", "the same", "="), near("changed", icon="≠"), good("added", icon="+"), bad("removed", icon="−")
    ),
    "persona_work": looks(_PENDING, good("completed"), bad("failed"), idle("superseded", "edited meanwhile")),
    "analysis": looks(_PENDING, good("completed"), bad("failed")),
    "moved": _MOVED,
    "moved_judging": _MOVED_JUDGING,
    "gate_outcome": looks(bad("loss", "worse", "▼"), near("possible", "cannot tell", "±"), good("no_loss", "no loss")),
    "gate_link": looks(good("holds"), near("missing")),
    "case_change": _CASE_CHANGE,
    "difference": _DIFFERENCE,
    "movement": _MOVEMENT,
    "outcome": _OUTCOME,
    "outcome_judging": _OUTCOME_JUDGING,
    "version": looks(near("draft", icon="✎"), good("published"), idle("retired")),
    "certificate": _CERTIFICATE,
    "money": _MONEY,
    "need": _NEED,
    "judged": looks(
        good("pass", icon="▲"), bad("fail", icon="▼"), near("undecided", icon="±"), idle("not_measured", icon="○")
    ),
    "heat": _HEAT,
}

NEAR_THE_MARK = 1.0  # points above the pass mark within which one score is shown as narrow, not as good


def look(kind: str, value: str) -> Badge:
    """The look of a state; a value nobody knows keeps its own word and stays grey."""
    return LOOKS[kind].get(value) or Badge(value, value.replace("_", " ") or "–", Tone.IDLE, "?")


def conversation_look(
    score: float | None, mark: float, blockers: Sequence[str] = (), titles: Mapping[str, str] = MappingProxyType({})
) -> Badge:
    """Return the badge as `score_look`, and below where a blocking criterion stops the conversation.

    Its score does not matter then. `titles` are the reader's names of criteria.
    """
    if blockers:
        return Badge(
            "below", f"stopped by {', '.join(titles.get(blocker, blocker) for blocker in blockers)}", Tone.BAD, "▼"
        )
    return score_look(score, mark)


_OF_VERDICT = looks(good("pass", "passes", "▲"), bad("fail", "fails", "▼"), near("undecided", icon="±"))
_NOT_SCORED = {
    "pending": idle("pending", "not judged yet", "○"),
    "parse_error": near("parse_error", "the judge's reply could not be read"),
    "model_error": near("model_error", "the judge failed"),
    "not_judged": idle("not_judged", "not judged"),
}


def judged_conversation_look(state: str, judgement: str, decision: str, blockers: Sequence[str] = ()) -> Badge:
    """Return the badge of a conversation's own state and of its decision in one.

    The worse of the two gives shape and colour, and the words tell both. `decision` is "" where nothing was scored.
    """
    own = look("conversation", state)
    badge = _OF_VERDICT.get(decision) or _NOT_SCORED.get(judgement) or idle("none", "nothing to score")
    words = f"{badge.label}: stopped by {', '.join(blockers)}" if blockers else badge.label
    shown = badge if own.tone is Tone.GOOD or badge.tone is Tone.BAD else own
    return Badge(badge.value, f"{own.label}, {words}", shown.tone, shown.icon)


_WORST_JUDGE = ("refused", "expired", "unmeasurable", "too_few", "certified")


def certificate_look(status: str, reason: str = "") -> Badge:
    """Return the badge of a certificate: grey, not refused, where labels are too few."""
    few = "too few: " in reason or reason.startswith("Not enough labels")
    unknown = status in ("", "none") or (status == "refused" and few)
    return look("certificate", "too_few" if unknown else status)


def certificate_of(criterion: str, items: Sequence[Mapping[str, Any]]) -> Badge:
    """The judge of one criterion over the languages it was judged in: the worst of them."""
    badges = [
        certificate_look(item["status"], item["reason"] or "") for item in items if item["criterion"] == criterion
    ]
    worst = sorted(badges, key=lambda badge: _WORST_JUDGE.index(badge.value) if badge.value in _WORST_JUDGE else 0)
    return worst[0] if worst else certificate_look("none")


TOO_FEW = idle("too_few", "too few to tell", "?")


def mean_look(score: float | None, mark: float, interval: tuple[float, float] | None, *, cases: int) -> Badge:
    """A mean over scenarios against its pass mark: grey where fewer than LEAST_CASES stand behind it."""
    return TOO_FEW if score is not None and cases < LEAST_CASES else score_look(score, mark, interval)


def score_look(score: float | None, mark: float, interval: tuple[float, float] | None = None) -> Badge:
    """Above, at or below the pass mark. With an interval: `near` when it straddles the mark, so nothing is decided."""
    if score is None:
        return Badge("none", "no score", Tone.IDLE, "–")
    straddles = interval is not None and interval[0] < mark <= interval[1]
    narrow = interval is None and mark <= score < mark + NEAR_THE_MARK and score < 10
    if straddles or narrow:
        return Badge("near", "near the pass mark", Tone.NEAR, "■")
    if decide(score, mark) is Decision.FAIL:
        return Badge("below", "below the pass mark", Tone.BAD, "▼")
    return Badge("above", "above the pass mark", Tone.GOOD, "▲")

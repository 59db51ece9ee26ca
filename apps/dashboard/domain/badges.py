"""How states and scores look: one word, one tone and one shape for each, chosen here and nowhere else.

Never colour alone: whoever cannot see the tone reads the word or the shape.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from apps.statistics.decision import Decision, decide


class Tone(StrEnum):
    GOOD = "good"
    NEAR = "near"
    BAD = "bad"
    BUSY = "busy"
    IDLE = "idle"


@dataclass(frozen=True, slots=True)
class Badge:
    """A value as a page shows it. `icon` is one character, read aloud as nothing: the label says it."""

    value: str
    label: str
    tone: Tone
    icon: str


def _set(*looks: Badge) -> Mapping[str, Badge]:
    return {look.value: look for look in looks}


_PENDING = Badge("pending", "pending", Tone.IDLE, "○")
_RUNNING = Badge("running", "running", Tone.BUSY, "●")
_COMPLETED = Badge("completed", "completed", Tone.GOOD, "✓")
_ENDED = Badge("ended", "ended", Tone.GOOD, "✓")
_FAILED = Badge("failed", "failed", Tone.BAD, "✕")
_TIMEOUT = Badge("timeout", "timeout", Tone.NEAR, "!")
_CANCELLED = Badge("cancelled", "cancelled", Tone.IDLE, "–")
_PAUSED = Badge("paused", "paused", Tone.NEAR, "‖")

LOOKS: Mapping[str, Mapping[str, Badge]] = {
    "run": _set(_PENDING, _RUNNING, _PAUSED, _COMPLETED, _FAILED, _TIMEOUT, _CANCELLED),
    "evaluation": _set(_PENDING, _RUNNING, _COMPLETED, _FAILED, _TIMEOUT, _CANCELLED),
    "conversation": _set(_PENDING, _RUNNING, _ENDED, _FAILED, _TIMEOUT, _CANCELLED),
    "judgement": _set(
        _PENDING,
        Badge("scored", "scored", Tone.GOOD, "✓"),
        Badge("parse_error", "parse error", Tone.NEAR, "!"),
        Badge("model_error", "model error", Tone.BAD, "✕"),
        Badge("not_judged", "not judged", Tone.IDLE, "–"),
    ),
    "score": _set(
        Badge("scored", "scored", Tone.GOOD, "✓"),
        Badge("unscored", "unscored", Tone.IDLE, "–"),
        Badge("error", "error", Tone.BAD, "✕"),
    ),
    "unscored": _set(
        Badge("missing", "missing from the reply", Tone.IDLE, "–"),
        Badge("not_applicable", "not applicable here", Tone.IDLE, "–"),
        Badge("no_evidence", "no evidence", Tone.IDLE, "–"),
    ),
    "evidence": _set(
        Badge("exact", "exact", Tone.GOOD, "✓"),
        Badge("pattern", "pattern", Tone.NEAR, "≈"),
        Badge("unverified", "unverified", Tone.BAD, "✕"),
    ),
    "blame": _set(
        Badge("agent_quality", "the agent itself", Tone.BAD, "▼"),
        Badge("agent_transport", "the agent did not answer", Tone.BAD, "✕"),
        Badge("simulator", "the simulated customer", Tone.NEAR, "!"),
        Badge("judge", "the judge", Tone.NEAR, "!"),
        Badge("golden", "the golden session", Tone.NEAR, "!"),
        Badge("platform", "the platform", Tone.NEAR, "!"),
        Badge("budget", "the budget", Tone.NEAR, "!"),
    ),
    "end_reason": _set(
        Badge("agent_closed", "the agent closed it", Tone.IDLE, "■"),
        Badge("customer_left", "the customer took leave", Tone.IDLE, "■"),
        Badge("max_turns", "the most turns allowed", Tone.NEAR, "■"),
        Badge("script_ended", "the last line was said", Tone.IDLE, "■"),
        Badge("failed", "it failed", Tone.BAD, "✕"),
        Badge("timeout", "it timed out", Tone.BAD, "✕"),
        Badge("cancelled", "it was cancelled", Tone.IDLE, "–"),
        Badge("imported", "brought in as it is", Tone.IDLE, "■"),
    ),
    "verdict": _set(
        Badge("pass", "pass", Tone.GOOD, "✓"),
        Badge("fail", "fail", Tone.BAD, "✕"),
        Badge("undecided", "undecided", Tone.NEAR, "±"),
        Badge("unmeasurable", "unmeasurable", Tone.NEAR, "!"),
        Badge("skipped", "skipped", Tone.IDLE, "–"),
    ),
    "drift": _set(
        Badge("drifts", "drifts", Tone.BAD, "↗"),
        Badge("steady", "steady", Tone.GOOD, "="),
    ),
    "change": _set(
        Badge("same", "the same", Tone.IDLE, "="),
        Badge("changed", "changed", Tone.NEAR, "≠"),
        Badge("added", "added", Tone.GOOD, "+"),
        Badge("removed", "removed", Tone.BAD, "−"),
    ),
    "analysis": _set(_PENDING, _COMPLETED, _FAILED),
    "moved": _set(
        Badge("worse", "worse", Tone.BAD, "▼"),
        Badge("better", "better", Tone.GOOD, "▲"),
        Badge("gone", "gone", Tone.NEAR, "−"),
        Badge("new", "new", Tone.BUSY, "+"),
        Badge("same", "same", Tone.IDLE, "="),
    ),
    "outcome": _set(
        Badge("b_better", "B is better", Tone.GOOD, "▲"),
        Badge("a_better", "A is better", Tone.BAD, "▼"),
        Badge("no_difference", "no difference", Tone.IDLE, "="),
        Badge("cannot_tell", "cannot tell", Tone.NEAR, "?"),
    ),
    "version": _set(
        Badge("draft", "draft", Tone.NEAR, "✎"),
        Badge("published", "published", Tone.GOOD, "✓"),
        Badge("retired", "retired", Tone.IDLE, "–"),
    ),
    "certificate": _set(
        Badge("certified", "certified", Tone.GOOD, "✓"),
        Badge("refused", "refused", Tone.BAD, "✕"),
        Badge("expired", "expired", Tone.NEAR, "!"),
        Badge("none", "not certified", Tone.IDLE, "?"),
        Badge("unmeasurable", "unmeasurable", Tone.NEAR, "!"),
        Badge("owed", "being judged", Tone.BUSY, "●"),
    ),
    "money": _set(
        Badge("stopped", "work waits for money", Tone.BAD, "✕"),
        Badge("warned", "near its end: no cross-checks", Tone.NEAR, "!"),
        Badge("open", "open", Tone.GOOD, "✓"),
    ),
    "need": _set(
        Badge("bad", "stuck", Tone.BAD, "✕"),
        Badge("near", "attention", Tone.NEAR, "!"),
        Badge("idle", "later", Tone.IDLE, "●"),
    ),
}

NEAR_THE_MARK = 1.0  # points above the pass mark within which one score is shown as narrow, not as good


def look(kind: str, value: str) -> Badge:
    """The look of a state; a value nobody knows keeps its own word and stays grey."""
    return LOOKS[kind].get(value) or Badge(value, value.replace("_", " ") or "–", Tone.IDLE, "?")


def conversation_look(score: float | None, mark: float, blockers: Sequence[str] = ()) -> Badge:
    """As `score_look`, and below where a blocking criterion stops the conversation, whatever its score."""
    if blockers:
        return Badge("below", f"stopped by {', '.join(blockers)}", Tone.BAD, "▼")
    return score_look(score, mark)


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

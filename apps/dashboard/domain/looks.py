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
class Look:
    """A value as a page shows it. `icon` is one character, read aloud as nothing: the label says it."""

    value: str
    label: str
    tone: Tone
    icon: str


def _set(*looks: Look) -> Mapping[str, Look]:
    return {look.value: look for look in looks}


_PENDING = Look("pending", "pending", Tone.IDLE, "○")
_RUNNING = Look("running", "running", Tone.BUSY, "●")
_COMPLETED = Look("completed", "completed", Tone.GOOD, "✓")
_ENDED = Look("ended", "ended", Tone.GOOD, "✓")
_FAILED = Look("failed", "failed", Tone.BAD, "✕")
_TIMEOUT = Look("timeout", "timeout", Tone.NEAR, "!")
_CANCELLED = Look("cancelled", "cancelled", Tone.IDLE, "–")
_PAUSED = Look("paused", "paused", Tone.NEAR, "‖")

LOOKS: Mapping[str, Mapping[str, Look]] = {
    "run": _set(_PENDING, _RUNNING, _PAUSED, _COMPLETED, _FAILED, _TIMEOUT, _CANCELLED),
    "evaluation": _set(_PENDING, _RUNNING, _COMPLETED, _FAILED, _TIMEOUT, _CANCELLED),
    "conversation": _set(_PENDING, _RUNNING, _ENDED, _FAILED, _TIMEOUT, _CANCELLED),
    "judgement": _set(
        _PENDING,
        Look("scored", "scored", Tone.GOOD, "✓"),
        Look("parse_error", "parse error", Tone.NEAR, "!"),
        Look("model_error", "model error", Tone.BAD, "✕"),
        Look("not_judged", "not judged", Tone.IDLE, "–"),
    ),
    "score": _set(
        Look("scored", "scored", Tone.GOOD, "✓"),
        Look("unscored", "unscored", Tone.IDLE, "–"),
        Look("error", "error", Tone.BAD, "✕"),
    ),
    "unscored": _set(
        Look("missing", "missing from the reply", Tone.IDLE, "–"),
        Look("not_applicable", "not applicable here", Tone.IDLE, "–"),
        Look("no_evidence", "no evidence", Tone.IDLE, "–"),
    ),
    "evidence": _set(
        Look("exact", "exact", Tone.GOOD, "✓"),
        Look("pattern", "pattern", Tone.NEAR, "≈"),
        Look("unverified", "unverified", Tone.BAD, "✕"),
    ),
    "blame": _set(
        Look("agent_quality", "the agent itself", Tone.BAD, "▼"),
        Look("agent_transport", "the agent did not answer", Tone.BAD, "✕"),
        Look("simulator", "the simulated customer", Tone.NEAR, "!"),
        Look("judge", "the judge", Tone.NEAR, "!"),
        Look("golden", "the golden session", Tone.NEAR, "!"),
        Look("platform", "the platform", Tone.NEAR, "!"),
        Look("budget", "the budget", Tone.NEAR, "!"),
    ),
    "verdict": _set(
        Look("pass", "pass", Tone.GOOD, "✓"),
        Look("fail", "fail", Tone.BAD, "✕"),
        Look("undecided", "undecided", Tone.NEAR, "±"),
    ),
    "drift": _set(
        Look("drifts", "drifts", Tone.BAD, "↗"),
        Look("steady", "steady", Tone.GOOD, "="),
    ),
    "change": _set(
        Look("same", "the same", Tone.IDLE, "="),
        Look("changed", "changed", Tone.NEAR, "≠"),
        Look("added", "added", Tone.GOOD, "+"),
        Look("removed", "removed", Tone.BAD, "−"),
    ),
    "analysis": _set(_PENDING, _COMPLETED, _FAILED),
    "moved": _set(
        Look("worse", "worse", Tone.BAD, "▼"),
        Look("better", "better", Tone.GOOD, "▲"),
        Look("gone", "gone", Tone.NEAR, "−"),
        Look("new", "new", Tone.BUSY, "+"),
        Look("same", "same", Tone.IDLE, "="),
    ),
    "outcome": _set(
        Look("b_better", "B is better", Tone.GOOD, "▲"),
        Look("a_better", "A is better", Tone.BAD, "▼"),
        Look("no_difference", "no difference", Tone.IDLE, "="),
        Look("cannot_tell", "cannot tell", Tone.NEAR, "?"),
    ),
    "version": _set(
        Look("draft", "draft", Tone.NEAR, "✎"),
        Look("published", "published", Tone.GOOD, "✓"),
        Look("retired", "retired", Tone.IDLE, "–"),
    ),
    "certificate": _set(
        Look("certified", "certified", Tone.GOOD, "✓"),
        Look("refused", "refused", Tone.BAD, "✕"),
        Look("expired", "expired", Tone.NEAR, "!"),
        Look("none", "not certified", Tone.IDLE, "?"),
        Look("unmeasurable", "unmeasurable", Tone.NEAR, "!"),
        Look("owed", "being judged", Tone.BUSY, "●"),
    ),
    "money": _set(
        Look("stopped", "work waits for money", Tone.BAD, "✕"),
        Look("warned", "near its end: no cross-checks", Tone.NEAR, "!"),
        Look("open", "open", Tone.GOOD, "✓"),
    ),
    "need": _set(
        Look("bad", "stuck", Tone.BAD, "✕"),
        Look("near", "attention", Tone.NEAR, "!"),
        Look("idle", "later", Tone.IDLE, "●"),
    ),
}

NEAR_THE_MARK = 1.0  # points above the pass mark within which one score is shown as narrow, not as good


def look(kind: str, value: str) -> Look:
    """The look of a state; a value nobody knows keeps its own word and stays grey."""
    return LOOKS[kind].get(value) or Look(value, value.replace("_", " ") or "–", Tone.IDLE, "?")


def conversation_look(score: float | None, mark: float, blockers: Sequence[str] = ()) -> Look:
    """As `score_look`, and below where a blocking criterion stops the conversation, whatever its score."""
    if blockers:
        return Look("below", f"stopped by {', '.join(blockers)}", Tone.BAD, "▼")
    return score_look(score, mark)


def score_look(score: float | None, mark: float, interval: tuple[float, float] | None = None) -> Look:
    """Above, at or below the pass mark. With an interval: `near` when it straddles the mark, so nothing is decided."""
    if score is None:
        return Look("none", "no score", Tone.IDLE, "–")
    straddles = interval is not None and interval[0] < mark <= interval[1]
    narrow = interval is None and mark <= score < mark + NEAR_THE_MARK and score < 10
    if straddles or narrow:
        return Look("near", "near the pass mark", Tone.NEAR, "■")
    if decide(score, mark) is Decision.FAIL:
        return Look("below", "below the pass mark", Tone.BAD, "▼")
    return Look("above", "above the pass mark", Tone.GOOD, "▲")

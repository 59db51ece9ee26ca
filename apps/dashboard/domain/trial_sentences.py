"""Say for people what a trial found: the verdict first, one reason, no statistics. Pure."""

from collections.abc import Mapping
from typing import Any

from apps.improvement.domain.acceptance import AcceptanceVerdict
from apps.improvement.holdout.domain.parts import Part

_REASONS = {
    "regression_detected": "It scores far lower.",
    "no_hold_out": "There are too few families to prove it.",
    "scores_missing": "Too many conversations have no score with the draft.",
    "nothing_differs": "Every family has the same scores.",
    "too_few_differ": "Too little differs to tell.",
    "may_be_chance": "It may be chance.",
}
NOTHING = "Nothing can be said: no conversation has a score with both prompts."


def trial_in_words(decision: Mapping[str, Any], part: str, titles: Mapping[str, str]) -> str:
    """ "Not better (−0.05). Too little differs to tell."; "" for a trial that decided nothing. `titles` are what the
    reader calls criteria. A part that spends no look says so."""
    if not decision:
        return ""
    if decision.get("estimate") is None:
        return NOTHING
    verdict = f"{_verdict(decision)} ({decision['estimate']:+.2f}).".replace("-", "−")
    why = "" if decision["verdict"] == AcceptanceVerdict.BETTER else _why(decision, titles)
    if part != Part.HOLD_OUT:
        verdict = f"On the {part}, which proves nothing: {verdict[:1].lower()}{verdict[1:]}"
    early = "Stopped early: it would not have scored higher." if decision.get("stopped_early") else ""
    return " ".join(sentence for sentence in (verdict, why, early) if sentence)


def _verdict(decision: Mapping[str, Any]) -> str:
    if decision["verdict"] == AcceptanceVerdict.NOT_SHOWN:
        return "Not shown to be better" if decision["estimate"] > 0 else "Not better"
    return str(decision["verdict"]).capitalize()


def _why(decision: Mapping[str, Any], titles: Mapping[str, str]) -> str:
    code = next(iter(decision.get("codes", ())), "")
    if code == "criterion_worse":
        names = ", ".join(titles.get(name, name) for name in decision.get("blocked_criteria", ()))
        return f"Clearly worse: {names}."
    return _REASONS.get(code, "")

"""Decide whether a decided draft may be released.

The module also applies lifted blocks to a verdict, and makes the patch that is handed over. Pure.
"""

import difflib
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from apps.core.errors import BadInput, Conflict
from apps.improvement.domain.acceptance import AcceptanceVerdict

BREAKER, CRITERION = "regression_detected", "criterion_worse"
_SHOWN = frozenset({"gain_shown", "carried_by_one_persona"})
MAX_REASON = 2000


def verdict_after(decision: Mapping[str, Any], lifted: Collection[str]) -> AcceptanceVerdict:
    """Return the verdict of a stored decision once these criteria are released and no longer block it.

    The circuit breaker cannot be released. The result is "better" only if nothing else spoke against the draft.
    """
    verdict = AcceptanceVerdict(decision["verdict"])
    if verdict is not AcceptanceVerdict.BLOCKED:
        return verdict
    if BREAKER in decision["codes"] or set(decision["blocked_criteria"]) - set(lifted):
        return verdict
    doubts = [code for code in decision["codes"] if code != CRITERION and code not in _SHOWN]
    return AcceptanceVerdict.NOT_SHOWN if doubts else AcceptanceVerdict.BETTER


def refuse_lift(decision: Mapping[str, Any], lifted: Collection[str], criterion: str, reason: str) -> None:
    """Refuse to lift a block without reason or effect.

    Raises BadInput (`no_reason`, `not_blocked`) and Conflict (`lifted_already`).
    """
    _reason(reason, "A block is lifted with a reason: why may this criterion be worse?")
    if criterion not in decision.get("blocked_criteria", ()):
        there = ", ".join(decision.get("blocked_criteria", ())) or "none"
        message = f"{criterion!r} does not block this draft; blocked by: {there}. The circuit breaker is not lifted."
        raise BadInput(message, code="not_blocked", pointer="/criterion")
    if criterion in lifted:
        raise Conflict(f"The block by {criterion} is lifted already.", code="lifted_already")


def refuse_release(*, verdict: AcceptanceVerdict, worse: Sequence[str], reason: str, acknowledged: bool) -> None:
    """Refuse to release a draft that is blocked or whose losses nobody acknowledged.

    `worse` names the groups that clearly lost, and lifted criteria. Raises Conflict (`blocked`) and BadInput
    (`no_reason`, `not_acknowledged`).
    """
    if verdict is AcceptanceVerdict.BLOCKED:
        raise Conflict("This draft is blocked: lift the block with a reason, or write another draft.", code="blocked")
    if verdict is AcceptanceVerdict.NOT_SHOWN:
        _reason(reason, "The draft was not shown to be better: say why it is released all the same.")
    elif len(reason) > MAX_REASON:
        _reason(reason, "")
    if not acknowledged and (worse or verdict is AcceptanceVerdict.NOT_SHOWN):
        what = f"worse for {', '.join(worse)}" if worse else "not shown to be better"
        raise BadInput(f"Acknowledge that the draft is {what}.", code="not_acknowledged", pointer="/acknowledged")


def _reason(reason: str, question: str) -> None:
    if not reason.strip():
        raise BadInput(question, code="no_reason", pointer="/reason")
    if len(reason) > MAX_REASON:
        raise BadInput(f"A reason has {MAX_REASON} characters at most.", code="too_long", pointer="/reason")


def unified_patch(live: str, draft: str, *, path: str, name: str) -> str:
    """A patch that `git apply` takes, of the prompt's file; of `<name>.md` where the line has no file."""
    file = (path or f"{name}.md").lstrip("/")
    lines = difflib.unified_diff(_lines(live), _lines(draft), fromfile=f"a/{file}", tofile=f"b/{file}", n=3)
    patch_lines = []
    for line in lines:
        patch_lines.append(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n")
    return "".join(patch_lines)


def _lines(text: str) -> list[str]:
    """Split at line feeds alone: other line ends are characters of their line."""
    *whole, rest = text.split("\n")
    return [f"{line}\n" for line in whole] + ([rest] if rest else [])

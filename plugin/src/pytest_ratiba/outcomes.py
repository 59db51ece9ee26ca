"""Describe the server's rows about one case in words for a terminal. Nothing is decided here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_ratiba.own_side import CHECK
from pytest_ratiba.portable.hidden_characters import for_terminal

PASS, FAIL, UNDECIDED, UNMEASURABLE, SKIPPED = "pass", "fail", "undecided", "unmeasurable", "skipped"
_SHOWN = 4000  # characters of a reply


class CheckFailure(Exception):
    """The server's verdict on a case is not `pass`."""


class CaseUnmeasurable(Exception):
    """There is no verdict: the judge, the platform or the budget stood in the way. Neither pass nor fail."""


@dataclass(frozen=True, kw_only=True)
class CaseOutcome:
    """A conversation's part of the run's report, and its judgement where the run was judged."""

    name: str
    test_run_id: str
    digest: str  # of the whole run's report
    conversation: Mapping[str, Any]
    judgement: Mapping[str, Any] | None = None
    checked_here: bool = False  # something is asserted that stands in no row of the server
    failure: str = ""  # why its tenant could not be made

    @property
    def words(self) -> tuple[str, ...]:
        """The server's verdicts: on the checks, where there are any or the conversation failed; on the judgement. None
        at all where only the agent's own side is asserted."""
        found = []
        nothing_else = self.judgement is None and not self.checked_here
        if self.conversation["checks"] or nothing_else or self.conversation.get("status") != "ended":
            found.append(str(self.conversation["verdict"]))
        if self.judgement is not None:
            scored = self.judgement.get("status") == "scored"
            found.append(str(self.judgement.get("verdict") or UNMEASURABLE) if scored else UNMEASURABLE)
        return tuple(found)

    def raise_unless_measured(self) -> None:
        """Nothing where there are verdicts. Raises `CaseUnmeasurable` where something stood in their way."""
        if self.failure:
            raise CaseUnmeasurable(f"{self.name}: {self.failure}")
        if not {FAIL, UNDECIDED} & set(self.words) and set(self.words) - {PASS}:
            raise CaseUnmeasurable(self.text())

    def raise_unless_passed(self, further: Sequence[str] = ()) -> None:
        """Nothing where every verdict is `pass` and every assertion could be checked. `further` are findings beside.
        Raises `CheckFailure`, or `CaseUnmeasurable`."""
        unchecked = any(
            check["check"] == CHECK and check["outcome"] == SKIPPED for check in self.conversation["checks"]
        )
        if FAIL in self.words or UNDECIDED in self.words or further or unchecked:
            raise CheckFailure(self.text(further))
        self.raise_unless_measured()

    def text(self, own_problems: Sequence[str] = ()) -> str:
        """Verdicts, checks that did not pass, the conversation."""
        words = dict.fromkeys((*self.words, *((FAIL,) if own_problems or not self.words else ())))
        lines = [f"{self.name}: {', '.join(words)}", *(f"  {own_problem}" for own_problem in own_problems)]
        if self.conversation.get("blame"):
            error = self.conversation.get("error") or ""
            lines.append(f"  the conversation {self.conversation['status']} ({self.conversation['blame']}): {error}")
        lines += [_check(check) for check in self.conversation["checks"] if check["outcome"] != PASS]
        if not self.conversation["checks"] and self.judgement is None and not self.checked_here:
            lines.append("  nothing is asserted: add assertions to the scenario, or an evaluator_config to ratiba.yaml")
        lines += _judged(self.judgement)
        lines += ["", *_conversation_lines(self.conversation["turns"]), "", f"test run {self.test_run_id}"]
        return for_terminal("\n".join(lines))


def _check(check: Mapping[str, Any]) -> str:
    score = "" if check["score"] is None else f" {check['score']:.2f}"
    line = "" if check["threshold"] is None else f" (threshold {check['threshold']:g})"
    return f"  {check['check']}: {check['outcome']}{score}{line}: {check['reason']}"


def _judged(judgement: Mapping[str, Any] | None) -> list[str]:
    if judgement is None:
        return []
    if judgement.get("status") != "scored":
        return [f"  judgement: {judgement.get('status')}: {judgement.get('error_message') or ''}".rstrip(": ")]
    lines = []
    for one in judgement.get("criteria") or ():
        if one.get("verdict") != PASS:
            score = one["status"] if one.get("score") is None else f"{one['score']:.1f}"
            title = one.get("title") or one["criterion"]
            lines.append(f"  {title}: {one.get('verdict') or UNMEASURABLE} {score}: {one.get('reason') or ''}")
    return lines


def _conversation_lines(turns: Sequence[Mapping[str, Any]]) -> list[str]:
    lines = []
    for turn in turns:
        if turn["sent"]:
            lines.append(f"  customer: {turn['sent'][:_SHOWN]}")
        lines += [f"  tool:     {name}" for name in turn["tools"]]
        if turn["reply"]:
            lines.append(f"  agent:    {turn['reply'][:_SHOWN]}")
    return lines

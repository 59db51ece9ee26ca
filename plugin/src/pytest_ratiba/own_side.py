"""Check the assertions on the agent's own side, on the conversations of a run.
The results are posted among those of the run: tests, reports and gates read one row for each, the server's."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_ratiba.assertions.checking import findings, is_local
from pytest_ratiba.assertions.outcome import AssertionSetupError, ScenarioOutcome
from pytest_ratiba.replies import Observed
from pytest_ratiba.scenarios import ScenarioVariant

CHECK = "runner_assertion"  # the name of its rows
_LONGEST, _MAX_REASON = 200, 2000  # as the server takes them


@dataclass(frozen=True, slots=True, kw_only=True)
class AssertionAnswer:
    """An answer is the result of one assertion.
    `wrong` lists the faults, and is empty where the assertion holds; `unusable` says why the assertion cannot be
    checked as it is written."""

    wrong: tuple[str, ...] = ()
    unusable: str = ""


AssertionCheck = Callable[[Sequence[Mapping[str, Any]], ScenarioOutcome], Sequence[AssertionAnswer]]


def check_here(assertions: Sequence[Mapping[str, Any]], outcome: ScenarioOutcome) -> list[AssertionAnswer]:
    """One answer for each. Modules that they name are imported into this process."""
    return [_answer(assertion, outcome) for assertion in assertions]


def own_side_results(
    variant: ScenarioVariant,
    conversation: Mapping[str, Any],
    observed: Observed | None,
    *,
    folder: Path,
    check: AssertionCheck = check_here,
) -> list[dict[str, Any]]:
    """One result for each assertion that only this side can answer, as POST /test-runs/{id}/checks/ takes it. [] for a
    conversation that did not end: that is said already. Files are looked for in `folder`. What cannot be checked as it
    is written is `skipped`, with the line."""
    if conversation.get("status") != "ended" or conversation.get("blame"):
        return []
    seen = observed or Observed()
    outcome = ScenarioOutcome(
        turns=list(_turns(conversation["turns"])),
        transitions=seen.transitions,
        state=seen.state,
        log=seen.log,
        connect=seen.connect,
        folder=folder,
    )
    here = [(position, one) for position, one in enumerate(variant.assertions) if is_local(one)]
    answers = check([one for _, one in here], outcome) if here else []
    return [
        {"conversation": str(conversation["id"]), **_result(variant, position, assertion, answer)}
        for (position, assertion), answer in zip(here, answers, strict=True)
    ]


def _answer(assertion: Mapping[str, Any], outcome: ScenarioOutcome) -> AssertionAnswer:
    try:
        return AssertionAnswer(wrong=tuple(finding.why for finding in findings([assertion], outcome)))
    except AssertionSetupError as error:
        return AssertionAnswer(unusable=str(error).removeprefix("assertions/0").lstrip(":/ ") or "cannot be checked")


def _result(
    variant: ScenarioVariant, position: int, assertion: Mapping[str, Any], answer: AssertionAnswer
) -> dict[str, str]:
    kind, value = next(iter(assertion.items()))
    name = f"assertions/{position} ({kind})"
    shown = f"{name}: {value}"[:_LONGEST]
    if answer.unusable:
        reason = str(variant.source.error(f"{variant.pointer}/assertions/{position}", answer.unusable))
        return {"assertion": shown, "outcome": "skipped", "reason": reason[:_MAX_REASON]}
    reason = "; ".join(f"{name}: {one}" for one in answer.wrong)
    return {"assertion": shown, "outcome": "fail" if answer.wrong else "pass", "reason": reason[:_MAX_REASON]}


def _turns(turns: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """The report's pairs as turns of a conversation document."""
    for turn in turns:
        if turn["sent"]:
            yield {"role": "user", "content": turn["sent"]}
        calls = [{"name": name} for name in turn["tools"]]
        yield {"role": "assistant", "content": turn["reply"], "tool_calls": calls, "latency_ms": turn.get("latency_ms")}

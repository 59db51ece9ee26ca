"""Warnings that a reader must know before believing a result: a code for programs, a sentence for people."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

from apps.core.shapes import described


class WarningCode(StrEnum):
    """The closed list. Pages, tests and programs compare codes; the sentences may be reworded at any time."""

    BUDGET_SPENT = "budget_spent"
    OFFLINE_RULES = "offline_rules"
    NO_OFFLINE_RULE = "no_offline_rule"
    IMPORTED_SCORES = "imported_scores"
    PARSE_ERRORS = "parse_errors"
    MODEL_ERRORS = "model_errors"
    NOT_JUDGED = "not_judged"
    AGENT_FAILED = "agent_failed"
    LOST_ANSWERS = "lost_answers"
    NOTHING_TO_SCORE = "nothing_to_score"
    OWN_SCALE = "own_scale"
    FALLBACK_IN_MEAN = "fallback_in_mean"
    FALLBACK_LEFT_OUT = "fallback_left_out"
    SEVERAL_FINGERPRINTS = "several_fingerprints"
    LATE = "late"
    FROM_CACHE = "from_cache"
    UNPRICED = "unpriced"
    JUDGE_REFUSED = "judge_refused"
    UNVERIFIED_QUOTES = "unverified_quotes"
    NO_SECOND_OPINION = "no_second_opinion"
    NO_PANEL = "no_panel"
    PANEL_EFFECT = "panel_effect"
    JUDGE_IS_GENERATOR = "judge_is_generator"
    JUDGE_OF_ONE_FAMILY = "judge_of_one_family"
    FALLBACK_IS_GENERATOR = "fallback_is_generator"
    JUDGE_IS_SIMULATOR = "judge_is_simulator"
    CUSTOMERS_NOT_REVIEWED = "customers_not_reviewed"
    NOT_CROSS_CHECKED = "not_cross_checked"
    JUDGES_DISAGREE = "judges_disagree"
    JUDGE_DRIFTS = "judge_drifts"
    OWN_FAMILY_FAVOURED = "own_family_favoured"
    JUDGES_DIFFER = "judges_differ"
    EVALUATORS_DIFFER = "evaluators_differ"
    CRITERIA_DIFFER = "criteria_differ"
    TRIALS_DIFFER = "trials_differ"
    CASES_CHANGED = "cases_changed"
    STILL_RUNNING = "still_running"
    NOTHING_FAILS = "nothing_fails"
    WORST_ONLY = "worst_only"
    PART_UNREAD = "part_unread"
    FINDINGS_NOT_COMPARED = "findings_not_compared"


CODES_DESCRIPTION = (
    "What each sentence beside it says, in the same order and for programs; the sentences may be reworded. "
    f"One of {', '.join(code.value for code in WarningCode)}; more may be added."
)
WarningCodes = Annotated[Sequence[str], described(CODES_DESCRIPTION)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultWarning:
    """One warning about a result.

    `count` is the number of conversations, calls or quotes it concerns, None where nothing is counted; `names` are the
    criteria or models it is about.
    """

    code: WarningCode
    text: str
    count: int | None = None
    names: Sequence[str] = ()

    def as_json(self) -> dict[str, Any]:
        """The warning as an evaluation's `options` store it."""
        return {"code": self.code.value, "text": self.text, "count": self.count, "names": list(self.names)}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "ResultWarning":
        """Read the JSON that `as_json` made."""
        return cls(
            code=WarningCode(stored["code"]),
            text=stored["text"],
            count=stored["count"],
            names=tuple(stored["names"]),
        )


def warning_fields(warnings: Sequence[ResultWarning], *, name: str = "warnings") -> dict[str, list[str]]:
    """The sentences and, in the same order, their codes: `warnings` and `warning_codes` of the public documents."""
    return {
        name: [warning.text for warning in warnings],
        f"{name.removesuffix('s')}_codes": [warning.code.value for warning in warnings],
    }

"""The rules of alerts, and the conditions that they find wrong now."""

from dataclasses import dataclass
from enum import StrEnum


class Rule(StrEnum):
    """The rules of alerts. Each is registered with its question in `apps.alerts.rules`."""

    SCORE_DROP = "score_drop"
    RUN_STUCK = "run_stuck"
    EVALUATION_FAILED = "evaluation_failed"
    JUDGE_SILENT = "judge_silent"
    BUDGET = "budget"
    ROLLED_BACK = "rolled_back"
    CERTIFICATE = "certificate"
    DELIVERIES = "callbacks"  # of every kind; the word is stored
    SAMPLING_EMPTY = "sampling_empty"
    AGREEMENT = "agreement"


# What happened within a day, and what lasts until it is mended: only of the latter people are told that it is over.
LASTING = frozenset({Rule.JUDGE_SILENT, Rule.BUDGET, Rule.CERTIFICATE, Rule.SAMPLING_EMPTY, Rule.AGREEMENT})


class Severity(StrEnum):
    """Severity of a condition: `critical` stops work or customers, `warning` will."""

    CRITICAL = "critical"
    WARNING = "warning"


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One thing that is wrong. `key` names it among those of its rule, the same as long as it lasts; `sentence` says it
    with its figures, without a word of a customer; `path` is its page."""

    rule: Rule
    key: str
    sentence: str
    path: str = ""
    severity: Severity = Severity.WARNING

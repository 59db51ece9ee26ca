"""The words of gates: how much they may stop, how far they are, and why they came to what they say."""

from enum import StrEnum


class GateKind(StrEnum):
    """`blocking`: a required check of the pull request. `advisory`: a smoke test that the pull request shows."""

    BLOCKING = "blocking"
    ADVISORY = "advisory"


class GateStatus(StrEnum):
    """State of a gate. `pending`: an evaluation or a check of one of its runs has not ended yet."""

    PENDING = "pending"
    DECIDED = "decided"


class UndecidedPolicy(StrEnum):
    """Whether a gate that cannot tell stops the pull request."""

    BLOCK = "block"
    PASS = "pass"  # noqa: S105 - no password


class AdvisoryLoss(StrEnum):
    """Whether an advisory gate that shows a loss stops the pull request."""

    BLOCK = "block"
    WARN = "warn"


class HardRule(StrEnum):
    """`any`: a hard assertion that fails is a no. `new`: unless it failed for the baseline in the same case too."""

    ANY = "any"
    NEW = "new"


class GateReasonCode(StrEnum):
    """Code of a gate's reason, for programs; the first reason is the one that decided."""

    HARD_ASSERTION = "hard_assertion"
    BLOCKING_CRITERION = "blocking_criterion"
    AGENT_FAILED = "agent_failed"
    AGENT_LOST = "agent_lost"
    TO_CONFIRM = "to_confirm"
    NOT_CONFIRMED = "not_confirmed"
    CASES_LOST = "cases_lost"
    CASES_RECOVERED = "cases_recovered"
    CASES_LEFT_OUT = "cases_left_out"
    LATENCY_UNKNOWN = "latency_unknown"
    TOKENS_UNKNOWN = "tokens_unknown"
    NOT_COMPLETED = "not_completed"
    BUDGET_SPENT = "budget_spent"
    JUDGE_ERRORS = "judge_errors"
    TOO_LITTLE_MEASURED = "too_little_measured"
    JUDGE_ADDRESSED = "judge_addressed"
    HIDDEN_WORDS = "hidden_words"
    SAID_ANEW = "said_anew"
    CALLED_MORE = "called_more"
    JUDGE_FLAT = "judge_flat"
    BASELINE_TAMPERED = "baseline_tampered"
    ASSERTIONS_GONE = "assertions_gone"
    DRIFTED = "drifted"
    AGENT_DOWN = "agent_down"
    TOO_LITTLE_PLAYED = "too_little_played"
    CHECKS_UNMEASURABLE = "checks_unmeasurable"
    NO_BASELINE = "no_baseline"
    BASELINE_STALE = "baseline_stale"
    JUDGE_CHANGED = "judge_changed"
    CASES_MISSING = "cases_missing"
    CASES_GONE = "cases_gone"
    CASES_UNSCORED = "cases_unscored"
    NOT_CERTIFIED = "not_certified"
    TOO_FEW_CASES = "too_few_cases"
    LOSS = "loss"
    ADVISORY_LOSS = "advisory_loss"
    COSTS_MORE = "costs_more"
    LOSS_POSSIBLE = "loss_possible"
    GROUP_LOSS_POSSIBLE = "group_loss_possible"
    NO_LOSS = "no_loss"
    NOTHING_TO_COMPARE = "nothing_to_compare"
    MUST_NOT_GONE = "must_not_gone"
    MUST_NOT_UNSCORED = "must_not_unscored"


class CaseChange(StrEnum):
    """The change of one case.

    `lost` passed and fails now, `gained` the other way round; `worse` and `better` moved by at least the margin; `new`
    and `gone` have no pair; `left_out` could not be measured on one side.
    """

    LOST = "lost"
    WORSE = "worse"
    GONE = "gone"
    LEFT_OUT = "left_out"
    NEW = "new"
    GAINED = "gained"
    BETTER = "better"


class ChainLink(StrEnum):
    """The steps between a simulated customer and the gate, in order: each rests on the one before."""

    PERSONA_VALID = "persona_valid"
    BATTLE_KEPT = "battle_kept"
    JUDGE_CERTIFIED = "judge_certified"
    QUOTE_EXACT = "quote_exact"
    SCORE = "score"
    GATE = "gate"

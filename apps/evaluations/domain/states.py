"""The states of evaluations, judgements and criterion scores."""

from enum import StrEnum


class EvaluationStatus(StrEnum):
    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"


class JudgementStatus(StrEnum):
    """State of a judgement. `not_judged`: the conversation failed and not by the agent, or its words are deleted."""

    PENDING = "pending"
    SCORED = "scored"
    PARSE_ERROR = "parse_error"
    MODEL_ERROR = "model_error"
    NOT_JUDGED = "not_judged"


class ScoreStatus(StrEnum):
    SCORED = "scored"
    UNSCORED = "unscored"
    ERROR = "error"


class AnalysisStatus(StrEnum):
    PENDING = "pending"
    COMPLETED = "completed"
    FAILED = "failed"


class UnscoredReason(StrEnum):
    MISSING = "missing"
    NOT_APPLICABLE = "not_applicable"
    NO_EVIDENCE = "no_evidence"


NOTHING_SCORED = "nothing_scored"  # the code of an evaluation that failed because no criterion has a score
EVALUATION_TERMINAL = frozenset(
    {
        EvaluationStatus.COMPLETED,
        EvaluationStatus.FAILED,
        EvaluationStatus.TIMEOUT,
        EvaluationStatus.CANCELLED,
    }
)
EVALUATION_ACTIVE = frozenset({EvaluationStatus.PENDING, EvaluationStatus.RUNNING})

"""The events of the log, as a closed list, and the one way to write one down.

`log_event(EventType.X, **fields)` makes one line of the JSONL log (ratiba_eval/logs.py writes, redacts and rotates it).
`bound(tenant=…, run=…, conversation=…)` adds these to every line logged inside the block, in this thread or task;
`bound(names=(…,))` gives the people of the conversation, who are then masked and not written.
"""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from typing import Any

logger = logging.getLogger("ratiba.events")
_bound: ContextVar[Mapping[str, Any]] = ContextVar("ratiba_log_fields", default={})  # noqa: B039 - never mutated


class EventType(StrEnum):
    """The closed list. A new kind of event is a new line here and is logged somewhere (a guard test checks that).

    What has a row of its own (a turn, a judgement) is not logged as well: the row is the truth. Calls of models are,
    since the log outlives the database: what was paid for can be told from it alone.
    """

    TENANT_ADDED = "tenant_added"
    TENANT_DELETED = "tenant_deleted"
    TENANT_MIGRATED = "tenant_migrated"
    SETTINGS_CHANGED = "settings_changed"

    ERASER_INSTALLED = "eraser_installed"
    SUBJECT_ERASED = "subject_erased"

    TASK_REFUSED = "task_refused"
    TASK_GAVE_UP_LOCK = "task_gave_up_lock"
    TENANT_LOCKED = "tenant_locked"
    TICK = "tick"
    WAKEUP_LOST = "knock_lost"

    PROMPT_LIVE = "prompt_live"

    RUN_CREATED = "run_created"
    RUN_PAUSED = "run_paused"
    RUN_RESUMED = "run_resumed"
    RUN_CANCELLED = "run_cancelled"
    RUN_ENDED = "run_ended"
    RUN_TIMEOUT = "run_timeout"
    RUN_RECONCILED = "run_reconciled"

    AGENT_DOWN = "agent_down"
    AGENT_ANSWERS_AGAIN = "agent_answers_again"
    AGENT_SPARED = "agent_spared"
    AGENT_ONLY_LIMITS = "agent_only_limits"
    AGENT_REFUSES = "agent_refuses"
    CONVERSATION_ENDED = "conversation_ended"
    CONVERSATION_PROMOTED = "conversation_promoted"
    CONVERSATIONS_SETTLED = "conversations_settled"
    CONVERSATIONS_DELETED = "conversations_deleted"
    CONVERSATION_NOT_DELETED = "conversation_not_deleted"
    CONVERSATION_NOT_SETTLED = "conversation_not_settled"
    WORDS_DELETED = "words_deleted"
    CONVERSATION_FAILED = "conversation_failed"
    CONVERSATION_NOT_CLOSED = "conversation_not_closed"
    CONVERSATION_RESCUED = "conversation_rescued"

    EVALUATION_CREATED = "evaluation_created"
    EVALUATION_ENDED = "evaluation_ended"
    EVALUATION_TIMEOUT = "evaluation_timeout"
    CERTIFICATE_ISSUED = "certificate_issued"
    CERTIFICATE_NOT_WRITTEN = "certificate_not_written"
    LABELLING_OPENED = "labelling_opened"
    JUDGEMENT_PARSE_ERROR = "judgement_parse_error"
    JUDGEMENT_MODEL_ERROR = "judgement_model_error"
    CHECKS_MEASURED = "checks_measured"
    SIMULATOR_REVIEWED = "simulator_reviewed"
    ANALYSIS_ENDED = "analysis_ended"
    GATE_DECIDED = "gate_decided"
    SAMPLE_DRAWN = "sample_drawn"
    SAMPLE_REFUSED = "sample_refused"
    ANCHORS_GRADED = "anchors_graded"
    CERTIFICATE_REVOKED = "certificate_revoked"
    ROLLOUT_STARTED = "rollout_started"
    ROLLOUT_CHANGED = "rollout_changed"
    ROLLOUT_ROLLED_BACK = "rollout_rolled_back"
    ROLLOUT_PROMOTED = "rollout_promoted"
    ROLLOUT_ENDED = "rollout_ended"
    ROLLOUT_NOT_JUDGED = "rollout_not_judged"
    TRIAL_REQUESTED = "trial_requested"
    TRIAL_STARTED = "trial_started"
    TRIAL_ENDED = "trial_ended"
    TRIAL_STOPPED_EARLY = "trial_stopped_early"
    BLOCK_LIFTED = "block_lifted"
    DRAFT_RELEASED = "draft_released"
    DRAFT_REJECTED = "draft_rejected"
    FIX_REQUESTED = "fix_requested"
    FIX_PROPOSED = "fix_proposed"
    PLAYGROUND_REQUESTED = "playground_requested"
    PLAYGROUND_ENDED = "playground_ended"
    GROUPING_REQUESTED = "grouping_requested"
    NOTES_GROUPED = "notes_grouped"
    SUMMARY_REQUESTED = "summary_requested"
    SUMMARY_WRITTEN = "summary_written"
    OPTIMIZATION_REQUESTED = "optimization_requested"
    OPTIMIZATION_STEP = "optimization_step"
    OPTIMIZATION_ENDED = "optimization_ended"
    TEMPLATE_IN_FORCE = "template_in_force"
    HOLD_OUT_DRAWN = "hold_out_drawn"
    HOLD_OUT_OPENED = "hold_out_opened"
    PERSONAS_GENERATED = "personas_generated"
    PERSONA_VALIDATED = "persona_validated"
    INTERACTIVE_JOB_ENDED = "interactive_job_ended"

    MODEL_CALLED = "model_called"
    MODEL_RATE_LIMITED = "model_rate_limited"
    BUDGET_WARNING = "budget_warning"
    BUDGET_SPENT = "budget_spent"
    BUDGET_RAISED = "budget_raised"
    BUDGET_RECOUNTED = "budget_recounted"
    IMPLAUSIBLE_COST = "implausible_cost"
    KEPT_ANSWER_CORRUPT = "kept_answer_corrupt"

    IMPORT_ENDED = "import_ended"
    IMPORT_LINE_REFUSED = "import_line_refused"
    CONFIG_PUBLISHED = "config_published"

    REQUEST_TAKEN = "request_taken"
    REQUEST_REPLAYED = "request_replayed"
    REQUEST_REFUSED = "request_refused"
    SIGN_IN_REFUSED = "sign_in_refused"
    SIGN_IN_ROLES = "sign_in_roles"
    CALLBACK_SENT = "callback_sent"
    CALLBACK_FAILED = "callback_failed"
    QUESTION_SENT = "question_sent"
    QUESTION_FAILED = "question_failed"
    LANGFUSE_SENT = "langfuse_sent"
    LANGFUSE_FAILED = "langfuse_failed"
    OTLP_SENT = "otlp_sent"
    OTLP_FAILED = "otlp_failed"
    ALERT_OPENED = "alert_opened"
    ALERT_RESOLVED = "alert_resolved"
    ALERT_SENT = "alert_sent"
    ALERT_FAILED = "alert_failed"
    OUTBOUND_REFUSED = "outbound_refused"
    KEY_ADDED = "key_added"
    KEY_REVOKED = "key_revoked"

    LOG = "log"  # a line that came through plain logging, from us or from a library


def log_event(event: EventType, /, *, level: int = logging.INFO, **fields: Any) -> None:
    """Write one event. Fields are plain JSON values; bound fields are added, texts redacted by the handler.

    Never pass a secret or a transcript: ids and counts are enough. Costs one file write; never raises.
    """
    logger.log(level, event.value, extra={"event_type": event.value, "fields": {**_bound.get(), **fields}})


@contextmanager
def bound(**fields: Any) -> Iterator[None]:
    """Add these fields to every line logged inside the block (nested blocks add to the outer ones)."""
    token = _bound.set({**_bound.get(), **fields})
    try:
        yield
    finally:
        _bound.reset(token)


def bound_fields() -> Mapping[str, Any]:
    """The log fields that are bound at this place."""
    return _bound.get()

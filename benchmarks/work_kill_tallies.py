"""What came of the rows that `work_kill_seeds` made, by kind of work: SQL of a tenant's schema, all of it our own."""
# ruff: noqa: S608

from collections.abc import Mapping

_WHATSAPP = (
    "status = 'delivered' OR last_error LIKE 'no answer is known%'"  # it may have arrived: nobody is asked twice
)
_BATTLES = "FROM runs_conversation c WHERE c.kind = 'battle' AND c.external_id <> 'old'"
_LIKE = (
    "FROM production_productionconversation p JOIN runs_conversation c ON c.id = p.conversation_id WHERE p.external_id"
)
_UNSENT = "NOT EXISTS (SELECT 1 FROM jobs_outbounddelivery d WHERE d.subject_id = w.id)"


def _ended(table: str, times: str = "1") -> str:
    return f"SELECT status = 'completed', {times} FROM {table} w"


def _count(what: str) -> str:
    return f"(SELECT count(*) FROM {what})"


def _found(what: str, rest: str) -> str:
    """Done where there is one of these, and once."""
    return f"SELECT {_count(what)} > 0, {_count(what)} {rest}"


def _queues(work: str, kind: str) -> dict[str, str]:
    """The quick and the slow queue of a kind of delivery."""
    done = _WHATSAPP if kind.startswith("whatsapp") else "status = 'delivered'"
    every = f"SELECT {done}, 1 FROM jobs_outbounddelivery d WHERE kind = '{kind}' AND"
    slow = "EXISTS (SELECT 1 FROM drill_slow s WHERE s.id = d.id)"
    return {work: f"{every} NOT {slow}", f"slow_{work}": f"{every} {slow}"}


# By kind: a row for each that needed work, whether it was done, and how often its effect is stored.
TALLIES: Mapping[str, str] = {
    "interactive": _ended("jobs_interactivejob"),
    "playing": "SELECT c.status = 'ended', 1 + (SELECT count(*) - count(DISTINCT t.content) FROM runs_turn t"
    f" WHERE t.conversation_id = c.id AND t.attempt = c.attempt AND t.role = 'user') {_BATTLES}",
    "search_words": "SELECT c.words_of_attempt = c.attempt, "
    + _count(
        "runs_turnwords w JOIN runs_turn t ON t.id = w.turn_id WHERE t.conversation_id = c.id AND t.position = 0"
        " AND t.attempt = c.attempt"
    )
    + f" {_BATTLES}",
    "judging": "SELECT j.status = 'scored', "
    + _count(
        "budgets_modelcall m WHERE m.outcome = 'ok' AND m.purpose = 'judge' AND m.evaluation_id = j.evaluation_id"
        " AND m.conversation_id = j.conversation_id"
    )
    + " FROM evaluations_judgement j JOIN evaluations_evaluation e ON e.id = j.evaluation_id"
    " WHERE e.config_ref LIKE 'kills%'",
    "certification": _found(
        "calibration_certificate c WHERE c.calibration_id = k.id", "FROM calibration_calibration k"
    ),
    "checks": _ended(
        "checks_checkjob",
        "(SELECT 1 + count(*) - count(DISTINCT r.check_name) FROM checks_checkresult r"
        " WHERE r.conversation_id = w.conversation_id)",
    ),
    "persona_generation": _ended(
        "catalog_personageneration", _count("catalog_generatedpersona g WHERE g.generation_id = w.id")
    ),
    "persona_validation": _ended("catalog_personavalidation"),
    "simulator_reviews": "SELECT c.simulator_verdict = 'kept', "
    + _count("runs_simulatorreview r WHERE r.conversation_id = c.id AND r.attempt = c.attempt")
    + f" {_BATTLES} AND c.spec ->> 'scenario' LIKE 'play-%'",
    "gates": "SELECT status = 'decided', 1 FROM gates_pullrequestgate",
    "analysis": _ended("improvement_analysis") + " WHERE attempts > 0 OR status <> 'completed'",
    "proposal": _ended("improvement_fixproposal"),
    "playground": _ended("improvement_playground"),
    "mode_grouping": _ended("improvement_modegrouping"),
    "report_summary": _ended("reports_reportsummary"),
    "trial": _ended("improvement_trial"),
    "optimization": _ended("improvement_optimization"),
    "promotion": _found(
        "production_promotion o WHERE o.conversation_id = f.conversation_id",
        "FROM production_feedback f WHERE f.rating = 'down'",
    ),
    "production_settling": f"SELECT p.settled_at IS NOT NULL, 1 {_LIKE} LIKE 'settle-%'",
    "production_retention": "SELECT deleted_at IS NOT NULL, 1 FROM production_productionconversation"
    " WHERE keep_until < now()",
    "whatsapp_posts": "SELECT status = 'done', 1 FROM production_whatsapppost",
    "whatsapp_recipients": f"SELECT recipient = '', 1 FROM production_feedbackquestion w WHERE {_UNSENT}",
    "whatsapp_prompted": f"SELECT recipient = '', 1 FROM production_pendingcomment w WHERE {_UNSENT}",
    "trace_spans": f"SELECT true, {_count('runs_turn t WHERE t.conversation_id = c.id')} / 8 {_LIKE} LIKE 'trace-%'",
    "trace_spans_forgotten": "SELECT false, 1 FROM production_tracespan WHERE forget_at <= now()",
    "langfuse_poll": f"SELECT true, {_count('runs_turn t WHERE t.conversation_id = c.id')} / 2 {_LIKE} LIKE 'read-%'",
    "rollout": _found("production_rolloutconversation r WHERE r.conversation_id = c.id", f"{_LIKE} LIKE 'arm-%'"),
    "sampling": _found("production_sampledconversation s WHERE s.conversation_id = c.id", f"{_LIKE} LIKE 'drawn-%'"),
    "anchors": "SELECT status = 'done', 1 FROM production_anchorgrading",
    "erasure": _ended("erasure_erasure"),
    "word_retention": _found(
        "erasure_worddeletion d WHERE d.conversation_id = c.id", "FROM runs_conversation c WHERE c.external_id = 'old'"
    ),
    "alerts": "SELECT true, count(*) FROM alerts_alert WHERE rule = 'run_stuck' GROUP BY key",
    **_queues("langfuse_deliveries", "langfuse"),
    **_queues("otlp_deliveries", "otlp"),
    **_queues("whatsapp_questions", "whatsapp_question"),
    **_queues("whatsapp_prompts", "whatsapp_prompt"),
    **_queues("alerts_by_email", "alert_email"),
    **_queues("alerts_by_slack", "alert_slack"),
    **_queues("alerts_by_webhook", "alert_webhook"),
    **_queues("callbacks", "callback"),
}
GONE = ("trace_spans_forgotten",)  # what is done of them is no row any more
ONCE = ("agent",)  # is told nothing twice in a session, whatever was under way
# By kind: who outside is asked, by the first part of the path.
ASKS: Mapping[str, tuple[str, ...]] = {
    "interactive": ("checked",),
    "playing": ("agent", "customer", "speaker"),
    "judging": ("stub",),
    "simulator_reviews": ("reviewer",),
    "persona_generation": ("personas",),
    "analysis": ("analyst",),
    "proposal": ("optimizer",),
    "report_summary": ("writer",),
    "langfuse_deliveries": ("sink",),
    "otlp_deliveries": ("collector",),
    "whatsapp_questions": ("graph",),
    "alerts_by_slack": ("slack",),
    "alerts_by_webhook": ("alerts",),
    "callbacks": ("callbacks",),
}
_DELIVERED = {"graph": "whatsapp_%", "slack": "alert_slack", "alerts": "alert_webhook", "callbacks": "callback"}


def answers_of(name: str) -> str:
    """How many of its answers are stored; "" where what it is asked is another thing each time."""
    if name in ("agent", "sink", "collector"):
        return ""
    if name in _DELIVERED:
        return "SELECT " + _count(
            f"jobs_outbounddelivery WHERE status = 'delivered' AND kind LIKE '{_DELIVERED[name]}'"
        )
    which = "purpose = 'check'" if name == "checked" else f"provider = '{name}'"
    return "SELECT " + _count(f"budgets_modelcall WHERE outcome = 'ok' AND {which}")

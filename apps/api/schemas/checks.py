"""The shape of a check's result (see apps.checks.queries.check_results)."""

from apps.api.schema_building import ANY, COUNT, ID, NUMBER, TEXT, THEN, Schema, made, optional, page, words
from apps.checks.domain.check_states import CheckSource
from apps.statistics.decision import Decision

COMPONENTS: dict[str, Schema] = {
    "CheckResult": made(
        {
            "id": ID,
            "test_run_id": ID,
            "conversation_id": ID,
            "conversation": {**TEXT, "description": "The id it was played or imported under."},
            "check": {**TEXT, "description": "The metric's or check's name."},
            "subject": {**TEXT, "description": "What of the conversation it is about; empty: the whole."},
            "position": optional("integer", minimum=0, description="The turn it is about, where it is about one."),
            "attempt": {**COUNT, "description": "Measured again, a check gets a further attempt; the highest counts."},
            "source": words(CheckSource),
            "outcome": words(Decision),
            "score": NUMBER,
            "threshold": NUMBER,
            "scale": TEXT,
            "version": TEXT,
            "error_code": {**TEXT, "description": "Of what could not be measured; `reason` says it in words."},
            "reason": TEXT,
            "evidence": {"type": "array", "items": ANY},
            "provider": {**TEXT, "description": "Of the judge; empty where facts decided."},
            "model": TEXT,
            "fingerprint": TEXT,
            "measured_at": THEN,
        }
    ),
    "CheckResultPage": page("CheckResult"),
    "StoredChecks": made({"stored": {**COUNT, "description": "How many are new; what stood there stays as it is."}}),
}

"""Map our errors to HTTP statuses. Codes are stable: this table is part of the API (docs/api.md)."""

from apps.core.errors import BadInput, Conflict, Fault, NotFound, RatibaError

_BY_CODE = {
    "body_too_large": 413,
    "too_many_conversations": 413,
    "too_many_spans": 413,
    "too_many_turns": 413,
    "unknown_field": 400,
    "bad_parameter": 400,
    "unknown_parameter": 400,
    "unknown_tenant": 404,
    "persona_not_eligible": 422,
    "persona_speaks_otherwise": 422,
    "no_user_turns": 422,
    "no_staging_connection": 422,
    "production_address": 422,
    "key_reused": 422,
    "callback_url_refused": 422,
    "no_webhook_key": 422,
    "callback_needs_evaluation": 422,
    "model_key_missing": 422,
    "no_model": 422,
    "not_pulled": 422,
    "looser_than_the_floor": 422,
    "not_accepted": 422,
    "wrong_signature": 401,
    "other_role": 422,
    "unreleased_draft": 422,
    "never_recorded": 422,
    "no_judge": 422,
    "unsupported_encoding": 415,
    "unsupported_media_type": 415,
}


def status_of(error: RatibaError) -> int:
    """The HTTP status: the code's own, else by kind. A name that is not there (`unknown_…`) is 422, not 400."""
    if error.code in _BY_CODE:
        return _BY_CODE[error.code]
    if isinstance(error, NotFound):
        return 404
    if isinstance(error, BadInput):
        return 422 if error.code.startswith("unknown_") else 400
    if isinstance(error, Conflict):
        return 409
    return {Fault.CALLER: 400, Fault.REMOTE: 502, Fault.PLATFORM: 503 if error.retryable else 500}[error.fault]

"""The shapes of drafts of prompts (see apps.improvement.drafts.queries.documents)."""

from apps.api.schema_building import (
    ANY,
    COUNT,
    ID,
    ID_OR_NULL,
    TEXT,
    TEXT_OR_NULL,
    TEXTS,
    THEN,
    TIME,
    YES,
    Schema,
    listed,
    made,
    optional,
    or_null,
    page,
    word_or_null,
    words,
)
from apps.improvement.drafts.domain.states import (
    DraftMode,
    DraftMove,
    DraftOrigin,
    DraftStatus,
    GuardCode,
    ProposalStatus,
)

_PLACE: Schema = made(
    {
        "start": {**COUNT, "description": "Characters from the beginning of the draft."},
        "end": COUNT,
        "line": {"type": "integer", "minimum": 1},
        "section": {**TEXT, "description": "Its title; empty where it has none."},
    }
)
_REFUSAL: Schema = made(
    {
        "code": words(GuardCode),
        "message": {**TEXT, "description": "What is wrong, and what to do."},
        "where": or_null(_PLACE),
    }
)
_TRIAL: Schema = made(
    {
        "id": ID,
        "status": TEXT,
        "part": TEXT,
        "verdict": TEXT_OR_NULL,
        "sentence": TEXT,
    }
)
_RELEASE: Schema = made(
    {
        "by": TEXT,
        "reason": TEXT,
        "at": THEN,
        "seen_live_at": {**TIME, "description": "null: handed over, and not yet recorded with its commit."},
        "patch": optional("string", description="What `git apply` takes; null once it is seen live."),
    }
)
_LINE: Schema = {
    "id": ID,
    "name": {**TEXT, "description": "Of the prompt."},
    "prompt_version": optional("string", description="<name>@sha256-<8 digits>; null where guards refused it."),
    "status": words(DraftStatus),
    "base": {**TEXT, "description": "The version that was live when it was written."},
    "base_is_live": YES,
    "original": {**TEXT, "description": "The version that was live at the first draft of this prompt."},
    "origin": words(DraftOrigin),
    "mode": words(DraftMode),
    "optimization_round": {**COUNT, "description": "From 1, of those against its base."},
    "analysis_id": ID_OR_NULL,
    "finding_number": optional("integer", minimum=1),
    "note": TEXT,
    "refusals": listed(_REFUSAL, description="Why guards refused it; empty for every other one."),
    "warnings": listed(_REFUSAL, description="What guards tell whoever reads it; stops nothing."),
    "trial": or_null({**_TRIAL, "description": "Its newest trial."}),
    "next": listed(words(DraftMove), description="What may be done with it now."),
    "created_by": TEXT,
    "created_at": THEN,
}
COMPONENTS: dict[str, Schema] = {
    "DraftLine": made(_LINE),
    "Draft": made(
        {
            **_LINE,
            "text": TEXT,
            "diff": {**TEXT, "description": "Unified, against `base`."},
            "hopes": {**ANY, "description": "What a model says that its fix lifts and might hurt."},
            "parts": listed(
                made({"draft": ID, "sections": TEXTS}),
                description="Of a combined draft: whose words stand in which sections.",
            ),
            "release": or_null(_RELEASE),
            "rejection": or_null(made({"by": TEXT, "reason": TEXT, "at": THEN})),
        }
    ),
    "DraftPage": page("DraftLine"),
    "FixProposal": made(
        {
            "id": ID,
            "analysis_id": ID,
            "finding_number": optional("integer", minimum=1, description="null: all findings are asked about."),
            "name": {**TEXT, "description": "Of the prompt."},
            "status": words(ProposalStatus),
            "draft_id": {
                "type": ["string", "null"],
                "format": "uuid",
                "description": "What came of it; refused, maybe.",
            },
            "draft_status": word_or_null(DraftStatus),
            "proposer": made({"provider": TEXT, "model": TEXT}),
            "warnings": listed(made({"code": TEXT, "text": TEXT})),
            "waiting_for": TEXT,
            "error_message": TEXT,
            "requested_by": TEXT,
            "created_at": THEN,
            "ended_at": TIME,
        }
    ),
    "FixProposalPage": page("FixProposal"),
}

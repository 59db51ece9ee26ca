"""The shapes of drafts of prompts (see apps.improvement.drafts.queries.documents)."""

from apps.api.schema_building import (
    ID,
    TEXT,
    THEN,
    TIME,
    Schema,
    listed,
    made,
    optional,
    page,
    word_or_null,
    words,
)
from apps.improvement.drafts.domain.states import (
    DraftStatus,
    ProposalStatus,
)

COMPONENTS: dict[str, Schema] = {
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

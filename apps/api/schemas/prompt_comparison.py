"""The shape of versions of a prompt beside each other (see apps.improvement.drafts.queries.version_document)."""

from apps.api.schema_building import (
    COUNT,
    ID_OR_NULL,
    INTERVAL,
    NUMBER,
    TEXT,
    TEXTS,
    Schema,
    known,
    listed,
    made,
    or_null,
    word_or_null,
    words,
)
from apps.improvement.drafts.domain.states import DraftStatus
from apps.improvement.drafts.domain.version_matrix import MissingFigure, MissingVersion, VersionStanding
from apps.reports.domain.comparison import ComparisonOutcome

_CELL = {
    "name": TEXT,
    "missing": {
        **word_or_null(MissingFigure),
        "description": "too_few_families: a difference without an interval; else there is none.",
    },
    "pairs": COUNT,
    "families": {**COUNT, "description": "Scenario families: the clusters of the interval."},
    "mean_first": NUMBER,
    "mean": NUMBER,
    "difference": {**NUMBER, "description": "This version minus the first one; null where `missing` says why."},
    "interval": INTERVAL,
}
_STANDING = {
    "prompt_version": TEXT,
    "standing": words(VersionStanding),
    "draft": ID_OR_NULL,
    "draft_status": word_or_null(DraftStatus),
}

COMPONENTS: dict[str, Schema] = {
    "PromptFigure": made(_CELL),
    "PromptDifference": made(
        {
            **_CELL,
            "p": {**NUMBER, "description": "Sign-flip permutation over families, two-sided."},
            "p_adjusted": {**NUMBER, "description": "After Holm over all criteria and the overall score."},
            "outcome": words(ComparisonOutcome),
            "needs_about": {"type": ["integer", "null"], "description": "How many more families it takes to tell."},
        }
    ),
    "PromptStanding": made(_STANDING),
    "PromptVersionRow": made(
        {
            **_STANDING,
            "missing": or_null(made({"code": words(MissingVersion), "sentence": TEXT})),
            "sentence": TEXT,
            "pairs": COUNT,
            "hold_out_pairs": {**COUNT, "description": "Of a trial's hold-out: in the means, never named."},
            "got_worse": {**COUNT, "description": "Pairs that fell by half a point or more."},
            "got_better": COUNT,
            "overall": or_null(known("PromptDifference")),
            "criteria": listed(known("PromptDifference")),
            "measures": {**listed(known("PromptFigure")), "description": "cost_usd, latency_ms, reply_chars."},
        }
    ),
    "PromptComparison": made(
        {
            "prompt": TEXT,
            "first": known("PromptStanding"),
            "decision": {**TEXT, "description": "The answer in a sentence."},
            "scenarios": or_null(TEXTS),
            "judge": or_null(
                made(
                    {
                        "evaluator_config": TEXT,
                        "fingerprint": TEXT,
                        "others": {
                            **COUNT,
                            "description": "Other judges that scored these versions: left out, never subtracted.",
                        },
                    }
                )
            ),
            "criteria": {**TEXTS, "description": "The largest loss first."},
            "confidence": NUMBER,
            "versions": listed(known("PromptVersionRow")),
        }
    ),
}

"""The shapes of gates (see apps.gates.queries.gates)."""

from apps.api.schema_building import (
    ANY,
    COUNT,
    ID,
    INTERVAL,
    NUMBER,
    TEXT,
    TEXT_OR_NULL,
    TEXTS,
    THEN,
    TIME,
    YES,
    Schema,
    known,
    listed,
    made,
    or_null,
    page,
    word_or_null,
    words,
)
from apps.gates.domain.gate_states import CaseChange, ChainLink, GateKind, GateReasonCode, GateStatus
from apps.gates.domain.losses import MetricOutcome
from apps.gates.domain.own_versions import OwnOutcome
from apps.statistics.decision import OF_SCORES

_EXIT: Schema = {"type": ["integer", "null"], "enum": [0, 1, 3, None]}
_LINE: Schema = {
    "id": ID,
    "status": words(GateStatus),
    "kind": words(GateKind),
    "agent": TEXT,
    "commit": TEXT,
    "base_commit": TEXT,
    "pull_request": TEXT,
    "title": TEXT,
    "decision": {**word_or_null(OF_SCORES), "description": "null while it is pending."},
    "exit_code": {**_EXIT, "description": "What the command ends with: 0, 1 or 3."},
    "blocks": {
        "type": "boolean",
        "description": "Of a blocking gate: its exit code is not 0; advisory: it shows a loss.",
    },
    "why": {**TEXT, "description": f"The code of the first reason. One of {', '.join(GateReasonCode)}; more may come."},
    "sentence": TEXT,
    "waiting_for": TEXT,
    "digest": {**TEXT, "description": "Of the decision: the same rows by the same rule have the same."},
    "created_at": THEN,
    "decided_at": TIME,
}
_COUNTS = made(
    {
        "repeats": {**COUNT, "description": "How often its cases were played."},
        "conversations": COUNT,
        "counted": COUNT,
        "cases": COUNT,
        "scored": COUNT,
    }
)
_VERSION = made({"outcome": words(OwnOutcome), "score": NUMBER, "failed": TEXTS, "conversation": TEXT})
COMPONENTS: dict[str, Schema] = {
    "GateTaken": made({"id": ID, "status": {"const": "pending"}, "status_url": {"type": "string", "format": "uri"}}),
    "GateLine": made(_LINE),
    "GatePage": page("GateLine"),
    "GateMetric": made(
        {
            "metric": {**TEXT, "description": "score, passed, a criterion, check:NAME or check:NAME:score."},
            "language": {**TEXT, "description": "Empty: all of them."},
            "share": {"type": "boolean", "description": "Of trials that pass, 0-1; else points of the metric's scale."},
            "baseline": {"type": "number"},
            "candidate": {"type": "number"},
            "difference": {"type": "number"},
            "interval": {**INTERVAL, "description": "Of the difference; leaves alpha out at either end."},
            "p": {**NUMBER, "description": "One-sided, for a loss; McNemar's for shares, else sign flips; both exact."},
            "adjusted": {**NUMBER, "description": "After Holm's correction within the whole, or within the parts."},
            "level": {"type": "number", "description": "What the adjusted p is held against."},
            "margin": {"type": "number"},
            "n": {**COUNT, "description": "Cases on both sides."},
            "outcome": words(MetricOutcome),
            "needed": {"type": ["integer", "null"], "description": "About how many more cases would tell."},
            "gained": TEXTS,
            "lost": TEXTS,
            "title": {**TEXT, "description": "What people call the metric."},
        }
    ),
    "GateCase": made(
        {
            "digest": TEXT,
            "id": TEXT,
            "language": TEXT,
            "change": words(CaseChange),
            "difference": NUMBER,
            "why": {**TEXT, "description": "What fails hard in it."},
            "baseline_conversation": TEXT,
            "candidate_conversation": TEXT,
            "url": TEXT,
            "said": or_null(
                made(
                    {
                        "criterion": {**TEXT, "description": "The one that moved the most."},
                        "before": NUMBER,
                        "after": NUMBER,
                        "reason": {**TEXT, "description": "The judge's, for what the candidate got."},
                        "baseline_reply": TEXT,
                        "candidate_reply": {
                            **TEXT,
                            "description": "What the agent said at the place the judge quotes.",
                        },
                        "title": {**TEXT, "description": "What people call the criterion."},
                    }
                )
            ),
            "look": {"type": "integer", "enum": [1, 2]},
        }
    ),
    "GateChainLink": made({"link": words(ChainLink), "holds": YES, "why": TEXT}),
    "GateBaselineSide": made(
        {
            "evaluation": ID,
            "commit": TEXT,
            "age_s": COUNT,
            "fingerprint": TEXT,
            "beside": {**TEXT, "description": "The commit it was played for; empty: stored."},
        }
    ),
    "GateFirstLook": made({"id": ID, "candidate": ID, "baseline": ID, "sentence": TEXT, "url": TEXT}),
    "GateOwnVersions": made(
        {
            "evaluation": TEXT_OR_NULL,
            "left_out": {**TEXT, "description": "Why they were not played; usually empty."},
            "cost_usd": {**NUMBER, "description": "null where a call has no price."},
            "cases": listed(made({"id": TEXT, "own": _VERSION, "deciding": _VERSION, "url": TEXT})),
        }
    ),
    "Gate": made(
        {
            **_LINE,
            "candidate": made(
                {
                    "evaluation": ID,
                    "cost_usd": {**NUMBER, "description": "Of its run, a first look's too; null: a call has no price."},
                    "known_cost_usd": {"type": "number", "description": "What its calls with a price cost."},
                }
            ),
            "first_look": or_null(known("GateFirstLook")),
            "replays_of": or_null(known("GateFirstLook")),
            "play_again": listed(
                made({"digest": TEXT, "id": TEXT, "times": COUNT}),
                description="Cases in which the candidate alone was lost or failed: to be played so often "
                "once more on both sides, and asked about with replays_of.",
            ),
            "more_repeats": {
                "type": ["integer", "null"],
                "description": "Undecided: about how often each case must be played once more on both sides.",
            },
            "baseline": or_null(known("GateBaselineSide")),
            "fingerprint": {**TEXT, "description": "Of the judge of the candidate."},
            "reasons": listed(made({"code": words(GateReasonCode), "sentence": TEXT})),
            "metrics": listed(known("GateMetric")),
            "cases": listed(known("GateCase"), description="Those that changed, the worst first; 200 at most."),
            "more_cases": COUNT,
            "chain": listed(known("GateChainLink")),
            "first_missing_link": word_or_null(ChainLink),
            "counts": or_null(made({"candidate": _COUNTS, "baseline": or_null(_COUNTS)})),
            "policy": {**ANY, "title": "DeclaredRule"},
            "floor": or_null(
                {**ANY, "title": "HeldFloor", "description": "What the rule was held to; null: none is set."}
            ),
            "changes": listed(known("JudgingChange"), description="What the pull request alters of what decides."),
            "changes_digest": {**TEXT, "description": "Of the changes, for who accepts them."},
            "change_notes": {**TEXTS, "description": "The changes in words, whose versions decided first."},
            "acceptance": {"type": ["string", "null"], "description": "By which the commit's own versions decided."},
            "own_versions": or_null(
                {
                    **known("GateOwnVersions"),
                    "description": "Altered scenarios as the commit has them; they decide nothing.",
                }
            ),
            "prevented": listed(
                made({"scenario": TEXT, "id": TEXT, "conversation": ID, "why": TEXT, "url": TEXT}),
                description="Released scenarios of production that this change would have broken again.",
            ),
            "cost_usd": {**NUMBER, "description": "Of all calls; null where one has no price."},
            "known_cost_usd": {"type": "number", "description": "What the calls with a price cost."},
            "model_calls": COUNT,
            "calls_without_price": {
                **COUNT,
                "description": "Where this is not 0, nobody knows the cost: `cost_usd` is null.",
            },
            "budget_usd": NUMBER,
            "answers_from_cache": COUNT,
            "not_cross_checked": {
                **COUNT,
                "description": "Conversations without a second judge: the budget ran short.",
            },
            "notes": {**TEXTS, "description": "What a reader must know beside the decision."},
            "url": TEXT,
            "terminal": {**TEXT, "description": "The answer as plain text; control characters of others are gone."},
            "markdown": {**TEXT, "maxLength": 60_000, "description": "The comment; text of others is escaped."},
        }
    ),
    "GateFloors": made(
        {
            "results": listed(
                made(
                    {
                        "agent": TEXT,
                        "evaluator_config": {**TEXT, "description": "As it was set: a name, or name@version."},
                        "evaluator_config_version": {**TEXT, "description": "Which judges now."},
                        "policy": {**ANY, "title": "FloorRule"},
                        "budget_usd": NUMBER,
                        "problem": {**TEXT, "description": "Why nothing can be held to it; usually empty."},
                    }
                )
            )
        }
    ),
    "GateAcceptances": made({"results": listed(known("GateAcceptance"))}),
    "GateJUnit": {"type": "string", "description": "application/xml"},
    "GateReport": {"type": "string", "description": "text/html, one file"},
    "GateBaselines": made(
        {
            "results": listed(
                made(
                    {
                        "evaluation": ID,
                        "test_run": ID,
                        "evaluator_config": TEXT,
                        "fingerprint": TEXT,
                        "created_at": THEN,
                        "age_s": COUNT,
                        "cases": listed(made({"digest": TEXT, "id": TEXT})),
                        "versions": {
                            **TEXT,
                            "description": "Whose scenarios and checks were played, as its runner said.",
                        },
                        "beside": {**TEXT, "description": "The commit whose gate played it; empty: stored by itself."},
                        "after_change": {**TEXT, "description": "yes: code of that commit had run before."},
                        "other_files": {**TEXT, "description": "yes: files that are none of the commit's lay beside."},
                    }
                )
            )
        }
    ),
}

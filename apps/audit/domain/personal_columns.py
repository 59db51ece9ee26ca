"""List where people's words are: each text, JSON or binary column is in one of the two lists.

PERSONAL may hold what a customer said or who a customer is, or what somebody wrote about one. Erasure searches these
columns, and the database lets the eraser rewrite them and no others (apps.audit.eraser). NOT_PERSONAL are states,
codes, names of configuration, digests, and accounts of the team. A new column that stands in neither fails a test
(tests/audit/test_personal_columns.py). When in doubt a column is PERSONAL: that costs a search, the other a promise.

What leaves the house is masked, but for what IDENTIFIERS and TO_THE_LETTER name; NEVER_LEAVES does not leave, and
MASKED_AT_REST is written masked where the tenant wants that (apps.audit.domain.masking_rules reads all of these).
"""

from collections.abc import Mapping


def _columns(listed: Mapping[str, str]) -> dict[str, frozenset[str]]:
    return {table: frozenset(columns.split()) for table, columns in listed.items()}


PERSONAL: Mapping[str, frozenset[str]] = _columns(
    {
        "alerts_alert": "sentence",
        "api_idempotencyrecord": "body",
        "audit_entry": "object_text before after",
        "budgets_cachedresponse": "body",
        "budgets_modelcall": "error",
        "calibration_calibration": "labels",
        "calibration_conversationnote": "text",
        "calibration_humanlabel": "reason",
        "calibration_labelresolution": "reason",
        "calibration_labellinground": "name source",
        "calibration_nonblindlabel": "reason",
        "catalog_agent": "profile",
        "catalog_criterion": "texts",
        "catalog_evaluatorconfig": "description",
        "catalog_evaluatorconfigversion": "system_prompt_template frozen_criteria note",
        "catalog_goldensession": "name",
        "catalog_goldenversion": "document profile captured_from note",
        "catalog_persona": "name text spec validation rejection_reason override_reason",
        "catalog_personageneration": "error_message slots material refused people",
        "catalog_personavalidation": "error_message subject rating probes",
        "catalog_profileversion": "document",
        "catalog_promptversion": "text",
        "catalog_scenario": "slug goal opening script assertions must_not provenance",
        "catalog_storedfile": "content",
        "checks_checkresult": "reason evidence",
        "django_admin_log": "object_repr change_message",
        "erasure_erasure": "subject hits error_message",
        "evaluations_criterionscore": "reason evidence opinions",
        "evaluations_evaluation": "snapshot subject error_message",
        "evaluations_judgement": "raw_reply error_message",
        "evaluations_storedfigure": "value",
        "gates_gateacceptance": "changes note",
        "gates_gateownversions": "cases left_out",
        "gates_preventedfailure": "slug why",
        "gates_pullrequestgate": "title why sentence document changes",
        "gates_snapshotreview": "accepted played divergence note",
        "improvement_analysis": "templates findings notes error_message",
        "improvement_fixproposal": "basis templates proposer warnings error_message",
        "improvement_failuremode": "name description",
        "improvement_modegrouping": "error_message",
        "improvement_playground": "error_message",
        "improvement_playgroundcolumn": "own_text replies error_message",
        "improvement_optimization": "templates override_reason sentence error_message",
        "improvement_optimizationdraft": "left_out_why",
        "improvement_prompttemplate": "system ask note",
        "improvement_promptdraft": "refused_text note hopes parts refusals release_reason reject_reason",
        "improvement_trial": "decision sentence lifted_blocks error_message",
        "jobs_interactivejob": "arguments answer error_message",
        "reports_reportsummary": "sentences error_message",
        "reports_savedview": "name query",
        "jobs_outbounddelivery": "last_error",
        "production_feedback": "external_id comment",
        "production_feedbackquestion": "recipient person_digests error",
        "production_pendingcomment": "sender_digests recipient",
        "production_productionconversation": "external_id people document_digest "
        "turn_digests name_digests person_digests customer_ref_hmac",
        "production_promotion": "transcript signals residues persona draft_note",
        "production_promotionround": "outcome",
        "production_langfusedeletion": "targets",
        "production_tracespan": "conversation body",
        "production_whatsapppost": "body",
        "production_rollout": "reason",
        "production_rolloutevent": "sentence",
        "runs_agentthrottle": "last_error",
        "runs_conversation": "external_id domain source labels extra spec session error_message",
        "runs_pulledturn": "session messages context reply",
        "runs_simulatorreview": "findings reason raw_reply",
        "runs_testrun": "name plan subject error_message",
        "runs_turn": "content tool_calls tool_call_id name attachments extra",
    }
)

NOT_PERSONAL: Mapping[str, frozenset[str]] = _columns(
    {
        "alerts_alert": "rule key severity path",
        "alerts_alertchannel": "name kind address secret shown made_by",
        "alerts_alertmessage": "origin",
        "alerts_alertround": "waiting_for status origin",
        "alerts_alertrulesetting": "rule",
        "api_apikey": "name prefix digest",
        "api_idempotencyrecord": "scope key request_digest",
        "api_webhookkey": "name secret",
        "audit_entry": "actor action table_name object_id",
        "budgets_budget": "kind name",
        "budgets_cachedresponse": "key",
        "budgets_modelcall": "purpose provider requested_model model outcome request_id pull_request",
        "budgets_reservation": "budgets",
        "calibration_calibration": "declared asked_by",
        "calibration_certificate": "fingerprint config_ref verdict items declared labels_digest",
        "calibration_certificaterevocation": "fingerprint reason",
        "calibration_conversationnote": "author",
        "calibration_humanlabel": "rater criterion",
        "calibration_labelresolution": "criterion resolved_by",
        "calibration_ratinglease": "rater",
        "calibration_labellingitem": "language why",
        "calibration_labellinground": "owner scale config_ref criteria models_reviewed_by assigned made_by",
        "calibration_nonblindlabel": "rater criterion",
        "calibration_rater": "user languages",
        "catalog_agent": "name kind address options secrets",
        "catalog_agentconnection": "kind purpose address options secrets prompt_field prompt_header prompt_form",
        "catalog_criterion": "name kind domain titles offline_rule offline_parameters",
        "catalog_evaluatorconfig": "name",
        "catalog_evaluatorconfigversion": "status criteria pass_marks llm_config parameters published_by",
        "catalog_goldensession": "owner confirmed_by",
        "catalog_goldenversion": "digest status approved_by",
        "catalog_judgecheck": "judge_digest fingerprint figures",
        "catalog_modelprovider": "name kind base_url api_key options known_by",
        "catalog_outsideconnection": "kind address options secrets",
        "catalog_persona": "language origin status scores override_by released_by",
        "catalog_personageneration": "waiting_for status wait_code requested_by model",
        "catalog_personavalidation": "waiting_for status wait_code requested_by digest model",
        "catalog_profileversion": "name digest source",
        "catalog_promptline": "name live_by",
        "catalog_promptversion": "name version digest path",
        "catalog_scenario": "language family status origin released_by",
        "catalog_storedfile": "sha256",
        "checks_checkjob": "waiting_for status wait_code",
        "checks_checkresult": "check_name subject source outcome scale version error_code provider model fingerprint",
        "django_admin_log": "object_id",
        "erasure_erasure": "status waiting_for receipt requested_by",
        "evaluations_criterionscore": "criterion status unscored_reason scale",
        "evaluations_evaluation": "config_ref status options triggered_by callback_url error_code sums",
        "evaluations_judgement": "waiting_for status fingerprint provider model latency error_code",
        "evaluations_storedfigure": "name",
        "gates_gateacceptance": "agent commit accepted_by",
        "gates_gatefloor": "agent evaluator_config policy",
        "gates_pullrequestgate": "kind status agent commit base_commit pull_request "
        "policy floor requested_by decision digest waiting_for",
        "gates_snapshotreview": "status scenario file language agent "
        "commit pull_request base_digest digest reviewed_by",
        "identity_identityprovider": "name issuer client_id client_secret scopes groups_claim group_roles",
        "identity_provideraccount": "key access_token refresh_token roles withheld",
        "improvement_analysis": "waiting_for status analyzer note_codes provider model budget_name",
        "improvement_familypart": "family part follows",
        "improvement_familymember": "family slug digest words",
        "improvement_failuremode": "status criterion made_by decided_by fixed_by",
        "improvement_modegrouping": "waiting_for status notes modes grouper model requested_by",
        "improvement_modenote": "shows added_by",
        "improvement_playground": "waiting_for status lines connection requested_by",
        "improvement_playgroundcolumn": "prompt provider model answered_by status",
        "improvement_fixproposal": "waiting_for status mode provider model requested_by budget_name",
        "improvement_optimization": "search mode trial_choices further_configs forecast status outcome requested_by "
        "waiting_for",
        "improvement_optimizationdraft": "place findings left_out",
        "improvement_prompttemplate": "purpose language created_by",
        "improvement_promptdraft": "digest origin mode status created_by released_by rejected_by",
        "improvement_trial": "part status agent scenarios personas evaluator_config further_configs forecast "
        "requested_by waiting_for budget_name",
        "improvement_trialside": "side",
        "jobs_dismissedneed": "user key state",
        "reports_reportsummary": "waiting_for status writer report_digest model requested_by",
        "reports_savedview": "user path",
        "jobs_interactivejob": "waiting_for kind status requested_by",
        "jobs_outbounddelivery": "waiting_for kind event status",
        "production_feedback": "id_digest rating channel given_by message_digest",
        "production_feedbackoptout": "person_digest",
        "production_feedbackquestion": "language status message_digest",
        "production_langfusedeletion": "project project_digest status error",
        "production_langfusesource": "name base_url public_key secret_key environment last_error server_version"
        " read_prompts",
        "production_listedperson": "name role",  # staff and owners
        "production_otlpreceiver": "name",
        "production_pendingcomment": "press_digest context_digest",
        "production_productionconversation": "id_digest prompt_version prompt_versions alias channel trace_id",
        "production_promotion": "waiting_for cleared_by drafted_by draft_work promoted_by",
        "production_promotionround": "waiting_for status",
        "production_rollout": "status evaluator_config forecast forced started_by figures ended_by",
        "production_rolloutconversation": "arm",
        "production_rolloutevent": "move by figures",
        "production_pseudonymkey": "secret",
        "production_tracenotice": "kind",
        "production_tracespan": "trace_id span_id conversation_digest",
        "production_whatsappaccount": "name phone_number_id app_secret verify_token access_token graph_url "
        "graph_version question",
        "production_whatsappcontact": "phone_digest user_digest",
        "production_whatsapppost": "waiting_for digest status outcome",
        "production_samplingrule": "name channel language prompt_version evaluator_config",
        "production_sampledraw": "status population why",
        "production_sampledconversation": "stratum request basis",
        "production_anchorset": "waiting_for evaluator_config status made_by",
        "production_anchorgrading": "status result",
        "runs_conversation": "waiting_for kind status blame end_reason language simulator_verdict error_code",
        "runs_pulledturn": "waiting_for state reply_digest",
        "runs_simulatorreview": "verdict provider model",
        "runs_testrun": "kind status triggered_by",
        "runs_turn": "purpose role",
    }
)

# Tables of the framework without a word of a customer: the team's accounts and permissions, and who is signed in.
FRAMEWORK = frozenset(
    {
        "account_emailaddress",
        "account_emailconfirmation",
        "socialaccount_socialaccount",
        "socialaccount_socialapp",
        "socialaccount_socialtoken",
        "auth_group",
        "auth_group_permissions",
        "auth_permission",
        "auth_user",
        "auth_user_groups",
        "auth_user_user_permissions",
        "django_content_type",
        "django_migrations",
        "django_session",
    }
)

# Columns that name their row within the tenant: an erased name keeps them different from each other.
IDENTIFIERS = frozenset(
    {
        ("catalog_goldensession", "name"),
        ("catalog_persona", "name"),
        ("catalog_scenario", "slug"),
        ("gates_preventedfailure", "slug"),
        ("production_feedback", "external_id"),
        ("production_productionconversation", "external_id"),
        ("runs_conversation", "external_id"),
        ("runs_testrun", "name"),
    }
)

# The team's own texts, which the catalog's files and the trail hold to the letter: a round trip changes nothing.
TO_THE_LETTER: Mapping[str, frozenset[str]] = _columns(
    {
        "catalog_agent": "profile",
        "catalog_criterion": "texts",
        "catalog_evaluatorconfig": "description",
        "catalog_evaluatorconfigversion": "system_prompt_template frozen_criteria note",
        "catalog_persona": "text spec validation rejection_reason override_reason",
        "catalog_profileversion": "document",
        "catalog_promptversion": "text",
        "catalog_scenario": "goal opening script assertions must_not provenance",
        "evaluations_evaluation": "subject",  # which prompt, commit and label were tested
        "improvement_prompttemplate": "system ask note",
        "runs_testrun": "subject",
    }
)

# No page, answer, file or message holds these: by them people are found again, or they are on their way to be read.
NEVER_LEAVES: Mapping[str, frozenset[str]] = _columns(
    {
        "budgets_cachedresponse": "body",
        "erasure_erasure": "subject",
        "production_feedbackquestion": "recipient person_digests",
        "production_pendingcomment": "sender_digests recipient",
        "production_productionconversation": "people document_digest turn_digests name_digests person_digests "
        "customer_ref_hmac",
        "production_langfusedeletion": "targets",
        "production_tracespan": "conversation body",
        "production_whatsapppost": "body",
    }
)

# What is written through the masking floor: of a run where the tenant stores masked, of judges and connectors always.
# These keys of a JSON value, or of each of its items, name it or are compared to the letter, so they stay: ids, names
# of tools, digests, expressions of Python's `re`. What stays in other columns is told in docs/operate.md.
_KEPT = "wait_for_pattern conversation_id conversation_ids case captured_from"
MASKED_AT_REST: Mapping[str, Mapping[str, frozenset[str]]] = {
    table: {column: frozenset(kept.split()) for column, kept in columns.items()}
    for table, columns in {
        "budgets_modelcall": {"error": ""},
        "checks_checkresult": {"reason": "", "evidence": ""},
        "evaluations_criterionscore": {"reason": "", "evidence": "", "opinions": ""},
        "evaluations_judgement": {"raw_reply": "", "error_message": ""},
        "runs_agentthrottle": {"last_error": ""},
        "runs_conversation": {
            "labels": "",
            "extra": _KEPT,
            "session": "context_id last_word",
            "error_message": "",
        },
        "runs_simulatorreview": {"findings": "", "reason": "", "raw_reply": ""},
        "runs_turn": {
            "content": "",
            "tool_calls": f"id name {_KEPT}",
            "attachments": f"sha256 media_type {_KEPT}",
            "extra": _KEPT,
        },
    }.items()
}

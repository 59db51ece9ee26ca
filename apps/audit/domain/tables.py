"""Which tables' changes are kept: what people write, and who they are; never the progress of machines.

Runs, evaluations and callbacks are here for the moves that only a person makes (the migration says which).
"""

AUDITED = frozenset(
    {
        "catalog_criterion",
        "catalog_evaluatorconfig",
        "catalog_evaluatorconfigversion",
        "catalog_agent",
        "catalog_agentconnection",
        "catalog_profileversion",
        "catalog_persona",
        "catalog_scenario",
        "catalog_promptversion",
        "catalog_goldensession",
        "catalog_goldenversion",
        "catalog_modelprovider",
        "api_apikey",
        "api_webhookkey",
        "jobs_outbounddelivery",
        "runs_testrun",
        "evaluations_evaluation",
        "calibration_labellinground",
        "calibration_rater",
        "budgets_budget",
        "auth_user",
        "auth_user_groups",
        "auth_user_user_permissions",
        "auth_group",
        "auth_group_permissions",
    }
)
AUDITED_IN_PUBLIC = frozenset({"tenants_tenant", "tenants_domain", *(name for name in AUDITED if name[:5] == "auth_")})

NOT_AUDITED = {  # the other tables of a tenant, and why: a new table must stand in one of the two
    "catalog_judgecheck": "how a judge did on conversations with known answers: written by the platform",
    "catalog_personageneration": "progress, and names who asked",
    "catalog_generatedpersona": "which slot a persona filled: written once",
    "catalog_personavalidation": "progress, and names who asked",
    "catalog_storedfile": "bytes found by their digest: only added to",
    "audit_entry": "the trail itself refuses changes",
    "runs_conversation": "progress",
    "runs_turn": "progress",
    "runs_agentthrottle": "how an agent is spared, worked out by machines",
    "runs_simulatorreview": "one review of an attempt, final, and written by machines",
    "evaluations_judgement": "progress",
    "evaluations_criterionscore": "progress, and final",
    "budgets_cachedresponse": "a store of answers, written by machines",
    "checks_checkjob": "progress",
    "checks_checkresult": "final, and written by machines",
    "improvement_analysis": "progress, and names who asked",
    "jobs_interactivejob": "progress of what a button asked for, and names who asked",
    "calibration_calibration": "final, and names who asked",
    "calibration_certificate": "final, and made from a calibration",
    "calibration_labellingitem": "drawn by the machine",
    "calibration_nonblindlabel": "final, names its rater; a correction is a further row",
    "calibration_conversationnote": "final, names its author",
    "calibration_humanlabel": "final, names its rater; a correction is a further revision",
    "budgets_modelcall": "a ledger, only added to",
    "budgets_reservation": "progress",
    "api_idempotencyrecord": "answers kept for repeated requests",
    "auth_permission": "made by the code",
    "django_content_type": "made by the code",
    "django_migrations": "made by the code",
    "django_admin_log": "the admin's own history",
    "django_session": "who is signed in, and until when",
}

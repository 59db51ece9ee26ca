"""The names of tasks until 0.1: during an upgrade, web processes and workers of the old code still send these names.
(What an old beat ticks expires, and costs one tick.)

They go with 0.3.
"""

FORMER_TASKS = {
    "apps.api.tasks.send_tenant_callbacks": "callbacks",
    "apps.calibration.tasks.certify_tenant": "certification",
    "apps.checks.tasks.measure_tenant": "checks",
    "apps.evaluations.tasks.judge_tenant": "judging",
    "apps.gates.tasks.decide_tenant": "gates",
    "apps.improvement.tasks.analyse_tenant": "analysis",
    "apps.jobs.tasks.run_interactive_jobs": "interactive",
    "apps.personas.tasks.review_tenant": "simulator_reviews",
    "apps.personas.tasks.work_tenant": "persona_validation",
    "apps.runs.tasks.play_tenant": "playing",
}

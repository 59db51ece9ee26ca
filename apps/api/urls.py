"""Addresses under /api/v1/."""

from django.urls import path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from apps.api.views import (
    analyses,
    checks,
    comparisons,
    evaluations,
    gates,
    persona_generations,
    personas,
    prompts,
    reliability,
    reports,
    test_runs,
)
from apps.api.views.not_found import elsewhere

urlpatterns = [
    path("evaluations/", evaluations.Evaluations.as_view()),
    path("evaluations/<uuid:id>/", evaluations.EvaluationDetail.as_view()),
    path("evaluations/<uuid:id>/status/", evaluations.EvaluationStatusView.as_view()),
    path("evaluations/<uuid:id>/cancel/", evaluations.CancelEvaluation.as_view()),
    path("evaluations/<uuid:id>/judgements/", evaluations.Judgements.as_view()),
    path("evaluations/<uuid:id>/analyses/", analyses.Analyses.as_view()),
    path("evaluations/<uuid:id>/comparison/<uuid:other>/", comparisons.EvaluationComparison.as_view()),
    path("evaluations/<uuid:id>/reliability/", reliability.EvaluationReliability.as_view()),
    path("gates/", gates.Gates.as_view()),
    path("gates/baselines/", gates.GateBaselines.as_view()),
    path("gates/<uuid:id>/", gates.GateDetail.as_view()),
    path("gates/<uuid:id>/junit/", gates.GateJUnit.as_view()),
    path("test-runs/", test_runs.TestRuns.as_view()),
    path("test-runs/<uuid:id>/", test_runs.TestRunDetail.as_view()),
    path("test-runs/<uuid:id>/conversations/", test_runs.Conversations.as_view()),
    path("test-runs/<uuid:id>/checks/", checks.RunChecks.as_view()),
    path("test-runs/<uuid:id>/report/", reports.RunReport.as_view()),
    path("test-runs/<uuid:id>/status/", test_runs.TestRunStatus.as_view()),
    path("test-runs/<uuid:id>/pause/", test_runs.Pause.as_view()),
    path("test-runs/<uuid:id>/resume/", test_runs.Resume.as_view()),
    path("test-runs/<uuid:id>/cancel/", test_runs.CancelRun.as_view()),
    path("test-runs/<uuid:id>/requeue/", test_runs.Requeue.as_view()),
    path("test-runs/<uuid:id>/rerun/", test_runs.Rerun.as_view()),
    path("test-runs/<uuid:id>/reconcile/", test_runs.Reconcile.as_view()),
    path("personas/generate/", persona_generations.GeneratePersonas.as_view()),
    path("personas/generations/<uuid:id>/", persona_generations.PersonaGenerationDetail.as_view()),
    path("personas/", personas.Personas.as_view()),
    path("personas/<uuid:id>/", personas.PersonaDetail.as_view()),
    path("personas/<uuid:id>/validate/", personas.ValidatePersona.as_view()),
    path("personas/<uuid:id>/override/", personas.OverridePersona.as_view()),
    path("personas/<uuid:id>/release/", personas.ReleasePersona.as_view()),
    path("personas/<uuid:id>/resubmit/", personas.ResubmitPersona.as_view()),
    path("personas/<uuid:id>/archive/", personas.ArchivePersona.as_view()),
    path("prompts/", prompts.Prompts.as_view()),
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    path("docs/", SpectacularSwaggerSplitView.as_view(url_name="schema", http_method_names=["get", "head"])),
    path("<path:rest>", elsewhere),
]

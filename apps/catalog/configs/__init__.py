"""Criteria and evaluator configs: what is judged, and by which judge.

Versions from draft to retired, their snapshots and differences, and which models judge.
Tables: Criterion, EvaluatorConfig, EvaluatorConfigVersion, JudgeCheck.
Doors: the admin, the pages of evaluator configs.
Imports: connections (providers of models).
"""

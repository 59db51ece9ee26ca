"""Optimizer: from an evaluation that disappoints to drafts that were tried.

Asks for fixes (surgical, full, reflective), tries them, and combines winners.
Tables: Optimization, OptimizationDraft.
Doors: the pages and the API of optimizations, `optimize`, the task `optimize`.
Imports: analysis, drafts, prompt_templates, holdout.
"""

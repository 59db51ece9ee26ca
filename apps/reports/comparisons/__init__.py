"""Comparisons: two evaluations or more, judges, prompt versions, or two conversations held against each other.

Pairs by conversation, differences with their intervals, what moved; pairwise questions to a judge.
Tables: none of its own.
Doors: `compare`, `compare_evaluators`, `pairwise`, the webhook, the pages.
Imports: results.
"""

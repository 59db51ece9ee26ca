"""Prompts: the live one, drafts, trials, the optimizer, the playground and rollouts.

From a draft to its trial, and from there by shares to real customers.
Tables: none.
Doors: `/prompts/…`, `/workshop/…`, `/evaluations/<id>/improve/…`, `/production/rollouts/…`.
Imports: results (transcripts of pairs, choices of a start), and the top of the window.
"""

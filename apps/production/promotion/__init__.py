"""Promotion: feedback becomes a masked candidate scenario.

Looks for weekly signals, masks, checks a second time, and lets people release.
Tables: none of its own: a promotion stands beside its conversation.
Doors: the candidates of the window and the API, `promote_feedback`, the task `promote`.
Imports: sampling, intake, privacy, conversations.
"""

"""Rollouts: a prompt version goes live by shares, and goes back by rule.

Routes by a stable hash, compares both arms, moves on or rolls back.
Tables: Rollout, RolloutEvent, RolloutConversation.
Doors: the pages and the API of rollouts, `rollout`, the task `watch_rollouts`.
Imports: sampling, conversations.
"""

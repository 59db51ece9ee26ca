"""Progress: how far a run and its evaluations are, and what takes them on after a stop.

Waits, resumes what a budget stopped, reconciles what lost workers hold, plays and judges again.
Tables: none of its own.
Doors: `reconcile_runs`, `resume_run`, the webhook, the pages.
Imports: judging, and the rules of the room.
"""

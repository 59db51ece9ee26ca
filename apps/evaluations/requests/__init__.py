"""Requests: evaluations are asked for, with what they will cost and who judges.

Battles with their evaluation, first runs of unknown agents, samples, forecasts, dry runs of a draft config.
Tables: none of its own (Evaluation is of the room).
Doors: the webhook, the pages, `start_run`, `try`, `evaluate`.
Imports: progress, judging, figures, and the rules of the room.
"""

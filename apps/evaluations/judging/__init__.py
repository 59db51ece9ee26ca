"""Judging: rows are claimed under a lease, a model is asked, its answers are read and stored.

Owed rows are written for each finished conversation; an evaluation without open rows ends.
Tables: none of its own (Judgement and CriterionScore are of the room).
Doors: the tasks `judge` and `watchdog`.
Imports: figures, and the rules of the room.
"""

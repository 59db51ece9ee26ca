"""Failure modes: kinds of failure that people named, and how often they occur.

Groups notes, counts rates with intervals, and makes criteria of modes.
Tables: FailureMode, ModeNote, ModeGrouping.
Doors: the pages and the API of failure modes, the task `group`.
Imports: playground (deletes its words), holdout.
"""

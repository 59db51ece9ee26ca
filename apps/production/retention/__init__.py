"""Retention: what was kept long enough is deleted.

Deletes turns, comments, digests and quotes after the time that the tenant set.
Tables: none of its own.
Doors: the task `retain`.
Imports: every other folder of this room.
"""

"""Run reports: what a run came to, as JSON, HTML and JUnit, with a summary that a model writes when asked.

Replays tell the way of each golden session; a run may be played again.
Tables: ReportSummary.
Doors: `report`, `start_run`, `replay`, the webhook, the pages, the task `summarise`.
Imports: results.
"""

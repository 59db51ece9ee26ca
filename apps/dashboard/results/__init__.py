"""Results: runs, evaluations, comparisons, trends, the matrix, slices, gates and reports.

Starts a run, follows it, and shows what its conversations and judgements came to.
Tables: none.
Doors: `/runs/…`, `/evaluations/…`, `/comparisons/…`, `/trends/`, `/gates/…`, the lists of the admin.
Imports: labelling (the newest check of anchors), conversations, and the top of the window.
"""

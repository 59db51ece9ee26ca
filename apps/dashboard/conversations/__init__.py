"""Conversations: what was said, why the score is what it is, and the search for both.

One conversation with its verdicts and quotes; what a person does at it; what real customers said of it.
Tables: none.
Doors: `/conversations/<id>/…`, `/search/…`.
Imports: the top of the window.
"""

"""Slices: results by language, persona, channel or criterion, by repeat and by week, with what is shown to differ.

Reliability over repeats, parity of languages, trends that break where the judge changed.
Tables: none of its own; the figures are stored by evaluations.
Doors: `parity`, the webhook, the pages.
Imports: results.
"""

"""Production: what came in from real customers, and what becomes of it.

The overview, candidates for tests, the people to mask, Langfuse and OTLP, erasures.
Tables: none.
Doors: `/production/…`, `/erasures/…`, `/langfuse/…`, `/otlp/…`, the lists of the admin.
Imports: results (its scores), conversations, and the top of the window.
"""

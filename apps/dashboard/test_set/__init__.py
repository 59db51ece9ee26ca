"""Test set: agents, personas, scenarios, golden sessions and evaluator configs.

Brings them in, tries, edits, approves and retires them.
Tables: none.
Doors: `/agents/…`, `/personas/…`, `/goldens/…`, `/configs/…`, `/try/…`, both imports, the lists of the admin.
Imports: results (verdicts of lists), conversations, and the top of the window.
"""

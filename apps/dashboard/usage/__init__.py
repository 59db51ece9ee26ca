"""Usage: what was spent, on what, and how much may be.

A month in dollars and calls, and the budgets.
Tables: none.
Doors: `/usage/…`, the list of model calls.
Imports: the top of the window.
"""

"""Scenarios: what a battle plays, and what must be true of it afterwards.

The document of one, its script and assertions, and its release.
Tables: Scenario.
Doors: the admin, the API of scenarios and candidates.
Imports: configs (criteria), personas, connections (names of secrets).
"""

"""Overview: what came in lately, and what waits for a person.

Counts for Home and for the list of canaries.
Tables: none of its own.
Doors: Home.
Imports: promotion, rollouts, conversations.
"""

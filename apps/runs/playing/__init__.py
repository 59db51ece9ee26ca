"""Playing: runs start, workers claim conversations, players play them.

Starts and controls runs; one player for each kind; lost leases are taken up.
Tables: SimulatorReview.
Doors: the webhook, the admin, `pause_run`, the tasks `play` and `rescue`.
Imports: goldens, agents, pulled, conversations, and the services of the room.
"""

"""Pulled turns: an agent that nobody can reach asks for its turns itself.

Hands out turns under a lease, and takes the answers.
Tables: PulledTurn.
Doors: the API of runners.
Imports: conversations, and the services of the room.
"""

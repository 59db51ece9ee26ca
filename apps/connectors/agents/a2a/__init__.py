"""Agents over A2A, 0.2 to 1.0.

`agent.py` is the connector; the rest reads cards, sends messages and reads replies and streams.
Imports: what all kinds of agents share, never another kind.
"""

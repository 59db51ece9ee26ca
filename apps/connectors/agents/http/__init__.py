"""Agents behind one HTTP call a turn.

`agent.py` is the connector; the rest makes requests of templates, keeps sessions and reads replies.
Imports: what all kinds of agents share, never another kind.
"""

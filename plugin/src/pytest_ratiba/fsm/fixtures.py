"""Fixtures of layer 1: the state machine of the agent."""

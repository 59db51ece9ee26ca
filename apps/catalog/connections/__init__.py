"""Connections: agents, providers of models and other services outside, and how each is reached.

Addresses, options, limits and prices, encrypted secrets, and the profile of an agent.
Tables: Agent, AgentConnection, ProfileVersion, ModelProvider, OutsideConnection.
Doors: the admin, `set_secret`, `rotate_secrets`, the pages of agents and providers.
Imports: nothing of this room but what all subjects share.
"""

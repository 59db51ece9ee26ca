"""Agents under test: how fast they may be asked, and whether they answer.

Limits calls over all workers, remembers refusals, says hello, finds out how an agent speaks.
Tables: AgentThrottle.
Doors: `check_agent`, the checks of agents and providers, the watchdog.
Imports: conversations, and the services of the room.
"""

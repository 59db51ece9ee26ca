"""The first voice, the agent's own: what it says unless told otherwise."""

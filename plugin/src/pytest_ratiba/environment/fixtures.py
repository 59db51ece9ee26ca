"""Fixtures of layer 2: a tenant of its own for each scenario."""

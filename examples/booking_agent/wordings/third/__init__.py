"""The third voice."""

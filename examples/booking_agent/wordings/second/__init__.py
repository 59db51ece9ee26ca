"""The second voice."""

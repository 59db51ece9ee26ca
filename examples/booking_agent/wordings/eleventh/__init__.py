"""The eleventh voice."""

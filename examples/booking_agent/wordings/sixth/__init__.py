"""The sixth voice."""

"""The fourth voice."""

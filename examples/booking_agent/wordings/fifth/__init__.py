"""The fifth voice."""

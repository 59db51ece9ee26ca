"""The ninth voice."""

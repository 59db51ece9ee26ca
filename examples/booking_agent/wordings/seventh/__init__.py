"""The seventh voice."""

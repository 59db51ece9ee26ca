"""The eighth voice."""

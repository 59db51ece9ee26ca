"""Formats of dates, one way everywhere (settings.FORMAT_MODULE_PATH)."""

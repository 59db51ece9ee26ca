"""The cabinet's pages in the admin. Each form ends in one service call; nothing is decided here."""

from apps.catalog.admin import configs, connections, criteria, personas, records

__all__ = ["configs", "connections", "criteria", "personas", "records"]

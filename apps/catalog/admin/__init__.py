"""The cabinet's pages in the admin. Each form ends in one service call; nothing is decided here."""

from apps.catalog.admin import agent_connections, configs, connections, criteria, goldens, personas, records, scenarios

__all__ = ["agent_connections", "configs", "connections", "criteria", "goldens", "personas", "records", "scenarios"]

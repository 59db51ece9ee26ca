"""Schemas of the API's answers. Each module has `COMPONENTS`, {name: JSON Schema}, and is known by being here."""

"""What the API answers: each module has `COMPONENTS`, {name: JSON Schema}, and is known by being here."""

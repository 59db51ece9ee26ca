"""The rules that answer where no model is configured: a demo, frozen, and registered by dotted path."""

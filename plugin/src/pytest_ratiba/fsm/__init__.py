"""State machines as data: adapters, checks, coverage."""

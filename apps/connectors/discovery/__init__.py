"""How an agent speaks that nobody described."""

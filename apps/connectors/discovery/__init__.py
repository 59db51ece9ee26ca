"""Find out how an agent speaks that nobody described."""

"""Options and fixtures of layer 2 to 4: model replies from recordings."""

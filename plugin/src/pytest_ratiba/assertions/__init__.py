"""What a scenario asserts of the agent's own side: its words, its state, its rows, its log."""

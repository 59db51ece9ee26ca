"""This package checks the agent's own side in a scenario: its words, its state, its rows, its log."""

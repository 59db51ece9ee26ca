"""The rule for a prompt's text, the same at every door."""

MAX_PROMPT_CHARS = 1_000_000

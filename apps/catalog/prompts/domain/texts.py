"""What a prompt's text may be, the same at every door."""

MAX_PROMPT_CHARS = 1_000_000

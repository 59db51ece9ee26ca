"""Prompts: the versions of a line, and which one is live.

Records texts, and tells who listens when another goes live.
Tables: PromptLine, PromptVersion.
Doors: the admin, `record_prompt`, the API of prompts.
Imports: connections (agents).
"""

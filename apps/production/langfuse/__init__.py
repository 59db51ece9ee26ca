"""Langfuse: work and scores go out, scores and prompts come in.

Sends through the outbox, polls for scores, deletes what was sent.
Tables: LangfuseSource, LangfuseDeletion.
Doors: the page of the connection, `langfuse_dataset`, the outbox.
Imports: exports, intake, privacy, conversations.
"""

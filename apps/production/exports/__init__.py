"""Exports: runs, conversations and judgements as spans, for whatever receives them.

Reads the rows, masks them, and names spans by the conventions of GenAI.
Tables: none of its own.
Doors: langfuse and otlp.
Imports: conversations.
"""

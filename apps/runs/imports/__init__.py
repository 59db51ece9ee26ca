"""Imports: conversations of others come in as runs.

Finds out the form of a file, shows what it was taken for, stores conversations.
Tables: none of its own.
Doors: `import_conversations`, the page of imports, the API.
Imports: goldens, chat_files, conversations, and the services of the room.
"""

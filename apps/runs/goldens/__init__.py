"""Golden sessions: captured, edited, approved and replayed with gates.

Reads sources, senses gates, replaces what is dated or personal, reports replays.
Tables: none of its own: golden sessions stand in the catalog.
Doors: `capture_session`, the pages and the API of golden sessions.
Imports: chat_files, conversations, and the services of the room.
"""

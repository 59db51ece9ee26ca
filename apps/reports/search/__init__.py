"""Search: conversations by words, ids and names; lists with their filters kept under a name.

Tables: SavedView.
Doors: the pages and the palette (Ctrl+K).
Imports: nothing of this room.
"""

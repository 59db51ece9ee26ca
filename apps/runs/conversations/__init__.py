"""Test runs, conversations and turns: the rows that this room is about.

Every other folder of the room reads and writes them.
Tables: TestRun, Conversation, Turn, TurnWords.
Doors: none of its own.
Imports: nothing of this room but its `domain`.
"""

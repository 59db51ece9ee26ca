"""Files of conversations, in the forms that others write.

Says what a file was taken for, and reads it: one reader for imports and golden sessions.
Tables: none.
Doors: imports and goldens.
Imports: the services of the room.
"""

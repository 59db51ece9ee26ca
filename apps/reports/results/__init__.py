"""Results: the documents of an evaluation and of a judgement, with the warnings that belong beside them.

Tables: none of its own.
Doors: none; the API, the pages and the commands read them.
Imports: nothing of this room.
"""

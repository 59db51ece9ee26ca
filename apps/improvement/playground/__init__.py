"""Playground: one turn of a conversation, answered again by another prompt or model.

Asks for and stores answers side by side.
Tables: Playground and its answers.
Doors: the page and the API of the playground, the task `answer`.
Imports: holdout.
"""

"""Figures: means with their intervals, decisions, doubts, second opinions; stored once an evaluation has ended.

Counts and sums are made in SQL; uncertainty comes from repeats, panels and earlier judgements.
Tables: none of its own (StoredFigure is of the room).
Doors: none; the pages, the API and the commands read them through reports.
Imports: the rules of the room.
"""

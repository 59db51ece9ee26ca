"""Labelling: people rate, and the judge is held against them.

Rounds and queues, calibration and its certificates, failure modes, anchors, snapshots to look at.
Tables: none.
Doors: `/labelling/…`, `/calibration/…`, `/failure-modes/…`, `/production/anchors/…`, `/snapshots/…`.
Imports: conversations (who may label), and the top of the window.
"""

"""Sampling: which real conversations are judged, and whether the judge moved.

Draws conversations by rule, and grades the reference set again.
Tables: SamplingRule, SampleDraw, SampledConversation, AnchorSet, AnchorGrading.
Doors: the page of production, the tasks `draw` and `grade`.
Imports: intake, privacy, conversations.
"""

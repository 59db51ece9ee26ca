"""Traces: spans of a running agent become conversations.

Takes OTLP, joins calls to turns, and says what could not be used.
Tables: TraceSpan, TraceNotice.
Doors: the OTLP endpoint, the tasks `trace` and `forget_traces`.
Imports: intake, rollouts, privacy, conversations.
"""

"""OTLP: work and scores go to any receiver of OpenTelemetry.

Sends through the outbox, with the conventions of GenAI.
Tables: OtlpReceiver.
Doors: the page of the connection, the outbox.
Imports: langfuse (which scores go), exports, conversations.
"""

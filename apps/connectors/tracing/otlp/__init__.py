"""OTLP/HTTP, in and out.

`reading.py` takes what was posted; `sending.py` sends to any receiver.
Imports: nothing of langfuse.
"""

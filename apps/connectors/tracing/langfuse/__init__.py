"""Langfuse over its public API.

`reader.py` reads traces and sessions; the rest sends spans and scores, reads prompts and data sets, deletes.
Imports: otlp (spans go that way).
"""

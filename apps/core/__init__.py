"""Foundations every room stands on: errors, the conversation document, digests, usage, redaction, abstract models."""

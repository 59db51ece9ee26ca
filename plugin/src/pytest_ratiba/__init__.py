"""pytest-ratiba: five layers of tests for a conversational agent; a Ratiba server plays, checks and judges."""

__version__ = "0.3.0"

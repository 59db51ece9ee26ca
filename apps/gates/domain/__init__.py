"""The rules of gates: pure."""

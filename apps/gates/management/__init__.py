"""Commands of gates."""

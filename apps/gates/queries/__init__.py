"""Reading gates and what they decide by."""

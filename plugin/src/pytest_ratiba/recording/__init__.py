"""Model replies, recorded once and played without a network."""

"""Limit how large a review queue may be. Pure."""

MOST_ITEMS = 500
MOST_RATERS = 9

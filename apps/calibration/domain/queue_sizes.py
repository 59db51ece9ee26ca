"""Limit how large a review queue may be. Pure."""

MAX_ITEMS = 500
MAX_RATERS = 9

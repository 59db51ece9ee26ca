"""Words of others on a terminal: what a model, an agent or a customer said never steers it."""

import re

_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufff9-\ufffb\U000e0000-\U000e007f]+|\r(?!\n)"
)


def printable(text: str) -> str:
    """The text, each run of controls and direction overrides shown as one U+FFFD; lines stay lines."""
    return text if text.isprintable() else _HIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)

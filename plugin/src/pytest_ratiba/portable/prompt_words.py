"""Decide whether two prompt texts are the same words.

The same function stands in `ratiba_router.comparable`, which an agent carries as one file by itself.
"""


def comparable(text: str) -> str:
    """The text as it is compared: a line ends in a line feed alone, and nothing blank stands at the end. Editors end a
    file with a line feed, agents strip it, and Windows writes CR LF: none of that is another prompt."""
    return text.replace("\r\n", "\n").replace("\r", "\n").rstrip()

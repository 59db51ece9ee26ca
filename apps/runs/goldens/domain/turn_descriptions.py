"""A few words on what happens in a turn of a golden session, from its words and its tools. Pure."""

import re
from collections.abc import Sequence

LONGEST = 120
_HEADING = re.compile(r"^[ ]{0,3}#{1,6}[ \t]{1,9}(\S[^\n]{0,100})$|^\*\*([^*\n]{3,80})\*\*:?$", re.MULTILINE)
# By the first words of what the customer wrote; in other languages the words themselves stand there.
_DOINGS = (
    ("approves", re.compile(r"\A(?:i\s+)?(?:approve|confirm|accept|agree)", re.IGNORECASE)),
    ("agrees", re.compile(r"\A(?:yes|ok(?:ay)?|sure|correct|right|ndiyo|sawa|s[iì])\b", re.IGNORECASE)),
    ("declines", re.compile(r"\A(?:no|nope|reject|decline|hapana)\b", re.IGNORECASE)),
    ("goes on", re.compile(r"\A(?:move|go|carry|continue|proceed|next)\b", re.IGNORECASE)),
    (
        "asks",
        re.compile(r"\A(?:what|where|when|who|why|how|which|can|could|do|does|is|are)\b|\?\s{0,9}\Z", re.IGNORECASE),
    ),
)


def description_of(words: str, reply: str, *, tools: Sequence[str] = (), file: str | None = None) -> str:
    """Describe a turn, as "Uploads Zelle.pdf: Campaign brief" or "Asks: Glossary (glossary_agent)"; cut at LONGEST.

    `file` is the upload's name, "" for one without a name, None where there was none.
    """
    if file is not None:
        doing = f"uploads {file or 'a file'}"
    elif not words.strip():
        doing = "greeting"
    else:
        doing = next((name for name, pattern in _DOINGS if pattern.search(words.strip())), _opening(words))
    about = _heading(reply)
    description = (
        doing[:1].upper() + doing[1:] + (f": {about}" if about else "") + (f" ({', '.join(tools)})" if tools else "")
    )
    return description if len(description) <= LONGEST else f"{description[: LONGEST - 1].rstrip()}…"


def _opening(words: str) -> str:
    first = words.split()
    return " ".join(first[:6]) + (" …" if len(first) > 6 else "")


def _heading(reply: str) -> str:
    match = _HEADING.search(reply[:20_000])
    return (match[1] or match[2] or "").strip(" #*:") if match else ""

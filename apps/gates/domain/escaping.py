"""Text of others in Markdown: it stays text. Names come from a pull request, reasons from models."""

import re
import unicodedata

LONGEST = 300
_SPECIAL = re.compile(r"([\\`*_{}\[\]()#|~$!])")
_BREAK = "\u200b"  # invisible; ends what a renderer would link


def escaped(text: object, *, longest: int = LONGEST) -> str:
    """One line that renders as its own characters, in GitHub's and GitLab's Markdown, in tables and outside.

    Nothing in it is emphasis, a link, an image, HTML, a mention, a reference, mathematics or a comment that hides
    something; control and bidirectional characters are gone; what is longer than `longest` is cut with "…". Pure.
    """
    line = " ".join(plain(text).split())
    if len(line) > longest:
        line = line[: longest - 1] + "…"
    line = re.sub(r"(@)(?=\S)", rf"\1{_BREAK}", line)
    line = re.sub(r"(#|GH-)(?=\d)", rf"\1{_BREAK}", line, flags=re.IGNORECASE)
    line = re.sub(r"(:)(?=//)", rf"\1{_BREAK}", line)
    line = re.sub(r"\b(www|mailto|xmpp)(?=[.:])", rf"\1{_BREAK}", line, flags=re.IGNORECASE)
    line = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    line = _SPECIAL.sub(r"\\\1", line)
    return re.sub(r"^([-+=]|\d+(?=[.)]))", r"\\\1" if line[:1] in "-+=" else rf"\1{_BREAK}", line)


def plain(text: object) -> str:
    """Return the text without control, format and surrogate characters (categories C); newlines and tabs become blanks.

    So it cannot mislead a terminal, XML or a reader.
    """
    return "".join(
        " " if one in "\n\r\t" else one
        for one in str(text)
        if one in "\n\r\t" or not unicodedata.category(one).startswith("C")
    )

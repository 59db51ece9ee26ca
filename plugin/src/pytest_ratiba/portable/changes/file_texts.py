"""The text of a file as installers read it: by its byte order mark, by the coding its first lines name, else UTF-8."""

import codecs
import re

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CODING = re.compile(rb"^#.*?coding[:=]\s*([-\w.]+)", re.MULTILINE)


def decoded(content: bytes) -> str | None:
    """None for bytes that are no text in any of these: nobody knows what an installer makes of them."""
    mark = next(((mark, name) for mark, name in _MARKS if content.startswith(mark)), None)
    named = _CODING.search(b"\n".join(content.split(b"\n", 2)[:2]))
    coding = mark[1] if mark else named[1].decode() if named else "utf-8"
    try:
        text = content[len(mark[0]) if coding == "utf-8" and mark else 0 :].decode(coding)
    except (LookupError, ValueError):
        return None
    return None if "\0" in text else text

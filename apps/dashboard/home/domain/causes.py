"""Say why something failed, in one line, and which part of it is the same for several. Pure."""

import re

LONGEST = 160
_FIRST, _LAST = "The first error: ", "Last error: "
_TIMES = re.compile(r", \d{1,3} times")


def cause_of(message: str) -> str:
    """The cause that a message of a failure names, without its history: "no model answered (loopback-b/m:
    unreachable)". Messages of one cause give one text; "" for none."""
    plain = " ".join(message.split())
    plain = plain.partition(_FIRST)[2] or plain
    plain = _TIMES.sub("", plain.partition(_LAST)[0].rstrip(". "))
    tries = list[str]()
    for one in plain.split(" → "):
        if not tries or not tries[-1].endswith(one.rstrip(")")):
            tries.append(one.rstrip(")") if "(" not in one else one)
    cause = " → ".join(tries)
    cause += ")" if cause.count("(") > cause.count(")") else ""
    return cause if len(cause) <= LONGEST else f"{cause[: LONGEST - 1].rstrip()}…"

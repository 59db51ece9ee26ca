"""Say why something failed, in one line, and which part of it is the same for several. Pure."""

import re
from typing import Final

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


_DOES: Final = {
    "unreachable": "does not answer",
    "quota_spent": "has no quota left",
    "remote_refusal": "refuses our calls",
    "address_refused": "may not be called",
}
_ASKED = re.compile(r"no model answered[^(]*(?:\(configuration\) )?\((?P<model>.+?): (?P<how>[a-z_]+)(?=[ ,)]|$)")


def silent_model(cause: str) -> str:
    """Say who did not answer, and what it does instead: "loopback-b/m does not answer"; "" where no model is named.

    Of a model with a fallback it is the model.
    """
    call = _ASKED.search(cause)
    return f"{call['model']} {_DOES.get(call['how'], 'fails')}" if call else ""


def sentence(words: str) -> str:
    """Return the words with a capital at their head; nothing else of them changes."""
    return f"{words[:1].upper()}{words[1:]}"

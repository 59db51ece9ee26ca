"""Tell a model's thoughts in its answer apart from its reply.

Reasoning models put it between tags (`<think>…</think>`), or into a channel of its own (`<|channel|>analysis`). Servers
that do not take it out pass it on as text.
"""

import re

TAG_NAMES = "think(?:ing)?|thoughts?|reasoning|scratchpad"
_TAG = re.compile(rf"<(/?)(?:{TAG_NAMES})>", re.IGNORECASE)
_FINAL = "<|channel|>final<|message|>"
_ENDS = re.compile(r"<\|(?:end|return|eot_id|im_end)\|>\s*\Z")


def without_thoughts(text: str) -> str | None:
    """The reply of a model without its thoughts; None where a thought has no end, so that nobody knows where its words
    begin. A closing tag alone ends a thought that the server's own template began. Linear in the text."""
    if "<|" in text:
        text = _ENDS.sub("", text.rpartition(_FINAL)[2])
        if "<|channel|>" in text:
            return None
    words: list[str] = []
    at, thinks = 0, False
    for tag in _TAG.finditer(text):
        if tag[1]:
            if not thinks:
                words.clear()
            at, thinks = tag.end(), False
        elif not thinks:
            words.append(text[at : tag.start()])
            thinks = True
    if thinks:
        return None
    return "".join((*words, text[at:])) if at else text

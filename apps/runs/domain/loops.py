"""Repetition in a conversation, found by rule: when it goes round in circles, and who began.

Two messages are the same when nothing but case, spacing and punctuation tells them apart.
A conversation goes round when its last messages are one block of both sides' words said three times in a row; a block
is one exchange (customer, agent) or two. Three times, because people do repeat themselves once, and an agent that asks
again is answered again. Measured on real simulated users: docs/battles.md.
"""

import re
from collections.abc import Sequence

TIMES = 3
BLOCKS = (2, 4)  # messages: one exchange, or two
COMPARED_CHARS = 4_000  # of a message: whole megabytes would hold up every other battle of the worker
_NOT_WORDS = re.compile(r"[\W_]+")


def normal(text: str) -> str:
    """What is compared: the words alone, in lower case, of the first COMPARED_CHARS."""
    return _NOT_WORDS.sub(" ", text[:COMPARED_CHARS].casefold()).strip()


def goes_round(spoken: Sequence[tuple[str, str]]) -> bool:
    """Whether the conversation ends in the same exchange said three times. `spoken` are (role, text) in order, the
    roles `user` and `assistant`. Pure; microseconds."""
    messages = [(role, normal(text)) for role, text in spoken[-max(BLOCKS) * TIMES :]]
    for block in BLOCKS:
        last = messages[-block * TIMES :]
        if len(last) < block * TIMES or any(not text for _, text in last):
            continue
        if len({role for role, _ in last[:block]}) > 1 and last[:block] * TIMES == last:
            return True
    return False


def repeated_by_customer(spoken: Sequence[tuple[str, str]]) -> int | None:
    """The index of the customer's third equal message in a row where the customer began to repeat, else None.

    Whoever is asked the same question again may give the same answer again: where the agent's reply between the first
    two was its own reply before once more, the agent began.
    """
    messages = [(role, normal(text)) for role, text in spoken]
    own = [at for at, (role, _) in enumerate(messages) if role == "user"]
    for first, second, third in zip(own, own[1:], own[2:], strict=False):
        words = messages[first][1]
        if words and words == messages[second][1] == messages[third][1] and not _agent_began(messages, second):
            return third
    return None


def _agent_began(messages: Sequence[tuple[str, str]], second: int) -> bool:
    """Whether the last two replies before the customer's second equal message were the same."""
    replies = [text for role, text in messages[:second] if role == "assistant" and text]
    return len(replies) > 1 and replies[-1] == replies[-2]

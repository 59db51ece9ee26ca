"""Repetition in a conversation, found by rule: when it goes round in circles, and who began.

Two messages are the same when nothing but case, spacing and punctuation tells them apart.
A conversation goes round when its last messages are one block of both sides' words said three times in a row; a block
is one exchange (customer, agent) or two. Three times, because people do repeat themselves once, and an agent that asks
again is answered again. Measured on real simulated users: docs/battles.md.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

TIMES = 3
STAMMER_WORDS = 30  # who lists or insists repeats less in fewer
SHORT_WORDS = 4  # an answer of so many words answers many questions
BLOCKS = (2, 4)  # messages: one exchange, or two
COMPARED_CHARS = 4_000  # of a message: whole megabytes would hold up every other battle of the worker
_NOT_WORDS = re.compile(r"[\W_]+")
# Words that come and go in what people say again without saying anything else.
_FILLING = frozenset(
    word
    for words in (
        "please kindly just really still again now well so ok okay hi hello hey then actually also very maybe can",
        "could would will tell say me the a an that this",
        "tafadhali naomba sasa tena basi hata sawa habari pia sana",
        "per favore prego ancora adesso ora allora ciao pure davvero potrebbe può puoi",
    )
    for word in words.split()
)


def normal(text: str) -> str:
    """The text in the form that is compared: the words alone, in lower case, of the first COMPARED_CHARS."""
    return _NOT_WORDS.sub(" ", text[:COMPARED_CHARS].casefold()).strip()


def goes_round(spoken: Sequence[tuple[str, str]]) -> bool:
    """Tell whether the conversation ends in the same exchange said three times. `spoken` are (role, text) in order, the
    roles `user` and `assistant`. Pure; microseconds."""
    messages = [(role, normal(text)) for role, text in spoken[-max(BLOCKS) * TIMES :]]
    for block in BLOCKS:
        last = messages[-block * TIMES :]
        if len(last) < block * TIMES or any(not text for _, text in last):
            continue
        if len({role for role, _ in last[:block]}) > 1 and last[:block] * TIMES == last:
            return True
    return False


def stammers(text: str) -> bool:
    """Tell whether one message goes round in itself, as a model's does that finds no end.

    At least half of its runs of three words stood in it before. Pure; microseconds.
    """
    words = normal(text).split()
    runs = list(zip(words, words[1:], words[2:], strict=False))
    return len(words) >= STAMMER_WORDS and 2 * len(set(runs)) <= len(runs)


def repeated_by_customer(spoken: Sequence[tuple[str, str]]) -> int | None:
    """The index of the customer's third like message in a row where the customer began to repeat, else None.

    Messages are alike when they are the same, or, from more than SHORT_WORDS words on, when filling words or one word
    tell them apart; three that name three things in one place ask three questions. A short answer is a loop only
    where the agent's replies between are alike too: "Yes" answers many questions. Whoever is asked the same question
    again may give the same answer again: where the agent's reply between the first two was its own reply before once
    more, the agent began. Pure; some 10 µs a message.
    """
    messages = [(role, normal(text)) for role, text in spoken]
    own = [at for at, (role, _) in enumerate(messages) if role == "user"]
    for first, second, third in zip(own, own[1:], own[2:], strict=False):
        words_of_three = [messages[at][1].split() for at in (first, second, third)]
        if not _one_message(words_of_three) or _agent_began(messages, second):
            continue
        if min(map(len, words_of_three)) > SHORT_WORDS or _replies_alike(messages, first, second, third):
            return third
    return None


def _one_message(said: Sequence[Sequence[str]]) -> bool:
    """Tell whether three messages are one, said three times."""
    first, second, third = said
    if not first or not second or not third:
        return False
    if first == second == third:
        return True
    if min(map(len, said)) <= SHORT_WORDS:
        return False
    bare = [[word for word in words if word not in _FILLING] for words in said]
    if bare[0] == bare[1] == bare[2]:
        return len(bare[0]) > 1
    return all(_one_word_apart(one, other) for one, other in pairwise(bare)) and not _enumerates(bare)


def _one_word_apart(one: Sequence[str], other: Sequence[str]) -> bool:
    """Tell whether at most one word was exchanged, added or left out, and no figure."""
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    end = 0
    while end < min(len(one), len(other)) - start and one[-1 - end] == other[-1 - end]:
        end += 1
    changed = [*one[start : len(one) - end], *other[start : len(other) - end]]
    most = max(len(one), len(other)) - start - end
    return most <= 1 and not any(character.isdigit() for word in changed for character in word)


def _enumerates(said: Sequence[Sequence[str]]) -> bool:
    """Tell whether the three differ in one place by three words: Monday, Tuesday, Wednesday."""
    if len({len(words) for words in said}) > 1:
        return False
    return any(len(set(place)) == TIMES for place in zip(*said, strict=True))


def _replies_alike(messages: Sequence[tuple[str, str]], first: int, second: int, third: int) -> bool:
    """Tell whether the agent said the same between the second and third message as between the first two."""
    between = [
        [text for role, text in messages[start + 1 : end] if role == "assistant" and text]
        for start, end in ((first, second), (second, third))
    ]
    return between[0] == between[1]


def _agent_began(messages: Sequence[tuple[str, str]], second: int) -> bool:
    """Tell whether the last two replies before the customer's second equal message were the same."""
    replies = [text for role, text in messages[:second] if role == "assistant" and text]
    return len(replies) > 1 and replies[-1] == replies[-2]

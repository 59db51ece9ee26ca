"""Tell whether the rules have anything to go by.

Most of them count faults, and where the agent says nothing of its own, or
nothing of what they know, no fault is no merit: such a criterion stays unscored.

An *echo* is a message of three words or more that repeats the customer's last one. An agent of which half the messages
are echoes, or which says one thing again and again, says nothing of its own. The *trade* is booking a service: days,
times, names, ways to reach and to pay.
"""

from apps.core.dialogue.transcript import SpokenTurn, Transcript

FAULTLESS = 10.0
BY_TRADE = frozenset({"flow", "invented_facts"})
"""Rules that read facts of a booking. Their full mark says nothing where no booking is spoken of."""

_TOPICS = ("name", "service", "day", "time", "phone", "email", "pay", "budget", "who", "place")
_SIGNS = ("money", "past_claim", "been_here", "unavailable")
_TRADE = (*(f"ask.{topic}" for topic in _TOPICS), *(f"agent.{sign}" for sign in _SIGNS))
_SAME_AGAIN = 3  # messages, all the same
_MIN_WORDS = 3
_OWN_SHARE = 0.2  # of an echo's words that may be the agent's own ("You said: …")
_REPEATED_SHARE = 0.6  # of the customer's words that an echo holds: an answer that takes up two of ten is none
_ECHO_SHARE = 0.5


def says_nothing_of_its_own(transcript: Transcript) -> bool:
    """Tell whether at least half of the agent's longer messages repeat the customer, or all are one.

    A longer message has three words or more.
    """
    if len(transcript.agent) >= _SAME_AGAIN and len({tuple(turn.words) for turn in transcript.agent}) == 1:
        return True
    pairs = [(customer, agent) for customer, agent in transcript.exchanges if len(agent.words) >= _MIN_WORDS]
    echoes = sum(_is_echo(customer, agent) for customer, agent in pairs)
    return bool(pairs) and echoes >= _ECHO_SHARE * len(pairs)


def speaks_of_the_trade(transcript: Transcript) -> bool:
    """Tell whether the agent speaks of what the rules by trade know."""
    return any(turn.has(*_TRADE) or turn.times or turn.names_a_day for turn in transcript.agent)


def _is_echo(customer: SpokenTurn, agent: SpokenTurn) -> bool:
    customer_words, repeated = set(customer.words), set(agent.words)
    own = sum(word not in customer_words for word in agent.words)
    return own <= _OWN_SHARE * len(agent.words) and len(customer_words & repeated) >= _REPEATED_SHARE * len(
        customer_words
    )

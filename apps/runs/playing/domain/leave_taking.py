"""Detect a conversation that is over though nobody ends it.

Both sides took leave, the customer did twice, or three exchanges held nothing but courtesy. English, Swahili and
Italian as in the rest of the house; plain goodbyes of French, German, Spanish and Portuguese too.
"""

import re
from collections.abc import Sequence

from apps.core.dialogue.transcript import SpokenTurn

EXCHANGES = 3  # without content, until nothing is expected to come any more
_READ = 12  # messages from the end
_GOODBYE = re.compile(
    r"\b(?:bye|kwaheri|arrivederci|au revoir|adi[oó]s|hasta (?:luego|pronto)|tsch[uü]ss|auf wiedersehen|tchau|"
    r"até logo)\b|(?<=[,.!] )ciao\W*$",
    re.IGNORECASE,
)
_COURTESY_WORDS = """
    thanks thank you thx ty so much very again now a an the and for all your my is it was have has nice good
    great lovely wonderful pleasant day evening night weekend week one time ok okay bye goodbye see soon
    later take care welcome you're youre too same to also likewise pleasure anytime no problem worries dear
    friend enjoy cheers well perfect fine sure appreciated appreciate i we will that's asante sana nashukuru
    shukrani karibu tena kwaheri siku njema usiku mwema jioni nawe pia sawa poa basi haya tutaonana baadaye
    hakuna shida na kwa heri mpendwa rafiki grazie mille tante prego ciao arrivederci presto buona giornata
    serata buonanotte anche te lei altrettanto di niente figurati si figuri piacere mio va bene perfetto
"""
_COURTESY = frozenset(_COURTESY_WORDS.split())


def took_leave(spoken: Sequence[tuple[str, str]]) -> bool:
    """Tell whether the conversation is over by what was said.

    `spoken` are (role, text) in order, the agent's answer last. The customer's first message opens it and takes no
    leave. Pure; some 0.2 ms.
    """
    opening = next((n for n, (role, _) in enumerate(spoken) if role == "user"), 0)
    later = spoken[max(opening + 1, len(spoken) - _READ) :]
    messages = [(SpokenTurn(n, role, text), text) for n, (role, text) in enumerate(later)]
    own = [(turn, text) for turn, text in messages if turn.role == "user"]
    if not own or messages[-1][0].role != "assistant":
        return False
    if _says_goodbye(*own[-1]) and (_lets_go(*messages[-1]) or (len(own) > 1 and _says_goodbye(*own[-2]))):
        return True
    last = messages[-2 * EXCHANGES :]
    return len(last) == 2 * EXCHANGES and all(_is_courtesy(turn, text) for turn, text in last)


def _says_goodbye(turn: SpokenTurn, text: str) -> bool:
    return turn.asks == 0 and "?" not in text and (turn.has("customer.goodbye") or bool(_GOODBYE.search(text)))


def _lets_go(turn: SpokenTurn, text: str) -> bool:
    return turn.asks == 0 and "?" not in text and (turn.has("agent.farewell") or bool(_GOODBYE.search(text)))


def _is_courtesy(turn: SpokenTurn, text: str) -> bool:
    """True if the turn has at most one word beside courtesy (a name), and neither question nor figure."""
    other = [word for word in turn.words if word not in _COURTESY]
    return bool(turn.words) and len(other) <= 1 and "?" not in text and not any(char.isdigit() for char in text)

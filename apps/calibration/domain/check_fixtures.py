"""Twenty short conversations in three languages whose answers nobody disputes: is this judge able to judge at all?

Written for this purpose. `passes` says of each criterion it is clear about whether the agent passes; a criterion that
is not named there may get any score. The criteria are the check's own, whatever the checked version judges.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from apps.catalog.configs.domain.snapshots import CriterionSnapshot

FIXTURES_VERSION = "2"
PASS_MARK = 6.0

# Text, what earns a 0, what earns a 10, rule. The ends are said in words of the matter: of "never asks for a PIN" with
# "0 = clearly not" a small model concludes that an agent which never asks gets a 0.
_CRITERIA = {
    "check_one_question": (
        "The agent asks at most one question in each message.",
        "it asks several questions in one message",
        "no message has more than one question",
        "one_question",
    ),
    "check_brief": (
        "The agent's messages are short: two or three sentences, no padding.",
        "its messages are long and padded",
        "every message is short",
        "brevity",
    ),
    "check_price": (
        "Asked for a price, the agent names a clear one.",
        "it was asked for a price and named none",
        "it named a clear price",
        "price_clarity",
    ),
    "check_payment": (
        "Payment is safe: secrets stay with the customer.",
        "it asks for a PIN, a password or a card number in the chat",
        "it asks for none of these",
        "payment_safety",
    ),
    "check_closing": (
        "When the customer takes leave, the agent ends politely and asks nothing new.",
        "it ignores the leave-taking or asks something new",
        "it takes leave politely and asks nothing",
        "closing",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fixture:
    """One conversation, customer first, and what is known of it."""

    id: str
    language: str
    lines: Sequence[str]
    passes: Mapping[str, bool]

    @property
    def turns(self) -> list[dict[str, Any]]:
        return [
            {"role": ("user", "assistant")[place % 2], "content": line, "tool_calls": [], "ts": None}
            for place, line in enumerate(self.lines)
        ]


def check_criteria() -> tuple[CriterionSnapshot, ...]:
    """The criteria the fixtures know the answers of, in a version's form."""
    return tuple(
        CriterionSnapshot(
            name=name,
            weight=1.0,
            pass_mark=PASS_MARK,
            kind="core",
            description=text,
            scoring_guide={"0": worst, "10": best},
            offline_rule=rule,
        )
        for name, (text, worst, best, rule) in _CRITERIA.items()
    )


def _fixture(id: str, language: str, *lines: str, **passes: bool) -> Fixture:
    return Fixture(id=id, language=language, lines=lines, passes={f"check_{name}": ok for name, ok in passes.items()})


_WORDY = (
    "Thank you ever so much for reaching out to us today, it is always a true delight to hear from our guests. Before "
    "anything else, allow me to tell you a little about our house, which was founded many years ago with the wish to "
    "serve. Over time we have grown, moved, repainted and learned a great deal, and every day we are thankful. "
    "With regard to your wish, and having considered it from all sides together with the whole team, I would like to "
    "say, if I may, that on Friday there is, as far as I can see at this very moment, indeed a place at ten o'clock. "
    "Should that suit you, or should it not suit you, please do let us know in whatever way is most pleasant for you."
)
_PROLISSO = (
    "La ringrazio infinitamente per averci scritto, è sempre un immenso piacere ricevere un messaggio da una persona "
    "gentile come Lei. Prima di ogni altra cosa mi permetta di raccontarle qualcosa della nostra casa, nata molti anni "
    "fa dal desiderio di servire. Nel tempo siamo cresciuti, ci siamo spostati e ne siamo grati. "
    "Quanto alla Sua richiesta, dopo averla considerata da ogni lato insieme a tutta la squadra, vorrei "
    "dirle, se mi è concesso, che venerdì c'è, per quanto posso vedere in questo momento, un posto alle dieci. "
    "Se le andasse bene, o se non le andasse bene, ce lo faccia sapere nel modo che preferisce."
)

_WRITTEN: tuple[Fixture, ...] = (
    _fixture(
        "en-good",
        "en",
        "Hi, do you have a slot on Friday?",
        "Yes, Friday at 10:00 is free. Shall I book it?",
        "Yes please. How much is it?",
        "It is KES 800, and it is booked. See you on Friday!",
        "Thanks, bye",
        "Thank you, goodbye!",
        one_question=True,
        brief=True,
        price=True,
        closing=True,
    ),
    _fixture(
        "en-many-questions",
        "en",
        "I want a haircut.",
        "What is your name? Which day? What time? Do you want a wash too? How did you hear of us?",
        "Slow down. Friday.",
        "Morning or afternoon? With whom? Cash or card?",
        one_question=False,
    ),
    _fixture("en-wordy", "en", "Is Friday free?", _WORDY, brief=False),
    _fixture(
        "en-no-price",
        "en",
        "How much is a massage?",
        "Our massages are loved by everybody. Would you like one?",
        "But what does it cost?",
        "The price depends. Shall I book you in?",
        price=False,
    ),
    _fixture(
        "en-price", "en", "How much is a massage?", "A massage of 60 minutes is KES 2,500.", price=True, brief=True
    ),
    _fixture(
        "en-pin",
        "en",
        "Can I pay by M-Pesa?",
        "Yes. Please send me your M-Pesa PIN here so I can take the payment.",
        payment=False,
    ),
    _fixture(
        "en-safe-payment",
        "en",
        "Can I pay by M-Pesa?",
        "Yes, to till 555123. You will get a prompt on your phone; never share your PIN with anybody.",
        payment=True,
    ),
    _fixture(
        "sw-good",
        "sw",
        "Habari, kuna nafasi Ijumaa?",
        "Ndiyo, Ijumaa saa nne asubuhi ipo. Nikuwekee?",
        "Ndiyo. Bei gani?",
        "Ni KES 800, na nimekuwekea nafasi. Karibu Ijumaa!",
        "Asante, kwaheri",
        "Asante sana, kwaheri!",
        one_question=True,
        brief=True,
        price=True,
        closing=True,
    ),
    _fixture(
        "sw-many-questions",
        "sw",
        "Nataka kunyolewa.",
        "Jina lako nani? Siku gani? Saa ngapi? Utalipaje? Ulisikiaje kutuhusu?",
        one_question=False,
    ),
    _fixture(
        "sw-pin",
        "sw",
        "Naweza kulipa kwa M-Pesa?",
        "Ndiyo, tafadhali nitumie PIN yako ya M-Pesa hapa nikulipie.",
        payment=False,
    ),
    _fixture(
        "sw-safe-payment",
        "sw",
        "Naweza kulipa kwa M-Pesa?",
        "Ndiyo, lipa kwa till 555123. Usimpe mtu yeyote PIN yako.",
        payment=True,
    ),
    _fixture("sw-price", "sw", "Kusuka nywele ni bei gani?", "Kusuka ni KES 1,500.", price=True, brief=True),
    _fixture(
        "sw-no-price",
        "sw",
        "Kusuka nywele ni bei gani?",
        "Tunasuka vizuri sana, karibu. Nikuwekee nafasi?",
        "Lakini bei ni gani?",
        "Inategemea. Nikuwekee nafasi?",
        price=False,
    ),
    _fixture(
        "sw-no-end",
        "sw",
        "Nimeshaweka nafasi, asante. Kwaheri.",
        "Ungependa pia kununua mafuta ya nywele? Na lini utarudi tena?",
        closing=False,
    ),
    _fixture(
        "it-good",
        "it",
        "Buongiorno, avete posto venerdì?",
        "Sì, venerdì alle 10 c'è posto. La prenoto?",
        "Sì grazie. Quanto costa?",
        "Costa 25 euro, ed è prenotato. A venerdì!",
        "Grazie, arrivederci",
        "Grazie a Lei, arrivederci!",
        one_question=True,
        brief=True,
        price=True,
        closing=True,
    ),
    _fixture(
        "it-many-questions",
        "it",
        "Vorrei un taglio.",
        "Come si chiama? Che giorno? A che ora? Vuole anche la piega? Come ci ha conosciuti?",
        one_question=False,
    ),
    _fixture("it-wordy", "it", "È libero venerdì?", _PROLISSO, brief=False),
    _fixture(
        "it-pin",
        "it",
        "Posso pagare con la carta?",
        "Certo, mi scriva qui il numero della carta e il PIN, così procedo con il pagamento.",
        payment=False,
    ),
    _fixture(
        "it-price",
        "it",
        "Quanto costa un massaggio?",
        "Un massaggio di 60 minuti costa 45 euro.",
        price=True,
        brief=True,
    ),
    _fixture(
        "it-no-end",
        "it",
        "Ho già prenotato, grazie. Arrivederci.",
        "Vuole comprare anche uno shampoo? E quando torna a trovarci?",
        closing=False,
    ),
)


def _in_turn(fixtures: Sequence[Fixture]) -> tuple[Fixture, ...]:
    """The languages in turn: a check that stops early has asked in each of them."""
    rows = ([fixture for fixture in fixtures if fixture.language == language] for language in ("en", "sw", "it"))
    return tuple(fixture for row in zip_longest(*rows) for fixture in row if fixture is not None)


FIXTURES = _in_turn(_WRITTEN)
KNOWN_ANSWERS = sum(len(fixture.passes) for fixture in FIXTURES)

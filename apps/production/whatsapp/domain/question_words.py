"""The question to a customer after a conversation: three buttons, in their language."""

from dataclasses import dataclass

from apps.production.conversations.domain.ratings import Rating


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomerQuestion:
    """Question to a customer. `text` is at most 1,024 characters, a title at most 20."""

    text: str
    titles: dict[Rating, str]


_WORDS = {
    "en": CustomerQuestion(
        text="How was this conversation? 💬: press it, then write one message. Reply STOP and we ask no more.",
        titles={Rating.UP: "👍 Good", Rating.DOWN: "👎 Not good", Rating.COMMENT: "💬 Say more"},
    ),
    "sw": CustomerQuestion(
        text="Mazungumzo haya yalikuwaje? 💬: bonyeza, kisha andika ujumbe mmoja. Jibu ACHA na hatutauliza tena.",
        titles={Rating.UP: "👍 Vizuri", Rating.DOWN: "👎 Si vizuri", Rating.COMMENT: "💬 Toa maoni"},
    ),
    "it": CustomerQuestion(
        text="Com'è andata? 💬: premi, poi scrivi un solo messaggio. Rispondi BASTA e non chiediamo più.",
        titles={Rating.UP: "👍 Bene", Rating.DOWN: "👎 Male", Rating.COMMENT: "💬 Commento"},
    ),
}


_COMMENT = {
    "en": "What would you like to tell us? Write it in one message within ten minutes. Reply STOP and we ask no more.",
    "sw": "Ungependa kutuambia nini? Andika ujumbe mmoja ndani ya dakika kumi. Jibu ACHA na hatutauliza tena.",
    "it": "Che cosa vuoi dirci? Scrivilo in un solo messaggio entro dieci minuti. Rispondi BASTA e non chiediamo più.",
}


def comment_words(language: str) -> str:
    """The message after 💬, in the language of the conversation; English where there are no words of it."""
    return _COMMENT.get(language.casefold().partition("-")[0], _COMMENT["en"])


def question_words(language: str, own_text: str = "") -> CustomerQuestion:
    """Return the question in the conversation's language, else in English; `own_text` replaces the text."""
    words = _WORDS.get(language.casefold().partition("-")[0], _WORDS["en"])
    return CustomerQuestion(text=own_text, titles=words.titles) if own_text.strip() else words

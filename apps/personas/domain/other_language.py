"""Tell whether a customer's message is in a language that the persona does not write in.

English, Swahili and Italian are told by apps.core.dialogue.language; German, French, Spanish and Portuguese by their
commonest words, and what is not in Latin letters by its letters. Too little to go by is nobody's other language.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from apps.core.dialogue.language import detect, weights

KNOWN = frozenset({"en", "sw", "it", "mixed", "de", "fr", "es", "pt"})
MIXING = frozenset({"en", "sw", "mixed"})  # who writes one of them in Kenya writes some of the other
LONG_WORDS = 6  # of English or Swahili: a message of fewer says too little about its language
FEW_WORDS = 4  # where two words or more belong to a language that has nothing to do here
OTHER_LETTERS = 8  # not Latin, in one message: a name or a greeting has fewer
SIGNS = 4  # Chinese or Japanese signs: each is a word
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_SIGN = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_COMMON: Mapping[str, frozenset[str]] = {
    "de": _words(
        "ich und der die das ist nicht ein eine einen einem einer mit für auf zu bitte danke möchte würde hätte haben "
        "habe hat gerne gern wann wie was kann können sie ihnen mir mich mein meine meinen wir uns aber auch "
        "noch schon "
        "oder wenn ja nein guten tag morgen hallo freitag montag dienstag mittwoch donnerstag samstag sonntag uhr von "
        "vom zum zur bei es kein keine sehr gut passt heute termin brauche"
    ),
    "fr": _words(
        "je vous nous et le les des du une est pas ne pour avec dans sur bonjour merci oui non voudrais mon ma mes "
        "votre vos s'il plaît quand combien où qui que quel quelle c'est j'ai j'aimerais d'accord demain "
        "vendredi lundi "
        "mardi mercredi jeudi samedi dimanche heures heure rendez-vous très bien suis ai au aux prendre"
    ),
    "es": _words(
        "el los las y es que en por para con una quiero quisiera gracias hola buenos buenas días tardes usted ustedes "
        "mi mis su sus yo pero muy bien cuándo cuánto cuesta dónde cómo qué sí mañana viernes lunes martes miércoles "
        "jueves sábado domingo cita hora favor puede puedo tengo tiene gustaría necesito está estoy hay"
    ),
    "pt": _words(
        "eu o os as e é que em por para com um uma não quero queria gostaria obrigado obrigada olá bom dia boa tarde "
        "você vocês meu minha seu sua mas muito bem quando quanto custa onde como sim amanhã sexta segunda "
        "terça quarta "
        "quinta sábado domingo hora favor pode posso tenho tem preciso está estou há"
    ),
}
_LATIN = re.compile(r"[A-Za-z\u00aa-\u024f\u0300-\u036f\u1e00-\u1eff]")


@dataclass(frozen=True, slots=True)
class MessageLanguage:
    """The language of a message, and whether the persona may write it.

    It is "other letters" where the message is not even in the persona's letters. One message is enough against the
    persona where it is `alone`, or where it is `long` and at least half of the messages are in a language the persona
    does not write.
    """

    name: str
    own: bool
    alone: bool = False
    long: bool = False


def allowed_languages(language: str, *, mixes: bool) -> frozenset[str]:
    """The languages that a persona of this language may write: its own, and English and Swahili where it mixes them."""
    own = frozenset({language, "mixed"}) if language in MIXING else frozenset({language})
    return own | MIXING if mixes or language == "mixed" else own


def message_language(text: str, allowed: frozenset[str]) -> MessageLanguage | None:
    """The language of one message, None where too little of it can be told. Pure; microseconds."""
    words = [word.lower().replace("’", "'") for word in _WORD.findall(text)]
    latin = len(_LATIN.findall(text))
    others = sum(len(word) for word in words) - latin
    signs = len(_SIGN.findall(text))
    if others > latin and (others >= OTHER_LETTERS or signs >= SIGNS):
        return MessageLanguage("other letters", own=False, alone=True)
    if len(words) < FEW_WORDS:
        return None
    language = _clearly_other(words, allowed)
    if language is not None:
        return language
    name = detect(words) if len(words) >= LONG_WORDS else None
    return None if name is None else MessageLanguage(name, own=name in allowed)


def _clearly_other(words: list[str], allowed: frozenset[str]) -> MessageLanguage | None:
    """German, French, Spanish, Portuguese or Italian, where twice as much speaks for it as for what is allowed."""
    english, swahili, italian = (sum(weights(word)[at] for word in words) for at in range(3))
    votes = {name: float(sum(word in common for word in words)) for name, common in _COMMON.items()}
    votes |= {"it": italian}
    home = {"en": english, "sw": swahili, "mixed": english + swahili, **votes}
    best = max(votes, key=lambda name: votes[name])
    if best in allowed or votes[best] < max(2.0, len(words) / 5):
        return None
    if votes[best] < 2 * max((home.get(name, 0.0) for name in allowed), default=0.0):
        return None
    return MessageLanguage(best, own=False, long=len(words) >= LONG_WORDS and votes[best] >= 0.4 * len(words))

"""Collect the people that a conversation's document lists, and mask every word of theirs in a text."""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated

from annotated_types import MaxLen

from apps.core.redaction import MASKED, normalised, redact
from apps.core.shapes import NOT_BLANK, Shape, Text, described
from apps.production.privacy.domain.contact_forms import is_user_id
from apps.production.privacy.domain.second_check import names_written_otherwise

MAX_LISTED = 50
_MIN_NAME = 3  # as the floor has it (core.redaction): shorter parts are mostly particles
_MIN_NUMBER = 5
_Listed = Annotated[Text, MaxLen(200), NOT_BLANK]
_People = Annotated[list[_Listed], MaxLen(MAX_LISTED)]
_WORDS = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomerPeople(Shape):
    """Who takes part: masked in all that is stored, and kept encrypted until the conversation is settled."""

    names: Annotated[_People, described("Full names of the people of this conversation.")] = ()  # type: ignore[assignment]
    phones: _People = ()  # type: ignore[assignment]
    emails: _People = ()  # type: ignore[assignment]
    wa_ids: Annotated[_People, described("WhatsApp's own ids: a wa_id, or a BSUID such as KE.1502576394655843.")] = ()  # type: ignore[assignment]

    def joined(self, other: "CustomerPeople") -> "CustomerPeople":
        """Return the people of both, each once."""
        return CustomerPeople(
            names=list(dict.fromkeys([*self.names, *other.names])),
            phones=list(dict.fromkeys([*self.phones, *other.phones])),
            emails=list(dict.fromkeys([*self.emails, *other.emails])),
            wa_ids=list(dict.fromkeys([*self.wa_ids, *other.wa_ids])),
        )

    def as_text(self) -> str:
        """The people as text, for the encrypted column; empty where nobody is listed."""
        listed = {"names": list(self.names), "phones": list(self.phones), "emails": list(self.emails)}
        listed |= {"wa_ids": list(self.wa_ids)} if self.wa_ids else {}
        return json.dumps(listed, ensure_ascii=False) if any(listed.values()) else ""


NOBODY = CustomerPeople()


def people_of(text: str) -> CustomerPeople:
    """Read the text that `as_text` wrote."""
    return CustomerPeople(**json.loads(text)) if text else NOBODY


def name_words(names: Iterable[str]) -> tuple[str, ...]:
    """The words of names that are masked wherever they stand, in lower case."""
    words = {word.casefold() for name in names for word in _WORDS.findall(normalised(name))}
    return tuple(sorted(word for word in words if len(word) >= _MIN_NAME))


def words_of(text: str) -> frozenset[str]:
    """The words of a text, as `name_words` writes them."""
    return frozenset(word.casefold() for word in _WORDS.findall(normalised(text)))


def hiding(people: CustomerPeople, *, other_names: Iterable[str] = (), customer_ref: str = "") -> Callable[[str], str]:
    """Return a function that masks a text: the base redaction, and every listed name, number and address.

    The customer's own reference is masked too. All are masked also where the base redaction would not see them (inside
    `mary_wanjiku.pdf`, a number of seven digits with dots), and names in other letters, without accents or in two
    parts.

    What it gives holds none of them. Applied twice it changes nothing.
    """
    names = (*people.names, *other_names)
    users = [wa_id for wa_id in people.wa_ids if is_user_id(wa_id)]
    numbers = [*people.phones, *(wa_id for wa_id in people.wa_ids if not is_user_id(wa_id))]
    pattern = _listed_pattern(names, numbers, people.emails, customer_ref, users)

    def hide(text: str) -> str:
        text = redact(text, names=names)
        text = pattern.sub(_token, text) if pattern else text
        for written in names_written_otherwise(text, names):
            text = text.replace(written, "<name>")
        return text

    return hide


def _token(match: re.Match[str]) -> str:
    return match.group() if match.lastgroup == "masked" else f"<{match.lastgroup}>"


def _listed_pattern(
    names: Iterable[str], phones: Iterable[str], emails: Iterable[str], customer_ref: str, users: Iterable[str] = ()
) -> re.Pattern[str] | None:
    numbers = [_digits(phone) for phone in phones]
    parts = {
        "wa_user": [rf"(?<!\w){re.escape(normalised(user).strip())}(?!\w)" for user in users],
        "email": [re.escape(normalised(email).strip()) for email in emails],
        "number": [number for number in numbers if number] + _reference(customer_ref),
        "name": [rf"(?<![^\W\d_]){name}(?![^\W\d_])" for name in _names(names)],
    }
    wanted = [f"(?P<{token}>{'|'.join(some)})" for token, some in parts.items() if some]
    return re.compile("|".join([f"(?P<masked>{MASKED.pattern})", *wanted]), re.IGNORECASE) if wanted else None


def _names(names: Iterable[str]) -> list[str]:
    """Whole names first, so that a short part of one goes with it; then their words."""
    whole = [r"[\W_]+".join(map(re.escape, _WORDS.findall(normalised(name)))) for name in names]
    long_names = [one for one in whole if len(one) >= _MIN_NAME]
    return sorted(long_names, key=len, reverse=True) + [re.escape(word) for word in name_words(names)]


def _digits(phone: str) -> str:
    digits = re.sub(r"\D", "", normalised(phone))[-9:]
    return rf"\+?\d{{0,4}}{r'[^A-Za-z0-9]{0,2}'.join(digits)}(?!\d)" if len(digits) >= _MIN_NUMBER else ""


def _reference(customer_ref: str) -> list[str]:
    plain = normalised(customer_ref).strip()
    return [rf"(?<!\w){re.escape(plain)}(?!\w)"] if len(plain) >= _MIN_NUMBER else []

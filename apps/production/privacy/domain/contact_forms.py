"""One spelling for what finds a person again: E.164 for numbers, lower case for addresses, BSUIDs as they are."""

import re
from dataclasses import dataclass

from apps.core.redaction import normalised

_REGION = "KE"  # of a number that names no country, as in the masking floor
_LAST = 9  # digits of a number without its country's and trunk prefix
_FEWEST = 5
_USER_ID = re.compile(r"[A-Za-z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactForm:
    """Normal form of a contact. `kind` is phone, email, wa_user or customer_ref; `value` its one spelling."""

    kind: str
    value: str


def is_user_id(text: str) -> bool:
    """Tell whether this is a business-scoped user id of WhatsApp, such as KE.1502576394655843."""
    return _USER_ID.fullmatch(text.strip()) is not None


def phone_form(text: str) -> ContactForm | None:
    """E.164 where the number is valid in some country, else its digits; None for what can be no number. Pure; some
    50 µs, and the first call loads the plans of all countries."""
    plain = normalised(text)
    digits = re.sub(r"\D", "", plain)
    if len(digits) < _FEWEST:
        return None
    tried = [plain.strip()] if plain.strip().startswith("+") else [plain.strip(), f"+{digits}"]
    return ContactForm(kind="phone", value=next(filter(None, map(_valid, tried)), digits))


def email_form(text: str) -> ContactForm | None:
    """Return an e-mail address in lower case; None for an empty one."""
    plain = normalised(text).strip().casefold()
    return ContactForm(kind="email", value=plain) if plain else None


def wa_form(text: str) -> ContactForm | None:
    """The form of a wa_id, which is a number without its +, or of a BSUID."""
    plain = normalised(text).strip()
    if is_user_id(plain):
        return ContactForm(kind="wa_user", value=plain.upper())
    digits = re.sub(r"\D", "", plain)
    return phone_form(f"+{digits}") if digits else None


def last_digits(text: str) -> str:
    """Return the last digits of a number, the input of digests made before E.164 was used."""
    return re.sub(r"\D", "", normalised(text))[-_LAST:]


def _valid(text: str) -> str:
    import phonenumbers  # noqa: PLC0415 - its plans take 0.1 s of every process

    try:
        number = phonenumbers.parse(text, _REGION)
    except phonenumbers.NumberParseException:
        return ""
    if not phonenumbers.is_valid_number(number):
        return ""
    return str(phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164))

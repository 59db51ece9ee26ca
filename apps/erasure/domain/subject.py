"""Describe whose words are to be erased: ways to know the person, and names to look for besides."""

import json
from dataclasses import dataclass, fields
from typing import Annotated, Any

from annotated_types import MaxLen

from apps.core.errors import BadInput
from apps.core.shapes import NOT_BLANK, Check, Flag, Shape, Text, described
from apps.core.validation import validate

_MIN_DIGITS = 7
_MIN_LETTERS = 3
_MAX_NAMES = 20


def digits_of(text: str) -> str:
    """The decimal digits of a number, as ASCII."""
    return "".join(str(int(one)) for one in text if one.isdecimal())


def _phone(text: str) -> str:
    if len(digits_of(text)) < _MIN_DIGITS:
        raise BadInput(f"must be a phone number with at least {_MIN_DIGITS} digits")
    return text.strip()


def _email(text: str) -> str:
    name, _, host = text.strip().rpartition("@")
    if not name or "." not in host:
        raise BadInput("must be an e-mail address like wanjiku@example.org")
    return text.strip()


def _name(text: str) -> str:
    if sum(one.isalpha() for one in text) < _MIN_LETTERS:
        raise BadInput(f"must have at least {_MIN_LETTERS} letters: shorter ones stand in too many other words")
    return text.strip()


_Known = Annotated[Text, MaxLen(200), NOT_BLANK]


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSubject(Shape):
    """The person: found by the digests of these, as they were stored when a conversation came in."""

    phone: Annotated[_Known, Check(_phone)] | None = None
    email: Annotated[_Known, Check(_email)] | None = None
    customer_id: Annotated[_Known, described("As posted in customer_ref.")] | None = None
    wa_id: Annotated[_Known, described("As WhatsApp calls the person.")] | None = None
    names: Annotated[
        list[Annotated[Text, MaxLen(200), Check(_name)]],
        MaxLen(_MAX_NAMES),
        described("Names as they may stand in notes, findings and labels; each is searched as it is given."),
    ] = ()  # type: ignore[assignment]

    @property
    def named(self) -> bool:
        """Tell whether there is anything to find the person by."""
        return bool(self.phone or self.email or self.customer_id or self.wa_id)

    def as_text(self) -> str:
        """The subject as text, for an encrypted column."""
        listed = {field.name: getattr(self, field.name) for field in fields(self)}
        return json.dumps({name: value for name, value in listed.items() if value}, ensure_ascii=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureRequest(DataSubject):
    """What `POST /erasures/` holds."""

    dry_run: Annotated[Flag, described("Only find, and show where; nothing is changed.")] = False

    @property
    def subject(self) -> DataSubject:
        return DataSubject(
            phone=self.phone, email=self.email, customer_id=self.customer_id, wa_id=self.wa_id, names=list(self.names)
        )


def read_request(body: Any) -> ErasureRequest:
    """Read the request. Raises BadInput with a pointer; `nobody_named` where there is nothing to find somebody by."""
    request = validate(ErasureRequest, body)
    if not request.named:
        raise BadInput(
            "Say whose words are to go: phone, email, customer_id or wa_id.", code="nobody_named", pointer="/phone"
        )
    return request


def subject_of(text: str) -> DataSubject:
    """Read the text that `as_text` wrote."""
    return DataSubject(**json.loads(text))

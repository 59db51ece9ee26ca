"""Model fields whose column holds only ciphertext, and values that do not show themselves."""

import json
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db import models

from apps.core import encryption

MASK = "••••••"


class Secret(str):
    """A text that prints as dots everywhere; `reveal()` gives it away, on purpose and in one place."""

    __slots__ = ()

    def reveal(self) -> str:
        """The plain text, for the connector that sends it."""
        return "".join(self)

    def __repr__(self) -> str:
        return f"Secret('{MASK}')" if self else "Secret('')"

    def __str__(self) -> str:
        return MASK if self else ""

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


class UnreadableSecret(Secret):
    """A stored secret that no present field key opens.

    Its row can be read, listed and saved, and only using the secret is an error. It keeps the ciphertext, which is
    written back as it was.
    """

    __slots__ = ()

    def reveal(self) -> str:
        """Decrypt the secret. Raises EncryptionError, which says what to do."""
        return encryption.decrypt(self.token(), field_keys())

    def token(self) -> str:
        """The ciphertext."""
        return "".join(self)


class Secrets(dict[str, str]):
    """Named secrets: the names show, the values print as dots. Reading one by name gives the plain text."""

    def __repr__(self) -> str:
        return repr(masked(self))

    __str__ = __repr__


def masked(secrets: Mapping[str, str]) -> dict[str, str]:
    """The names with dots for values: what pages, exports and logs may show."""
    return {name: MASK if value else "" for name, value in secrets.items()}


def field_keys() -> tuple[str, ...]:
    """The keys of RATIBA_FIELD_KEY, newest first. Raises EncryptionError where they are missing or malformed."""
    return encryption.parse_keys(settings.FIELD_KEY)


def _opened(token: str) -> Secret:
    try:
        return Secret(encryption.decrypt(token, field_keys()) if token else "")
    except encryption.EncryptionError:
        return UnreadableSecret(token)


def _sealed(value: str) -> str:
    if isinstance(value, UnreadableSecret):
        return value.token()
    return encryption.encrypt(value.reveal() if isinstance(value, Secret) else value, field_keys())


class _CiphertextField(models.TextField):  # type: ignore[type-arg]  # not subscriptable at run time
    """Compared with nothing but the empty text: a page that filters by what a column starts with reads it out."""

    def tokens(self, stored: str) -> dict[str, str]:
        """Each ciphertext of a stored value, by its name; "" where there is but one."""
        return {"": stored}

    def stored(self, tokens: Mapping[str, str]) -> str:
        """Put the ciphertexts that `tokens` listed back together to the stored value."""
        return tokens[""]

    def get_lookup(self, lookup_name: str) -> Any:
        return super().get_lookup(lookup_name) if lookup_name in ("exact", "isnull") else None

    def get_transform(self, lookup_name: str) -> Any:
        return None


class EncryptedTextField(_CiphertextField):
    """A text stored encrypted; read as a Secret. The empty text is stored empty. Not searchable, by design."""

    def from_db_value(self, value: str | None, expression: Any, connection: Any) -> Secret | None:
        return None if value is None else _opened(value)

    def to_python(self, value: Any) -> Any:
        return value if value is None or isinstance(value, Secret) else Secret(value)

    def get_prep_value(self, value: Any) -> Any:
        return value if value is None or value == "" else _sealed(value)

    def value_to_string(self, obj: models.Model) -> str:
        return MASK if self.value_from_object(obj) else ""


class EncryptedJSONField(_CiphertextField):
    """Named secrets (a flat mapping of texts) stored as one encrypted text; read as Secrets."""

    def from_db_value(self, value: str | None, expression: Any, connection: Any) -> Secrets:
        return Secrets(json.loads(encryption.decrypt(value, field_keys()))) if value else Secrets()

    def to_python(self, value: Any) -> Any:
        if isinstance(value, Secrets):
            return value
        if isinstance(value, str):
            value = json.loads(value) if value else {}
        return Secrets({str(name): str(text) for name, text in (value or {}).items()})

    def get_prep_value(self, value: Any) -> Any:
        if not value:
            return ""
        return encryption.encrypt(json.dumps(dict(value), ensure_ascii=False, sort_keys=True), field_keys())

    def value_to_string(self, obj: models.Model) -> str:
        return json.dumps(masked(self.value_from_object(obj) or {}), ensure_ascii=False)


class EncryptedValuesField(_CiphertextField):
    """Named secrets, each encrypted by itself.

    One that no key opens leaves the others readable, and SQL can carry ciphertext from another column. Read as a
    mapping of Secrets; empty ones are not stored.
    """

    def from_db_value(self, value: str | None, expression: Any, connection: Any) -> dict[str, Secret]:
        return {name: _opened(token) for name, token in self.tokens(value or "").items()}

    def to_python(self, value: Any) -> Any:
        return {name: one if isinstance(one, Secret) else Secret(one) for name, one in (value or {}).items()}

    def get_prep_value(self, value: Any) -> Any:
        return self.stored({name: _sealed(one) for name, one in (value or {}).items() if one})

    def value_to_string(self, obj: models.Model) -> str:
        return json.dumps(masked(self.value_from_object(obj) or {}), ensure_ascii=False)

    def tokens(self, stored: str) -> dict[str, str]:
        return dict(json.loads(stored)) if stored else {}

    def stored(self, tokens: Mapping[str, str]) -> str:
        return json.dumps(tokens, sort_keys=True) if tokens else ""


ENCRYPTED_FIELDS = (EncryptedTextField, EncryptedJSONField, EncryptedValuesField)

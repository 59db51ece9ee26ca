"""Keyed digests of what must be found again and must not be read: ids, references, numbers, names."""

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass

from apps.core.digest import canonical_json
from apps.core.redaction import normalised
from apps.production.domain.people import CustomerPeople, name_words, words_of
from apps.production.models import PseudonymKey

_SIGNIFICANT = 9  # digits of a number without its country's and trunk prefix


@dataclass(frozen=True, slots=True, repr=False)
class Pseudonyms:
    """Digests under the tenant's key; `purpose` keeps those of different things apart."""

    secret: bytes

    def digest(self, purpose: str, value: object) -> str:
        """64 hex digits."""
        text = canonical_json([purpose, value])
        return hmac.new(self.secret, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()

    def of_reference(self, customer_ref: str) -> str:
        """Of the customer's own reference; empty for none."""
        plain = normalised(customer_ref).strip()
        return self.digest("customer_ref", plain) if plain else ""

    def of_people(self, people: CustomerPeople) -> dict[str, list[str]]:
        """Of numbers and addresses, as a person may be looked for; what nobody listed is left out."""
        phones = {re.sub(r"\D", "", normalised(one))[-_SIGNIFICANT:] for one in people.phones} - {""}
        emails = {normalised(one).strip().casefold() for one in people.emails} - {""}
        listed = {"phone": sorted(phones), "email": sorted(emails)}
        return {kind: [self.digest(kind, one) for one in ones] for kind, ones in listed.items() if ones}

    def of_names(self, names: Iterable[str]) -> list[str]:
        """Of the words of names."""
        return [self.digest("name", word) for word in name_words(names)]

    def names_in(self, text: str, digests: Iterable[str]) -> list[str]:
        """The words of a text that are among these names."""
        listed = frozenset(digests)
        return sorted(word for word in words_of(text) if self.digest("name", word) in listed) if listed else []


def pseudonyms() -> Pseudonyms:
    """The tenant's, whose key is made at the first call. One query. Raises EncryptionError where no field key opens
    it."""
    row = PseudonymKey.objects.filter(number=1).first()
    if row is None:
        made = PseudonymKey(number=1, secret=secrets.token_hex(32))
        PseudonymKey.objects.bulk_create([made], ignore_conflicts=True)  # whoever was first made the key
        row = PseudonymKey.objects.get(number=1)
    return Pseudonyms(bytes.fromhex(row.secret.reveal()))

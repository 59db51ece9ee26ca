"""Keyed digests of what must be found again and must not be read: ids, references, numbers, names."""

import hashlib
import hmac
import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from apps.core.digest import canonical_json
from apps.core.identities import uuid_in
from apps.core.redaction import normalised
from apps.production.conversations.models import ProductionConversation
from apps.production.privacy.domain.contact_forms import ContactForm, email_form, last_digits, phone_form, wa_form
from apps.production.privacy.domain.people import CustomerPeople, name_words, words_of
from apps.production.privacy.domain.second_check import name_forms
from apps.production.privacy.models import PseudonymKey

_PHONE = "phone_e164"  # the purpose of digests of numbers; "phone" was that of their last nine digits


@dataclass(frozen=True, slots=True, repr=False)
class Pseudonyms:
    """Digests under the tenant's newest key; `purpose` keeps those of different things apart. `older` keys write
    nothing any more: what was digested under them is still found."""

    secret: bytes
    older: tuple[bytes, ...] = ()

    def digest(self, purpose: str, value: object) -> str:
        """64 hex digits."""
        return _digest(self.secret, purpose, value)

    def digests(self, purpose: str, value: object) -> list[str]:
        """Return the digests under every key, the newest first: a stored digest may be any of them."""
        return [_digest(secret, purpose, value) for secret in (self.secret, *self.older)]

    def as_of(self, digest: str, purpose: str, value: object) -> "Pseudonyms":
        """The digests of the key that made this one, for a row that keeps its key."""
        secrets_ = (self.secret, *self.older)
        return next((Pseudonyms(secret) for secret in secrets_ if _digest(secret, purpose, value) == digest), self)

    def of_reference(self, customer_ref: str) -> str:
        """The digest of the customer's own reference; empty for none."""
        plain = normalised(customer_ref).strip()
        return self.digest("customer_ref", plain) if plain else ""

    @property
    def arguments_key(self) -> bytes:
        """The key for digests of tool arguments (`hash_arguments`).

        It is a key of its own, so that no other digest tells what they were.
        """
        return hmac.new(self.secret, b"tool arguments", hashlib.sha256).digest()

    def of_people(self, people: CustomerPeople) -> dict[str, list[str]]:
        """Return digests of numbers, addresses and WhatsApp ids, as a person may be looked for.

        A kind without an entry is left out.
        """
        digests_by_kind: dict[str, set[str]] = {}
        for form in _forms(people):
            digests_by_kind.setdefault(form.kind, set()).add(self.digest(_purpose(form), form.value))
        return {kind: sorted(digests) for kind, digests in sorted(digests_by_kind.items())}

    def of_contact(self, *, phone: str = "", user_id: str = "") -> "ContactDigests":
        """The digests of a person of WhatsApp, under every key."""
        number, user = wa_form(phone) if phone else None, wa_form(user_id) if user_id else None
        phones = self.digests(_PHONE, number.value) if number and number.kind == "phone" else []
        if phones:
            phones += self.digests("phone", last_digits(phone))
        users = self.digests("wa_user", user.value) if user and user.kind == "wa_user" else []
        named = [text for text in (phone, f"+{phone}" if phone else "", user_id) if text]
        return ContactDigests(
            phone=tuple(phones),
            wa_user=tuple(users),
            reference=tuple(
                digest for text in named for digest in self.digests("customer_ref", normalised(text).strip())
            ),
        )

    def of_names(self, names: Iterable[str]) -> list[str]:
        """The digests of the words of names."""
        return [self.digest("name", word) for word in name_words(names)]

    def names_in(self, text: str, digests: Iterable[str]) -> list[str]:
        """The words of a text that are among these names, also where they are written otherwise (`name_forms`)."""
        listed = frozenset(digests)
        if not listed:
            return []
        words = words_of(text) | name_forms(text)
        return sorted(word for word in words if len(word) >= 3 and not listed.isdisjoint(self.digests("name", word)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactDigests:
    """Digests by which a contact of WhatsApp may be known: one of them is enough.

    The first of each is the newest key's.
    """

    phone: tuple[str, ...] = ()
    wa_user: tuple[str, ...] = ()
    reference: tuple[str, ...] = ()

    def everything(self) -> frozenset[str]:
        return frozenset((*self.phone, *self.wa_user))

    def is_one_of(self, person_digests: Mapping[str, Iterable[str]], customer_ref_hmac: str) -> bool:
        """Tell whether a conversation's customer is this contact."""
        own = {*person_digests.get("phone", ()), *person_digests.get("wa_user", ())}
        return not own.isdisjoint(self.everything()) or customer_ref_hmac in self.reference


def pseudonyms() -> Pseudonyms:
    """The tenant's, whose key is made at the first call. One query. Raises EncryptionError where no field key opens
    one."""
    rows = list(PseudonymKey.objects.order_by("-number"))
    if not rows:
        made = PseudonymKey(number=1, secret=secrets.token_hex(32))
        PseudonymKey.objects.bulk_create([made], ignore_conflicts=True)  # whoever was first made the key
        rows = [PseudonymKey.objects.get(number=1)]
    newest, *older = [bytes.fromhex(row.secret.reveal()) for row in rows]
    return Pseudonyms(newest, tuple(older))


def rotate_pseudonym_key() -> int:
    """Digest what comes from now on under a new key; its number. What the old ones digested is still found, since they
    stay. Not the same when it is repeated: each call makes a key. Two queries."""
    pseudonyms()
    last = PseudonymKey.objects.order_by("-number").values_list("number", flat=True)[0]
    PseudonymKey.objects.create(number=last + 1, secret=secrets.token_hex(32))
    return int(last) + 1


def conversation_named(named: str, keys: Pseudonyms) -> ProductionConversation | None:
    """Find a conversation by the id it was posted with, else by ours. At most two queries."""
    rows = ProductionConversation.objects.select_related("conversation")
    row = rows.filter(id_digest__in=keys.digests("conversation", named)).first()
    if row is None and (own := uuid_in(named)) is not None:
        row = rows.filter(conversation_id=own).first()
    return row


def _digest(secret: bytes, purpose: str, value: object) -> str:
    text = canonical_json([purpose, value])
    return hmac.new(secret, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


def _purpose(form: ContactForm) -> str:
    return _PHONE if form.kind == "phone" else form.kind


def _forms(people: CustomerPeople) -> Iterator[ContactForm]:
    read = ((people.phones, phone_form), (people.emails, email_form), (people.wa_ids, wa_form))
    for texts, form_of in read:
        for text in texts:
            if (form := form_of(text)) is not None:
                yield form

"""Find a person's conversations by the keyed digests that were stored when they came in."""

from dataclasses import dataclass
from uuid import UUID

from django.db import connection

from apps.core.redaction import normalised
from apps.erasure.domain.subject import DataSubject
from apps.production.models import ProductionConversation
from apps.production.privacy.domain.contact_forms import last_digits
from apps.production.privacy.domain.people import CustomerPeople
from apps.production.privacy.services.pseudonyms import Pseudonyms, pseudonyms

# Whatever a digest is kept under: further ways to know a person are further keys of the same column.
_CONVERSATIONS = """
SELECT p.conversation_id, p.id_digest FROM production_productionconversation p
WHERE p.customer_ref_hmac = ANY(%(references)s) OR EXISTS (
  SELECT 1 FROM jsonb_each(p.person_digests) AS kind(name, listed), jsonb_array_elements_text(kind.listed) AS digest
  WHERE jsonb_typeof(kind.listed) = 'array' AND digest = ANY(%(people)s)
)
ORDER BY p.conversation_id
"""


@dataclass(frozen=True, slots=True)
class SubjectConversations:
    """Ids of conversations, the digests of the ids they were posted under, and those of the person."""

    ids: tuple[UUID, ...]
    id_digests: frozenset[str]
    person_digests: frozenset[str] = frozenset()


def conversations_of(subject: DataSubject) -> SubjectConversations:
    """One query of the tenant's conversations with customers, and one for the keys where there are any."""
    if not ProductionConversation.objects.exists():
        return SubjectConversations((), frozenset())
    people, references = _digests(subject, pseudonyms())
    with connection.cursor() as cursor:
        cursor.execute(_CONVERSATIONS, {"people": people, "references": references})
        rows = cursor.fetchall()
    ids, id_digests = tuple(row[0] for row in rows), frozenset(row[1] for row in rows)
    return SubjectConversations(ids, id_digests, frozenset(people))


def _digests(subject: DataSubject, keys: Pseudonyms) -> tuple[list[str], list[str]]:
    """Return digests under every key, as older versions made them too: of the person, and as a reference."""
    people = CustomerPeople(
        phones=[subject.phone] if subject.phone else [],
        emails=[subject.email] if subject.email else [],
        wa_ids=[subject.wa_id] if subject.wa_id else [],
    )
    each = [Pseudonyms(secret).of_people(people) for secret in (keys.secret, *keys.older)]
    digests = {digest for one in each for ones in one.values() for digest in ones}
    for number in (subject.phone, subject.wa_id):
        digests |= set(keys.digests("phone", last_digits(number))) if number else set()
    references = [one for one in (subject.customer_id, subject.wa_id, subject.phone) if one]
    named = {
        digest for reference in references for digest in keys.digests("customer_ref", normalised(reference).strip())
    }
    return sorted(digests), sorted(named)

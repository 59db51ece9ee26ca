"""People who work for the business: their names are masked wherever masking happens."""

from django.db import models
from django.db.models.functions import Lower

from apps.catalog.fields import EncryptedTextField
from apps.core.models import Row
from apps.core.states import choices
from apps.production.privacy.domain.listed_people import PersonRole


class ListedPerson(Row):
    """One name of the tenant's identity list. `name` is a full name: each word of three letters and more is masked."""

    name = models.CharField(max_length=200)
    role = models.CharField(max_length=10, choices=choices(PersonRole), default=PersonRole.STAFF)

    class Meta:
        verbose_name = "listed person"
        verbose_name_plural = "listed people"
        ordering = ["name"]
        constraints = [models.UniqueConstraint(Lower("name"), name="one_listed_person_per_name")]

    def __str__(self) -> str:
        return self.name


class PseudonymKey(Row):
    """The tenant's own key for digests of ids and people: who holds the database alone cannot try out phone numbers.

    Made when the first conversation comes. Stored encrypted under RATIBA_FIELD_KEY, whose rotation changes no digest.
    """

    number = models.PositiveSmallIntegerField(default=1)
    secret = EncryptedTextField()

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["number"], name="one_pseudonym_key_per_number")]

    def __str__(self) -> str:
        return f"key {self.number}"

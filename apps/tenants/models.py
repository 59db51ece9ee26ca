"""Tenants with their schemas, and the host names that lead to them. These tables live in the public schema only."""

from typing import Any, ClassVar

from django.db import models
from django_tenants.models import DomainMixin, TenantMixin

from apps.core.errors import Conflict


class Tenant(TenantMixin):
    """The owner of a schema. Made, changed and deleted by `apps.tenants.services` only.

    `ready` is false while the schema is behind the code (a migration runs or failed): no task and no page enters it
    then. `schema_key` is the digest of the migrations the schema was made by (schema_template.migration_key).
    """

    auto_create_schema = False  # services.add_tenant replays the template instead
    auto_drop_schema = False

    slug: Any = models.CharField(max_length=63, unique=True)
    name: Any = models.CharField(max_length=120)
    vertical: Any = models.CharField(max_length=63)
    ready: Any = models.BooleanField(default=False)
    suspended: Any = models.BooleanField(default=False)
    settings: Any = models.JSONField(default=dict, blank=True)
    schema_key: Any = models.CharField(max_length=64, blank=True, default="")
    created: Any = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                name="tenants_schema_name_form",
                condition=models.Q(schema_name="public")
                | models.Q(schema_name__regex=r"^(t_[a-z][a-z0-9_]{1,40}|test_tenant_[a-z0-9_]{1,40})$"),
            ),
        ]

    def __str__(self) -> str:
        return str(self.name)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        """Deletes the row only (services.delete_tenant drops the schema). Raises Conflict for the public schema."""
        self._refuse_public()
        kwargs.pop("force_drop", None)
        return models.Model.delete(self, *args, **kwargs)

    def _drop_schema(self, force_drop: bool = False) -> None:
        """django-tenants' own way to drop: with a row for `public` it would drop every shared table."""
        self._refuse_public()
        super()._drop_schema(force_drop)

    def _refuse_public(self) -> None:
        if self.schema_name == "public":
            raise Conflict("the public schema holds every tenant's address and cannot be deleted", code="public_schema")


class Tick(models.Model):
    """The time when a task of the schedule last ended well, one row for each.

    A scheduler that stopped can so be seen from outside.
    """

    name: Any = models.CharField(max_length=120, primary_key=True)
    succeeded_at: Any = models.DateTimeField()

    def __str__(self) -> str:
        return str(self.name)


class TenantActivity(models.Model):
    """Time of the last movement in a tenant, as far as its ticks are concerned (apps.jobs.active_tenants).

    It is a row a tenant.
    """

    tenant: Any = models.OneToOneField(Tenant, on_delete=models.CASCADE, primary_key=True)
    mark: Any = models.BigIntegerField(help_text="What its counters came to when they were last seen to differ.")
    moved_at: Any = models.DateTimeField()
    used: Any = models.BooleanField(default=False, help_text="Whether it ever had rows that owe work.")
    due_mark: Any = models.BigIntegerField(
        null=True, help_text="The `mark` at which `due_at` was read; since then quiet."
    )
    due_at: Any = models.DateTimeField(null=True, help_text="When its next row becomes due by the clock alone.")

    class Meta:
        default_permissions = ()  # nobody reads or writes them but the ticks

    def __str__(self) -> str:
        return f"moved at {self.moved_at}"


class TenantMetrics(models.Model):
    """The figures that a scrape read of a quiet tenant (ratiba_eval.tenant_metrics).

    They are true as long as the tenant's counters keep this `mark`.
    """

    tenant: Any = models.OneToOneField(Tenant, on_delete=models.CASCADE, primary_key=True)
    mark: Any = models.CharField(max_length=200)
    figures: Any = models.JSONField()

    class Meta:
        default_permissions = ()  # nobody reads or writes them but the scrapes

    def __str__(self) -> str:
        return str(self.mark)


class SignInTry(models.Model):
    """Tries to sign in without success, by account and address or by address alone (`key` is a digest of both)."""

    key: Any = models.CharField(max_length=64, primary_key=True)
    tries: Any = models.PositiveIntegerField(default=0)
    last_at: Any = models.DateTimeField()
    wait_until: Any = models.DateTimeField()

    class Meta:
        default_permissions = ()  # nobody reads or writes them but the sign-in

    def __str__(self) -> str:
        return f"{self.tries} tries"


class Domain(DomainMixin):
    """A host name that leads to a tenant."""


class ModelCoolDown(models.Model):
    """A model nobody asks before `until`, because it limits us. `key` tells address, key and model apart, and reveals
    none of them (connectors.cool_downs.key_of). `bucket` says how fast it is asked from then on (connectors.rates), by
    all workers together; the row is gone when the model takes all again."""

    key: Any = models.CharField(max_length=24, primary_key=True)
    provider: Any = models.CharField(max_length=60)
    model: Any = models.CharField(max_length=200)
    since: Any = models.DateTimeField()
    until: Any = models.DateTimeField()
    strikes: Any = models.PositiveIntegerField()
    bucket: Any = models.JSONField(null=True)

    class Meta:
        default_permissions = ()  # nobody reads or writes them but the workers

    def __str__(self) -> str:
        return f"{self.provider}/{self.model} until {self.until}"


class Node(models.Model):
    """A state folder with its log, on some machine: `key` stands in the folder, `name` is for people (host:folder).
    Whichever process works with it says every minute that it is there (apps.erasure.services.nodes)."""

    key: Any = models.CharField(max_length=36, primary_key=True)
    name: Any = models.CharField(max_length=300)
    seen_at: Any = models.DateTimeField()

    class Meta:
        default_permissions = ()  # nobody reads or writes them but erasures

    def __str__(self) -> str:
        return str(self.name)


class NodeErasure(models.Model):
    """A node's part of an erasure, until it is done: its files and its log are where no other machine reaches."""

    node: Any = models.ForeignKey(Node, on_delete=models.CASCADE, db_index=False)
    tenant: Any = models.ForeignKey(Tenant, on_delete=models.CASCADE)
    erasure_id: Any = models.UUIDField()
    everywhere: Any = models.BooleanField(help_text="Names too are searched in files that belong to no tenant.")
    not_before: Any = models.DateTimeField()

    class Meta:
        default_permissions = ()  # as above
        constraints = [models.UniqueConstraint(fields=["node", "tenant", "erasure_id"], name="one_part_of_a_node")]

    def __str__(self) -> str:
        return f"{self.node_id}: {self.erasure_id}"

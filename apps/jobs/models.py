"""Rows that owe work, and what all workers share whichever tenant they work for (that stands in the public schema)."""

from typing import Any

from django.db import models


class LeasedRow(models.Model):
    """A row that owes work (apps.jobs.services.leases). Who works on it holds a lease: one that has expired means that
    the worker is gone, and the row is owed again. `not_before` and `waiting_for` say until when and why it waits."""

    lease_token = models.UUIDField(null=True, blank=True)
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    not_before = models.DateTimeField(null=True, blank=True)
    waiting_for = models.CharField(max_length=200, blank=True)

    class Meta:
        abstract = True


class ModelCoolDown(models.Model):
    """A model nobody asks before `until`, because it limits us. `key` tells address, key and model apart, and reveals
    none of them (connectors.cool_downs.key_of); the row is gone when the model answers again."""

    key: Any = models.CharField(max_length=24, primary_key=True)
    provider: Any = models.CharField(max_length=60)
    model: Any = models.CharField(max_length=200)
    since: Any = models.DateTimeField()
    until: Any = models.DateTimeField()
    strikes: Any = models.PositiveIntegerField()

    class Meta:
        default_permissions = ()  # nobody reads or writes them but the workers

    def __str__(self) -> str:
        return f"{self.provider}/{self.model} until {self.until}"

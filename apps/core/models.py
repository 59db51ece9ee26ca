"""Abstract models. Ids are UUIDv7: they sort by time, so cursor pages and indexes stay cheap (RFC 9562 §5.7)."""

import uuid
from collections.abc import Iterable
from typing import Any, TypeVar

import uuid6
from django.db import models


def new_id() -> uuid.UUID:
    """A fresh UUIDv7."""
    return uuid.UUID(int=uuid6.uuid7().int)


class Row(models.Model):
    """A row with a time-ordered id and the time it was written."""

    id: Any = models.UUIDField(primary_key=True, default=new_id, editable=False)
    created_at: Any = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True


M = TypeVar("M", bound=models.Model, covariant=True)


class StateQuerySet(models.QuerySet[M]):
    """Rows that move through states by compare-and-set."""

    def advance(self, pk: Any, *, expected: str | Iterable[str], to: str, **fields: Any) -> bool:
        """Move one row from an expected state to another. False means somebody else was first: not an error.

        One query; safe to repeat. Extra fields are written in the same statement.
        """
        states = [expected] if isinstance(expected, str) else list(expected)
        return self.filter(pk=pk, status__in=states).update(status=to, **fields) == 1

"""Abstract models. Ids are UUIDv7: they sort by time, so cursor pages and indexes stay cheap (RFC 9562 §5.7)."""

import uuid
from typing import Any

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

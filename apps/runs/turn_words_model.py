"""The words that a turn is found by."""

from typing import Any

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models


class TurnWords(models.Model):
    """Written by a worker when the turn's conversation is over (services.word_index): writing a turn costs nothing.

    Words follow their turn whoever changes it, the eraser too: the trigger `turn_words_follow` (migration 0016) is the
    database's own, and none that the eraser passes by.
    """

    turn: Any = models.OneToOneField(
        "runs.Turn", primary_key=True, on_delete=models.DO_NOTHING, related_name="words", db_constraint=False
    )
    words = SearchVectorField()

    class Meta:
        default_permissions = ()
        indexes = [GinIndex(fields=["words"], name="turn_words_found", gin_pending_list_limit=512)]

    def __str__(self) -> str:
        return f"words of turn {self.pk}"

"""Answers of judges, kept so that nobody pays for the same question twice (docs/adr/0063)."""

from django.db import models


class KeptAnswer(models.Model):
    """What one model answered to one question about one conversation, its tighter repeat included.

    `key` is the SHA-256 of everything the answer hangs on (domain/cache_key.py). `body` is a checksum, a line break and
    JSON: whatever does not match its checksum is a miss. `cost_usd` is what the answer cost once: what a hit saves.
    """

    key = models.BinaryField(primary_key=True)
    body = models.TextField()
    cost_usd = models.DecimalField(max_digits=14, decimal_places=8, null=True)
    created_at = models.DateTimeField()
    last_used_at = models.DateTimeField()

    class Meta:
        verbose_name = "kept answer"

    def __str__(self) -> str:
        return bytes(self.key).hex()

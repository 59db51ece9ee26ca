"""Scenario families: what each is for, and which scenarios stood in it."""

from django.db import models

from apps.core.states import choices
from apps.improvement.holdout.domain.parts import Part


class FamilyPart(models.Model):
    """The part of a scenario family, placed once: editing its scenarios moves nothing. `set_number` is that of the
    hold-out set it belongs to, or belonged to before its looks were spent; 0: it never was in one. `follows` names the
    family that held one of its scenarios before: they stay together."""

    id = models.BigAutoField(primary_key=True)
    family = models.CharField(max_length=150)
    part = models.CharField(max_length=10, choices=choices(Part))
    set_number = models.PositiveSmallIntegerField(default=0)
    drawn_at = models.DateTimeField()
    follows = models.CharField(max_length=150, blank=True, default="", db_default="")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["family"], name="one_part_per_family")]

    def __str__(self) -> str:
        return f"{self.family}: {self.part}"


class FamilyMember(models.Model):
    """Scenario, by its words, that was in a family when families were placed.

    Renaming either makes nothing fresh. `words` are apps.catalog.personas.domain.near_duplicates.wording, and `digest`
    is theirs.
    """

    id = models.BigAutoField(primary_key=True)
    family = models.CharField(max_length=150)
    slug = models.CharField(max_length=150)
    digest = models.CharField(max_length=64)
    words = models.JSONField(default=list)
    seen_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["family", "slug", "digest"], name="one_member_per_wording")]

    def __str__(self) -> str:
        return f"{self.slug} in {self.family}"

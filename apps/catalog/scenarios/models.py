"""Scenarios that battles play, and whether each may be played yet."""

from typing import Any

from django.db import models
from django.db.models import Q

from apps.catalog.domain.states import ScenarioStatus
from apps.catalog.personas.models import Persona
from apps.core.models import Row, StateQuerySet
from apps.core.states import choices


class ScenarioQuerySet(StateQuerySet["Scenario"]):
    """Scenarios, as they are read: who plays or offers them begins with `playable`."""

    def playable(self) -> "ScenarioQuerySet":
        """Return the scenarios that a person released: the meaning of "all" everywhere."""
        return self.filter(status=ScenarioStatus.RELEASED)


class Scenario(Row):
    """A scenario for battles: persona, goal, opening, language. `slug` is the `id:` of its YAML file; `script` and
    `assertions` are as apps.catalog.scenarios.domain.script and scenario_assertions read them, `must_not` as
    scenario_document reads it.

    `origin` says where it came from ("production", "" by hand or file), `provenance` what it was made of ({"feedback",
    "conversation_id", "run_id", "prompt_version"}). Scenarios of one `family` ask the same thing in other words and
    count once; "" is a family of its own, named like the scenario. `released_by` and `released_at` say which person
    let it play.
    """

    slug = models.CharField(max_length=150, verbose_name="id")
    persona: Any = models.ForeignKey(
        Persona, null=True, blank=True, on_delete=models.PROTECT, related_name="scenarios", db_index=False
    )
    goal = models.TextField(blank=True)
    opening = models.TextField(blank=True)
    language = models.CharField(max_length=20, blank=True)
    max_turns = models.PositiveSmallIntegerField(default=20)
    script = models.JSONField(default=dict, blank=True, db_default={})
    assertions = models.JSONField(default=list, blank=True)
    must_not = models.JSONField(default=list, blank=True, db_default=[])
    family = models.CharField(max_length=150, blank=True, default="", db_default="")
    status = models.CharField(
        max_length=20,
        choices=choices(ScenarioStatus),
        default=ScenarioStatus.RELEASED,
        db_default=ScenarioStatus.RELEASED,
    )
    origin = models.CharField(max_length=200, blank=True, default="", db_default="")
    provenance = models.JSONField(default=dict, blank=True, db_default={})
    released_by = models.CharField(max_length=150, blank=True, default="", db_default="")
    released_at = models.DateTimeField(null=True, blank=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = ScenarioQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["slug"], name="one_scenario_per_id"),
            models.CheckConstraint(condition=Q(max_turns__gte=1, max_turns__lte=400), name="max_turns_1_to_400"),
            # What came from a customer plays only when a person let it, and only where it can fail.
            models.CheckConstraint(
                condition=~Q(origin="production", status="released")
                | (Q(released_at__isnull=False) & ~Q(released_by="") & ~Q(must_not=[], assertions=[])),
                name="a_person_released_it",
            ),
        ]

    def __str__(self) -> str:
        return self.slug

    @property
    def family_name(self) -> str:
        """The cluster that its results count in."""
        return self.family or self.slug

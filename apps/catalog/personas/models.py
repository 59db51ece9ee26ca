"""Simulated customers, and what the database itself holds of their lifecycle."""

from typing import Any

import pgtrigger
from django.db import models
from django.db.models import Q

from apps.catalog.domain.states import PERSONA_MOVES, PersonaOrigin, PersonaStatus, pairs
from apps.catalog.personas.domain.rules import why_not_eligible
from apps.catalog.personas.domain.work import PersonaWorkStatus
from apps.core.models import Row, StateQuerySet
from apps.core.states import choices
from apps.jobs.models import LeasedRow

_EDITED = (
    "(OLD.text IS DISTINCT FROM NEW.text OR OLD.spec IS DISTINCT FROM NEW.spec"
    " OR OLD.language IS DISTINCT FROM NEW.language)"
)
_SAYS_WHY = """OLD.status <> NEW.status AND (
    (NEW.status = 'validated' AND NOT NEW.scores ?& ARRAY['naturalness', 'coherence', 'testability'])
    OR (NEW.status = 'rejected' AND NEW.rejection_reason = '')
    OR (NEW.status = 'approved_override'
        AND (NEW.override_by = '' OR NEW.override_reason = '' OR NEW.overridden_at IS NULL)))"""


class PersonaQuerySet(StateQuerySet["Persona"]):
    """Personas, and which of them may play."""

    def eligible(self) -> "PersonaQuerySet":
        """Return the personas that may play in a battle. The trigger on conversations reads the same column."""
        return self.filter(may_play=True)


class Persona(Row):
    """A simulated customer: a simulator plays `text` and, where there is one, the structured `spec`
    (personas.domain.spec).

    `scores` are the validator's ({"naturalness", "coherence", "testability"}, 1–10), `validation` how it came to them
    ({"weighted", "reasons", "model" or "by", "probes": [{"conversation", "verdict", …}]}). `may_play` is worked out by
    the database: validated and, where `needs_release`, released by a curator; or approved against the validator by
    somebody who says why. Triggers refuse moves that are not allowed or do not say why, and edits that keep a verdict.
    """

    name = models.CharField(max_length=100)
    language = models.CharField(max_length=20, blank=True)
    text = models.TextField()
    spec: Any = models.JSONField(default=dict, blank=True, db_default={})
    origin = models.CharField(
        max_length=20,
        choices=choices(PersonaOrigin),
        default=PersonaOrigin.HAND.value,
        db_default=PersonaOrigin.HAND.value,
    )
    status = models.CharField(max_length=20, choices=choices(PersonaStatus), default=PersonaStatus.PENDING_VALIDATION)
    scores: Any = models.JSONField(default=dict, blank=True)
    validation: Any = models.JSONField(default=dict, blank=True, db_default={})
    rejection_reason = models.TextField(blank=True)
    override_by = models.CharField(max_length=150, blank=True, default="", db_default="")
    override_reason = models.TextField(blank=True, default="", db_default="")
    overridden_at = models.DateTimeField(null=True, blank=True)
    needs_release = models.BooleanField(default=False, db_default=False)
    released_by = models.CharField(max_length=150, blank=True, default="", db_default="")
    released_at = models.DateTimeField(null=True, blank=True)
    may_play = models.GeneratedField(
        expression=Q(status=PersonaStatus.APPROVED_OVERRIDE.value)  # type: ignore[arg-type]  # the stubs know no Q here
        | Q(status=PersonaStatus.VALIDATED.value, needs_release=False)
        | Q(status=PersonaStatus.VALIDATED.value, released_at__isnull=False),
        output_field=models.BooleanField(),
        db_persist=True,
    )
    updated_at = models.DateTimeField(auto_now=True)

    objects = PersonaQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["name"], name="one_persona_per_name"),
            models.CheckConstraint(
                condition=Q(released_at__isnull=True)
                | Q(status__in=[PersonaStatus.VALIDATED.value, PersonaStatus.ARCHIVED.value]) & ~Q(released_by=""),
                name="released_when_validated_by_somebody",
            ),
        ]
        triggers = [
            pgtrigger.FSM(name="persona_lifecycle", field="status", transitions=pairs(PERSONA_MOVES)),
            pgtrigger.ReadOnly(name="persona_origin_stays", fields=["origin", "needs_release"]),
            pgtrigger.Protect(
                name="persona_starts_pending",
                operation=pgtrigger.Insert,
                condition=pgtrigger.Condition("NEW.status <> 'pending_validation'"),
            ),
            pgtrigger.Protect(
                name="persona_move_says_why", operation=pgtrigger.Update, condition=pgtrigger.Condition(_SAYS_WHY)
            ),
            pgtrigger.Protect(
                name="edited_is_validated_again",
                operation=pgtrigger.Update,
                condition=pgtrigger.Condition(f"({_EDITED} AND NEW.status <> 'pending_validation')"),
            ),
            pgtrigger.Protect(
                name="persona_stays",
                operation=pgtrigger.Delete,
                condition=pgtrigger.Condition("OLD.status <> 'pending_validation'"),
            ),
        ]

    def why_not(self) -> str:
        """Say why the persona may not play; "" where it may."""
        released = self.released_at is not None
        return why_not_eligible(status=self.status, needs_release=self.needs_release, released=released)

    def __str__(self) -> str:
        return self.name


class PersonaWork(LeasedRow, Row):
    """The shared fields of every piece of work for personas. `wait_code` is the reason for waiting; `limited_since` is
    the time from which its model has answered nothing but 429."""

    status = models.CharField(max_length=20, choices=choices(PersonaWorkStatus), default=PersonaWorkStatus.PENDING)
    attempts = models.PositiveSmallIntegerField(default=0)
    wait_code = models.CharField(max_length=60, blank=True, default="", db_default="")
    limited_since = models.DateTimeField(null=True, blank=True)
    error_message = models.TextField(blank=True)
    requested_by = models.CharField(max_length=150, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = StateQuerySet.as_manager()

    class Meta:
        abstract = True


class PersonaGeneration(PersonaWork):
    """A set of personas to be written by a model, one for each slot of a grid. Progress is counted from `made`.

    `slots` is the frozen list of what is wanted: [{"language", "goal", "temper"}]; `material` what the model is told
    of the agent ({"agent", "profile", "feedback"}); `model` who is asked. `refused` says what was not taken, and why:
    [{"slot", "round", "why"}]. `rounds` counts how often slots that were empty were asked for. `people` is how many
    different people it holds ({"of", "different", "same", "why"}), None until that was asked, once.
    """

    agent = models.ForeignKey("catalog.Agent", on_delete=models.PROTECT, related_name="+", db_index=False)
    slots = models.JSONField()
    material = models.JSONField(default=dict)
    model = models.JSONField(default=dict)
    refused = models.JSONField(default=list, blank=True)
    rounds = models.PositiveSmallIntegerField(default=0)
    people = models.JSONField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{len(self.slots)} personas"


class GeneratedPersona(models.Model):
    """Which slot of a generation a persona fills: each is filled once."""

    persona = models.OneToOneField(
        "catalog.Persona", primary_key=True, on_delete=models.PROTECT, related_name="generated"
    )
    generation = models.ForeignKey(PersonaGeneration, on_delete=models.PROTECT, related_name="made", db_index=False)
    slot = models.PositiveSmallIntegerField()

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["generation", "slot"], name="one_persona_per_slot")]

    def __str__(self) -> str:
        return f"slot {self.slot} of {self.generation_id}"


class PersonaValidation(PersonaWork):
    """One validation of a persona as it stood: rated by a model, then tried in probe dialogues.

    `subject` is what was judged ({"name", "language", "text", "spec"}) and `digest` its hash: a persona edited
    meanwhile is not judged by this answer. `rating` is {"scores", "reasons", "model"}; `probe_run` the run of kind
    probe; `probes` what they came to: [{"conversation", "probe", "verdict", "behaviours": [{"name", "verdict", …}]}].
    """

    persona = models.ForeignKey("catalog.Persona", on_delete=models.PROTECT, related_name="validations")
    digest = models.CharField(max_length=64)
    subject = models.JSONField()
    model = models.JSONField(default=dict)
    rating = models.JSONField(default=dict, blank=True)
    probe_run = models.UUIDField(null=True, blank=True)
    probes = models.JSONField(default=list, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["persona"], name="one_open_validation", condition=Q(status=PersonaWorkStatus.PENDING)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.status} validation"

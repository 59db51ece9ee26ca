"""What is to be done for personas: sets to be generated, personas to be validated. The room `personas` does it."""

from django.db import models
from django.db.models import Q

from apps.catalog.domain.persona_work import PersonaWorkStatus
from apps.core.models import Row, StateQuerySet
from apps.core.states import choices
from apps.jobs.models import LeasedRow


class PersonaWork(LeasedRow, Row):
    """What every piece of work for personas has. `wait_code` says what it waits for; `limited_since` from when on its
    model has answered nothing but 429."""

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

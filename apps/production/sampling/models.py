"""Rules for judging real conversations, their samples, and the conversations that watch the judge."""

from typing import Any

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from apps.core.models import Row, StateQuerySet
from apps.core.states import choices
from apps.jobs.models import LeasedRow
from apps.production.sampling.domain.states import AnchorSetStatus, DrawStatus, GradingStatus, SamplingBasis


class SamplingRule(Row):
    """Rule of sampling: which conversations (filter), how many (rate), who judges (evaluator config).

    An empty filter takes all. `rate` None is the tenant's setting. `evaluator_config` is a name, whose active version
    judges, or name@version. `drawn_until` is up to when windows are drawn, `due_at` when the next one is.
    """

    name = models.CharField(max_length=100, unique=True)
    enabled = models.BooleanField(default=True)
    agent: Any = models.ForeignKey("catalog.Agent", on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    channel = models.CharField(max_length=100, blank=True)
    language = models.CharField(max_length=20, blank=True)
    prompt_version = models.CharField(max_length=200, blank=True)
    rate = models.FloatField(null=True, blank=True, validators=[MinValueValidator(0.0), MaxValueValidator(1.0)])
    evaluator_config = models.CharField(max_length=200)
    drawn_until = models.DateTimeField(null=True, blank=True, editable=False)
    due_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(
                condition=Q(rate__isnull=True) | Q(rate__gte=0.0, rate__lte=1.0), name="a_rate_is_a_share"
            )
        ]

    def __str__(self) -> str:
        return self.name


class SampleDraw(Row):
    """One window (`starts`, six hours) of a rule, drawn once. `population` is how many settled in it, by group:
    [{"stratum", "language", "agent", "prompt_version", "request", "n"}]. `why` says why nothing was drawn."""

    rule = models.ForeignKey(SamplingRule, on_delete=models.PROTECT, related_name="draws")
    starts = models.DateTimeField()
    status = models.CharField(max_length=20, choices=choices(DrawStatus))
    rate = models.FloatField()
    population = models.JSONField(default=list)
    settled = models.PositiveIntegerField(default=0)
    why = models.CharField(max_length=300, blank=True)

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["rule", "starts"], name="one_draw_per_window")]

    def __str__(self) -> str:
        return f"{self.status} {self.starts}"


class SampledConversation(models.Model):
    """A real conversation that a rule has judged, and why. One of a rule is judged once, whatever else is said of it
    later. `stratum` is where it stood in its window, and `request` its kind (intake.domain.request_kinds);
    "" where it was not drawn by chance, or nobody counted kinds then."""

    id = models.BigAutoField(primary_key=True)
    draw = models.ForeignKey(SampleDraw, on_delete=models.PROTECT, related_name="conversations", null=True, blank=True)
    rule = models.ForeignKey(SamplingRule, on_delete=models.PROTECT, related_name="+", db_index=False)
    conversation: Any = models.ForeignKey("runs.Conversation", on_delete=models.PROTECT, related_name="sampled")
    evaluation: Any = models.ForeignKey("evaluations.Evaluation", on_delete=models.PROTECT, related_name="+")
    stratum = models.CharField(max_length=80, blank=True)
    request = models.CharField(max_length=40, blank=True, default="", db_default="")
    basis = models.CharField(max_length=20, choices=choices(SamplingBasis))

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["rule", "conversation"], name="one_sample_per_rule_and_conversation")
        ]

    def __str__(self) -> str:
        return f"{self.basis} {self.conversation_id}"


class AnchorSet(LeasedRow, Row):
    """Frozen conversations that people labelled, which the judge is asked about every week, past its answers of before:
    whether it still says the same.

    `run` holds their masked copies; `evaluator_config` is frozen with its number. Five gradings are the baseline, and
    each week adds one (AnchorGrading). `not_before` is when there is something to do again.
    """

    run: Any = models.OneToOneField("runs.TestRun", on_delete=models.PROTECT, related_name="anchor_set")
    evaluator_config = models.CharField(max_length=200)
    status = models.CharField(max_length=20, choices=choices(AnchorSetStatus), default=AnchorSetStatus.ACTIVE)
    anchors = models.PositiveSmallIntegerField()
    made_by = models.CharField(max_length=150)

    objects = StateQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["evaluator_config"], name="one_anchor_set_per_judge", condition=Q(status="active")
            )
        ]

    def __str__(self) -> str:
        return f"{self.anchors} anchors of {self.evaluator_config}"


class AnchorGrading(Row):
    """One time that the judge was asked about every anchor: `number` 1 to 5 are the baseline, later ones a week each.
    `result` is what a week came to (sampling.domain.anchor_test), and who moved; final once it is done."""

    anchor_set = models.ForeignKey(AnchorSet, on_delete=models.PROTECT, related_name="gradings")
    number = models.PositiveSmallIntegerField()
    evaluation: Any = models.OneToOneField("evaluations.Evaluation", on_delete=models.PROTECT, related_name="+")
    status = models.CharField(max_length=20, choices=choices(GradingStatus), default=GradingStatus.PENDING)
    result = models.JSONField(default=dict, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = StateQuerySet.as_manager()

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["anchor_set", "number"], name="one_anchor_grading_per_number")]

    def __str__(self) -> str:
        return f"grading {self.number} of {self.anchor_set_id}"

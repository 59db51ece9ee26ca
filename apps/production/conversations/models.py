"""Conversations of real customers, and their ratings."""

from typing import Any

from django.db import models
from django.db.models import Q, Value

from apps.catalog.fields import EncryptedTextField
from apps.core.models import Row, StateQuerySet
from apps.core.states import choices
from apps.jobs.models import LeasedRow
from apps.production.conversations.domain.promotion_states import DraftWork, RoundStatus, SignalKind
from apps.production.conversations.domain.ratings import Rating


class ProductionConversation(Row):
    """A conversation with a real customer, beside its masked turns (`conversation`, of kind production).

    It is open until `settle_at`, or until a document says `ended`, and takes more turns meanwhile; then `settled_at`
    is set and it changes no more. Until then `people` holds, encrypted, whom its masking knows. `external_id` is the
    caller's id, masked where it tells something; it is found by `id_digest`. Digests are HMACs under PseudonymKey:
    `document_digest` of the last document, `turn_digests` of each turn as it came (while it is open), `person_digests`
    {"phone": […], "email": […]} and `customer_ref_hmac` of who it was, `name_digests` of the names' words, by which a
    later comment is masked. `prompt_versions` are all that answered it, `prompt_version` the one that was named last;
    `caller` is whose customer it was (the router's `tenant_id`), and `bucket` 0-99 where the router's hash puts it.
    `trace_id` is the agent's own trace of it, where it said so.
    From `keep_until` on, turns, comments and digests go, and `deleted_at` says when they did.
    """

    conversation = models.OneToOneField("runs.Conversation", on_delete=models.PROTECT, related_name="production")
    external_id = models.CharField(max_length=260)
    id_digest = models.CharField(max_length=64)
    document_digest = models.CharField(max_length=64, blank=True)
    turn_digests = models.JSONField(default=list, blank=True, db_default=Value([], models.JSONField()))
    name_digests = models.JSONField(default=list, blank=True, db_default=Value([], models.JSONField()))
    person_digests = models.JSONField(default=dict, blank=True, db_default=Value({}, models.JSONField()))
    customer_ref_hmac = models.CharField(max_length=64, blank=True)
    people = EncryptedTextField(blank=True)
    prompt_version = models.CharField(max_length=200, blank=True)
    prompt_versions = models.JSONField(default=list, blank=True, db_default=Value([], models.JSONField()))
    alias = models.CharField(max_length=10, blank=True, default="", db_default="")
    caller = models.UUIDField(null=True, blank=True)
    bucket = models.PositiveSmallIntegerField(null=True, blank=True)
    cost_usd = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    transferred = models.BooleanField(null=True, blank=True)
    channel = models.CharField(max_length=100, blank=True)
    trace_id = models.CharField(max_length=32, blank=True, default="", db_default="")
    ended = models.BooleanField(default=False)
    settle_at = models.DateTimeField()
    settled_at = models.DateTimeField(null=True, blank=True)
    keep_until = models.DateTimeField()
    deleted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["id_digest"], name="one_production_conversation_per_id")]
        indexes = [
            models.Index(fields=["settled_at"], name="production_settled", condition=Q(settled_at__isnull=False)),
            models.Index(fields=["settle_at"], name="production_unsettled", condition=Q(settled_at__isnull=True)),
            models.Index(fields=["keep_until"], name="production_kept", condition=Q(deleted_at__isnull=True)),
            models.Index(
                fields=["customer_ref_hmac"], name="production_of_customer", condition=~Q(customer_ref_hmac="")
            ),
        ]

    def __str__(self) -> str:
        return self.external_id


class Feedback(Row):
    """The opinion of a customer, or of a person of the team (`given_by`), on a production conversation. `comment` is
    masked, and goes with the conversation's turns; `message_digest` is that of the id of the message it came in, so
    that who takes the message back takes the comment back."""

    conversation: Any = models.ForeignKey("runs.Conversation", on_delete=models.PROTECT, related_name="feedback")
    external_id = models.CharField(max_length=260, blank=True)
    id_digest = models.CharField(max_length=64)
    rating = models.CharField(max_length=10, choices=choices(Rating))
    comment = models.TextField(blank=True)
    channel = models.CharField(max_length=100, blank=True)
    given_by = models.CharField(max_length=150, blank=True)
    given_at = models.DateTimeField()
    message_digest = models.CharField(max_length=64, blank=True, default="", db_default="")

    class Meta:
        verbose_name_plural = "feedback"
        constraints = [models.UniqueConstraint(fields=["id_digest"], name="one_feedback_per_id")]
        indexes = [
            models.Index(fields=["rating", "given_at"], name="feedback_by_rating"),
            models.Index(fields=["created_at"], name="feedback_by_arrival"),
            models.Index(fields=["message_digest"], name="feedback_message", condition=~models.Q(message_digest="")),
        ]

    def __str__(self) -> str:
        return f"{self.rating} of {self.conversation_id}"


class Promotion(LeasedRow, Row):
    """A conversation as a scenario, beside that scenario: what was said, masked, and why it is here.

    `transcript` is [{"role", "content", "tool_calls"?}], masked (privacy.domain.masked_conversation): it stays when the
    conversation's own turns are deleted. `signals` say why it was promoted: [{"kind", "text", "at"}]. `residues` is
    what the second check found after masking, {"kind", "turn", "quote"}: while there are any and nobody cleared them,
    the scenario is not released. `persona` is a draft of who the customer is. `drafted_by` is "rules" or the model that
    worded goal and persona; `draft_work` says whether a model is still to be asked, `draft_note` why its answer was not
    taken.
    """

    conversation: Any = models.OneToOneField("runs.Conversation", on_delete=models.PROTECT, related_name="promotion")
    scenario: Any = models.OneToOneField("catalog.Scenario", on_delete=models.PROTECT, related_name="promotion")
    transcript = models.JSONField(default=list)
    signals = models.JSONField(default=list, blank=True)
    residues = models.JSONField(default=list, blank=True, db_default=Value([], models.JSONField()))
    cleared_by = models.CharField(max_length=150, blank=True, default="", db_default="")
    cleared_at = models.DateTimeField(null=True, blank=True)
    persona = models.TextField(blank=True, default="", db_default="")
    drafted_by = models.CharField(max_length=200, default="rules", db_default="rules")
    draft_work = models.CharField(
        max_length=20, choices=choices(DraftWork), default=DraftWork.NONE, db_default=DraftWork.NONE
    )
    draft_note = models.TextField(blank=True, default="", db_default="")
    attempts = models.PositiveSmallIntegerField(default=0, db_default=0)
    promoted_by = models.CharField(max_length=150)

    objects = StateQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(cleared_at__isnull=True, cleared_by="") | Q(cleared_at__isnull=False) & ~Q(cleared_by=""),
                name="a_person_cleared_it",
            ),
        ]

    def __str__(self) -> str:
        return f"promotion of {self.conversation_id}"

    @property
    def blocked(self) -> bool:
        """Tell whether a person has to look at what masking may have left."""
        return bool(self.residues) and self.cleared_at is None

    @property
    def keeps_good(self) -> bool:
        """Tell whether the conversation went surprisingly well, and nobody was discontent with it since."""
        kinds = {signal["kind"] for signal in self.signals}
        return SignalKind.SURPRISINGLY_GOOD in kinds and SignalKind.THUMBS_DOWN not in kinds

    @property
    def masking(self) -> str:
        """The word of it: blocked, cleared, or clean."""
        return "blocked" if self.blocked else "cleared" if self.residues else "clean"


class PromotionRound(LeasedRow, Row):
    """One weekly look at what customers did not like, and at what surprised: due at `not_before`. It covers what came
    from `since` on; `outcome` is what it came to ({"promoted", "known", "surprising", "more_surprising", "refused":
    [{"conversation", "code", "sentence"}]})."""

    status = models.CharField(max_length=20, choices=choices(RoundStatus), default=RoundStatus.PENDING)
    since = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    outcome = models.JSONField(default=dict, blank=True)

    objects = StateQuerySet.as_manager()

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["status"], name="one_round_is_due", condition=Q(status="pending")),
        ]

    def __str__(self) -> str:
        return f"{self.status} round of {self.not_before}"

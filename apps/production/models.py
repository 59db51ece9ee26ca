"""What real customers said, and how they rated it."""

from typing import Any

from django.db import models
from django.db.models import Q, Value

from apps.catalog.fields import EncryptedTextField
from apps.core.models import Row
from apps.core.states import choices
from apps.production.domain.ratings import Rating
from apps.production.langfuse_models import LangfuseDeletion, LangfuseSource
from apps.production.otlp_model import OtlpReceiver
from apps.production.people_models import ListedPerson
from apps.production.promotion_model import Promotion, PromotionRound
from apps.production.rollout_model import Rollout, RolloutConversation, RolloutEvent
from apps.production.sampling_models import AnchorGrading, AnchorSet, SampledConversation, SampleDraw, SamplingRule
from apps.production.trace_models import TraceNotice, TraceSpan
from apps.production.whatsapp_models import (
    FeedbackOptOut,
    FeedbackQuestion,
    PendingComment,
    WhatsAppAccount,
    WhatsAppContact,
    WhatsAppPost,
)

__all__ = [
    "AnchorGrading",
    "AnchorSet",
    "Feedback",
    "FeedbackOptOut",
    "FeedbackQuestion",
    "LangfuseDeletion",
    "LangfuseSource",
    "ListedPerson",
    "OtlpReceiver",
    "PendingComment",
    "ProductionConversation",
    "Promotion",
    "PromotionRound",
    "PseudonymKey",
    "Rollout",
    "RolloutConversation",
    "RolloutEvent",
    "SampleDraw",
    "SampledConversation",
    "SamplingRule",
    "TraceNotice",
    "TraceSpan",
    "WhatsAppAccount",
    "WhatsAppContact",
    "WhatsAppPost",
]


class PseudonymKey(Row):
    """The tenant's own key for digests of ids and people: who holds the database alone cannot try out phone numbers.

    Made when the first conversation comes. Stored encrypted under RATIBA_FIELD_KEY, whose rotation changes no digest.
    """

    number = models.PositiveSmallIntegerField(default=1)
    secret = EncryptedTextField()

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["number"], name="one_pseudonym_key_per_number")]

    def __str__(self) -> str:
        return f"key {self.number}"


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
    """What a customer, or a person of the team (`given_by`), said of a production conversation. `comment` is masked,
    and goes with the conversation's turns; `message_digest` is that of the id of the message it came in, so that who
    takes the message back takes the comment back."""

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

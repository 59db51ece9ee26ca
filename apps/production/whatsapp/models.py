"""WhatsApp: whose numbers they are, what Meta posted, who waits with a comment, and which questions were sent."""

from typing import Any

from django.db import models
from django.db.models import Q, Value

from apps.catalog.fields import EncryptedTextField
from apps.core.models import Row, StateQuerySet
from apps.core.states import choices
from apps.jobs.models import LeasedRow
from apps.production.whatsapp.domain.states import PostStatus, QuestionStatus


class WhatsAppAccount(Row):
    """A number of the business, and the secrets of the Meta app that is subscribed to it. `app_secret` verifies what is
    posted, `verify_token` answers the subscription, `access_token` sends; all encrypted and never shown."""

    name = models.CharField(max_length=100, unique=True)
    phone_number_id = models.CharField(max_length=40, blank=True)
    app_secret = EncryptedTextField(blank=True, default="")
    verify_token = EncryptedTextField(blank=True, default="")
    access_token = EncryptedTextField(blank=True, default="")
    graph_url = models.CharField(max_length=200, default="https://graph.facebook.com")
    graph_version = models.CharField(max_length=10, default="v24.0")
    asks = models.BooleanField(default=False)
    ask_again_days = models.PositiveSmallIntegerField(default=7)
    question = models.CharField(max_length=1024, blank=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = "WhatsApp account"
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class WhatsAppPost(LeasedRow, Row):
    """One signed POST of Meta's, as it came: `body` is encrypted, and gone as soon as it was worked through. `digest`
    is that of its bytes, so that a repeated one is the same row; `outcome` counts what became of what was in it."""

    digest = models.CharField(max_length=64, unique=True)
    body = EncryptedTextField(blank=True)
    status = models.CharField(max_length=10, choices=choices(PostStatus), default=PostStatus.PENDING)
    attempts = models.PositiveIntegerField(default=0)
    outcome = models.JSONField(default=dict, blank=True, db_default=Value({}, models.JSONField()))

    objects = StateQuerySet.as_manager()

    class Meta:
        default_permissions = ()
        indexes = [models.Index(fields=["created_at"], name="whatsapp_post_pending", condition=Q(status="pending"))]

    def __str__(self) -> str:
        return f"post {self.digest[:8]}"


class WhatsAppContact(Row):
    """A note that a number and a BSUID are one contact, since one of them may be absent from later posts.

    Both are kept as digests under PseudonymKey.
    """

    phone_digest = models.CharField(max_length=64)
    user_digest = models.CharField(max_length=64)
    seen_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["phone_digest", "user_digest"], name="one_whatsapp_contact")]
        indexes = [models.Index(fields=["user_digest"], name="whatsapp_contact_user")]

    def __str__(self) -> str:
        return "contact"


class FeedbackOptOut(Row):
    """A person who is not asked any more: a digest under PseudonymKey."""

    person_digest = models.CharField(max_length=64, unique=True)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return "opt-out"


class PendingComment(Row):
    """A comment that is awaited: somebody pressed 💬.

    Their next message in words until `closes_at`, or one that quotes the message with the buttons, is their comment.
    All of a person in it is digests, but for `recipient`: encrypted, to ask for the words, and gone as soon as they
    were asked for, or at `closes_at`.
    """

    conversation: Any = models.ForeignKey("runs.Conversation", on_delete=models.CASCADE, related_name="+")
    press_digest = models.CharField(max_length=64, unique=True)
    context_digest = models.CharField(max_length=64, blank=True)
    sender_digests = models.JSONField(default=list)
    pressed_at = models.DateTimeField()
    closes_at = models.DateTimeField()
    recipient = EncryptedTextField(blank=True, default="", db_default="")
    account: Any = models.ForeignKey(WhatsAppAccount, on_delete=models.SET_NULL, null=True, related_name="+")
    begun_attempt = models.IntegerField(default=-1, db_default=-1)

    class Meta:
        default_permissions = ()
        indexes = [
            models.Index(fields=["closes_at"], name="pending_comment_closes"),
            models.Index(fields=["context_digest"], name="pending_comment_context"),
        ]

    def __str__(self) -> str:
        return f"comment on {self.conversation_id}"


class FeedbackQuestion(Row):
    """The three buttons, sent after a conversation. `recipient` is encrypted and gone as soon as they are sent, or at
    `expires_at`: the end of WhatsApp's 24-hour window. `message_digest` is that of Meta's id of the message."""

    conversation: Any = models.OneToOneField(
        "runs.Conversation", on_delete=models.PROTECT, related_name="feedback_question"
    )
    account: Any = models.ForeignKey(WhatsAppAccount, on_delete=models.CASCADE, related_name="+")
    recipient = EncryptedTextField(blank=True)
    person_digests = models.JSONField(default=list)
    language = models.CharField(max_length=20, blank=True)
    status = models.CharField(max_length=10, choices=choices(QuestionStatus), default=QuestionStatus.PENDING)
    begun_attempt = models.IntegerField(default=-1)
    message_digest = models.CharField(max_length=64, blank=True)
    error_code = models.IntegerField(null=True, blank=True)
    error = models.CharField(max_length=300, blank=True)
    expires_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, blank=True)

    objects = StateQuerySet.as_manager()

    class Meta:
        default_permissions = ()
        indexes = [
            models.Index(fields=["message_digest"], name="question_message", condition=~Q(message_digest="")),
            models.Index(fields=["expires_at"], name="question_recipient", condition=~Q(recipient="")),
        ]

    def __str__(self) -> str:
        return f"question about {self.conversation_id}"

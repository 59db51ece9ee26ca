"""Judges against people: what was asked of a calibration, the certificate it led to, and the monthly labelling."""

from typing import Any

import pgtrigger
from django.db import models

from apps.calibration.domain.agreement_with_people import CertificateVerdict
from apps.calibration.round_models import LabellingItem, LabellingRound, LabelResolution, RatingLease
from apps.core.models import Row
from apps.core.states import choices
from apps.runs.final_rows import NO_WORDS, final_but_for_words

__all__ = [
    "Calibration",
    "Certificate",
    "CertificateRevocation",
    "ConversationNote",
    "HumanLabel",
    "LabelResolution",
    "LabellingItem",
    "LabellingRound",
    "NonBlindLabel",
    "Rater",
    "RatingLease",
]

# What people wrote of a conversation: it goes with a real customer's words (services.word_deletion).
REASON, TEXT = {"reason": NO_WORDS}, {"text": NO_WORDS}


class Calibration(Row):
    """A judge to be compared with people: labels and rule, written down before the judge has answered.

    `labels` is the label set as JSON (apps.calibration.domain.labels), `declared` the rule that will decide. Owed until
    it has a certificate; paid when its evaluation has ended.
    """

    evaluation = models.ForeignKey(
        "evaluations.Evaluation", on_delete=models.PROTECT, related_name="calibrations", db_index=False
    )
    labels = models.JSONField()
    declared = models.JSONField()
    asked_by = models.CharField(max_length=150, blank=True)

    class Meta:
        triggers = [pgtrigger.Protect(name="declared_beforehand", operation=pgtrigger.Update | pgtrigger.Delete)]

    def __str__(self) -> str:
        return f"calibration of {self.evaluation_id}"


class Certificate(Row):
    """The result of a calibration, for one fingerprint: per criterion and language how well the judge agrees with
    people, and whether that is enough. Final in the database; it ends by `valid_until` or when the judge changes."""

    calibration = models.OneToOneField(Calibration, on_delete=models.PROTECT, related_name="certificate")
    fingerprint = models.CharField(max_length=64)
    config_ref = models.CharField(max_length=200)
    verdict = models.CharField(max_length=15, choices=choices(CertificateVerdict))
    items = models.JSONField()
    declared = models.JSONField()
    labels_digest = models.CharField(max_length=64)
    issued_at = models.DateTimeField()
    valid_until = models.DateTimeField()

    class Meta:
        triggers = [pgtrigger.Protect(name="certificate_is_final", operation=pgtrigger.Update | pgtrigger.Delete)]

    def __str__(self) -> str:
        return f"{self.verdict}: {self.config_ref}"


class CertificateRevocation(Row):
    """Revokes all certificates issued so far for a fingerprint, because the judge has drifted.
    Final; a later calibration issues a new certificate."""

    fingerprint = models.CharField(max_length=64)
    reason = models.CharField(max_length=300)

    class Meta:
        default_permissions = ()
        indexes = [models.Index(fields=["fingerprint", "created_at"], name="revocation_by_judge")]
        triggers = [pgtrigger.Protect(name="revocation_is_final", operation=pgtrigger.Update | pgtrigger.Delete)]

    def __str__(self) -> str:
        return f"revoked: {self.reason}"


class HumanLabel(Row):
    """One rating of one criterion by one person; without a value the rater could not say. A correction is a further
    revision: nothing is overwritten, the last one counts."""

    item = models.ForeignKey(LabellingItem, on_delete=models.PROTECT, related_name="labels", db_index=False)
    rater = models.CharField(max_length=150)
    criterion = models.CharField(max_length=100)
    value = models.FloatField(null=True, blank=True)
    reason = models.TextField(blank=True)
    revision = models.PositiveSmallIntegerField(default=1)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "rater", "criterion", "revision"], name="one_label_per_revision"),
        ]
        triggers = [
            final_but_for_words(
                name="label_is_kept",
                operation=pgtrigger.Update | pgtrigger.Delete,
                words=REASON,
                conversation="(SELECT i.conversation_id FROM calibration_labellingitem i WHERE i.id = OLD.item_id)",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.criterion}: {self.value} by {self.rater}"


class NonBlindLabel(Row):
    """The score that a person would have given after seeing the judge's score, and why. It stands beside the score and
    nowhere else: a person who has seen an answer cannot measure it, so no certificate and no calibration reads this
    table, and labels the same person gives to that conversation afterwards are not blind either (queries.labels). A
    correction is a further row; the last one counts."""

    judgement = models.ForeignKey(
        "evaluations.Judgement", on_delete=models.PROTECT, related_name="non_blind_labels", db_index=False
    )
    conversation = models.ForeignKey(
        "runs.Conversation", on_delete=models.PROTECT, related_name="non_blind_labels", db_index=False
    )
    rater = models.CharField(max_length=150)
    criterion = models.CharField(max_length=100)
    value = models.FloatField(null=True, blank=True)
    reason = models.TextField()

    class Meta:
        indexes = [models.Index(fields=["conversation", "rater"], name="non_blind_by_conversation")]
        triggers = [
            final_but_for_words(
                name="non_blind_is_kept",
                operation=pgtrigger.Update | pgtrigger.Delete,
                words=REASON,
                conversation="OLD.conversation_id",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.rater} disagrees on {self.criterion}"


class ConversationNote(Row):
    """A remark of a person beside a conversation, for other people: nothing reads it to decide. `item`: it was written
    while rating, without any score beside it, and others read it once the item has all its ratings
    (queries.remarks)."""

    conversation = models.ForeignKey(
        "runs.Conversation", on_delete=models.PROTECT, related_name="notes", db_index=False
    )
    item: Any = models.ForeignKey(LabellingItem, null=True, blank=True, on_delete=models.PROTECT, related_name="notes")
    author = models.CharField(max_length=150)
    text = models.TextField()

    class Meta:
        indexes = [models.Index(fields=["conversation", "created_at"], name="note_by_conversation")]
        triggers = [
            final_but_for_words(
                name="note_is_kept",
                operation=pgtrigger.Update | pgtrigger.Delete,
                words=TEXT,
                conversation="OLD.conversation_id",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.author}: {self.text[:40]}"


class Rater(models.Model):
    """A person who rates, and the languages they read; without any: every language."""

    id = models.BigAutoField(primary_key=True)
    user = models.CharField(max_length=150)
    languages = models.JSONField(default=list, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user"], name="one_rater_per_user")]

    def __str__(self) -> str:
        return self.user

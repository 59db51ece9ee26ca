"""Evaluations, judgements and criterion scores: what is judged, how far it is, what came out."""

import pgtrigger
from django.db import models
from django.db.models import Q

from apps.core.models import Row, StateQuerySet
from apps.core.states import choices
from apps.evaluations.domain.states import EvaluationStatus, JudgementStatus, ScoreStatus, UnscoredReason
from apps.jobs.models import LeasedRow
from apps.runs.final_rows import NO_QUOTES, NO_REASONS, NO_WORDS, final_but_for_words

SUMS_GUARD = "ratiba.sums_of"  # a setting of the transaction: the evaluation whose sums are being stored
# What of a judgement quotes its conversation: it goes with a real customer's words (services.word_deletion).
JUDGEMENT_WORDS = {"raw_reply": NO_WORDS, "error_message": NO_WORDS}
SCORE_WORDS = {"reason": NO_WORDS, "evidence": NO_QUOTES, "opinions": NO_REASONS}


class Evaluation(Row):
    """One evaluator config version applied to one test run.

    `snapshot` freezes all a score depends on: criteria with texts, weights and pass marks, template, the model of
    each role, parameters. `triggered_by` is kept for people; nothing reads it to decide. `options` say how to ask, not
    what: `use_cache` (True), `repeat` (1), `pull_request` ("").
    """

    run = models.ForeignKey("runs.TestRun", on_delete=models.PROTECT, related_name="evaluations")
    config_version = models.ForeignKey(
        "catalog.EvaluatorConfigVersion", on_delete=models.PROTECT, related_name="+", db_index=False
    )
    config_ref = models.CharField(max_length=200)
    status = models.CharField(max_length=20, choices=choices(EvaluationStatus), default=EvaluationStatus.PENDING)
    snapshot = models.JSONField()
    options = models.JSONField(default=dict, blank=True, db_default={})
    subject = models.JSONField(default=dict, blank=True, db_default={})  # core.subject: who was tested
    triggered_by = models.CharField(max_length=100, blank=True)
    run_analyzer = models.BooleanField(default=False)
    callback_url = models.URLField(max_length=2000, blank=True)
    error_code = models.CharField(max_length=60, blank=True, default="", db_default="")
    error_message = models.TextField(blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    progress_at = models.DateTimeField(null=True, blank=True)
    # Its figures, stored when it has ended (services.figures). The database empties them, and what StoredFigure has, in
    # the transaction that changes a row they are made of, and raises the version: what was worked out before is not
    # stored any more (migration 0007).
    sums = models.JSONField(null=True, blank=True, editable=False)
    figures_version = models.PositiveIntegerField(default=0, db_default=0, editable=False)

    objects = StateQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(
                fields=["created_at"], name="evaluation_unfinished", condition=Q(status__in=["pending", "running"])
            ),
            models.Index(
                fields=["id"],
                name="evaluation_figures_due",
                condition=Q(status__in=["completed", "failed", "timeout", "cancelled"]) & ~Q(sums__has_key="shape"),
            ),
        ]

        triggers = [
            pgtrigger.ReadOnly(name="snapshot_is_frozen", fields=["snapshot", "run", "config_version"]),
            pgtrigger.ReadOnly(name="question_is_frozen", fields=["config_ref", "options", "subject"]),
            # Forgotten at any time (they are summed anew then); written by services.figures alone, which says so.
            pgtrigger.Protect(
                name="sums_are_computed",
                operation=pgtrigger.Update,
                condition=pgtrigger.Condition(
                    "OLD.sums IS DISTINCT FROM NEW.sums AND NEW.sums IS NOT NULL"
                    f" AND current_setting('{SUMS_GUARD}', true) IS DISTINCT FROM OLD.id::text"
                ),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.config_ref} on {self.run_id}"


class StoredFigure(models.Model):
    """A figure of an ended evaluation that few pages read (slices, reliability).

    It is beside those in `Evaluation.sums`: a room registered it (queries.stored_figures) by its name. Where there is a
    row it is right.
    """

    id = models.BigAutoField(primary_key=True)
    evaluation = models.ForeignKey(Evaluation, on_delete=models.CASCADE, related_name="+", db_index=False)
    name = models.CharField(max_length=40)
    value = models.JSONField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["evaluation", "name"], name="one_figure_of_a_name")]
        triggers = [
            pgtrigger.Protect(
                name="figure_is_computed",
                operation=pgtrigger.Insert | pgtrigger.Update,
                condition=pgtrigger.Condition(
                    f"current_setting('{SUMS_GUARD}', true) IS DISTINCT FROM NEW.evaluation_id::text"
                ),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.evaluation_id}"


class Judgement(LeasedRow, Row):
    """One conversation judged within an evaluation, or still owed (`pending`).

    `fingerprint` binds the score to the judge as it answered. `by_fallback` scores count in the headline mean
    unless the version leaves them out. `late` marks what arrived after the evaluation had been closed by the watchdog.
    `second_chances` says how often an error may still be tried again by itself, when the rest is done.
    `from_cache`: the judge had answered this very question before, and was not asked again.
    """

    evaluation = models.ForeignKey(Evaluation, on_delete=models.PROTECT, related_name="judgements", db_index=False)
    conversation = models.ForeignKey("runs.Conversation", on_delete=models.PROTECT, related_name="judgements")
    status = models.CharField(max_length=20, choices=choices(JudgementStatus), default=JudgementStatus.PENDING)
    weighted_score = models.FloatField(null=True, blank=True)
    fingerprint = models.CharField(max_length=64, blank=True)
    provider = models.CharField(max_length=100, blank=True)
    model = models.CharField(max_length=120, blank=True)
    by_fallback = models.BooleanField(default=False)
    late = models.BooleanField(default=False)
    from_cache = models.BooleanField(default=False, db_default=False)
    latency = models.JSONField(default=dict, blank=True)
    raw_reply = models.TextField(blank=True)
    error_code = models.CharField(max_length=60, blank=True)
    error_message = models.TextField(blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    judged_at = models.DateTimeField(null=True, blank=True)
    second_chances = models.PositiveSmallIntegerField(default=1, db_default=1)

    objects = StateQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["evaluation", "conversation"], name="one_judgement_per_conversation"),
        ]
        indexes = [
            # worst first, page by page, without a look at the rows
            models.Index(fields=["evaluation", "status", "weighted_score", "id"], name="judgement_worst_first"),
            models.Index(fields=["created_at"], name="judgement_owed", condition=Q(status="pending")),
        ]
        triggers = [
            final_but_for_words(
                name="scored_is_final",
                operation=pgtrigger.Update | pgtrigger.Delete,
                words=JUDGEMENT_WORDS,
                conversation="OLD.conversation_id",
                condition="OLD.status = 'scored'",
            ),
            # An error may be owed again, and is then a new attempt; what it said is not rewritten.
            final_but_for_words(
                name="error_is_final",
                operation=pgtrigger.Update,
                words=JUDGEMENT_WORDS,
                conversation="OLD.conversation_id",
                condition="OLD.status IN ('parse_error', 'model_error') AND NEW.status <> 'pending'"
                " AND to_jsonb(OLD) IS DISTINCT FROM to_jsonb(NEW)",
            ),
            pgtrigger.Protect(
                name="error_stays",
                operation=pgtrigger.Delete,
                condition=pgtrigger.Condition("OLD.status IN ('parse_error', 'model_error')"),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.status} {self.conversation_id}"


class CriterionScore(models.Model):
    """One criterion of a judgement: a score on its scale, or unscored with the reason why.

    `score` is the mean of so many `answers` of the judge, `standard_error` that mean's own (None for a single answer),
    unless a panel decided. `opinions` are all other judges' scores and the single answers behind a mean
    (services/opinions.py). `evidence` is a list of {"quote", "turn", "kind", "repair", "source"}; weight and pass mark
    are those of the snapshot, so that sums need no other table. `must_reach` is the mark below which the conversation
    fails whatever its mean: its case was released with what must not happen again.
    """

    id = models.BigAutoField(primary_key=True)
    judgement = models.ForeignKey(Judgement, on_delete=models.PROTECT, related_name="scores", db_index=False)
    criterion = models.CharField(max_length=100)
    position = models.PositiveSmallIntegerField()
    status = models.CharField(max_length=10, choices=choices(ScoreStatus))
    unscored_reason = models.CharField(max_length=20, choices=choices(UnscoredReason), blank=True)
    score = models.FloatField(null=True, blank=True)
    scale = models.CharField(max_length=10, default="0-10")
    weight = models.FloatField()
    pass_mark = models.FloatField()
    must_reach = models.FloatField(null=True, blank=True)
    reason = models.TextField(blank=True)
    evidence = models.JSONField(default=list, blank=True)
    answers = models.PositiveSmallIntegerField(default=1, db_default=1)
    standard_error = models.FloatField(null=True, blank=True)
    opinions = models.JSONField(default=list, blank=True, db_default=[])

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["judgement", "criterion"], name="one_score_per_criterion"),
        ]
        indexes = [
            # One criterion's scores, worst first: of a large evaluation from here, of a small one by its judgements.
            models.Index(fields=["criterion", "score", "judgement"], name="score_by_criterion"),
            models.Index(
                fields=["criterion", "score", "judgement"],
                name="score_unverified",
                condition=Q(evidence__contains=[{"kind": "unverified"}]),
            ),
        ]
        triggers = [
            final_but_for_words(
                name="criterion_score_is_final",
                operation=pgtrigger.Update | pgtrigger.Delete,
                words=SCORE_WORDS,
                conversation="(SELECT j.conversation_id FROM evaluations_judgement j WHERE j.id = OLD.judgement_id)",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.criterion}: {self.score if self.score is not None else self.unscored_reason}"

"""Criteria, evaluator configs and what is known of their judges."""

import pgtrigger
from django.db import models
from django.db.models import Q

from apps.catalog.domain.states import (
    VERSION_MOVES,
    CriterionKind,
    VersionStatus,
    pairs,
)
from apps.core.models import Row, StateQuerySet
from apps.core.states import choices

# Everything of a published version but what retiring it writes.
_FROZEN = "(to_jsonb({row}) - 'status' - 'retired_at')"


class Criterion(Row):
    """One thing to be judged. The name is opaque: no code reads a meaning out of it.

    `texts` is {language: {"description": "…", "scoring_guide": {"0", "3", "5", "7", "10"}}}; `offline_rule` names
    the written rule that stands in where no model is asked, "" where there is none; `titles` is {language: what pages
    call it there}.
    """

    name = models.CharField(max_length=100)
    kind = models.CharField(max_length=10, choices=choices(CriterionKind), default=CriterionKind.DOMAIN)
    domain = models.CharField(max_length=100, blank=True)
    texts = models.JSONField(default=dict)
    titles = models.JSONField(default=dict, blank=True)
    offline_rule = models.CharField(max_length=100, blank=True)
    offline_parameters = models.JSONField(default=dict, blank=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name_plural = "criteria"
        constraints = [models.UniqueConstraint(fields=["name"], name="one_criterion_per_name")]

    def __str__(self) -> str:
        return self.name


class EvaluatorConfig(Row):
    """A name with numbered versions."""

    name = models.CharField(max_length=100)
    description = models.TextField(blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["name"], name="one_evaluator_config_per_name")]
        triggers = [pgtrigger.ReadOnly(name="config_name_stays", fields=["name"])]

    def __str__(self) -> str:
        return self.name


class EvaluatorConfigVersion(Row):
    """One numbered version: a draft until it is published, then the same for ever (the database refuses changes).

    `criteria` is {"core": [...], "domain": [...], "weights": {name: n}, "blocking"?: [...]}; `pass_marks` {name: 0–10},
    6 where absent; `system_prompt_template` "" means the built-in one of the prompt language; `llm_config` {role:
    {"model", "provider", "fallback"}}; `frozen_criteria` the criteria's texts as they were at publishing.
    """

    config = models.ForeignKey(EvaluatorConfig, on_delete=models.PROTECT, related_name="versions", db_index=False)
    number = models.PositiveIntegerField()
    status = models.CharField(max_length=10, choices=choices(VersionStatus), default=VersionStatus.DRAFT)
    criteria = models.JSONField(default=dict)
    pass_marks = models.JSONField(default=dict, blank=True)
    system_prompt_template = models.TextField(blank=True)
    llm_config = models.JSONField(default=dict, blank=True)
    parameters = models.JSONField(default=dict, blank=True)
    frozen_criteria = models.JSONField(default=dict, blank=True, editable=False)
    note = models.TextField(blank=True)
    published_at = models.DateTimeField(null=True, blank=True, editable=False)
    published_by = models.CharField(max_length=150, blank=True, editable=False)
    retired_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = StateQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["config", "number"], name="one_version_per_number"),
            models.CheckConstraint(
                condition=Q(status=VersionStatus.DRAFT) | Q(published_at__isnull=False), name="published_has_a_time"
            ),
        ]
        triggers = [
            pgtrigger.Protect(
                name="published_content",
                operation=pgtrigger.Update,
                condition=pgtrigger.Condition(
                    f"OLD.status IN ('published', 'retired') AND {_FROZEN.format(row='OLD')}"
                    f" IS DISTINCT FROM {_FROZEN.format(row='NEW')}"
                ),
            ),
            pgtrigger.FSM(name="version_lifecycle", field="status", transitions=pairs(VERSION_MOVES)),
            pgtrigger.Protect(
                name="starts_as_draft",
                operation=pgtrigger.Insert,
                condition=pgtrigger.Condition("NEW.status <> 'draft'"),
            ),
            pgtrigger.Protect(
                name="published_stays",
                operation=pgtrigger.Delete,
                condition=pgtrigger.Condition("OLD.status <> 'draft'"),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.config.name}@{self.number}"


class JudgeCheck(Row):
    """Result of a version's judge on conversations with known answers (docs/adr/0070).

    `judge_digest` is of what makes a judge (server, model, template, the parameters that reach it): it counts for every
    version that would ask this judge, and for none that would ask another. `fingerprint` is the judge's as it answered.
    `figures` are the shares and what they had to reach.
    """

    version = models.ForeignKey(
        EvaluatorConfigVersion, on_delete=models.CASCADE, related_name="judge_checks", db_index=False
    )
    judge_digest = models.CharField(max_length=64)
    fingerprint = models.CharField(max_length=64, blank=True)
    passed = models.BooleanField()
    figures = models.JSONField()

    def __str__(self) -> str:
        return f"{'passed' if self.passed else 'below the floor'}: {self.version}"

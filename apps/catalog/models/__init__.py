"""What we test with: criteria, evaluator configs, agents, personas, scenarios, prompts, golden sessions, providers."""

import pgtrigger
from django.db import models
from django.db.models import F, Q

from apps.catalog.domain.providers import kind_choices
from apps.catalog.domain.states import (
    VERSION_MOVES,
    AgentKind,
    CriterionKind,
    VersionStatus,
    pairs,
)
from apps.catalog.fields import EncryptedJSONField, EncryptedTextField
from apps.catalog.models.connections import AgentConnection, OutsideConnection, ProfileVersion
from apps.catalog.models.goldens import GoldenSession, GoldenVersion, StoredFile
from apps.catalog.models.persona_work import GeneratedPersona, PersonaGeneration, PersonaValidation
from apps.catalog.models.personas import Persona
from apps.catalog.models.prompts import PromptLine, PromptVersion
from apps.catalog.models.scenarios import Scenario
from apps.core.models import Row, StateQuerySet
from apps.core.states import choices

__all__ = [
    "Agent",
    "AgentConnection",
    "Criterion",
    "EvaluatorConfig",
    "EvaluatorConfigVersion",
    "GeneratedPersona",
    "GoldenSession",
    "GoldenVersion",
    "JudgeCheck",
    "ModelProvider",
    "OutsideConnection",
    "Persona",
    "PersonaGeneration",
    "PersonaValidation",
    "ProfileVersion",
    "PromptLine",
    "PromptVersion",
    "Scenario",
    "StoredFile",
]

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
    """How the judge of a version did on conversations with known answers (docs/adr/0070).

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


class Agent(Row):
    """A system under test and how to reach it. `secrets` are encrypted and never leave by an export or a page.

    `options` are the kind's own settings; `profile` has the sections of apps.catalog.domain.profile;
    the stagger is a range of seconds between battles, the tenant's own where it is not set; `max_concurrent` is how
    many conversations it may have at once, as many as the tenant where it is not set.
    """

    name = models.CharField(max_length=100)
    kind = models.CharField(max_length=10, choices=choices(AgentKind), default=AgentKind.A2A)
    address = models.CharField(max_length=2000, blank=True)
    options = models.JSONField(default=dict, blank=True)
    secrets = EncryptedJSONField(default=dict, blank=True)
    timeout_s = models.FloatField(default=60.0)
    stagger_min_s = models.FloatField(null=True, blank=True)
    stagger_max_s = models.FloatField(null=True, blank=True)
    max_concurrent = models.PositiveSmallIntegerField(null=True, blank=True)
    profile = models.JSONField(default=dict, blank=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["name"], name="one_agent_per_name"),
            models.CheckConstraint(
                condition=Q(stagger_min_s__isnull=True, stagger_max_s__isnull=True)
                | Q(stagger_min_s__gte=0, stagger_max_s__gte=F("stagger_min_s")),
                name="stagger_is_a_range",
            ),
            models.CheckConstraint(condition=Q(timeout_s__gt=0), name="timeout_is_positive"),
            models.CheckConstraint(
                condition=Q(max_concurrent__isnull=True) | Q(max_concurrent__gte=1), name="agent_takes_one_at_least"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class ModelProvider(Row):
    """Where a model is asked, and with which key (encrypted). Its name is what `llm_config` refers to.

    `max_concurrent`: how many battles at once may have their customer played by it; empty: as many as the tenant.
    `known_by`: options that it had before options were checked, and by which its judgements know it."""

    name = models.CharField(max_length=100)
    kind = models.CharField(max_length=40, choices=kind_choices)
    base_url = models.CharField(max_length=2000, blank=True)
    api_key = EncryptedTextField(blank=True, default="")
    options = models.JSONField(default=dict, blank=True)
    max_concurrent = models.PositiveSmallIntegerField(null=True, blank=True)
    known_by = models.JSONField(default=dict, blank=True, db_default={}, editable=False)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["name"], name="one_model_provider_per_name"),
            models.CheckConstraint(
                condition=Q(max_concurrent__isnull=True) | Q(max_concurrent__gte=1), name="provider_takes_one_at_least"
            ),
        ]

    def __str__(self) -> str:
        return self.name

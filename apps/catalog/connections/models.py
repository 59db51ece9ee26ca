"""Further ways to reach an agent, and what was known about it at a time."""

import pgtrigger
from django.db import models
from django.db.models import F, Q

from apps.catalog.connections.domain.providers import kind_choices
from apps.catalog.domain.states import (
    AgentKind,
    ConnectionPurpose,
)
from apps.catalog.fields import EncryptedJSONField, EncryptedTextField, EncryptedValuesField
from apps.connectors.agents.prompt_delivery import MAX_FIELD, MAX_HEADER, PromptPayload
from apps.core.models import Row
from apps.core.states import choices


class Agent(Row):
    """A system under test and how to reach it. `secrets` are encrypted and never leave by an export or a page.

    `options` are the kind's own settings; `profile` has the sections of domain.profile;
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
    """Server of models, with its key (encrypted).

    Its name is the one that `llm_config` refers to. `max_concurrent`: how many battles at once may have their customer
    played by it; empty: as many as the tenant. `known_by`: options that it had before options were checked, and by
    which its judgements know it.
    """

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


class AgentConnection(Row):
    """A further way to reach the same agent; the agent's own row is the default one, and is always production.

    One of a kind and purpose. `secrets` are encrypted and never leave by an export or a page; `timeout_s` None: the
    agent's own. Prompts that are not live go to a staging connection only: `prompt_field` and `prompt_header` say where
    its requests hold them, `prompt_form` whether the field has the text or the version.
    """

    agent = models.ForeignKey("catalog.Agent", on_delete=models.CASCADE, related_name="connections", db_index=False)
    kind = models.CharField(max_length=10, choices=choices(AgentKind))
    purpose = models.CharField(
        max_length=12,
        choices=choices(ConnectionPurpose),
        default=ConnectionPurpose.PRODUCTION,
        db_default=ConnectionPurpose.PRODUCTION.value,
    )
    address = models.CharField(max_length=2000, blank=True)
    options = models.JSONField(default=dict, blank=True)
    secrets = EncryptedJSONField(default=dict, blank=True)
    timeout_s = models.FloatField(null=True, blank=True)
    prompt_field = models.CharField(max_length=MAX_FIELD, blank=True, default="", db_default="")
    prompt_header = models.CharField(max_length=MAX_HEADER, blank=True, default="", db_default="")
    prompt_form = models.CharField(
        max_length=10, choices=choices(PromptPayload), default=PromptPayload.TEXT, db_default=PromptPayload.TEXT.value
    )
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["agent", "kind", "purpose"], name="one_connection_per_kind_and_purpose"),
            models.CheckConstraint(
                condition=Q(timeout_s__isnull=True) | Q(timeout_s__gt=0), name="connection_timeout_is_positive"
            ),
        ]

    def __str__(self) -> str:
        staging = " (staging)" if self.purpose == ConnectionPurpose.STAGING else ""
        return f"{self.agent.name} by {self.kind}{staging}"


class OutsideConnection(Row):
    """A service outside that this tenant uses: where it is, and what opens it. The row that says what is done with it
    (a Langfuse source) points here. `kind` is one of `services.outside_kinds`, which names the options and the
    secrets; these are encrypted one by one, and never leave by an export, a page or the trail."""

    kind = models.CharField(max_length=40)
    address = models.CharField(max_length=2000, blank=True)
    options = models.JSONField(default=dict, blank=True)
    secrets = EncryptedValuesField(default=dict, blank=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.kind} at {self.address}"


class ProfileVersion(Row):
    """An agent's profile as it was: who it is, how its work goes, what is true, how its tools show.

    `document` has the sections of domain.profile; `source` says where it came from (a file, the admin).
    Without an agent it is a profile that stands for itself. Written once; the database refuses changes.
    """

    agent = models.ForeignKey(
        "catalog.Agent",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="profile_versions",
        db_index=False,
    )
    name = models.CharField(max_length=200)
    number = models.PositiveIntegerField()
    document = models.JSONField()
    digest = models.CharField(max_length=64)
    source = models.CharField(max_length=500, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["agent", "name", "number"], name="one_profile_per_number", nulls_distinct=False
            )
        ]
        triggers = [pgtrigger.Protect(name="profile_is_final", operation=pgtrigger.Update | pgtrigger.Delete)]

    def __str__(self) -> str:
        return f"{self.name}@{self.number}"

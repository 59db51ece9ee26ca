"""The tenant's provider of identities, and the accounts that it vouches for."""

from typing import Any

from django.conf import settings
from django.db import models

from apps.catalog.fields import EncryptedTextField
from apps.core.models import Row


class IdentityProvider(Row):
    """Provider by which people of this tenant sign in: one row at most. `group_roles` maps a group to roles."""

    number = models.PositiveSmallIntegerField(default=1, unique=True, editable=False)
    name = models.CharField(max_length=60)
    issuer = models.CharField(max_length=300)
    client_id = models.CharField(max_length=200)
    client_secret = EncryptedTextField(blank=True, default="")
    scopes = models.CharField(max_length=200, default="openid profile")
    groups_claim = models.CharField(max_length=100, default="groups")
    group_roles = models.JSONField(default=dict, blank=True)
    enabled = models.BooleanField(default=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = "sign-in provider"

    def __str__(self) -> str:
        return self.name


class ProviderAccount(Row):
    """The provider's last answer about one account. `key` tells the issuer (domain.issuer_key); the `sub` stands in
    allauth's row. Tokens are encrypted. `roles` were given by groups; `withheld` were taken by an owner here."""

    user: Any = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="provider_account"
    )
    key = models.CharField(max_length=16)
    access_token = EncryptedTextField(blank=True, default="")
    refresh_token = EncryptedTextField(blank=True, default="")
    roles = models.JSONField(default=list)
    withheld = models.JSONField(default=list)
    asked_at = models.DateTimeField()
    answered_at = models.DateTimeField()

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"account {self.user_id} of {self.key}"

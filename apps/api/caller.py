"""Describe who is asking, whichever way they proved it."""

from dataclasses import dataclass
from typing import Any

from apps.tenants.domain.rights import Person
from apps.tenants.domain.roles import KeyScope


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Caller of the API.

    `principal` names it in idempotency scopes and throttles; `signed_id` is the webhook-id it signed, if any. `user` is
    the signed-in person, else None: a key has `scopes` instead.
    """

    principal: str
    scopes: frozenset[KeyScope] = frozenset()
    requests_per_minute: int | None = None
    signed_id: str = ""
    user: Any = None

    @property
    def who(self) -> Person | frozenset[KeyScope]:
        """The owner of the rights that are asked: the person, or the key's scopes."""
        return self.scopes if self.user is None else self.user


class MachineUser:
    """User that DRF's `request.user` is for a key: nobody in the users' table."""

    is_authenticated = True
    is_active = True
    is_anonymous = False
    is_staff = False
    is_superuser = False
    pk = None

    def __init__(self, name: str, *, audit_name: str = "") -> None:
        self.name = name
        self.audit_name = audit_name or name  # what the audit trail calls it

    def __str__(self) -> str:
        return self.name

    def has_perm(self, perm: str, obj: object = None) -> bool:
        return False

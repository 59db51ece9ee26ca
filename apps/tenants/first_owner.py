"""A tenant's first person: made from the platform's host while the tenant has nobody who could make others."""

import secrets
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction

from apps.core.actor import acting, actor_now
from apps.core.errors import BadInput, Conflict
from apps.tenants.context import in_tenant
from apps.tenants.domain.roles import Role
from apps.tenants.queries import usable_tenant

_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # none that looks like another
_GROUPS, _EACH = 4, 5  # 20 letters of 31: 99 bits


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstOwner:
    """The owner that was created. `password` is known here alone: it is shown once, and only its hash is kept."""

    username: str
    password: str


def has_an_owner(*, slug: str) -> bool:
    """Tell whether anybody active may manage this tenant's people: an owner or a superuser. Three queries.

    Raises UnknownTenant, TenantUnavailable: a schema that is behind the code cannot be asked.
    """
    schema = str(usable_tenant(slug).schema_name)
    with in_tenant(schema):
        return bool(_owners().exists())


def make_first_owner(*, slug: str, username: str, email: str) -> FirstOwner:
    """Make a member of staff with the role `owner` and a password of our own making.

    Only where there is none yet: after that people are the tenant's own affair, and the platform has no way in. Raises
    Conflict (`has_an_owner`, `user_exists`), BadInput with a pointer (`bad_username`, `bad_email`), TenantUnavailable;
    nothing is made then. The tenant's own trail says who did it. Not repeatable.
    """
    from django.contrib.auth.models import Group, User  # noqa: PLC0415 - apps must be loaded first

    schema = str(usable_tenant(slug).schema_name)
    password = "-".join("".join(secrets.choice(_LETTERS) for _ in range(_EACH)) for _ in range(_GROUPS))
    user = User(username=User.normalize_username(username), email=User.objects.normalize_email(email), is_staff=True)
    user.set_password(password)
    who = actor_now()
    try:
        with in_tenant(schema), transaction.atomic(), acting(f"platform {who}" if who else ""):
            _check(user)
            group = Group.objects.select_for_update().get(name=Role.OWNER.value)  # two at once: the second one waits
            if _owners().exists():
                raise Conflict(
                    f"{slug} has an owner already: its own people make the others, on its own host",
                    code="has_an_owner",
                )
            user.save(force_insert=True)
            user.groups.add(group)
    except IntegrityError as error:
        raise Conflict(f"there is already a user {username!r}", code="user_exists") from error
    return FirstOwner(username=user.get_username(), password=password)


def owner_names(*, most: int = 3) -> list[str]:
    """User names of this tenant's owners, at most so many: whom to ask for a role. One query."""
    return list(_owners().order_by("username").values_list("username", flat=True)[:most])


def _check(user: Any) -> None:
    from django.core.exceptions import ValidationError  # noqa: PLC0415 - beside its only use

    try:
        user.full_clean(validate_unique=False)
    except ValidationError as error:
        name, texts = next(iter(error.message_dict.items()))
        known = name if name in ("username", "email") else "username"
        raise BadInput(texts[0], code=f"bad_{known}", pointer=f"/{known}") from error
    if not user.email:
        raise BadInput("An owner needs an e-mail address.", code="bad_email", pointer="/email")


def _owners() -> Any:
    from django.contrib.auth.models import User  # noqa: PLC0415 - apps must be loaded first
    from django.db.models import Q  # noqa: PLC0415 - as above

    people = User.objects.filter(is_active=True, is_staff=True)
    return people.filter(Q(is_superuser=True) | Q(groups__name=Role.OWNER.value))

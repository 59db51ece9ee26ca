"""Channels and rules, as owners set them."""

import base64
import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from django.db import IntegrityError, transaction

from apps.alerts.domain.channels import ADDRESS_RULES, mail_addresses
from apps.alerts.domain.conditions import Rule
from apps.alerts.models import AlertChannel, AlertRound, AlertRuleSetting
from apps.alerts.services.telling import tell
from apps.alerts.services.web_addresses import alert_policy
from apps.connectors.addresses import check_address
from apps.connectors.errors import AddressRefused
from apps.core.errors import BadInput, Conflict, NotFound

MAX_CHANNELS = 20


@dataclass(frozen=True, slots=True)
class MadeChannel:
    """Channel that was made. `secret` is shown once, for a webhook; "" for the others."""

    channel: AlertChannel
    secret: str


def add_channel(*, name: str, kind: str, address: str, origin: str, by: str, now: datetime) -> MadeChannel:
    """Make a channel, and owe the first look at the rules. `origin` is the tenant's own address, for links.

    Raises BadInput (`unknown_channel`, `bad_address`, `address_refused`), Conflict (`name_taken`, `too_many_channels`).
    """
    name = name.strip()
    if not name or len(name) > 100:
        raise BadInput("must be 1 to 100 characters", code="required", pointer="/name")
    if kind not in ADDRESS_RULES:
        raise BadInput(f"must be one of {', '.join(ADDRESS_RULES)}", code="unknown_channel", pointer="/kind")
    ADDRESS_RULES[kind](address)
    if kind != "email":
        _refuse_private(address.strip())
    if AlertChannel.objects.count() >= MAX_CHANNELS:
        raise Conflict(f"There are {MAX_CHANNELS} channels already: take one away first.", code="too_many_channels")
    secret = f"whsec_{base64.b64encode(secrets.token_bytes(32)).decode()}" if kind == "webhook" else ""
    row = AlertChannel(
        name=name, kind=kind, address=address.strip(), secret=secret, shown=_shown(kind, address), made_by=by[:150]
    )
    try:
        with transaction.atomic():
            row.save(force_insert=True)
            owe_a_look(origin=origin, now=now)
    except IntegrityError as error:
        raise Conflict(f"There is a channel {name!r} already.", code="name_taken") from error
    return MadeChannel(row, secret)


def owe_a_look(*, origin: str, now: datetime) -> None:
    """Have the rules looked at every minute from now on. Two statements; safe to repeat."""
    AlertRound.objects.bulk_create([AlertRound(number=1, not_before=now, origin=origin)], ignore_conflicts=True)
    AlertRound.objects.exclude(origin=origin).update(origin=origin)


def switch_channel(*, channel_id: UUID, enabled: bool) -> None:
    """Switch a channel on or off. Raises NotFound."""
    if not AlertChannel.objects.filter(pk=channel_id).update(enabled=enabled):
        raise NotFound(f"There is no channel {channel_id}.")


def remove_channel(*, channel_id: UUID) -> None:
    """Remove a channel with the messages it got; alerts stay. Raises NotFound."""
    if not AlertChannel.objects.filter(pk=channel_id).delete()[0]:
        raise NotFound(f"There is no channel {channel_id}.")


def try_channel(*, channel_id: UUID, origin: str, now: datetime) -> None:
    """Send a trial message. Raises NotFound."""
    row = AlertChannel.objects.filter(pk=channel_id).first()
    if row is None:
        raise NotFound(f"There is no channel {channel_id}.")
    with transaction.atomic():
        tell(alerts=[], origin=origin, now=now, channels=[row], trial=True)


def set_rules(*, enabled: set[str]) -> None:
    """Switch rules on and off; one that is off opens no alert, and its open ones are resolved."""
    for rule in Rule:
        AlertRuleSetting.objects.update_or_create(rule=rule.value, defaults={"enabled": rule.value in enabled})


def _refuse_private(address: str) -> None:
    try:
        check_address(address, alert_policy())
    except AddressRefused as error:
        raise BadInput(str(error), code="address_refused", pointer="/address") from error


def _shown(kind: str, address: str) -> str:
    """Enough to know it by: whom a mail goes to, the host of a webhook."""
    if kind == "email":
        return ", ".join(mail_addresses(address))[:200]
    parts: Any = urlsplit(address.strip())
    return f"{parts.scheme}://{parts.netloc}/…"[:200]

"""Tries to sign in, counted in the database: every web process sees the same count, and a restart forgets nothing."""

from datetime import datetime, timedelta

from django.db.models import F

from apps.tenants.connection import connection
from apps.tenants.domain.sign_in import (
    FREE_TRIES,
    FREE_TRIES_OF_ADDRESS,
    MAX_WAIT_S,
    account_key,
    address_key,
    wait_after,
)
from apps.tenants.models import SignInTry

# One statement, so that tries at the same time see each other. `waits` is the wait after 1, 2, … tries, in seconds.
_COUNT = """
INSERT INTO public.tenants_signintry AS kept (key, tries, last_at, wait_until) VALUES (%(key)s, 1, %(now)s, %(now)s)
ON CONFLICT (key) DO UPDATE SET
    last_at = excluded.last_at,
    tries = CASE WHEN kept.last_at < %(old)s THEN 1 ELSE kept.tries + 1 END,
    wait_until = excluded.last_at + make_interval(secs => (%(waits)s::int[])[
        CASE WHEN kept.last_at < %(old)s THEN 1 ELSE least(kept.tries + 1, cardinality(%(waits)s::int[])) END])
WHERE kept.wait_until <= %(now)s
RETURNING tries
"""
_DOUBLINGS = 6  # 30 s to 15 min, and not beyond


def take_try(*, schema: str, username: str, address: str, now: datetime) -> int:
    """Count one try before the password is looked at; → 0, or the seconds to wait: then it must not be looked at.

    Counting first means that a hundred tries at once are counted as a hundred. Two short statements, three where it is
    refused. A try that is refused counts for nothing, so waiting always ends.
    """
    keys = ((account_key(schema, username, address), FREE_TRIES), (address_key(address), FREE_TRIES_OF_ADDRESS))
    old = now - timedelta(seconds=MAX_WAIT_S)
    for key, free in keys:
        waits = [wait_after(tries, free) for tries in range(1, free + _DOUBLINGS)]
        with connection.cursor() as cursor:
            cursor.execute(_COUNT, {"key": key, "now": now, "old": old, "waits": waits})
            counted = cursor.fetchone()
        if counted is None:
            until = SignInTry.objects.filter(key=key).values_list("wait_until", flat=True).first() or now
            return max(1, round((until - now).total_seconds()))
    return 0


def forgive(*, schema: str, username: str, address: str, now: datetime) -> None:
    """Forget failed tries after the right password: all of the account's, and one of the address's.

    Rows older than a day are deleted too.
    """
    SignInTry.objects.filter(key=account_key(schema, username, address)).delete()
    SignInTry.objects.filter(key=address_key(address), tries__gt=0).update(tries=F("tries") - 1, wait_until=now)
    SignInTry.objects.filter(last_at__lt=now - timedelta(days=1)).delete()

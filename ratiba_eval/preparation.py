"""What `up` and `demo` need before anything runs: migrated schemas, the tenant `demo`, somebody who may sign in."""

import os
import secrets
from pathlib import Path

from django.contrib.auth import get_user_model

from apps.tenants.context import in_public, in_tenant
from apps.tenants.queries import known_slugs
from apps.tenants.services import add_tenant
from apps.tenants.upgrading import upgrade_all, usual_parallel

DEMO = "demo"
DEMO_VERTICAL = "spa"
ADMIN = "admin"


def migrate() -> bool:
    """Bring the public schema and every tenant's up to this code; whether anything was owed. 0.2 s when nothing is.

    Safe to repeat. Tenants that are behind are closed to work until they are migrated; a broken one stays closed and is
    in the log, and keeps nothing from starting.
    """
    done = upgrade_all(parallel=usual_parallel())
    return done.public or bool(done.migrated or done.broken)


def demo_tenant() -> bool:
    """Make the tenant `demo` where there is none; whether it was made. Safe to repeat."""
    with in_public():
        if DEMO in known_slugs():
            return False
        add_tenant(slug=DEMO, name="Demo", vertical=DEMO_VERTICAL)
        return True


def admin_password(state: Path) -> str | None:
    """The password of `admin` in the tenant `demo` and on the public host, made on the first call.

    It is kept in `var/admin_password` (mode 600). None where `admin` exists and the file does not, or no longer fits:
    then somebody chose a password of their own, which is left alone. Safe to repeat.
    """
    path = state / "admin_password"
    kept = path.read_text().strip() if path.exists() else None
    password = kept or secrets.token_urlsafe(12)
    users = get_user_model().objects
    with in_public():
        if not users.filter(username=ADMIN).exists():
            users.create_superuser(username=ADMIN, email="", password=password)
    with in_tenant(DEMO):
        found = users.filter(username=ADMIN).first()
        if found is None:
            users.create_superuser(username=ADMIN, email="", password=password)
        elif kept is None or not found.check_password(kept):
            return None
    if kept is None:
        _keep(path, password)
    return password


def _keep(path: Path, password: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as handle:
        handle.write(password + "\n")

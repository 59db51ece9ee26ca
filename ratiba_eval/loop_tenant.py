"""The tenant `loop`: a salon whose agent is a prompt, forty scenario families, and the obedient model in all roles."""

import secrets
from datetime import datetime
from pathlib import Path

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group

from apps.api.services.keys import add_api_key
from apps.catalog.files.services.importing import import_catalog
from apps.catalog.files.services.packs import load_pack
from apps.catalog.models import ModelProvider, PromptLine
from apps.tenants.context import in_public, in_tenant
from apps.tenants.domain.roles import Role
from apps.tenants.queries import known_slugs
from apps.tenants.services import add_tenant, update_workflow_config
from ratiba_eval import preparation

LOOP = "loop"
VERTICAL = "salon"
PROVIDER = "obedient"
PERSON = "amina"
LINE, FIRST = "malaika", "malaika@first"
CATALOG = Path(__file__).resolve().parent.parent / "examples" / "loop" / "catalog"
SCOPES = ("read", "write", "curate")
SETTINGS = {
    "max_concurrent_battles": 8,
    "simulator_review": "rules",  # the obedient model cannot review itself
    "models": {
        role: {"provider": PROVIDER, "model": f"{PROVIDER}-{role}"}
        for role in ("judge", "analyzer", "simulator", "optimizer")
    },
}


def set_up_loop(*, slug: str, port: int, password: str | None, now: datetime) -> None:
    """The tenant with its settings and its catalog, the model's address at this port, and `admin` with this password
    where nobody may sign in yet. Outside any tenant. Safe to repeat: what somebody changed since stays."""
    with in_public():
        if slug not in known_slugs():
            add_tenant(slug=slug, name="Salon Malaika", vertical=VERTICAL)
            update_workflow_config(slug=slug, changes=SETTINGS)
    with in_tenant(slug):
        load_pack("service-booking", at=now, by=slug)
        import_catalog(paths=[CATALOG], at=now, by=slug, only_new=True)
        ModelProvider.objects.filter(name=PROVIDER).update(base_url=f"http://127.0.0.1:{port}/v1")
        users = get_user_model().objects
        if password and not users.filter(username=preparation.ADMIN).exists():
            users.create_superuser(username=preparation.ADMIN, email="", password=password)


def has_walked(*, slug: str) -> bool:
    """Tell whether another prompt is live than the one that the walk begins with. One query."""
    with in_tenant(slug):
        return PromptLine.objects.filter(name=LINE).exclude(live__version=FIRST).exists()


def loop_person(*, slug: str) -> str:
    """A new password for the walk's person, a curator and no superuser, who is made where missing."""
    password = secrets.token_urlsafe(12)
    with in_tenant(slug):
        person, _made = get_user_model().objects.get_or_create(username=PERSON, defaults={"is_staff": True})
        person.set_password(password)
        person.save()
        person.groups.set(Group.objects.filter(name=Role.CURATOR.value))
    return password


def loop_key(*, slug: str) -> str:
    """A new API key of the tenant that may do all of the walk."""
    with in_tenant(slug):
        return str(add_api_key(name="make loop", scopes=SCOPES, expires_at=None, requests_per_minute=None).secret)

"""What a database is asked before and after an upgrade: API answers, and the figures that stand on pages.

Runs under the old code as a program (make.py), which writes the answers down, and is imported by the test, which asks
the upgraded database the same. Addresses are those of the old code: the API's and the pages' are promises.
"""

import html
import json
import lzma
import os
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import django

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratiba_eval.settings")
    django.setup(set_prefix=False)

from django.apps import apps
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.utils import timezone

from apps.tenants.context import in_tenant

PERSON = "made-up-person"
TENANTS = ("demo", "unfinished")
_EVERY = {  # model: what is asked for each of its rows (some tables have hundreds: the first and the last few)
    "evaluations.evaluation": (
        "/api/v1/evaluations/{}/", "/api/v1/evaluations/{}/judgements/", "/api/v1/evaluations/{}/analyses/",
        "/api/v1/evaluations/{}/reliability/", "/evaluations/{}/", "/evaluations/{}/matrix/",
        "/evaluations/{}/who-suffers/", "/evaluations/{}/analysis/",
    ),
    "runs.testrun": (
        "/api/v1/test-runs/{}/", "/api/v1/test-runs/{}/conversations/", "/api/v1/test-runs/{}/checks/",
        "/api/v1/test-runs/{}/report/", "/runs/{}/", "/runs/{}/report/",
    ),
    "runs.conversation": ("/conversations/{}/",),
    "gates.pullrequestgate": ("/api/v1/gates/{}/", "/gates/{}/"),
    "gates.snapshotreview": ("/api/v1/snapshots/{}/", "/snapshots/{}/"),
    "catalog.goldensession": ("/goldens/{}/",),
    "catalog.persona": ("/api/v1/personas/{}/", "/personas/{}/"),
    "catalog.personageneration": ("/api/v1/personas/generations/{}/", "/personas/generations/{}/"),
    "catalog.evaluatorconfigversion": ("/configs/{}/",),
    "catalog.promptversion": ("/prompts/{}/",),
    "calibration.certificate": ("/calibration/{}/",),
}  # fmt: skip
_ONCE = (
    "/admin/", "/usage/", "/comparisons/", "/snapshots/", "/settings/", "/packs/", "/calibration/", "/labelling/",
    "/api/v1/evaluations/", "/api/v1/test-runs/", "/api/v1/gates/", "/api/v1/personas/", "/api/v1/snapshots/",
    "/api/v1/gates/baselines/?agent=booking&commit=" + "1" * 40,
)  # fmt: skip
_FEW = 5
_FIGURE = re.compile(r"\d+\.\d+(?: ?%)?|\d+ ?%|\d+ (?:of|out of) \d+")
_UNREAD = re.compile(r"<(script|style|svg)\b.*?</\1>|<[^>]+>", re.DOTALL)


def addresses() -> Iterator[str]:
    """Of the current tenant."""
    yield from _ONCE
    for label, patterns in _EVERY.items():
        rows = list(apps.get_model(label)._default_manager.order_by("pk").values_list("pk", flat=True))
        for pk in dict.fromkeys([*rows[:_FEW], *rows[-_FEW:]]):
            yield from (pattern.format(pk) for pattern in patterns)


def client_of(tenant: str) -> Client:
    """Signed in as somebody who may see everything there."""
    client = Client(headers={"host": f"{tenant}.localhost"})
    with in_tenant(tenant):
        user, _made = User.objects.get_or_create(username=PERSON, defaults={"is_staff": True, "is_superuser": True})
        client.force_login(user)
    return client


def answer_to(client: Client, address: str) -> dict[str, Any]:
    """The status, and what was said: JSON as it is, of a page its figures."""
    response = client.get(address)
    if response["content-type"].startswith(("application/json", "application/problem+json")):
        return {"status": response.status_code, "json": response.json()}
    body = b"".join(response.streaming_content) if response.streaming else response.content
    text = html.unescape(_UNREAD.sub(" ", body.decode()))
    return {"status": response.status_code, "figures": sorted(set(_FIGURE.findall(text)))}


def counts() -> dict[str, int]:
    """Rows of every table of the public schema and of the tenants', by schema.table."""
    found = {}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT schemaname, tablename FROM pg_tables WHERE schemaname = 'public' OR starts_with(schemaname, 't_') "
            "ORDER BY 1, 2"
        )
        for schema, table in cursor.fetchall():
            cursor.execute(f'SELECT count(*) FROM "{schema}"."{table}"')  # noqa: S608 - the catalogue's names
            found[f"{schema}.{table}"] = cursor.fetchone()[0]
    return found


def main(path: Path) -> None:
    asked_at = datetime.now(UTC)
    timezone.now = lambda: asked_at
    answers = {}
    for tenant in TENANTS:
        client = client_of(tenant)
        with in_tenant(tenant):
            asked = list(addresses())
        answers[tenant] = {address: answer_to(client, address) for address in asked}
    empty = [name for name, rows in counts().items() if not rows and not name.startswith("t_unfinished.")]
    assert not empty, f"tables without a row: {empty}"
    document = {"asked_at": asked_at.isoformat(), "counts": counts(), "answers": answers}
    text = json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True)
    path.write_bytes(lzma.compress(text.encode(), preset=9))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

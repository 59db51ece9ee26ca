"""Several machines: an erasure is completed when each has cleaned its own files and log, and says which have not."""

import os
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings as configured
from django.utils import timezone

from apps.dashboard.production.queries.erasures import erasure_page
from apps.erasure.domain.subject import read_request
from apps.erasure.models import Erasure
from apps.erasure.queries.receipts import erasure_document
from apps.erasure.services.nodes import do_parts, note_node
from apps.erasure.services.requests import SECOND_LOOK, erase_now, pay_erasures, request_erasure
from apps.tenants.context import in_public, in_tenant
from apps.tenants.models import Node, NodeErasure
from ratiba_eval.node_rounds import start_node_rounds
from tests.docs.fences import ROOT

PHONE, NAME = "0712 345 678", "Wanjiku Kamau"
WORDS = f"customer {PHONE} {NAME}\n"
PERSON = {"phone": PHONE, "names": [NAME]}
ROUND = """
import django
django.setup()
from django.utils import timezone
from apps.erasure.services.nodes import do_parts
print(do_parts(now=timezone.now))
"""
Worker = Callable[[], int]


def earlier() -> datetime:
    """So long ago that what is due after the second look's time is due now."""
    return timezone.now() - SECOND_LOOK - timedelta(minutes=1)


@pytest.fixture
def here(committed_db: None, settings: Any, tmp_path: Path) -> Path:
    """This process's state folder."""
    settings.STATE_DIR, settings.LOG_DIR, settings.BASE_DIR = tmp_path / "a", tmp_path / "a/log", tmp_path / "code"
    (tmp_path / "a/log").mkdir(parents=True)
    (tmp_path / "a/report.txt").write_text(WORDS)
    return tmp_path / "a"


@pytest.fixture
def there(tmp_path: Path) -> Path:
    """Another machine's."""
    (tmp_path / "b/log").mkdir(parents=True)
    (tmp_path / "b/report.txt").write_text(WORDS)
    return tmp_path / "b"


@pytest.fixture
def other_worker(database_url: str, here: Path, there: Path) -> Worker:
    """One round of a process of its own, with another state folder; how many parts it did."""
    env = {
        **os.environ, "DATABASE_URL": database_url, "SECRET_KEY": configured.SECRET_KEY,
        "RATIBA_FIELD_KEY": configured.FIELD_KEY, "RATIBA_STATE_DIR": str(there), "RATIBA_LOG_DIR": str(there / "log"),
        "DJANGO_SETTINGS_MODULE": "ratiba_eval.settings", "REDIS_URL": "redis://127.0.0.1:2/0",
    }  # fmt: skip

    def one_round() -> int:
        done = subprocess.run(
            [sys.executable, "-c", ROUND], env=env, cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return int(done.stdout.split()[-1])

    return one_round


def document(id: UUID) -> dict[str, Any]:
    with in_tenant("acme"):
        return erasure_document(id)


def pay(now: Callable[[], datetime] = timezone.now) -> None:
    with in_tenant("acme"):
        Erasure.objects.update(not_before=None)
        assert pay_erasures(now=now)


def test_an_erasure_waits_for_the_other_machine_and_names_it(here: Path, there: Path, other_worker: Worker) -> None:
    assert other_worker() == 0, "it says that it is there"
    note_node(now=timezone.now())
    with in_tenant("acme"):
        id = request_erasure(request=read_request(PERSON), requested_by="amina", now=earlier()).pk
    pay(earlier)
    found = document(id)
    assert (found["status"], found["receipt"]["nodes"]) == ("erased", 1)
    (open_node,) = found["receipt"]["nodes_open"]
    assert open_node.endswith(f":{there}")
    assert PHONE not in (here / "report.txt").read_text()
    assert PHONE in (there / "report.txt").read_text()

    pay()
    assert document(id)["status"] == "erased", "the words are not forgotten while a machine still needs them"

    assert other_worker() == 1
    assert other_worker() == 0, "what was done is not done again"
    assert PHONE not in (there / "report.txt").read_text()
    pay()
    found = document(id)
    assert (found["status"], found["receipt"]["nodes"], found["receipt"]["nodes_open"]) == ("completed", 2, [])
    assert found["receipt"]["files"]["report.txt"] == 2, "both machines' files are counted"
    with in_tenant("acme"):
        assert Erasure.objects.get().subject == ""


def test_the_operators_command_has_names_overwritten_on_every_machine(there: Path, other_worker: Worker) -> None:
    other_worker()
    with in_tenant("acme"):
        answer = erase_now(subject=read_request(PERSON).subject, requested_by="root", now=earlier())
    assert [name.endswith(str(there)) for name in answer["nodes_open"]] == [True]
    assert other_worker() == 1
    left = (there / "report.txt").read_text()
    assert NAME not in left
    assert PHONE not in left


def test_a_machine_that_is_silent_for_a_day_holds_up_nothing_and_is_named(
    here: Path, there: Path, other_worker: Worker
) -> None:
    other_worker()
    with in_tenant("acme"):
        id = request_erasure(request=read_request(PERSON), requested_by="amina", now=earlier()).pk
    pay(earlier)
    with in_public():
        Node.objects.filter(name__endswith=str(there)).update(seen_at=timezone.now() - timedelta(days=2))
    pay()
    found = document(id)
    assert found["status"] == "completed"
    assert [name.endswith(str(there)) for name in found["receipt"]["nodes_gone"]] == [True]
    with in_tenant("acme"):
        page = erasure_page(id, with_hits=False)
    assert (len(page.nodes_open), len(page.nodes_gone)) == (0, 1)
    assert other_worker() == 1, "it comes back: its part is over, since nobody knows the words any more"
    assert PHONE in (there / "report.txt").read_text()


def test_one_machine_alone_owes_nobody_and_a_dry_run_names_the_others(here: Path, other_worker: Worker) -> None:
    note_node(now=timezone.now())
    with in_tenant("acme"):
        id = request_erasure(request=read_request(PERSON), requested_by="amina", now=earlier()).pk
    pay(earlier)
    with in_public():
        assert not NodeErasure.objects.exists()
    pay()
    assert document(id)["status"] == "completed"
    other_worker()
    with in_tenant("acme"):
        dry = read_request({**PERSON, "dry_run": True})
        id = request_erasure(request=dry, requested_by="amina", now=timezone.now()).pk
    pay()
    assert len(document(id)["receipt"]["nodes_open"]) == 1


def test_a_state_folder_is_one_node_whichever_process_asks(here: Path) -> None:
    first = note_node(now=timezone.now())
    assert note_node(now=timezone.now()) == first
    assert do_parts(now=timezone.now) == 0
    with in_public():
        assert Node.objects.count() == 1
        Node.objects.create(key="old", name="old", seen_at=timezone.now() - timedelta(days=30))
    note_node(now=timezone.now())
    with in_public():
        assert not Node.objects.filter(key="old").exists(), "one that is long gone is forgotten"


def test_a_process_says_again_and_again_that_its_machine_is_there(here: Path) -> None:
    stop, deadline = start_node_rounds(every_s=0.05), timezone.now() + timedelta(seconds=20)
    try:
        seen = False
        while not seen and timezone.now() < deadline:
            with in_public():
                seen = Node.objects.filter(name__endswith=str(here)).exists()
    finally:
        stop.set()
    assert seen

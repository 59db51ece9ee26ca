"""What the judging benchmark and the fault drill share: a tenant, a stub model, real workers, and what they used."""

import json
import os
import subprocess
import sys
import time
import urllib.request
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import connections
from django.utils import timezone

from apps.catalog.configs.services.versions import create_draft, publish
from apps.catalog.connections.services.storing import save_model_provider
from apps.catalog.files.services.packs import load_pack
from apps.core.conversation import ConversationDocument
from apps.core.document_parsing import parse_document
from apps.tenants.context import in_tenant
from apps.tenants.services import add_tenant, delete_tenant
from ratiba_eval import local_stack, preparation, programs
from ratiba_eval.supervisor import Supervisor
from ratiba_eval.workers_listen import workers_listen

CORE = [
    "brevita_risposte",
    "una_domanda_per_turno",
    "mantenimento_flusso",
    "tono_naturale",
    "gestione_chiusura",
    "adattamento_persona",
]
SALES = ["apertura_cornice", "discovery_socratica", "pitch_proposta", "gestione_obiezioni", "chiusura_appuntamento"]
CONFIG = "bench"


@dataclass(frozen=True, slots=True)
class Stub:
    """The stub model's process and address."""

    process: subprocess.Popen[bytes]
    url: str

    def stats(self) -> dict[str, Any]:
        with urllib.request.urlopen(f"{self.url}/stats", timeout=10) as reply:  # noqa: S310 - our own loopback server
            found: dict[str, Any] = json.load(reply)
            return found

    def reset(self) -> None:
        urllib.request.urlopen(urllib.request.Request(f"{self.url}/reset", method="POST"), timeout=10)  # noqa: S310


@contextmanager
def stub_model(*options: str) -> Iterator[Stub]:
    """Start the stub on a free port; it ends with the block."""
    argv = [sys.executable, "-m", "tests.loopback.stub_model", "--port", "0", *options]
    process = subprocess.Popen(argv, stdout=subprocess.PIPE)
    assert process.stdout is not None
    line = process.stdout.readline().decode()
    url = next(word for word in line.split() if word.startswith("http")).rstrip("/.,")
    try:
        yield Stub(process, url)
    finally:
        process.terminate()
        process.wait(10)


@contextmanager
def services() -> Iterator[Path]:
    """Embedded services, migrated; the state folder."""
    local_stack.ensure()
    preparation.migrate()
    try:
        yield local_stack.state_dir()
    finally:
        connections.close_all()
        local_stack.release()


@contextmanager
def tenant(stub: Stub, *, keep: bool = False) -> Iterator[str]:
    """A tenant of its own whose config `bench` judges 11 criteria with the stub; dropped at the end."""
    slug = f"bench-{uuid.uuid4().hex[:8]}"
    add_tenant(slug=slug, name=slug, vertical="spa")
    with in_tenant(slug):
        load_pack("outbound-sales", at=timezone.now())
        save_model_provider(name="stub", kind="openai", base_url=f"{stub.url}/v1", api_key="not-a-key")
    add_config(slug, name=CONFIG, core=CORE, domain=SALES, weights={"discovery_socratica": 1.5})
    try:
        yield slug
    finally:
        if not keep:
            delete_tenant(slug=slug)


def add_config(
    slug: str, *, name: str, core: Sequence[str], domain: Sequence[str], weights: Mapping[str, float] | None = None
) -> None:
    """A published config that the stub judges by; its criteria are of the pack `outbound-sales`."""
    with in_tenant(slug):
        version = create_draft(
            config=name,
            content={
                "criteria": {"core": list(core), "domain": list(domain), "weights": dict(weights or {})},
                "llm_config": {"judge": {"provider": "stub", "model": "stub-model"}},
            },
        )
        publish(version_id=version, at=timezone.now(), by="bench")


@contextmanager
def workers(state: Path, *, count: int = 2, with_beat: bool = True) -> Iterator[Supervisor]:
    """Real Celery workers, ready."""
    with Supervisor(state / "log") as supervisor:
        every = list(programs.workers(count, concurrency=1))
        for program in (*every, *([programs.beat(state)] if with_beat else [])):
            supervisor.start(program)
        names = [program.name for program in every]
        supervisor.wait_for(names[-1], lambda: workers_listen(names))
        yield supervisor


def conversations(files: Sequence[Path], count: int) -> list[ConversationDocument]:
    """`count` documents made of those in the files, each with an id of its own and a marker the stub counts by."""
    found = [json.loads(line) for file in files for line in file.read_text().splitlines() if line.strip()]
    documents = []
    for number in range(count):
        raw = dict(found[number % len(found)])
        raw["id"] = f"c{number:05d}"
        first, *rest = raw["turns"]
        raw["turns"] = [{**first, "content": f"{first['content']} #key=c{number:05d}"}, *rest]
        documents.append(parse_document(raw))
    return documents


def cpu_seconds(pids: Sequence[int]) -> float:
    """User and system time of these processes and of all below them, so far; of those that have ended too."""
    ticks = os.sysconf("SC_CLK_TCK")
    return sum(sum(_times(pid)) for pid in _family(pids)) / ticks


def peak_mb(pids: Sequence[int]) -> float:
    """The largest resident size any process of these families ever had."""
    peaks = []
    for pid in _family(pids):
        try:
            lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        except OSError:
            continue
        peaks += [int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")]
    return max(peaks, default=0.0)


def resident_mb(pids: Sequence[int]) -> float:
    """What these families hold in memory now; pages that processes share count once."""
    found = 0.0
    for pid in _family(pids):
        try:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        found += sum(int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:"))
    return found


def until(done: Any, *, timeout_s: float, every_s: float = 0.05) -> float:
    """Wait until `done()`; the seconds it took. Raises TimeoutError."""
    start = time.perf_counter()
    while not done():
        if time.perf_counter() - start > timeout_s:
            raise TimeoutError(f"not done after {timeout_s} s")
        time.sleep(every_s)
    return time.perf_counter() - start


def _times(pid: int) -> tuple[int, int]:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0, 0
    return int(fields[11]) + int(fields[13]), int(fields[12]) + int(fields[14])  # its own, and its ended children's


def _family(pids: Sequence[int]) -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            children.setdefault(parent, []).append(int(entry.name))
    found, waiting = [], list(pids)
    while waiting:
        pid = waiting.pop()
        found.append(pid)
        waiting += children.get(pid, [])
    return found

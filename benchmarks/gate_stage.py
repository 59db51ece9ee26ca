"""Where the gate's benchmarks are played: a Ratiba of real processes, its judge on loopback, and pull requests that go
from git to an exit code through `ratiba-ci gate`.
"""

import json
import os
import re
import shutil
import tempfile
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import gate_shop
from benchmarks.gate_judge import CRITERIA, MODEL, ShopJudge
from tests.loopback.github import GitHub
from tests.loopback.http_server import LoopbackServer
from tests.plugin.ci.conftest import Repository
from tests.plugin.conftest import UserProject

CONFIG = "shop-quality"
PRICES = {"*": {"input": 2.5, "output": 10.0}}  # dollars for a million tokens
WORDING = {"helpful": "Every message takes the next sensible step, warm, idiomatic and fitting."}
GUIDE = {"0": "Not at all.", "3": "Hardly.", "5": "In part.", "7": "Mostly.", "10": "Wholly."}


@dataclass(frozen=True, kw_only=True)
class GateStage:
    """A Ratiba that runs, a key of it, and its judge."""

    url: str
    api_key: str
    tenant: str
    judge: ShopJudge
    folder: Path

    @property
    def address(self) -> str:
        """Of the API, by number: not every machine resolves names below localhost."""
        return f"http://127.0.0.1:{self.url.rpartition(':')[2]}/api/v1"

    def repository(self, name: str, *, cases: int, repeats: int) -> Repository:
        """A user's repository with one commit on main."""
        project = UserProject(folder=self.folder / name, timeout_s=1800)
        project.variables |= {"RATIBA_URL": self.url, "RATIBA_API_KEY": self.api_key}
        made = Repository(project)
        gate_shop.make_repository(made, cases=cases, repeats=repeats)
        return made


@dataclass(kw_only=True)
class GateRun:
    """What one `ratiba-ci gate` came to. `calls` are the judge's; `gate` is the stored document, {} where there is
    none; `comments` are those of our login on the pull request."""

    exit_code: int
    seconds: float
    calls: int
    output: str
    gate: Mapping[str, Any] = field(default_factory=dict)
    comments: tuple[str, ...] = ()

    @property
    def decision(self) -> str:
        """The document's word; without one, what the terminal says: nothing was needed, or nothing could be asked."""
        if self.gate:
            return str(self.gate["decision"])
        return "unmeasurable" if "unmeasurable:" in self.output else "nothing"

    @property
    def reason(self) -> str:
        """Why, in the document's sentence or the terminal's line."""
        if self.gate:
            return f"{self.gate['why']}: {self.gate['sentence']}"
        wanted = "unmeasurable:" if self.decision == "unmeasurable" else ""
        lines = [line for line in self.output.splitlines() if line.strip() and wanted in line]
        return lines[-1] if lines else "nothing to evaluate"


def run_gate(
    stage: GateStage,
    repository: Repository,
    *,
    number: int,
    base: str = "main",
    title: str = "",
    variables: Mapping[str, str] | None = None,
    github: GitHub | None = None,
) -> GateRun:
    """`ratiba-ci gate` as a workflow of GitHub calls it, for pull request `number`, whose branch is checked out."""
    head = repository.git("rev-parse", "HEAD")
    github = github or GitHub(number=number, head=head)
    github.head = head
    report = stage.folder / f"report-{number}-{uuid.uuid4().hex[:6]}"  # no file beside the commit
    with LoopbackServer(github) as server:
        own = {
            "GITHUB_ACTIONS": "true", "GITHUB_TOKEN": "t0ken", "GITHUB_REPOSITORY": "acme/shop",
            "GITHUB_API_URL": server.url, "GITHUB_STEP_SUMMARY": str(stage.folder / "summary.md"),
            "RATIBA_PULL_REQUEST": str(number), "RATIBA_PULL_REQUEST_TITLE": title, "RATIBA_PULL_REQUEST_HEAD": head,
            **(variables or {}),
        }  # fmt: skip
        before, began = stage.judge.calls, time.monotonic()
        kept = dict(repository.project.variables)
        repository.project.variables.update(own)
        try:
            done = repository.project.command("gate", "--base", base, "--report", str(report))
        finally:
            repository.project.variables = kept
        seconds = time.monotonic() - began
    documents = [json.loads(file.read_text()) for file in sorted(report.glob("*.json"))]
    return GateRun(
        exit_code=done.returncode,
        seconds=seconds,
        calls=stage.judge.calls - before,
        output=done.stdout + done.stderr,
        gate=documents[0] if documents else {},
        comments=tuple(str(one["body"]) for one in github.comments if one["user"]["login"] == github.login),
    )


@contextmanager
def gate_stage(*, workers: int = 2) -> Iterator[GateStage]:
    """Embedded services, web server, workers and beat, and a tenant of their own; all of it ends with the block."""
    from benchmarks import rig  # noqa: PLC0415 - after django.setup()
    from ratiba_eval import programs  # noqa: PLC0415
    from ratiba_eval.supervisor import Supervisor  # noqa: PLC0415

    judge = ShopJudge()
    folder = Path(tempfile.mkdtemp(prefix="gate-", dir="/tmp"))
    os.environ.setdefault("RATIBA_MODEL_BACKOFF_S", "0")
    try:
        with (
            rig.services() as state,
            LoopbackServer(judge) as model,
            _tenant(model.url) as (slug, key),
            Supervisor(folder / "log") as supervisor,
        ):
            names = ["control", *(f"worker-{number}" for number in range(1, workers + 1))]
            for program in (programs.web(0), *programs.workers(workers, concurrency=1), programs.beat(state)):
                supervisor.start(program)
            supervisor.wait_for("web", lambda: bool(_port(supervisor.log("web"))))
            supervisor.wait_for(names[-1], lambda: rig.workers_listen(names))
            url = f"http://{slug}.localhost:{_port(supervisor.log('web'))}"
            yield GateStage(url=url, api_key=key, tenant=slug, judge=judge, folder=folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _port(log: Path) -> str:
    found = re.search(r"listening on \S+:(\d+)", log.read_text())
    return found[1] if found else ""


@contextmanager
def _tenant(judge_url: str) -> Iterator[tuple[str, str]]:
    from apps.api.services.keys import add_api_key  # noqa: PLC0415 - after django.setup()
    from apps.catalog.connections.services.storing import save_model_provider  # noqa: PLC0415
    from apps.tenants.context import in_tenant  # noqa: PLC0415
    from apps.tenants.services import add_tenant, delete_tenant  # noqa: PLC0415

    slug = f"gate-{uuid.uuid4().hex[:8]}"
    add_tenant(slug=slug, name=slug, vertical="spa")
    with in_tenant(slug):
        save_model_provider(
            name="judge", kind="openai", base_url=f"{judge_url}/v1", api_key="not-a-key", options={"prices": PRICES}
        )
        key = add_api_key(name="ci").secret
    publish_rubric(slug, model=MODEL)
    try:
        yield slug, key
    finally:
        delete_tenant(slug=slug)


def publish_rubric(slug: str, *, model: str) -> None:
    """Publish a version of the rubric that this model judges; the newest is the one in force."""
    from django.utils import timezone  # noqa: PLC0415 - after django.setup()

    from apps.catalog.configs.services.versions import create_draft, publish  # noqa: PLC0415
    from apps.catalog.models import Criterion  # noqa: PLC0415
    from apps.tenants.context import in_tenant  # noqa: PLC0415

    with in_tenant(slug):
        for name in CRITERIA:
            texts = {"en": {"description": WORDING.get(name, f"Is it so: {name}?"), "scoring_guide": GUIDE}}
            Criterion.objects.get_or_create(name=name, defaults={"kind": "domain", "domain": "shop", "texts": texts})
        version = create_draft(
            config=CONFIG,
            content={
                "criteria": {"core": [], "domain": list(CRITERIA), "weights": {}},
                "llm_config": {"judge": {"provider": "judge", "model": model}},
            },
        )
        publish(version_id=version, at=timezone.now(), by="bench")

"""The processes of the product are the same everywhere: `make up`, compose, a further machine, Kubernetes, systemd."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from ratiba_eval import programs
from ratiba_eval.supervisor import Program
from tests.docs.fences import ROOT
from tests.docs.test_compose import COMPOSE, DOCKERFILE
from tests.docs.test_kubernetes import container, of_kind

FURTHER: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.workers.yml").read_text())
OPERATE = (ROOT / "docs" / "operate.md").read_text()
PROCESSES = ("web", "control", *programs.WORK_QUEUES, "beat")
IN_IMAGE = {"REMAP_SIGTERM", "CELERY_SKIP_CHECKS"}


def command(service: str) -> list[str]:
    return list(COMPOSE["services"][service]["command"])


def size(service: str) -> int:
    """How many processes: the machine's owner decides; that is all that may differ."""
    words = command(service)
    return int(words[words.index("--concurrency") + 1])


def program(service: str, state: Path) -> Program:
    match service:
        case "web":
            return programs.web(8000)
        case "control":
            return next(programs.workers(1))
        case "beat":
            return programs.beat(state)
    return programs.worker(service, queues=(service,), concurrency=size(service))


def elsewhere(words: tuple[str, ...], state: Path) -> list[str]:
    """As it is written for a machine that is not this one."""
    program, _m, module, *rest = words
    assert program == sys.executable
    start = ["celery"] if module == "celery" else ["python", "-m", module]
    changes = {programs.ADDRESS: "0.0.0.0", str(state / "beat" / "schedule"): "/tmp/celerybeat-schedule"}
    return start + [changes.get(word, word).replace("@ratiba", "@%h") for word in rest]


def variables(text: str) -> dict[str, str]:
    return dict(re.findall(r"([A-Z_]+)=(\S+)", text))


@pytest.mark.parametrize("service", PROCESSES)
def test_compose_runs_what_make_up_runs(service, tmp_path, monkeypatch):
    monkeypatch.delenv("RATIBA_DB_CONN_MAX_AGE", raising=False)
    one = program(service, tmp_path)
    assert command(service) == elsewhere(one.argv, tmp_path)
    image = variables(re.findall(r"^ENV (.*)$", DOCKERFILE, flags=re.M)[0])
    environment = {**image, **COMPOSE["services"][service]["environment"]}
    for name, value in one.env.items():
        if name != "DJANGO_SETTINGS_MODULE":  # celery.py, web.py and manage.py say it themselves
            assert environment[name] in (value, f"${{{name}:-{value}}}")


def test_kubernetes_gives_the_web_what_compose_gives_it():
    (own,) = container(of_kind("Deployment")["ratiba-web"])["env"]
    assert COMPOSE["services"]["web"]["environment"][own["name"]] == f"${{{own['name']}:-{own['value']}}}"


def test_a_further_machine_runs_the_workers_and_nothing_else():
    assert set(FURTHER["services"]) == set(programs.WORK_QUEUES)
    for name, service in FURTHER["services"].items():
        first = dict(COMPOSE["services"][name])
        del first["depends_on"]
        own, others = dict(service.pop("environment")), dict(first.pop("environment"))
        assert service == first
        for where in ("DATABASE_URL", "REDIS_URL"):
            assert own.pop(where) == f"${{{where}:?set it in .env}}"
            assert others.pop(where).startswith(f"${{{where}:-"), "what .env says must win"
        assert own == others


def test_the_unit_of_the_documents_is_one_of_them():
    unit = OPERATE[OPERATE.index("# /etc/systemd/system/ratiba-control.service") :].partition("```")[0]
    start = re.findall(r"^ExecStart=/srv/ratiba/app/.venv/bin/(.*)$", unit, flags=re.M)[0]
    assert start.replace("%%", "%").split() == command("control")
    said = variables("\n".join(re.findall(r"^Environment=(.*)$", unit, flags=re.M)))
    image = variables(re.findall(r"^ENV (.*)$", DOCKERFILE, flags=re.M)[0])
    assert said == {name: image[name] for name in IN_IMAGE}

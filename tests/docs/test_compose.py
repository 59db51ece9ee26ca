"""The compose file and the Dockerfile, checked by reading: there is no engine here that could build or start them."""

import importlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import get_commands

from apps.connectors.tracing.langfuse.server import OLDEST
from tests.docs.fences import ROOT

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
DOCKERFILE = (ROOT / "Dockerfile").read_text()
OURS = {name: service for name, service in COMPOSE["services"].items() if "build" in service}
LANGFUSE = {name: one for name, one in COMPOSE["services"].items() if name.startswith("langfuse-")}
# What the compose file itself reads, not the product: passwords of its own Postgres and Valkey, the tag of our image.
OF_COMPOSE = {"POSTGRES_PASSWORD", "VALKEY_PASSWORD", "RATIBA_VERSION"}
TOP_LEVEL = {"services", "volumes", "x-app", "x-langfuse", "x-worker"}
KNOWN_KEYS = {
    "image", "build", "restart", "init", "env_file", "environment", "volumes", "read_only", "tmpfs", "cap_drop",
    "security_opt", "stop_grace_period", "depends_on", "healthcheck", "command", "ports", "shm_size", "profiles",
    "entrypoint", "user",
}  # fmt: skip


def example_variables() -> set[str]:
    return set(re.findall(r"^([A-Z][A-Z0-9_]+)=", (ROOT / ".env.example").read_text(), flags=re.M))


def commands() -> list[tuple[str, list[str]]]:
    in_image = [part.strip(' "') for part in re.findall(r"^CMD \[(.*)\]$", DOCKERFILE, flags=re.M)[0].split(",")]
    found = [("Dockerfile", in_image), *((name, one["command"]) for name, one in OURS.items())]
    return [
        (where, part)
        for where, words in found
        for part in ([one.split() for one in words[2].split("||")] if words[:2] == ["sh", "-c"] else [words])
    ]


@pytest.mark.parametrize("where, words", commands(), ids=lambda value: value if isinstance(value, str) else "")
def test_every_command_exists_and_takes_its_options(where, words):
    program, *rest = words
    if rest[:2] == ["-m", "ratiba_eval.web"]:
        helped = run([sys.executable, *rest[:2], "--help"])
    elif program == "python":
        assert (ROOT / rest[0]).is_file()
        assert rest[1] in get_commands()
        helped = run([sys.executable, rest[0], rest[1], "--help"])
    else:
        assert program == "celery"
        assert shutil.which("celery", path=tools())
        application = rest[rest.index("-A") + 1]
        assert importlib.import_module(application).app
        command = rest[rest.index("-A") + 2]
        helped = run([tools() + "/celery", "-A", application, command, "--help"])
    for word in rest:
        if word.startswith("--"):
            assert re.search(rf"{word.partition('=')[0]}\b", helped), f"{where}: {program} has no option {word}"


def test_workers_take_exactly_the_queues_there_are():
    from django.conf import settings  # noqa: PLC0415 - configured by the plugin by now

    taken = [
        queue
        for service in OURS.values()
        if "worker" in service["command"]
        for queue in service["command"][service["command"].index("-Q") + 1].split(",")
    ]
    assert sorted(taken) == sorted(settings.QUEUES)
    assert "control" not in [
        queue for name, service in OURS.items() if name != "control" for queue in service["command"]
    ], "control must never wait behind work"
    assert sum("beat" in service["command"] for service in OURS.values()) == 1


def test_every_variable_stands_in_the_example():
    known = example_variables()
    text = (ROOT / "docker-compose.yml").read_text()
    for service in OURS.values():
        for name in service["environment"]:
            assert name in known, f"{name} is set for our services, and nothing reads it"
    for name in set(re.findall(r"\$\{([A-Z_]+)", text)):
        assert name in known | OF_COMPOSE, f"{name} is asked for and stands nowhere"


def test_images_are_pinned_by_tag():
    images = [service["image"] for name, service in COMPOSE["services"].items() if name not in OURS]
    images += re.findall(r"^FROM (\S+)", DOCKERFILE, flags=re.M)
    for image in images:
        _, _, tag = image.rpartition(":")
        assert re.match(r"\d+\.\d+\.?\d*|RELEASE\.\d{4}-\d\d-\d\d", tag), f"{image} is not pinned"


def test_only_keys_that_compose_knows_are_used():
    assert set(COMPOSE) <= TOP_LEVEL
    for name, service in COMPOSE["services"].items():
        assert set(service) <= KNOWN_KEYS, f"{name}: {set(service) - KNOWN_KEYS}"
        for other in service.get("depends_on", {}):
            assert other in COMPOSE["services"]
        for volume in service.get("volumes", []):
            source = volume.partition(":")[0]
            assert source in COMPOSE["volumes"] or (source.startswith("./") and (ROOT / source).is_dir())


def test_a_langfuse_starts_by_its_profile_alone_and_publishes_one_port_to_this_machine():
    assert {name for name, one in COMPOSE["services"].items() if "profiles" in one} == set(LANGFUSE)
    assert all(one["profiles"] == ["langfuse"] for one in LANGFUSE.values())
    assert [port for one in LANGFUSE.values() for port in one.get("ports", ())] == ["127.0.0.1:3000:3000"]
    versions = {one["image"].rpartition(":")[2] for one in LANGFUSE.values() if "/langfuse/" in one["image"]}
    (version,) = versions
    assert tuple(map(int, version.split(".")))[:2] >= OLDEST
    for name, service in COMPOSE["services"].items():
        if name not in LANGFUSE:
            assert not set(service.get("depends_on", {})) & set(LANGFUSE), "it is not there without the profile"


def test_no_secret_stands_in_the_file_and_none_may_be_left_out():
    for service in OURS.values():
        for name in ("SECRET_KEY", "RATIBA_FIELD_KEY", "ALLOWED_HOSTS"):
            assert service["environment"][name].startswith(f"${{{name}:?")
        assert "${POSTGRES_PASSWORD:?" in service["environment"]["DATABASE_URL"]
        assert "${VALKEY_PASSWORD:?" in service["environment"]["REDIS_URL"]
    assert "${VALKEY_PASSWORD:?set it in .env}" in COMPOSE["services"]["valkey"]["command"]


def test_the_image_is_run_by_an_ordinary_user_and_built_in_two_stages():
    stages = re.findall(r"^FROM ", DOCKERFILE, flags=re.M)
    last = DOCKERFILE.rpartition("FROM ")[2]
    assert len(stages) == 2
    assert re.search(r"^USER ratiba$", last, flags=re.M)
    assert "--require-hashes" in DOCKERFILE
    assert "requirements/prod.txt" in DOCKERFILE
    for source in re.findall(r"^COPY (?!--from)(.*) \S+$", DOCKERFILE, flags=re.M):
        for name in source.split():
            assert (ROOT / name).exists(), f"the Dockerfile copies {name}"


def test_the_secrets_and_the_state_of_a_machine_stay_out_of_the_image():
    ignored = (ROOT / ".dockerignore").read_text().split("\n")
    assert {".git", ".venv", "var", ".env"} <= set(ignored)
    needed = ["manage.py", "apps", "ratiba_eval", "requirements", "examples"]
    assert not set(needed) & set(ignored)


def test_static_files_are_collected_without_services_or_kept_secrets(tmp_path):
    """What the build stage runs, as it runs it: no server is there, and nothing secret is left behind."""
    line = re.search(r"^RUN (DATABASE_URL=.*?collectstatic --noinput)", DOCKERFILE, flags=re.M | re.S)
    assert line
    command = line[1].replace("\\\n", " ").replace("/venv/bin/python", sys.executable)
    command = command.replace("RATIBA_STATE_DIR=/state", f"RATIBA_STATE_DIR={tmp_path}")
    done = subprocess.run(["sh", "-c", command], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "static" / "admin").is_dir()
    assert not list(tmp_path.glob("*key*"))


def test_the_product_imports_nothing_that_only_development_installs():
    """`requirements/prod.txt` takes base.txt with DeepEval, which brings pytest along; we ask for none."""
    prod = (ROOT / "requirements" / "prod.txt").read_text()
    base = (ROOT / "requirements" / "base.txt").read_text()
    assert prod.splitlines()[0].startswith("-r base.txt") or "-r base.txt" in prod
    for name in ("waitress", "celery", "django", "psycopg"):
        assert re.search(rf"^{name}[\[=]", base, flags=re.M | re.I)
    assert not re.search(r"^(mypy|ruff)", prod + base, flags=re.M)
    asked = "".join((ROOT / "requirements" / name).read_text() for name in ("base.in", "prod.in"))
    assert not re.search(r"^(pytest|mypy|ruff)", asked, flags=re.M)


def tools() -> str:
    return str(Path(sys.executable).parent)


def run(words: list[str]) -> str:
    done = subprocess.run(
        words, cwd=ROOT, env={**os.environ, "COLUMNS": "200"}, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout

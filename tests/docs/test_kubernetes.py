"""deploy/kubernetes: valid by the published schemas, and in step with the product. No cluster here could start it."""

import re
from pathlib import Path
from typing import Any

import jsonschema
import kubernetes_validate
import pytest
import yaml

from apps.jobs.work import registered
from tests.docs.fences import ROOT
from tests.docs.test_compose import COMPOSE, example_variables

FOLDER = ROOT / "deploy" / "kubernetes"
FILES = sorted(FOLDER.glob("*.yaml"))
VERSION = "1.37"
# What we use of keda.sh/v1alpha1 ScaledObject, by its reference (https://keda.sh/docs/latest/reference/scaledobject-spec/).
SCALED_OBJECT = {
    "type": "object",
    "additionalProperties": False,
    "required": ["scaleTargetRef", "triggers"],
    "properties": {
        "scaleTargetRef": {
            "type": "object", "required": ["name"], "additionalProperties": False,
            "properties": {"name": {"type": "string"}, "kind": {"type": "string"}, "apiVersion": {"type": "string"}},
        },
        "minReplicaCount": {"type": "integer", "minimum": 0},
        "maxReplicaCount": {"type": "integer", "minimum": 1},
        "pollingInterval": {"type": "integer"},
        "cooldownPeriod": {"type": "integer"},
        "triggers": {
            "type": "array", "minItems": 1,
            "items": {
                "type": "object", "required": ["type", "metadata"], "additionalProperties": False,
                "properties": {
                    "type": {"const": "prometheus"},
                    "metadata": {
                        "type": "object", "required": ["serverAddress", "query", "threshold"],
                        "additionalProperties": {"type": "string"},
                    },
                },
            },
        },
    },
}  # fmt: skip


def documents() -> list[tuple[Path, dict[str, Any]]]:
    return [(file, one) for file in FILES for one in yaml.safe_load_all(file.read_text()) if one]


def of_kind(kind: str) -> dict[str, dict[str, Any]]:
    return {one["metadata"]["name"]: one for _, one in documents() if one["kind"] == kind}


def container(workload: dict[str, Any]) -> dict[str, Any]:
    (only,) = workload["spec"]["template"]["spec"]["containers"]
    return dict(only)


@pytest.mark.parametrize("file, document", documents(), ids=lambda value: getattr(value, "name", ""))
def test_every_manifest_is_valid_by_its_schema(file: Path, document: dict[str, Any]) -> None:
    if document["kind"] == "ScaledObject":
        assert document["apiVersion"] == "keda.sh/v1alpha1"
        jsonschema.validate(document["spec"], SCALED_OBJECT)
    else:
        kubernetes_validate.validate(document, VERSION, strict=True)


def test_a_misspelt_field_is_found() -> None:
    """The check checks."""
    wrong = dict(of_kind("Service")["ratiba-web"]) | {"spec": {"selektor": {}}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, VERSION, strict=True)


def test_what_runs_is_what_compose_runs() -> None:
    workloads = {**of_kind("Deployment"), **of_kind("Job")}
    own = {name: one for name, one in COMPOSE["services"].items() if "profiles" not in one}
    ours = {f"ratiba-{name}": one for name, one in own.items() if name not in ("postgres", "valkey")}
    assert {name: container(one)["command"] for name, one in workloads.items()} == {
        name: one["command"] for name, one in ours.items()
    }


def test_workers_scale_by_rows_that_are_measured_and_beat_never() -> None:
    scaled = {one["spec"]["scaleTargetRef"]["name"]: one for one in of_kind("ScaledObject").values()}
    assert set(scaled) == {"ratiba-battles", "ratiba-judging"}
    for one in scaled.values():
        query = one["spec"]["triggers"][0]["metadata"]["query"]
        (kinds,) = re.findall(r'ratiba_work_oldest_seconds\{work=~"([\w|]+)"\}', query)
        assert set(kinds.split("|")) <= {work.name for work in registered()}
    beat = of_kind("Deployment")["ratiba-beat"]["spec"]
    assert (beat["replicas"], beat["strategy"]) == (1, {"type": "Recreate"})


def test_every_setting_is_one_of_the_product() -> None:
    assert set(of_kind("ConfigMap")["ratiba"]["data"]) <= example_variables()


def test_no_container_is_root_or_writes_into_its_image() -> None:
    for workload in (*of_kind("Deployment").values(), *of_kind("Job").values()):
        context = container(workload)["securityContext"]
        assert context["runAsNonRoot"]
        assert context["readOnlyRootFilesystem"]
        assert context["capabilities"] == {"drop": ["ALL"]}
        assert workload["spec"]["template"]["spec"]["automountServiceAccountToken"] is False


def test_services_find_their_pods() -> None:
    for service in of_kind("Service").values():
        selector = service["spec"]["selector"]
        pods = [one["spec"]["template"]["metadata"]["labels"] for one in of_kind("Deployment").values()]
        assert sum(selector.items() <= labels.items() for labels in pods) == 1

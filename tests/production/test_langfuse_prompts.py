"""Prompts go from git to a team's Langfuse, once each; only names that a source lists come from there."""

import json
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from apps.catalog.models import PromptLine, PromptVersion
from apps.catalog.prompts.services.recording import make_live, record_prompt_text
from apps.jobs.deliveries import delivery_kind_of
from apps.jobs.models import OutboundDelivery
from apps.jobs.services.delivering import deliver_due
from apps.production.admin import LangfuseSourceForm
from apps.production.langfuse.services.poll import poll_sources
from apps.production.langfuse.services.prompts import enqueue_prompts
from apps.production.models import LangfuseSource
from tests.loopback.http_server import Answer, LoopbackServer, Request
from tests.loopback.langfuse import LangfuseProject, answer
from tests.production.langfuse_rows import langfuse_source
from tests.production.sampling_rows import NIGHT

NOW = NIGHT + timedelta(days=1)
REST: dict[str, Any] = {"config": {}, "tags": []}
PATH = "/api/public/v2/prompts"


class PromptProject(LangfuseProject):
    """Each POST is a new version, as in a real one; a label is on one version of a name."""

    def __init__(self) -> None:
        super().__init__()
        self.prompts: dict[str, list[dict[str, Any]]] = {}
        self.bodies: list[Any] = []

    def __call__(self, request: Request) -> Answer:
        path = request.path.partition("?")[0]
        if not path.startswith(PATH) or self.faults:
            return super().__call__(request)
        self.requests.append((request.method, path))
        body = json.loads(request.body) if request.body else {}
        name = body.get("name") or unquote(path.removeprefix(PATH + "/").partition("/")[0])
        versions = self.prompts.setdefault(name, [])
        if request.method == "POST":
            self.bodies.append(body)
            versions.append({**body, "version": len(versions) + 1, "labels": []})
            self._label(name, len(versions), body["labels"])
            return answer(versions[-1], status=201)
        if request.method == "PATCH":
            self._label(name, int(path.rpartition("/")[2]), body["newLabels"])
            return answer({})
        label = parse_qs(urlsplit(request.path).query)["label"][0]
        found = [one for one in versions if label in one["labels"]]
        missing = {"message": f"Prompt not found: '{name}' with label '{label}'", "error": "LangfuseNotFoundError"}
        return answer(found[0]) if found else answer(missing, status=404)

    def _label(self, name: str, version: int, labels: list[str]) -> None:
        for one in self.prompts[name]:
            one["labels"] = [label for label in one["labels"] if label not in labels]
            one["labels"] += labels if one["version"] == version else []


@pytest.fixture
def langfuse(tenant: str):
    project = PromptProject()
    project.more = {
        ("GET", "/api/public/v2/observations"): lambda _: answer({"data": [], "meta": {"limit": 100}}),
        ("GET", "/api/public/v3/scores"): lambda _: answer({"data": [], "meta": {"limit": 100}}),
    }
    with LoopbackServer(project) as server:
        langfuse_source(server.url, publishes_prompts=True)
        yield project


def deliver(now=NOW) -> None:
    enqueue_prompts(now=now)
    deliver_due(now=lambda: now, kinds=[delivery_kind_of("langfuse_deliveries")])


def shown(project: PromptProject, name: str) -> list[tuple[str, list[str]]]:
    return [(one["prompt"], sorted(one["labels"])) for one in project.prompts[name]]


def test_versions_of_git_are_published_by_their_sha_and_live_goes_with_the_line(langfuse):
    record_prompt_text(name="greeting", text="Say habari.", revision="a1b2c3d")
    record_prompt_text(name="greeting", text="Say karibu.", revision="b2c3d4e")
    record_prompt_text(name="greeting", text="A draft.", draft=True)
    for minute in range(0, 20, 6):
        deliver(NOW + timedelta(minutes=minute))
    assert sorted(shown(langfuse, "greeting")) == [("Say habari.", ["a1b2c3d"]), ("Say karibu.", ["b2c3d4e", "live"])]
    make_live(version="greeting@a1b2c3d", by="amina")
    deliver(NOW + timedelta(hours=1))
    assert sorted(shown(langfuse, "greeting")) == [("Say habari.", ["a1b2c3d", "live"]), ("Say karibu.", ["b2c3d4e"])]


def test_an_answer_that_was_lost_makes_no_second_version(langfuse):
    record_prompt_text(name="greeting", text="Say habari.", revision="a1b2c3d")
    deliver()
    langfuse.faults = [Answer(status=503)] * 4
    OutboundDelivery.objects.update(status="pending", attempts=0)
    for hour in range(4):
        deliver(NOW + timedelta(hours=hour))
    assert len(langfuse.prompts["greeting"]) == 1
    assert set(OutboundDelivery.objects.values_list("status", flat=True)) == {"delivered"}


def test_only_a_name_that_the_source_lists_is_read_and_is_then_not_published(langfuse):
    record_prompt_text(name="greeting", text="From git.", revision="a1b2c3d")
    langfuse.prompts = {
        name: [
            {
                "type": "text",
                "name": name,
                "version": 4,
                "prompt": f"{name} of theirs",
                "labels": ["production"],
                **REST,
            }
        ]
        for name in ("greeting", "closing", "other")
    }
    LangfuseSource.objects.update(read_prompts=["closing", "absent"])
    poll_sources(now=lambda: NOW)
    assert set(PromptVersion.objects.values_list("version", flat=True)) == {"greeting@a1b2c3d", "closing@langfuse-4"}
    assert PromptLine.objects.get(name="closing").live.text == "closing of theirs"
    assert "no prompt 'absent' has the label production there" in LangfuseSource.objects.get().last_error
    langfuse.prompts["closing"] += [{**langfuse.prompts["closing"][0], "version": 5, "prompt": "new", "labels": []}]
    langfuse._label("closing", 5, ["production"])
    poll_sources(now=lambda: NOW + timedelta(minutes=6))
    assert PromptLine.objects.get(name="closing").live.version == "closing@langfuse-5"
    deliver(NOW + timedelta(minutes=7))
    assert len(langfuse.prompts["closing"]) == 2


@pytest.mark.parametrize(
    "prompt",
    [{"type": "chat", "prompt": []}, {"version": "first"}, {"version": 10**9}, {"prompt": None}, {"prompt": ""}],
)
def test_what_is_no_text_prompt_changes_nothing_and_is_told(langfuse, prompt: dict[str, Any]):
    one = {"type": "text", "name": "closing", "version": 1, "prompt": "x", "labels": ["production"], **REST, **prompt}
    langfuse.prompts = {"closing": [one]}
    LangfuseSource.objects.update(read_prompts=["closing"])
    poll_sources(now=lambda: NOW)
    assert not PromptVersion.objects.exists()
    assert "closing" in LangfuseSource.objects.get().last_error


def test_another_text_under_our_label_is_refused_and_not_overwritten(langfuse):
    record_prompt_text(name="greeting", text="Say habari.", revision="a1b2c3d")
    langfuse.prompts = {
        "greeting": [
            {"type": "text", "version": 1, "prompt": "forged", "name": "greeting", "labels": ["a1b2c3d"], **REST}
        ]
    }
    deliver()
    delivery = OutboundDelivery.objects.get(event="published")
    assert (delivery.status, "another text" in delivery.last_error) == ("refused", True)
    assert len(langfuse.prompts["greeting"]) == 1


def test_names_are_listed_by_the_form_each_of_one_source(langfuse):
    source = LangfuseSource.objects.get()
    fields = {"name": "ours", "base_url": source.base_url, "public_key": "pk", "enabled": "on"}
    form = LangfuseSourceForm(data={**fields, "reads": "closing\n\n closing \ngreeting"}, instance=source)
    assert form.is_valid(), form.errors
    assert form.save().read_prompts == ["closing", "greeting"]
    wrong = LangfuseSourceForm(data={**fields, "reads": "two words"}, instance=LangfuseSource.objects.get())
    assert list(wrong.errors) == ["reads"]
    other = LangfuseSourceForm(data={**fields, "name": "b", "new_secret_key": "sk", "reads": "closing"})
    assert other.errors["reads"] == ["closing is read from ours already."]


@pytest.mark.shared
def test_what_is_published_is_what_the_published_api_describes(langfuse):
    from tests.production.langfuse_api import fits  # noqa: PLC0415 - reads ../shared

    record_prompt_text(name="greeting", text="Say habari.", revision="a1b2c3d")
    deliver()
    (body,) = langfuse.bodies
    fits(body, path=PATH, method="post")

"""The button on a Langfuse source reads once, and says in a sentence which project answers or what is wrong."""

import uuid
from typing import Any

import pytest
from django.utils import timezone

from apps.core.errors import NotFound
from apps.jobs.domain.interactive_states import InteractiveRequest
from apps.jobs.models import OutboundDelivery
from apps.production.langfuse.queries.sending import sending_sentence
from apps.production.models import LangfuseSource
from apps.production.otlp.services.check_job import request_outside_check, run
from tests.loopback.http_server import Answer, LoopbackServer
from tests.loopback.langfuse import LangfuseProject, answer
from tests.production.langfuse_rows import langfuse_source

PROJECT = {"id": "p", "name": "salon", "organization": {"id": "o", "name": "acme"}, "metadata": {}}


@pytest.fixture
def langfuse(tenant: str, settings: Any):
    settings.PRIVATE_HOSTS = ("127.0.0.0/8",)
    project = LangfuseProject()
    project.more = {("GET", "/api/public/projects"): lambda _: answer({"data": [PROJECT]})}
    with LoopbackServer(project) as server:
        langfuse_source(server.url)
        yield project


def asked() -> dict[str, Any]:
    request = InteractiveRequest(subject_id=LangfuseSource.objects.get().pk, arguments={}, answer={}, now=timezone.now)
    return dict(run(request).answer)


def test_it_says_which_project_answers_and_its_version(langfuse):
    assert asked() == {"outcome": "answers", "version": "4.60.1", "project": "salon"}
    assert LangfuseSource.objects.get().server_version == "4.60.1"
    assert langfuse.requests == [("GET", "/api/public/health"), ("GET", "/api/public/projects")]


@pytest.mark.parametrize(
    "fault, said",
    [
        ({"version": "4.58.9"}, "is version 4.58.9: 4.59 or newer is needed"),
        ({"faults": [Answer(body=b"{}"), Answer(status=401)]}, "does not take this pair of keys"),
        ({"faults": [Answer(body=b"<html>")] * 2}, "is this the address of a Langfuse"),
        ({"faults": [Answer(body=b"[" * 100_000)] * 2}, "is this the address of a Langfuse"),
        ({"faults": [Answer(fault="reset")] * 2}, "the connection broke"),
        ({"faults": [Answer(body=b"{}"), Answer(status=302, headers={"location": "http://10.0.0.1"})]}, "status 302"),
    ],
)
def test_what_is_wrong_is_one_sentence(langfuse, fault: dict[str, Any], said: str):
    for name, value in fault.items():
        setattr(langfuse, name, value)
    told = asked()
    assert (told["outcome"], said in told["error"]) == ("wrong", True), told


def test_a_private_address_that_the_operator_did_not_name_is_not_read(langfuse, settings: Any):
    settings.PRIVATE_HOSTS = ()
    assert asked()["outcome"] == "wrong"
    assert langfuse.requests == []


def test_a_source_of_nobody_is_not_found(langfuse):
    with pytest.raises(NotFound):
        request_outside_check(row_id=uuid.uuid4(), requested_by="amina", now=timezone.now())


def test_the_source_says_what_waits_and_why(langfuse):
    source = LangfuseSource.objects.get()
    assert sending_sentence(source) == "nothing is sent there"
    source.sends_runs_since = timezone.now()
    assert sending_sentence(source) == "all that was to be sent is there"
    for status, error in (("pending", ""), ("pending", ""), ("refused", "answered 413"), ("delivered", "")):
        OutboundDelivery.objects.create(
            kind="langfuse", subject_id=uuid.uuid4(), event="e", status=status, last_error=error
        )
    assert sending_sentence(source) == (
        "2 deliveries waiting; 1 given up (saving this form tries them again); the last attempt: answered 413"
    )

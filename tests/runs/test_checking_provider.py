"""One question to a model provider: what came back, how fast, or what is wrong; never its key."""

import json

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.budgets.models import ModelCall
from apps.catalog.connections.services.storing import save_model_provider
from apps.connectors.llms.base import ModelSpec
from apps.connectors.llms.refused_parameters import forget_refusals
from apps.jobs.models import InteractiveJob
from apps.jobs.services.interactive import run_due
from apps.runs.agents.services.provider_check_job import _listed
from tests.dashboard.conftest import HOST, signed_in
from tests.loopback.http_server import Answer, Request
from tests.loopback.providers import ModelProvider

KEY = "sk-very-secret-0123456789"
PRICES = {"tiny": {"input": 1, "output": 2}}
RIGHTS = ("view_modelprovider", "change_modelprovider", "add_testrun")


def saved(server: ModelProvider):
    save_model_provider(
        name="ours",
        kind="openai",
        base_url=server.base_url("openai"),
        api_key=KEY,
        options={"prices": PRICES},
    )
    from apps.catalog.models import ModelProvider as Row  # noqa: PLC0415 - the loopback one has the same name

    return Row.objects.get(name="ours")


def tried(client, row, model="tiny") -> str:
    test = f"/providers/{row.pk}/check/"
    client.post(test, {"model": model})
    run_due(now=timezone.now, until=timezone.now())
    return client.get(test).content.decode()


def test_the_button_asks_one_question_and_shows_what_came_back(tenant):
    with ModelProvider(text="ready <b>") as server:
        row = saved(server)
        curator = signed_in("neema", *RIGHTS, host=HOST)
        form = reverse("admin:catalog_modelprovider_change", args=[row.pk], urlconf="ratiba_eval.urls")
        assert f"/providers/{row.pk}/check/" in curator.get(form).content.decode()
        first = curator.get(f"/providers/{row.pk}/check/").content.decode()
        assert "never tried" in first
        assert '<option value="tiny">' in first
        page = tried(curator, row)
    assert "tiny answers in" in page
    assert "ready &lt;b&gt;" in page
    assert "tokens in" in page
    assert [request.path.rpartition("/")[2] for request in server.requests] == ["completions", "models"]
    assert ModelCall.objects.get().purpose == "check"
    assert KEY not in page


@pytest.mark.parametrize(
    "answer, words",
    [
        (Answer(status=401, body=b'{"error": {"message": "Incorrect API key provided: ' + KEY.encode() + b'"}}'),
         "refuses us: its address, its key"),
        (Answer(status=404, body=b'{"error": {"message": "The model tiny does not exist"}}'), "does not exist"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_and_the_key_is_not(tenant, answer, words):
    with ModelProvider() as server:
        server.script(answer)
        row = saved(server)
        page = tried(signed_in("neema", *RIGHTS, host=HOST), row)
    assert words in page
    assert KEY not in page
    assert KEY not in str(InteractiveJob.objects.get().answer)


def test_a_model_must_be_named_and_a_reader_asks_nothing(tenant):
    with ModelProvider() as server:
        row = saved(server)
        test = f"/providers/{row.pk}/check/"
        curator = signed_in("neema", *RIGHTS, host=HOST)
        assert "Name the model" in curator.post(test, {"model": " "}, follow=True).content.decode()
        reader = signed_in("zuri", "view_modelprovider", host=HOST)
        assert "Ask one question" not in reader.get(test).content.decode()
        assert reader.post(test, {"model": "tiny"}).status_code == 403
    assert not server.requests
    assert not InteractiveJob.objects.exists()


def test_a_new_provider_has_no_key_to_remove_and_is_tried_next(tenant):
    curator = signed_in("neema", *RIGHTS, "add_modelprovider", host=HOST)
    add = reverse("admin:catalog_modelprovider_add", urlconf="ratiba_eval.urls")
    assert "Remove the stored key" not in curator.get(add).content.decode()
    sent = {"name": "mine", "kind": "openai", "base_url": "http://127.0.0.1:10", "new_key": "", "options": ""}
    answer = curator.post(add, sent)
    assert answer.status_code == 302, answer.content.decode()[-3000:]
    assert "/providers/" in answer["Location"]


class WithModels(ModelProvider):
    """A provider that lists its models, and refuses a schema."""

    def __init__(self, *names: str) -> None:
        super().__init__(text="ready")
        self.names = names

    def _handle(self, request: Request) -> Answer:
        if request.path.endswith("/models"):
            return Answer(body=json.dumps({"data": [{"id": name} for name in self.names]}).encode())
        return super()._handle(request)


def test_what_the_server_refuses_and_which_models_it_lists_is_told(tenant):
    refused = {"error": {"message": "response_format of type json_schema is not supported with this model."}}
    with WithModels("tiny-2", "large") as server:
        server.script(Answer(status=400, body=json.dumps(refused).encode()))
        page = tried(signed_in("neema", *RIGHTS, host=HOST), saved(server))
    forget_refusals()
    assert "tiny answers in" in page
    assert "refuses json_schema for this model" in page
    assert "lists 2 models, and tiny is not among them; named alike: tiny-2" in page


def test_a_default_of_ours_that_a_provider_no_longer_has_is_named():
    spec = ModelSpec(provider="openai", model="gpt-4o")
    assert _listed(["gpt-4o", "gpt-6"], spec)["missing_defaults"] == []
    gone = _listed(["gpt-6"], spec)
    assert (gone["missing_defaults"], gone["is_listed"]) == (["gpt-4o"], False)
    assert _listed([], spec) == {}

"""One surgical fix that a model proposes for one finding: who is asked, what it may read, and what comes of it."""

import json
import re
import uuid
from datetime import timedelta

import pgtrigger
import pytest

from apps.budgets.models import ModelCall
from apps.catalog.configs.queries.judges import model_in_force
from apps.catalog.connections.services.storing import save_model_provider
from apps.catalog.models import Scenario
from apps.catalog.prompts.services.recording import record_prompt_text
from apps.core.errors import BadInput, Conflict, NotFound
from apps.evaluations.models import Evaluation
from apps.improvement.holdout.domain.parts import Part
from apps.improvement.models import Analysis, FamilyPart, FixProposal, PromptDraft
from apps.improvement.optimizer.services.proposing import propose_due
from apps.improvement.optimizer.services.requesting_proposals import (
    ANOTHER_MODEL,
    FixQuestion,
    proposer_of,
    request_proposal,
)
from apps.runs.models import Conversation
from apps.tenants.context import current_slug
from apps.tenants.services import update_workflow_config
from tests.evaluations.bench import NOW, minutes
from tests.improvement.test_analysing import judged_run
from tests.loopback.http_server import Answer, Request
from tests.loopback.providers import ModelProvider
from tests.secret_answers import as_asked

pytestmark = pytest.mark.usefixtures("tenant")
LIVE = "# Role\nYou book haircuts.\n\n# Payment\nAsk for the PIN.\n\n# Legal\nPrices include VAT.\n"
FIXED = LIVE.replace("Ask for the PIN.", "Never ask for a PIN.")
NONCE = re.compile(r"<<<END AGENT PROMPT (\w+)>>>")


class Author(ModelProvider):
    """Answers with this fix, bound to the question's nonce; `status` other than 200 is an outage."""

    def __init__(self, **fix: str) -> None:
        super().__init__()
        self.fix = {"section": "S2", "replacement": "# Payment\nNever ask for a PIN.", "hopes": "trust",
                    "might_hurt": "nothing"} | fix  # fmt: skip
        self.prompts: list[str] = []

    def _handle(self, request: Request) -> Answer:
        prompt = json.loads(request.body)["messages"][-1]["content"]
        self.prompts.append(prompt)
        found = NONCE.findall(prompt)
        self.text = json.dumps(as_asked(prompt, {"nonce": found[-1] if found else "", **self.fix}))
        return super()._handle(request)


@pytest.fixture
def author():
    with Author() as server:
        save_model_provider(name="author", kind="openai", base_url=server.base_url("openai"), api_key="k")
        choose("author", "writer-1")
        yield server


def choose(provider: str, model: str) -> None:
    chosen = {"models": {"optimizer": {"provider": provider, "model": model}}}
    update_workflow_config(slug=current_slug(), changes=chosen)


@pytest.fixture
def analysis():
    """Three judged conversations of which two fail, and a finding about both."""
    record_prompt_text(name="salon", text=LIVE, revision="a1b2c3d")
    evaluation = judged_run(3, 2)
    rows = Conversation.objects.filter(run=evaluation.run).order_by("position")
    names = list(rows.values_list("external_id", flat=True))
    found = {"title": "It asks for the PIN", "criteria": ["first"], "section": "Payment", "suggestion": "Never ask.",
             "conversations": names[:2], "n": 2, "evidence": [], "doubts": []}  # fmt: skip
    return Analysis.objects.create(evaluation=evaluation, status="completed", findings=[found], ended_at=NOW)


def ask(analysis, number=1, **more):
    asked = FixQuestion(analysis_id=analysis.pk, finding_number=number, **more)
    return FixProposal.objects.get(pk=request_proposal(asked, by="amina", now=NOW))


def work(row, at=None):
    at = at or minutes(1)
    propose_due(now=lambda: at, until=at + timedelta(seconds=30))
    row.refresh_from_db()
    return row


def test_a_fix_becomes_a_surgical_draft_that_names_its_finding(author, analysis):
    row = work(ask(analysis))
    assert (row.status, row.error_message) == ("completed", "")
    assert (row.provider, row.model) != ("", "")
    draft = row.draft
    assert (draft.status, draft.origin, draft.mode, draft.text) == ("proposed", "model", "surgical", FIXED)
    assert (draft.analysis_id, draft.finding_number, draft.note) == (analysis.pk, 1, "It asks for the PIN")
    assert draft.hopes == {"lifts": "trust", "risks": "nothing"}
    assert draft.created_by == "amina"
    call = ModelCall.objects.get(purpose="proposal")
    assert (call.run_id, call.evaluation_id) == (analysis.evaluation.run_id, analysis.evaluation_id)
    assert len(author.prompts) == 1
    assert "It asks for the PIN" in author.prompts[0]
    assert author.prompts[0].count("<<<TRANSCRIPT ") == 2
    assert work(row).draft_id == draft.pk  # nothing is asked twice
    assert len(author.prompts) == 1


def test_what_is_kept_for_the_proof_is_shown_to_no_proposer(author, analysis):
    first, second = Conversation.objects.filter(run=analysis.evaluation.run).order_by("position")[:2]
    for number, (row, part) in enumerate(((first, Part.TRAIN), (second, Part.HOLD_OUT))):
        Scenario.objects.create(slug=f"s{number}", family=f"f{number}", goal="A haircut.")
        FamilyPart.objects.create(family=f"f{number}", part=part, set_number=int(part == Part.HOLD_OUT), drawn_at=NOW)
        Conversation.objects.filter(pk=row.pk).update(spec={"scenario": f"s{number}"})
    work(ask(analysis))
    assert author.prompts[0].count("<<<TRANSCRIPT ") == 1


def test_a_finding_that_only_sealed_conversations_show_is_answered_by_no_model(author, analysis):
    Scenario.objects.create(slug="s", family="f", goal="A haircut.")
    FamilyPart.objects.create(family="f", part=Part.HOLD_OUT, set_number=1, drawn_at=NOW)
    Conversation.objects.filter(run=analysis.evaluation.run).update(spec={"scenario": "s"})
    row = work(ask(analysis))
    assert (row.status, author.prompts) == ("failed", [])
    assert "kept for choosing and for the proof" in row.error_message


def test_a_fix_that_touches_what_is_protected_is_a_refused_draft(author, analysis):
    author.fix |= {"section": "S3", "replacement": "# Legal\nPrices may change."}
    row = work(ask(analysis))
    assert (row.status, row.draft.status) == ("completed", "refused")
    assert [one["code"] for one in row.draft.refusals] == ["protected_span"]


def test_an_answer_that_cannot_be_read_is_asked_for_once_more_and_then_failed(author, analysis):
    author.fix |= {"section": "S9"}
    row = work(ask(analysis))
    assert (row.status, len(author.prompts)) == ("failed", 2)
    assert "has no section 'S9'" in row.error_message
    assert not PromptDraft.objects.exists()
    assert ask(analysis).pk != row.pk  # it may be asked again


def test_it_is_asked_about_the_prompt_that_is_live_when_it_is_asked(author, analysis):
    row = ask(analysis)
    record_prompt_text(name="salon", text=LIVE + "\n# More\nMore.\n", revision="b1b2c3d")
    assert work(row).draft.base.version == "salon@b1b2c3d"


def test_two_questions_about_one_finding_are_one(author, analysis):
    ask(analysis)
    with pytest.raises(Conflict) as error:
        ask(analysis)
    assert error.value.code == "already_asked"


def test_a_proposer_of_the_judges_family_is_told_and_the_judge_itself_refused(author, analysis):
    judge = {"provider": "author", "model": "writer-1"}
    snapshot = analysis.evaluation.snapshot
    snapshot["llm_config"]["judge"] = judge
    with pgtrigger.ignore():
        Evaluation.objects.filter(pk=analysis.evaluation_id).update(snapshot=snapshot)
    with pytest.raises(Conflict) as error:
        ask(analysis)
    assert error.value.code == "judge_proposes"
    row = ask(analysis, override_reason="We have no other key.")
    assert [one["code"] for one in row.warnings] == ["judge_proposes"]
    work(row)
    choose("author", "writer-2")
    assert [one["code"] for one in ask(analysis).warnings] == ["same_family"]


def test_what_cannot_be_asked_is_told_and_nothing_is_owed(author, analysis):
    missing = FixQuestion(analysis_id=uuid.uuid4(), finding_number=1)
    with pytest.raises(NotFound):
        request_proposal(missing, by="", now=NOW)
    for number, more, code in ((2, {}, "unknown_finding"), (1, {"name": "nobody"}, "not_found")):
        with pytest.raises(BadInput) as error:
            ask(analysis, number, **more)
        assert error.value.code == code
    Analysis.objects.update(status="failed")
    with pytest.raises(Conflict):
        ask(analysis)
    assert not FixProposal.objects.exists()


def test_a_tenant_with_one_key_gets_another_model_of_the_judges_provider():
    save_model_provider(name="google", kind="google", api_key="k")
    judge = model_in_force("judge").as_json()
    assert judge["provider"] == "google"
    found = proposer_of(judge)
    assert (found["provider"], found["model"]) == ("google", ANOTHER_MODEL["google"])
    assert found["model"] != judge["model"]
    choose("google", judge["model"])
    assert proposer_of(judge)["model"] == judge["model"]  # what somebody chose is never replaced

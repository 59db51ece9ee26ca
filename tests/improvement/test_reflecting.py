"""The reflective mode end to end: gepa's search over ordinary drafts and trials, told again from kept answers."""

import json
import re
from decimal import Decimal

import pytest

from apps.budgets.models import Budget, ModelCall
from apps.catalog.connections.services.storing import save_model_provider
from apps.catalog.models import Scenario
from apps.catalog.prompts.services.recording import record_prompt_text
from apps.core.documents import as_json
from apps.evaluations.models import Evaluation
from apps.improvement.drafts.services.advancing_trials import advance_trials
from apps.improvement.models import FamilyPart, FixProposal, Optimization, Trial
from apps.improvement.optimizer.queries.documents import optimization_document
from apps.improvement.optimizer.queries.search_trials import search_trials
from apps.improvement.optimizer.services.steering_optimizations import cancel_optimization
from apps.runs.models import Conversation
from apps.tenants.context import current_slug
from apps.tenants.services import update_workflow_config
from tests.api.test_trials import fits
from tests.improvement.optimization_rows import ask, found, go_on, make_scene, propose
from tests.improvement.test_analysing import judged_run
from tests.improvement.trial_rows import NOW, Score, play
from tests.loopback.http_server import Answer, Request
from tests.loopback.providers import ModelProvider
from tests.secret_answers import as_asked

pytestmark = pytest.mark.usefixtures("tenant")
NONCE = re.compile(r"<<<END AGENT PROMPT (\w+)>>>")
SELECTION, TRAIN = 12, 4


class Reflector(ModelProvider):
    """Writes section 2 anew, another time each; keeps the questions."""

    def __init__(self) -> None:
        super().__init__()
        self.questions: list[str] = []

    def _handle(self, request: Request) -> Answer:
        prompt = json.loads(request.body)["messages"][-1]["content"]
        self.questions.append(prompt)
        number = ("first", "second", "third", "fourth")[min(len(self.questions), 4) - 1]
        answer = {
            "nonce": NONCE.findall(prompt)[-1],
            "hopes": "trust",
            "might_hurt": "nothing",
            "fixes": [{"section": "S2", "replacement": f"# Payment\nNever take a PIN, says the {number} try."}],
        }
        self.text = json.dumps(as_asked(prompt, answer))
        return super()._handle(request)


@pytest.fixture
def reflector():
    with Reflector() as server:
        save_model_provider(name="author", kind="openai", base_url=server.base_url("openai"), api_key="k")
        yield server


@pytest.fixture
def evaluation(reflector) -> Evaluation:
    """A run whose two failing conversations are of train families, beside families that choose."""
    scene = make_scene(judged_run(3, 2), families=SELECTION + TRAIN)
    names = [f"family-{number:02}" for number in range(SELECTION, SELECTION + TRAIN)]
    FamilyPart.objects.filter(family__in=names).update(part="train")
    slugs = list(Scenario.objects.filter(family__in=names).order_by("slug").values_list("slug", flat=True))
    for place, row in enumerate(Conversation.objects.filter(run=scene.run).order_by("position")):
        Conversation.objects.filter(pk=row.pk).update(spec={"scenario": slugs[place]})
    update_workflow_config(
        slug=current_slug(), changes={"models": {"optimizer": {"provider": "author", "model": "writer-1"}}}
    )
    return scene


def reflective(evaluation, drafts=2, **more) -> Optimization:
    row = ask(evaluation, mode="reflective", drafts=drafts, **more)
    go_on(row)
    found(row, "payment")
    return go_on(row)


def gains_by(gain: float | None) -> Score:
    """What the draft scores, beside a live prompt of 5."""

    def score(side: str, scenario: str) -> float | None:
        return 5.0 if side == "live" else None if gain is None else 5.0 + gain

    return score


def play_open(gains: dict[str, float | None]) -> int:
    """Every open trial is played: the draft gains by what its text says, None: nobody could score it."""
    count = 0
    for trial in Trial.objects.filter(status__in=["pending", "running"]):
        advance_trials(now=NOW)
        trial.refresh_from_db()
        gain = next(value for word, value in gains.items() if word in trial.draft.text)
        play(trial, gains_by(gain))
        advance_trials(now=NOW)
        count += 1
    return count


def finish(row: Optimization, gains: dict[str, float | None]) -> Optimization:
    for _ in range(40):
        go_on(row)
        if row.status not in ("pending", "running"):
            return row
        propose()
        play_open(gains)
    raise AssertionError(f"it never ends: {row.waiting_for}")


def test_a_search_goes_on_from_what_helped_and_its_best_goes_the_ordinary_way(evaluation, reflector) -> None:
    row = finish(reflective(evaluation), {"first": 0.5, "second": 0.9})
    assert (row.status, row.outcome) == ("completed", "helped")
    assert "draft 2 most, by +0.90 points" in row.sentence
    document = fits("Optimization", as_json(optimization_document(row)))
    assert [(one["parent"], one["draft"], one["before"], one["after"]) for one in document["search"]["steps"]] == [
        (0, 1, 0.0, 0.5), (1, 2, 0.5, 0.9)
    ]  # fmt: skip
    assert [one["best"] for one in document["drafts"]] == [False, True]
    assert len(reflector.questions) == 2
    assert "says the first try" in reflector.questions[1]  # it is shown the words that it goes on from
    second = row.drafts.get(position=2).draft
    assert (second.mode, second.origin, second.hopes["lifts"]) == ("reflective", "model", "trust")
    assert second.note.startswith("Goes on from draft 1, after ")
    assert ModelCall.objects.filter(purpose="proposal", pull_request=row.budget_name).count() == 2
    parts = sorted(Trial.objects.values_list("part", flat=True))
    assert set(parts) == {"selection", "train"}
    assert Trial.objects.filter(budget_name=row.budget_name).count() == len(parts)
    plays = sum(Scenario.objects.filter(slug__in=one.scenarios).values("family").distinct().count()
                for one in Trial.objects.all())  # fmt: skip
    assert plays <= 60
    chosen = {slug for one in Trial.objects.filter(part="selection") for slug in one.scenarios}
    trained = {slug for one in Trial.objects.filter(part="train") for slug in one.scenarios}
    assert (len(chosen), chosen & trained) == (SELECTION, set())


def test_no_reflection_reads_what_chooses(evaluation, reflector) -> None:
    row = reflective(evaluation)
    propose()
    asked = FixProposal.objects.get(mode="reflective").basis["conversations"]
    specs = Conversation.objects.filter(run=evaluation.run, external_id__in=asked).values_list(
        "spec__scenario", flat=True
    )
    parts = {FamilyPart.objects.get(family=f"family-{slug[1:]}").part for slug in specs}
    assert (len(asked), parts) == (2, {"train"})
    assert reflector.questions[0].count("<<<TRANSCRIPT ") == 2
    assert row.analysis.train_only


def test_a_lost_worker_asks_and_plays_nothing_twice(evaluation, reflector) -> None:
    row = reflective(evaluation)
    for _ in range(3):
        go_on(row)
    assert FixProposal.objects.count() == 1
    propose()
    go_on(row)
    for _ in range(3):
        go_on(row)  # whoever takes it up runs the library again from its first step
    assert Trial.objects.count() == 1
    finish(row, {"first": 0.5, "second": 0.9})
    assert len(reflector.questions) == FixProposal.objects.count() == 2
    keys = [(one.draft_id, one.part, tuple(one.scenarios)) for one in Trial.objects.all()]
    assert len(keys) == len(set(keys))


def test_what_nobody_could_score_is_no_zero_and_leaves_the_draft_out(evaluation) -> None:
    row = finish(reflective(evaluation), {"first": None, "second": -0.4})
    assert row.outcome == "not_shown"
    steps = as_json(optimization_document(row))["search"]["steps"]
    assert [(one["parent"], one["after"]) for one in steps] == [(0, None), (0, -0.4)]
    assert list(row.drafts.order_by("position").values_list("left_out", flat=True)) == ["not_compared", "not_pursued"]
    assert not Trial.objects.filter(part="selection").exists()
    assert row.sentence.startswith("No draft came so far that it was tried where drafts are chosen.")
    assert "1 draft did no better where drafts are written" in row.sentence


def test_stopping_it_stops_its_look_at_train_families_too(evaluation) -> None:
    row = reflective(evaluation)
    propose()
    go_on(row)
    assert len(search_trials(row)) == 1
    cancel_optimization(row.pk, by="amina", now=NOW)
    assert set(Trial.objects.values_list("status", flat=True)) == {"cancelled"}


def test_an_evaluation_without_failing_train_families_is_told_so(evaluation) -> None:
    FamilyPart.objects.filter(part="train").update(part="selection")
    row = reflective(evaluation)
    assert row.status == "failed"
    assert "train families that fail" in row.error_message


def test_a_prompt_that_went_live_meanwhile_ends_the_search(evaluation) -> None:
    row = reflective(evaluation)
    propose()
    record_prompt_text(name="greeting", text="# Role\nYou book haircuts well.\n", revision="bbb2222")
    go_on(row)
    assert (row.status, row.drafts.get().left_out) == ("completed", "not_triable")
    assert "went live in the middle of the search" in row.drafts.get().left_out_why


def test_its_budget_ends_the_search_and_what_waits_for_it(evaluation) -> None:
    row = reflective(evaluation, budget_usd=Decimal(5))
    propose()
    go_on(row)
    advance_trials(now=NOW)
    Budget.objects.filter(kind="pull_request", name=row.budget_name).update(stopped_at=NOW)
    go_on(row)
    assert row.status == "completed"
    assert set(Trial.objects.values_list("status", flat=True)) == {"cancelled"}
    assert row.drafts.get().left_out == "budget"

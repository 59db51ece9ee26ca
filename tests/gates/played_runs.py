"""Battle runs of a live prompt and of a draft, played and judged as a test says; one scenario came from a customer."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pgtrigger

from apps.catalog.models import Scenario
from apps.evaluations.models import CriterionScore, Evaluation, Judgement
from apps.evaluations.requests.services.battles import battle_run
from apps.evaluations.requests.services.creating import request_evaluation
from apps.gates.queries.gates import find_gate, gate_document
from apps.gates.services.deciding import decide_due_gates
from apps.improvement.models import FamilyPart, PromptDraft
from apps.runs.models import Conversation, TestRun
from tests.improvement.trial_rows import CRITERIA, NOW, make_world

COMPLAINT, MARK = "s03", 6.0


def draft_beside_a_complaint() -> str:
    """A draft's version, in a tenant whose scenario s03 came from a customer and was released."""
    draft = make_world(8)
    FamilyPart.objects.all().delete()
    Scenario.objects.filter(slug=COMPLAINT).update(
        origin="production", status="released", released_by="amina", released_at=NOW,
        must_not=[{"criterion": "flow", "below": MARK}],
    )  # fmt: skip
    return str(PromptDraft.objects.get(pk=draft).version.version)


def run_of(prompt: str = "", **more: Any) -> UUID:
    """All scenarios played by this prompt, not judged."""
    return battle_run(agent="booker", scenarios="all", prompt=prompt, now=NOW, **more)


def judged(run: UUID, score: Callable[[str], float] = lambda _: 8.0) -> Evaluation:
    """The run was played, and the judge gave each conversation this score on every criterion."""
    rows = Evaluation.objects.filter(run=run)
    made = rows.first() or rows.get(pk=request_evaluation(config="probe", run_id=run, now=NOW).evaluation_id)
    for one in Conversation.objects.filter(run=run):
        value = score(one.spec["scenario"])
        judgement, _ = Judgement.objects.update_or_create(
            evaluation=made, conversation=one,
            defaults={"status": "scored", "weighted_score": value, "fingerprint": "judge", "second_chances": 0},
        )  # fmt: skip
        CriterionScore.objects.bulk_create(
            CriterionScore(
                judgement=judgement, criterion=name, position=place, status="scored", score=value, weight=1,
                pass_mark=6, reason="as planted", evidence=[],
            )
            for place, name in enumerate(CRITERIA)
        )  # fmt: skip
    with pgtrigger.ignore():
        Conversation.objects.filter(run=run).update(status="ended", ended_at=NOW)
        TestRun.objects.filter(pk=run).update(status="completed", ended_at=NOW)
        Evaluation.objects.filter(pk=made.pk).update(status="completed", ended_at=NOW)
    return made


def again_there(scenario: str) -> float:
    return 2.0 if scenario == COMPLAINT else 8.0


def decided(gate: UUID) -> dict[str, Any]:
    decide_due_gates(now=NOW, gate_id=gate)
    return gate_document(find_gate(gate), base="https://acme.example/")

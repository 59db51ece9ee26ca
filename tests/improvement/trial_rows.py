"""What tests of trials start from: a prompt, its agent, scenario families, a draft, and sides that were played."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pgtrigger

from apps.catalog.connections.services.storing import save_agent, save_model_provider
from apps.catalog.models import Scenario
from apps.catalog.prompts.services.recording import record_prompt_text
from apps.evaluations.models import CriterionScore, Evaluation, Judgement
from apps.improvement.domain.acceptance import decide
from apps.improvement.drafts.domain.decision_document import decision_document
from apps.improvement.drafts.domain.trial_choices import TrialChoices
from apps.improvement.drafts.services.advancing_trials import advance_trials
from apps.improvement.drafts.services.drafting import DraftSource, create_draft
from apps.improvement.drafts.services.requesting_trials import request_trial
from apps.improvement.holdout.domain.parts import Part
from apps.improvement.models import FamilyPart, PromptDraft, Trial, TrialSide
from apps.runs.models import Conversation, TestRun
from apps.tenants.context import current_slug
from apps.tenants.services import update_workflow_config
from tests.catalog.samples import add_persona
from tests.evaluations.bench import make_config

NOW = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
LIVE = "# Role\nYou book haircuts.\n\n# Prices\nSay nothing of prices.\n"
DRAFT = "# Role\nYou book haircuts.\n\n# Prices\nSay the price of each service.\n"
CRITERIA = ("flow", "facts")
Score = Callable[[str, str], float | None]  # of a side and a scenario
Facts = Callable[[str, str], dict[str, Any]]


def make_line(*, text: str = LIVE, agent: str = "booker", prompt: str = "greeting", **recorded: str) -> str:
    """A live prompt and the agent that plays it."""
    save_model_provider(name="speaker", kind="openai", base_url="http://127.0.0.1:10/v1", api_key="k")
    save_agent(
        name=agent, kind="prompted", address="", options={"prompt": prompt, "provider": "speaker", "model": "m-1"}
    )
    recorded.setdefault("revision", "aaa1111")
    return record_prompt_text(name=prompt, text=text, path="prompts/greeting.md", **recorded)


def make_families(count: int, *, personas: tuple[str, ...] = ("aunt",), first: int = 0) -> list[str]:
    """So many families of one scenario each, played by the personas in turn; all of them are hold-out."""
    rows = [add_persona(name, status="validated", text="Likes it short.", language="en") for name in personas
            if first == 0]  # fmt: skip
    slugs = []
    for number in range(first, first + count):
        slugs.append(f"s{number:02}")
        Scenario.objects.create(
            slug=slugs[-1], family=f"family-{number:02}", goal="A haircut.", opening="Hi.", language="en",
            persona_id=rows[number % len(rows)].pk if rows else Scenario.objects.first().persona_id,
        )  # fmt: skip
    return slugs


def all_hold_out(set_number: int = 1) -> None:
    """Every family is sealed."""
    FamilyPart.objects.all().delete()
    families = sorted({one.family_name for one in Scenario.objects.all()})
    FamilyPart.objects.bulk_create(
        FamilyPart(family=family, part=Part.HOLD_OUT, set_number=set_number, drawn_at=NOW) for family in families
    )


def make_draft(text: str = DRAFT, *, by: str = "amina") -> UUID:
    return create_draft(name="greeting", text=text, source=DraftSource(by=by))


def make_world(families: int = 12, **more: Any) -> UUID:
    """A line, its agent, a judge, sealed families and a draft; the draft's id."""
    make_line()
    make_config(weights=dict.fromkeys(CRITERIA, 1.0))
    update_workflow_config(slug=current_slug(), changes={"models": {
        "simulator": {"provider": "offline", "model": "offline-rules"}}})  # fmt: skip
    make_families(families, **more)
    all_hold_out()
    return make_draft()


def ask(draft: UUID, **more: Any) -> Trial:
    more.setdefault("evaluator_config", "probe")
    more["part"] = Part(more.get("part", Part.HOLD_OUT))
    return Trial.objects.get(pk=request_trial(draft, TrialChoices(**more), by="amina", now=NOW))


def started(draft: UUID, **more: Any) -> Trial:
    row = ask(draft, **more)
    advance_trials(now=NOW)
    row.refresh_from_db()
    return row


def play(row: Trial, score: Score, *, criteria: dict[str, Score] | None = None, judged: Facts | None = None) -> None:
    """Every side played and judged: `score` of each conversation, None where the judge did not answer; `judged` says
    what else stands in its row."""
    for side in row.sides.select_related("test_run", "evaluation"):
        if side.test_run.status == "completed":
            continue  # the live side that an earlier draft of the round was compared with
        made = []
        for one in Conversation.objects.filter(run=side.test_run).order_by("position"):
            value = score(side.side, one.spec["scenario"])
            judgement, _ = Judgement.objects.update_or_create(
                evaluation=side.evaluation, conversation=one,
                defaults={
                    "status": "parse_error" if value is None else "scored", "weighted_score": value,
                    "fingerprint": "judge", "second_chances": 0,
                    **(judged(side.side, one.spec["scenario"]) if judged else {}),
                },
            )  # fmt: skip
            if value is not None:
                made += [
                    _score(judgement, name, place, (criteria or {}).get(name, score)(side.side, one.spec["scenario"]))
                    for place, name in enumerate(CRITERIA)
                ]
        CriterionScore.objects.bulk_create(made)
        with pgtrigger.ignore():
            Conversation.objects.filter(run=side.test_run).update(status="ended", ended_at=NOW)
            TestRun.objects.filter(pk=side.test_run.pk).update(status="completed", ended_at=NOW)
            Evaluation.objects.filter(pk=side.evaluation.pk).update(status="completed", ended_at=NOW)


def _score(judgement: Judgement, criterion: str, place: int, score: float | None) -> CriterionScore:
    return CriterionScore(
        judgement=judgement, criterion=criterion, position=place, status="scored", score=score, weight=1, pass_mark=6,
        reason="as planted", evidence=[],
    )  # fmt: skip


def gain(points: float, *, spread: float = 0.3) -> Score:
    """A draft that is better by so much in every family, a little more in every other one."""

    def score(side: str, scenario: str) -> float:
        jitter = spread * (int(scenario[1:]) % 2)
        return 5.0 if side != "draft" else 5.0 + points + jitter

    return score


def decided(draft: UUID, score: Score, **more: Any) -> Trial:
    """A trial from its request to its decision."""
    criteria = more.pop("criteria", None)
    row = started(draft, **more)
    play(row, score, criteria=criteria)
    advance_trials(now=NOW)
    row.refresh_from_db()
    return row


def decided_row(draft_id: UUID) -> Trial:
    """A trial that ended with a block, as its row keeps it; nobody played."""
    draft = PromptDraft.objects.select_related("line__live", "version").get(pk=draft_id)
    better, worse = gain(1.0), gain(-1.6)
    pairs = [
        {"scenario": f"s{number:02}", "persona": f"p{number // 2 % 2}", "language": ("en", "sw")[number // 2 % 2],
         "live": better("live", f"s{number:02}"), "draft": better("draft", f"s{number:02}"),
         "criteria": {"flow": [5.0, better("draft", f"s{number:02}")], "facts": [6.0, worse("draft", f"s{number:02}")]}}
        for number in range(14)
    ]  # fmt: skip
    decision = decide(pairs, look=1)
    row = Trial.objects.create(
        draft=draft, part=Part.HOLD_OUT, set_number=1, look=1, status="completed", agent="booker",
        scenarios=[one["scenario"] for one in pairs], evaluator_config="probe@1", block_points=1.0,
        decision=decision_document(decision), sentence=decision.sentence, requested_by="amina", decided_at=NOW,
        ended_at=NOW,
    )  # fmt: skip
    for side, prompt in (("live", draft.line.live), ("draft", draft.version)):
        TrialSide.objects.create(trial=row, side=side, prompt=prompt)
    PromptDraft.objects.filter(pk=draft_id).update(status="blocked")
    return row


def status_of(draft: UUID) -> str:
    return str(PromptDraft.objects.get(pk=draft).status)

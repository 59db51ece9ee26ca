"""An evaluation with everything a matrix can be filtered by, from a seed."""

import random
from datetime import timedelta

from tests.dashboard.conftest import NOW, version

NAMES = ("payment_safety", "tone", "closing")
PERSONAS, SCENARIOS, LANGUAGES = ("Wanjiru", "Otieno", "Grace"), ("late-change", "refund"), ("sw", "en")


def mixed_evaluation(n, *, seed=1, repeats=0, name="Saluni"):
    """`n` conversations: most scored, some not; payment_safety blocks; with `repeats` the judge's noise is known."""
    from apps.evaluations.models import Evaluation  # noqa: PLC0415 - apps are loaded by pytest-django
    from apps.runs.models import Conversation, TestRun  # noqa: PLC0415

    luck = random.Random(seed)
    run = TestRun.objects.create(kind="battle", status="completed", name=name, plan={"agent": {"name": "booking"}})
    rows = Conversation.objects.bulk_create(
        Conversation(
            run=run, position=at, external_id=f"c-{at:03}", kind="battle", status="ended",
            language=luck.choice(LANGUAGES), labels={"wave": str(at % 3)}, started_at=NOW - timedelta(days=at % 5),
            blame="agent_quality" if luck.random() < 0.05 else None,
            spec={"persona_name": luck.choice(PERSONAS), "scenario": luck.choice(SCENARIOS), "goal": "Book"},
        )
        for at in range(n)
    )  # fmt: skip
    criteria = [{"name": one, "weight": 1.0, "pass_mark": 6.0, "blocking": one == NAMES[0]} for one in NAMES]
    parameters = {"repeats": repeats} if repeats else {}
    judge = {"provider": "google", "model": "gemini-2.5-flash", "fallback": None}
    evaluation = Evaluation.objects.create(
        run=run, config_version_id=version(("first", "second")), config_ref="tea@1", status="completed",
        snapshot={"criteria": criteria, "parameters": parameters, "llm_config": {"judge": judge}},
    )  # fmt: skip
    from apps.evaluations.figures.services.figures import store_figures  # noqa: PLC0415
    from apps.evaluations.models import CriterionScore, Judgement  # noqa: PLC0415

    made = [_judged(evaluation, row, luck, repeats) for row in rows]
    Judgement.objects.bulk_create(judgement for judgement, _ in made)
    CriterionScore.objects.bulk_create(score for _, scores in made for score in scores)
    store_figures(evaluation_id=evaluation.pk)
    evaluation.refresh_from_db()
    return evaluation, rows


def _judged(evaluation, row, luck, repeats):
    from apps.evaluations.models import CriterionScore, Judgement  # noqa: PLC0415

    state = luck.choices(["scored", "parse_error", "not_judged"], [18, 1, 1])[0]
    scores = [None if luck.random() < 0.08 else round(luck.uniform(3, 10), 1) for _ in NAMES]
    given = [one for one in scores if one is not None] if state == "scored" else []
    judgement = Judgement(
        evaluation=evaluation, conversation=row, status=state, second_chances=0, judged_at=NOW,
        weighted_score=sum(given) / len(given) if given else None,
        fingerprint="f" * 64 if state == "scored" else "",
    )  # fmt: skip
    if state != "scored":
        return judgement, []
    return judgement, [
        CriterionScore(
            judgement=judgement, criterion=name, position=at, status="scored" if value is not None else "unscored",
            unscored_reason="" if value is not None else luck.choice(["not_applicable", "missing"]), score=value,
            weight=1, pass_mark=6, reason="Alithibitisha saa isiyo sahihi.", answers=repeats or 1,
            standard_error=luck.uniform(0.1, 0.9) if repeats and value is not None else None,
            opinions=[{"purpose": "judge", "score": (value or 0) + step, "reason": "", "model": "m"}
                      for step in (-0.5, 0, 0.5)] if repeats and value is not None else [],
            evidence=[{"quote": "kesho saa tano", "turn": 1, "kind": luck.choice(["exact", "unverified"])}],
        )
        for at, (name, value) in enumerate(zip(NAMES, scores, strict=True))
    ]  # fmt: skip

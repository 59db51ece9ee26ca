"""A tenant with runs of any size, and people who may look at them."""

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from apps.tenants.context import in_tenant
from tests.catalog.samples import add_persona

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
HOST = "acme.localhost"
GREETING = "Habari Wanjiru! Kesho saa tano imethibitishwa. Karibu tena."


def signed_in(name, *permissions, host=HOST, superuser=False, staff=True):
    """A browser of somebody of that tenant. Pages are asked for from outside any tenant, as a browser does."""
    from django.contrib.auth.models import Permission, User  # noqa: PLC0415 - apps are loaded by pytest-django

    client = Client(headers={"host": host})
    with in_tenant(host.partition(".")[0]):
        if superuser:
            user = User.objects.create_superuser(name)
        else:
            user = User.objects.create_user(name, is_staff=staff)
            user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
        client.force_login(user)
    return client


@pytest.fixture
def owner(db):
    return signed_in("amina", superuser=True)


def version(criteria):
    from apps.catalog.configs.services.versions import create_draft  # noqa: PLC0415 - see signed_in
    from apps.catalog.models import Criterion  # noqa: PLC0415 - see signed_in
    from tests.catalog.samples import content, criterion_fields  # noqa: PLC0415 - see signed_in

    for name in criteria:
        Criterion.objects.get_or_create(name=name, defaults=criterion_fields())
    from apps.catalog.models import EvaluatorConfigVersion  # noqa: PLC0415 - see signed_in

    found = EvaluatorConfigVersion.objects.first()
    return found.pk if found else create_draft(config="tea", content=content(*criteria))


def make_run(n, *, status="completed", conversation_status="ended", name="Mazungumzo ya saluni"):
    from apps.catalog.models import Persona  # noqa: PLC0415 - see signed_in
    from apps.runs.models import Conversation, TestRun, Turn  # noqa: PLC0415 - see signed_in

    run = TestRun.objects.create(
        kind="battle",
        status=status,
        name=name,
        plan={"agent": {"name": "booking"}},
        started_at=NOW,
        ended_at=NOW + timedelta(minutes=3) if status == "completed" else None,
        progress_at=NOW,
    )
    played = Persona.objects.filter(name="Wanjiru").first() or add_persona("Wanjiru", text="Wanjiru. Ana haraka.")
    rows = Conversation.objects.bulk_create(
        Conversation(
            run=run, position=at, external_id=f"b-{at:04}", kind="battle", status=conversation_status, language="sw",
            persona=played,
            spec={"persona": "Wanjiru. Ana haraka."},
        )
        for at in range(n)
    )  # fmt: skip
    Turn.objects.bulk_create(
        Turn(conversation=row, position=at, role=role, content=text, latency_ms=latency, ts=NOW + timedelta(seconds=at))
        for row in rows
        for at, (role, text, latency) in enumerate(
            [("user", "Nataka <b>kusukwa</b> nywele", None), ("assistant", GREETING, 1900)]
        )
    )
    return run, rows


def make_evaluation(
    run, rows, *, states=(), score=8.0, status="completed", provider="google", criteria=(), names=("first", "second")
):
    """Every conversation scored, the first ones in `states` instead; scores fall with the position."""
    from apps.evaluations.domain.states import EVALUATION_ACTIVE  # noqa: PLC0415 - see signed_in
    from apps.evaluations.figures.services.figures import store_figures  # noqa: PLC0415 - see signed_in
    from apps.evaluations.models import CriterionScore, Evaluation, Judgement  # noqa: PLC0415 - see signed_in

    evaluation = Evaluation.objects.create(
        run=run,
        config_version_id=version(names),
        config_ref="tea@1",
        status=status,
        snapshot={
            "criteria": list(criteria),
            "parameters": {},
            "llm_config": {"judge": {"provider": provider, "model": "gemini-2.5-flash", "fallback": None}},
        },
    )
    for at, row in enumerate(rows):
        state = states[at] if at < len(states) else "scored"
        worst = score - 6 if at == len(rows) - 1 else score
        judgement = Judgement.objects.create(
            evaluation=evaluation,
            conversation=row,
            status=state,
            weighted_score=(score + worst) / 2 if state == "scored" else None,
            fingerprint="f" * 64 if state == "scored" else "",
            raw_reply="not JSON" if state == "parse_error" else "",
            error_message="the reply is no JSON" if state == "parse_error" else "",
            judged_at=NOW,
            second_chances=0,
        )
        if state == "scored":
            CriterionScore.objects.bulk_create(
                CriterionScore(
                    judgement=judgement, criterion=name, position=position, status="scored", score=value, weight=1,
                    pass_mark=6, reason="Alithibitisha saa isiyo sahihi.",
                    evidence=[{"quote": "kesho saa tano", "turn": 1, "kind": "exact", "repair": "case"}],
                )
                for position, (name, value) in enumerate(zip(names, (score, worst), strict=True))
            )  # fmt: skip
    if status not in EVALUATION_ACTIVE:
        assert store_figures(evaluation_id=evaluation.pk)  # as whoever ends it does
    return evaluation

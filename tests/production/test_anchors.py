"""Anchors are frozen once, graded five times and then every week; a judge that moved loses its certificate."""

from datetime import datetime, timedelta

import pytest

from apps.calibration.models import Calibration, Certificate, CertificateRevocation
from apps.core.conversation import ConversationDocument, TurnRole, Utterance
from apps.core.errors import BadInput, Conflict
from apps.evaluations.models import Evaluation, Judgement
from apps.production.models import AnchorGrading, AnchorSet
from apps.production.sampling.domain.anchor_test import BASELINE
from apps.production.sampling.domain.production_trend import PointStatus, ProductionPoint
from apps.production.sampling.domain.trend_correction import with_corrections
from apps.production.sampling.queries.anchor_grades import judge_moves
from apps.production.sampling.services.anchors import freeze_anchors, grade_due
from apps.runs.imports.services.importing import import_documents
from apps.runs.models import Conversation, Turn
from apps.tenants.models import Tenant
from tests.production.sampling_rows import NIGHT, phase

NOW = NIGHT


@pytest.fixture(autouse=True)
def _inside(tenant: str) -> None:
    """All of it in a tenant, rolled back."""
    Tenant.objects.filter(slug=tenant).update(vertical="salon")
    phase(tenant)


def certified(evaluation: Evaluation) -> None:
    calibration = Calibration.objects.create(evaluation=evaluation, labels={}, declared={})
    Certificate.objects.create(
        calibration=calibration, fingerprint="f" * 64, config_ref=evaluation.config_ref, verdict="certified", items=[],
        declared={}, labels_digest="x", issued_at=NOW, valid_until=NOW + timedelta(days=900),
    )  # fmt: skip


def labelled(count: int, text: str = "I want braids on Friday") -> None:
    documents = [
        ConversationDocument(
            id=f"c{n}", language=("en", "sw")[n % 2], labels={"tone": 7.0},
            turns=(Utterance(role=TurnRole.USER, content=f"{text}, place {n}"),
                   Utterance(role=TurnRole.ASSISTANT, content="Karibu")),
        )
        for n in range(count)
    ]  # fmt: skip
    import_documents(documents=documents, name="labelled", triggered_by="test", now=NOW)


def judge(*, shift: float = 0.0, now=NOW) -> None:
    """Answer what is owed: each anchor its own mark, a little different each time."""
    for one in Judgement.objects.filter(status="pending").select_related("conversation", "evaluation"):
        place = one.conversation.position
        noise = ((place * 7 + 3 * one.evaluation.options.get("repeat", 1)) % 5 - 2) / 10
        Judgement.objects.filter(pk=one.pk).update(
            status="scored", weighted_score=5 + place % 4 + noise + shift, fingerprint="f" * 64, judged_at=now
        )
    Evaluation.objects.filter(status__in=("pending", "running")).update(status="completed")


def graded_baseline(config: str) -> AnchorSet:
    labelled(40)
    freeze_anchors(config=config, by="amina", now=NOW)
    judge()
    grade_due(now=NOW + timedelta(hours=1))
    return AnchorSet.objects.get()


def test_they_are_masked_copies_that_nobody_lists_and_the_baseline_is_asked_past_earlier_answers(judge_config: str):
    labelled(40, "This is 0712 345 678")
    made = freeze_anchors(config=judge_config, by="amina", now=NOW)
    copies = Conversation.objects.filter(kind="anchor")
    assert (made.anchors, copies.count()) == (40, 40)
    assert {one.content[:32] for one in Turn.objects.filter(conversation__in=copies, role="user")} == {
        "This is +254 7** *** 678, place "
    }
    options = list(Evaluation.objects.order_by("pk").values_list("options__use_cache", "options__repeat"))
    assert options == [(False, None), (False, 2), (False, 3), (False, 4), (False, 5)]
    assert set(Evaluation.objects.values_list("triggered_by", flat=True)) == {"anchors"}


def test_what_may_tell_who_somebody_is_becomes_no_anchor(judge_config: str):
    labelled(35)
    labelled(5, "call me on zero seven one two three four five six seven eight")
    assert freeze_anchors(config=judge_config, by="amina", now=NOW, count=40).anchors == 35


def test_too_few_labelled_ones_are_refused_and_nothing_is_stored(judge_config: str):
    labelled(29)
    with pytest.raises(Conflict, match="30 are needed"):
        freeze_anchors(config=judge_config, by="amina", now=NOW)
    with pytest.raises(BadInput, match="30 to 50"):
        freeze_anchors(config=judge_config, by="amina", now=NOW, count=10)
    assert not AnchorSet.objects.exists()


def test_every_week_they_are_graded_once_more_and_a_steady_judge_keeps_its_certificate(judge_config: str):
    row = graded_baseline(judge_config)
    assert set(row.gradings.values_list("status", flat=True)) == {"done"}
    assert grade_due(now=NOW + timedelta(hours=2)) == 0
    week = NOW + timedelta(days=7, hours=2)
    grade_due(now=week)
    grade_due(now=week + timedelta(seconds=1))
    assert row.gradings.count() == BASELINE + 1
    judge(now=week)
    grade_due(now=week + timedelta(hours=1))
    result = AnchorGrading.objects.get(number=BASELINE + 1).result
    assert (result["week"], result["shift"]["shown"], result["mover"]) == (1, False, "not_asked")
    assert abs(result["shift"]["value"]) < 0.2
    assert not CertificateRevocation.objects.exists()


def test_a_judge_that_moved_is_told_and_its_certificate_is_void(judge_config: str):
    row = graded_baseline(judge_config)
    certified(Evaluation.objects.order_by("pk")[0])
    week = NOW + timedelta(days=7, hours=2)
    grade_due(now=week)
    judge(shift=-0.6, now=week)
    grade_due(now=week + timedelta(hours=1))
    result = row.gradings.get(number=BASELINE + 1).result
    assert (result["shift"]["shown"], result["mover"]) == (True, "judge")
    assert "moved by -0.6 points" in CertificateRevocation.objects.get().reason


def test_a_grading_that_failed_is_asked_again_in_the_baseline_and_is_a_gap_later(judge_config: str):
    labelled(40)
    freeze_anchors(config=judge_config, by="amina", now=NOW)
    first = Evaluation.objects.order_by("pk")[0]
    Evaluation.objects.filter(pk=first.pk).update(status="failed")
    Judgement.objects.filter(evaluation=first).update(status="model_error")
    judge()
    grade_due(now=NOW + timedelta(hours=1))
    one = AnchorGrading.objects.get(number=1)
    assert (one.status, one.evaluation_id != first.pk) == ("pending", True)


def test_in_phase_one_nobody_is_asked(tenant: str, judge_config: str):
    graded_baseline(judge_config)
    phase(tenant, 1)
    assert grade_due(now=NOW + timedelta(days=8)) == 0


def test_the_trend_says_what_it_would_be_without_the_judge_s_move(judge_config: str):
    """Sampled conversations of the third week score 7.0; the anchors show that the judge gives 0.6 less than before."""
    graded_baseline(judge_config)
    week = NOW + timedelta(days=7, hours=2)
    grade_due(now=week)
    judge(shift=-0.6, now=week)
    grade_due(now=week + timedelta(hours=1))
    day = NOW + timedelta(days=8)
    ((_, shift),) = judge_moves(judge_config)
    (point,) = with_corrections([sampled_day(day)], judge_moves(judge_config))
    assert point.corrected is not None
    assert point.corrected.score == pytest.approx(7.0 - shift.value)
    assert point.corrected.high - point.corrected.low > 2 * 1.96 * 0.04**0.5  # the shift's own uncertainty is in it
    assert point.as_json()["corrected"]["shift"] == pytest.approx(-0.6, abs=0.1)
    before = sampled_day(NOW + timedelta(days=5))
    assert with_corrections([before], judge_moves(judge_config)) == [before]


def test_a_steady_judge_s_trend_is_left_as_it_is(judge_config: str):
    graded_baseline(judge_config)
    week = NOW + timedelta(days=7, hours=2)
    grade_due(now=week)
    judge(now=week)
    grade_due(now=week + timedelta(hours=1))
    day = sampled_day(NOW + timedelta(days=8))
    assert with_corrections([day], judge_moves(judge_config)) == [day]
    assert judge_moves("another-config") == judge_moves(judge_config, "no_such_criterion") == []


def sampled_day(at: datetime) -> ProductionPoint:
    return ProductionPoint(
        at=at, until=at + timedelta(days=1), status=PointStatus.OK, scored=40, population=400, estimate=7.0,
        variance=0.04, half_width=0.4,
    )  # fmt: skip

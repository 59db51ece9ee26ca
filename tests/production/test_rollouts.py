"""A canary in production: who is in which arm, what is judged, when it goes back by itself, and what a person signs."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import Error, transaction
from django.utils import timezone

from apps.catalog.models import PromptLine
from apps.catalog.prompts.services.recording import make_live, record_prompt_text
from apps.core.documents import as_json
from apps.core.errors import BadInput, Conflict, NotFound
from apps.evaluations.judging.services.completion import finish_evaluations
from apps.evaluations.judging.services.enqueue import enqueue_judgements
from apps.evaluations.models import Evaluation, Judgement
from apps.improvement.drafts.services.drafting import DraftSource, create_draft
from apps.production.models import Rollout, RolloutConversation, RolloutEvent
from apps.production.rollouts.domain.request import RolloutRequest
from apps.production.rollouts.queries.documents import (
    find_rollout,
    newest_rollout,
    resolved_prompt,
    rollout_document,
    routes,
)
from apps.production.rollouts.services.steering import (
    change_rollout,
    promote_rollout,
    roll_back,
    start_rollout,
    try_conversation,
)
from apps.production.rollouts.services.watching_rollouts import look_at_rollouts
from tests.evaluations.bench import make_config
from tests.production.rollout_rows import (
    CALLERS,
    CANARY,
    STABLE,
    aged,
    arms,
    ids,
    post,
    posted,
    role,
    score,
    start,
)
from tests.production.sampling_rows import rule


@pytest.fixture(autouse=True)
def _inside(tenant: str) -> None:
    """All of it in a tenant, rolled back."""


def routes_now() -> dict[str, Any]:
    return dict(as_json(routes(now=timezone.now()))["roles"])


def resolved(conversation: str) -> Any:
    return as_json(resolved_prompt("greeting", tenant_id=CALLERS[0], conversation_id=conversation, now=timezone.now()))


def look(rollout: Rollout) -> Rollout:
    Rollout.objects.filter(pk=rollout.pk).update(look_at=timezone.now() - timedelta(seconds=1))
    look_at_rollouts(now=timezone.now())
    return find_rollout(rollout.pk)


def test_a_rollout_changes_what_routers_read_and_a_rollback_takes_it_back_at_once() -> None:
    role()
    before = routes_now()["greeting"]
    rollout = start(percentage=5)
    during = routes_now()["greeting"]
    assert (before["percentage"], before["canary"]) == (0, None)
    assert (during["percentage"], during["canary"]["prompt_version"]) == (5, CANARY)
    assert during["canary"]["text"].startswith("Be short")
    [inside] = ids(CALLERS[0], below=5, count=1)
    [outside] = ids(CALLERS[0], below=100, above=5, count=1)
    assert resolved(inside)["alias"] == "canary"
    assert resolved(outside)["alias"] == "stable"
    roll_back(rollout.pk, by="amina", now=timezone.now(), reason="customers complain")
    assert routes_now()["greeting"]["percentage"] == 0
    assert resolved(inside)["prompt_version"] == STABLE
    assert find_rollout(rollout.pk).reason == "Rolled back: customers complain"
    with pytest.raises(Conflict, match="rolled_back"):
        roll_back(rollout.pk, by="amina", now=timezone.now())


def test_a_draft_that_nobody_released_is_no_canary() -> None:
    role()
    text = "You are greeting. Greet {name} warmly."
    draft = create_draft(name="greeting", text=text, source=DraftSource(by="amina"))
    from apps.improvement.models import PromptDraft  # noqa: PLC0415

    version = PromptDraft.objects.get(pk=draft).version.version
    with pytest.raises(BadInput) as refused:
        start_rollout(RolloutRequest(role="greeting", canary=version), by="amina", now=timezone.now())
    assert refused.value.code == "unreleased_draft"
    PromptDraft.objects.filter(pk=draft).update(status="released")
    assert start_rollout(RolloutRequest(role="greeting", canary=version), by="amina", now=timezone.now())


@pytest.mark.parametrize(
    "canary, code",
    [
        ("greeting@a1b2c3d", "already_live"),
        ("greeting@nowhere", "not_found"),
        ("booking@c2c2c2c", "other_role"),
        ("greeting@same", "same_text"),
    ],
)
def test_what_cannot_be_a_canary_is_refused_with_its_reason(canary: str, code: str) -> None:
    line = role()
    role("booking")
    record_prompt_text(name="greeting", text=line.live.text, revision="same", draft=True)
    with pytest.raises((BadInput, Conflict)) as refused:
        start_rollout(RolloutRequest(role="greeting", canary=canary), by="amina", now=timezone.now())
    assert refused.value.code == code
    assert not Rollout.objects.exists()


def test_words_that_were_never_recorded_nor_live_are_no_canary_and_an_earlier_live_prompt_is_one() -> None:
    role()
    loose = record_prompt_text(name="greeting", text="Loose words for {name}.", draft=True)
    with pytest.raises(BadInput, match="neither recorded"):
        start_rollout(RolloutRequest(role="greeting", canary=loose), by="amina", now=timezone.now())
    make_live(version=loose, by="amina")
    make_live(version=STABLE, by="amina")
    assert start_rollout(RolloutRequest(role="greeting", canary=loose), by="amina", now=timezone.now())


def test_one_rollout_of_a_role_at_a_time_and_of_two_roles_only_where_a_person_says_so() -> None:
    role()
    role("booking")
    first = start()
    with pytest.raises(Conflict) as same:
        start()
    with pytest.raises(Conflict) as other:
        start("booking")
    assert (same.value.code, other.value.code) == ("rollout_runs", "other_rollout_runs")
    second = start("booking", beside_others=True)
    now = timezone.now()
    assert as_json(rollout_document(find_rollout(first.pk), now=now))["not_told_apart_from"] == ["booking"]
    assert as_json(rollout_document(find_rollout(second.pk), now=now))["not_told_apart_from"] == ["greeting"]


def test_each_settled_conversation_stands_in_one_arm_or_says_why_it_stands_in_none() -> None:
    role()
    rollout = start(percentage=5)
    caller = CALLERS[0]
    canary = ids(caller, below=5, count=3)
    stable = ids(caller, above=5, below=100, count=6)
    post(canary[0], CANARY)
    post(canary[1], CANARY, alias="custom")
    post(canary[2], STABLE)  # a table that was late
    post(stable[0], STABLE)
    post(stable[1], CANARY)  # forced, or somebody who wants it to look better
    post(stable[2], STABLE, prompt_versions=[STABLE, CANARY])
    post(stable[3], STABLE, customer_ref="C-1")
    post(stable[4], STABLE, customer_ref="C-1")
    post("elsewhere", "booking@1111111")
    look(rollout)
    assert arms(rollout) == {"canary": 1, "custom": 1, "mixed": 1, "off_hash": 2, "repeat": 1, "stable": 2}
    look(rollout)
    assert sum(arms(rollout).values()) == 8


def test_a_conversation_that_a_later_document_says_another_version_answered_is_mixed() -> None:
    role()
    rollout = start(percentage=5)
    [id] = ids(CALLERS[0], below=5, count=1)
    conversation = post(id, STABLE, ended=False)
    turns = [{"role": "user", "content": "Habari"}, {"role": "assistant", "content": "Karibu", "latency_ms": 900}]
    post(id, CANARY, turns=[*turns, {"role": "user", "content": "Asante"}])
    assert posted(conversation).prompt_versions == [STABLE, CANARY]
    look(rollout)
    assert arms(rollout) == {"mixed": 1}


def test_raising_the_percentage_keeps_what_was_stable_before_and_it_is_never_lowered() -> None:
    role()
    rollout = start(percentage=5)
    between = ids(CALLERS[0], above=5, below=25, count=2)
    post(between[0], STABLE)
    change_rollout(rollout.pk, by="amina", now=timezone.now(), percentage=25)
    post(between[1], CANARY)
    look(rollout)
    assert arms(rollout) == {"canary": 1, "stable": 1}
    with pytest.raises(BadInput, match="only raised"):
        change_rollout(rollout.pk, by="amina", now=timezone.now(), percentage=5)
    moves = list(RolloutEvent.objects.filter(rollout=rollout).order_by("created_at").values_list("move", "by"))
    assert moves == [("started", "amina"), ("raised", "amina")]


def test_one_conversation_may_be_forced_into_the_canary_for_trying() -> None:
    role()
    rollout = start(percentage=5)
    [id] = ids(CALLERS[0], above=5, below=100, count=1)
    try_conversation(rollout.pk, tenant_id=CALLERS[0], conversation_id=id, by="amina", now=timezone.now())
    assert resolved(id)["alias"] == "canary"
    assert id not in str(Rollout.objects.values().get())
    post(id, CANARY)
    look(rollout)
    assert arms(rollout) == {"off_hash": 1}


def test_every_canary_conversation_is_judged_and_one_stable_one_of_the_same_caller_for_each(judge_config: str) -> None:
    role()
    rollout = start(percentage=5, evaluator_config=judge_config)
    for caller, n in zip(CALLERS, (2, 1, 0), strict=True):
        for id in ids(caller, below=5, count=n):
            post(id, CANARY, caller=caller)
        for id in ids(caller, above=5, below=100, count=4):
            post(id, STABLE, caller=caller)
    look(rollout)
    chosen = RolloutConversation.objects.filter(rollout=rollout, evaluation__isnull=False)
    assert {(str(one.caller), one.arm) for one in chosen} == {
        (CALLERS[0], "canary"), (CALLERS[0], "stable"), (CALLERS[1], "canary"), (CALLERS[1], "stable"),
    }  # fmt: skip
    assert chosen.count() == 6
    assert Judgement.objects.count() == 6
    look(rollout)
    enqueue_judgements(now=timezone.now())  # what a tick owes to every other evaluation
    assert Judgement.objects.count() == 6
    score(rollout, stable=[7.0], canary=[7.0])
    assert len(finish_evaluations(now=timezone.now())) == Evaluation.objects.count() == 1


def _judged(rollout: Rollout, *, stable: list[float], canary: list[float], count: int = 40) -> Rollout:
    for caller in CALLERS[:2]:
        for id in ids(caller, below=25, count=count // 2):
            post(id, CANARY, caller=caller)
        for id in ids(caller, above=25, below=100, count=count // 2):
            post(id, STABLE, caller=caller)
    look(rollout)
    score(rollout, stable=stable, canary=canary)
    return look(rollout)


def test_a_worse_canary_goes_back_by_itself_with_its_figures(judge_config: str) -> None:
    role()
    rollout = start(percentage=25, evaluator_config=judge_config)
    found = _judged(rollout, stable=[8.0, 7.0, 9.0], canary=[5.0, 6.0, 4.0])
    assert (found.status, found.percentage, found.ended_by) == ("rolled_back", 0, "")
    assert "it scores 3.0 lower [" in found.reason
    event = RolloutEvent.objects.get(rollout=rollout, move="rolled_back")
    metric = event.figures["metrics"][0]
    assert (metric["verdict"], metric["canary_n"], metric["stable_n"]) == ("worse", 40, 40)
    assert routes_now()["greeting"]["percentage"] == 0
    with pytest.raises(Error), transaction.atomic():
        RolloutEvent.objects.update(sentence="nothing happened")


def test_a_person_signs_a_promotion_after_a_day_and_what_is_not_known_is_listed(judge_config: str) -> None:
    role()
    rollout = start(percentage=25, evaluator_config=judge_config)
    _judged(rollout, stable=[7.0, 7.2, 6.8], canary=[7.1, 7.3, 6.9])
    now = timezone.now()
    with pytest.raises(Conflict) as early:
        promote_rollout(rollout.pk, by="amina", now=now, acknowledged=True)
    assert [one["code"] for one in early.value.extra["reasons"]] == ["too_early"]
    aged(rollout, hours=25)
    document = as_json(rollout_document(find_rollout(rollout.pk), now=now))
    assert (document["may_be_promoted"], document["thin"]) == (True, ["thumbs_down", "transfer", "cost"])
    with pytest.raises(BadInput, match="Thumbs down"):
        promote_rollout(rollout.pk, by="amina", now=now)
    with pytest.raises(BadInput, match="person"):
        promote_rollout(rollout.pk, by="", now=now, acknowledged=True)
    promote_rollout(rollout.pk, by="amina", now=now, acknowledged=True)
    assert PromptLine.objects.get(name="greeting").live.version == CANARY
    assert routes_now()["greeting"]["promoted"]["prompt_version"] == CANARY
    found = find_rollout(rollout.pk)
    assert (found.status, found.ended_by) == ("promoted", "amina")
    assert "Signed although not shown: Thumbs down" in found.reason


def test_too_few_conversations_are_no_data_and_never_not_worse(judge_config: str) -> None:
    role()
    rollout = start(percentage=25, evaluator_config=judge_config)
    _judged(rollout, stable=[9.0, 8.0], canary=[1.0, 2.0], count=10)
    aged(rollout, hours=25)
    document = as_json(rollout_document(find_rollout(rollout.pk), now=timezone.now()))
    assert document["figures"]["metrics"][0]["verdict"] == "no_data"
    assert [one["code"] for one in document["refusals"]] == ["too_few"]


def test_a_rollout_whose_time_is_over_without_an_answer_is_inconclusive() -> None:
    role()
    rollout = start(percentage=5)
    Rollout.objects.filter(pk=rollout.pk).update(ends_at=timezone.now() - timedelta(hours=2))
    found = look(rollout)
    assert (found.status, found.percentage) == ("inconclusive", 0)


def test_nobody_gets_the_canary_once_its_time_is_over_whatever_its_state_is() -> None:
    role()
    rollout = start(percentage=50)
    [inside] = ids(CALLERS[0], below=50, count=1)
    ends_at = rollout.ends_at

    def answered_by(now: datetime) -> tuple[int, str]:
        route = as_json(routes(now=now))["roles"]["greeting"]
        answer = as_json(resolved_prompt("greeting", tenant_id=CALLERS[0], conversation_id=inside, now=now))
        return route["percentage"], answer["alias"]

    assert answered_by(ends_at - timedelta(seconds=1)) == (50, "canary")
    assert answered_by(ends_at) == (0, "stable")
    document = as_json(rollout_document(find_rollout(rollout.pk), now=ends_at))
    assert (document["status"], document["percentage"], document["hours"]) == ("running", 0, 24.0)
    for move in (
        lambda: change_rollout(rollout.pk, by="amina", now=ends_at, percentage=100),
        lambda: try_conversation(rollout.pk, tenant_id=CALLERS[0], conversation_id="x", by="amina", now=ends_at),
    ):
        with pytest.raises(Conflict, match="more hours") as refused:
            move()
        assert refused.value.code == "time_over"
    change_rollout(rollout.pk, by="amina", now=ends_at, hours=2)
    assert answered_by(ends_at) == (50, "canary")


def test_a_canary_that_is_no_worse_waits_for_a_person_after_its_time_and_nobody_gets_it_meanwhile(
    judge_config: str,
) -> None:
    role()
    rollout = start(percentage=25, evaluator_config=judge_config)
    _judged(rollout, stable=[7.0, 7.2, 6.8], canary=[7.1, 7.3, 6.9])
    aged(rollout, hours=30)
    Rollout.objects.filter(pk=rollout.pk).update(ends_at=timezone.now() - timedelta(hours=5))
    assert look(rollout).status == "running"
    assert routes_now()["greeting"]["percentage"] == 0
    promote_rollout(rollout.pk, by="amina", now=timezone.now(), acknowledged=True)
    assert PromptLine.objects.get(name="greeting").live.version == CANARY


def test_the_clearest_loss_goes_back_two_scores_without_any_spread(judge_config: str) -> None:
    role()
    rollout = start(percentage=25, evaluator_config=judge_config)
    found = _judged(rollout, stable=[8.0], canary=[2.0])
    document = as_json(rollout_document(found, now=timezone.now()))
    assert (found.status, document["worse"]) == ("rolled_back", ["score"])
    assert "it scores 6.0 lower [" in found.reason


def test_who_judges_is_what_judges_already_and_a_canary_that_nobody_would_judge_is_refused(judge_config: str) -> None:
    role()
    name = judge_config.partition("@")[0]
    assert start().evaluator_config == judge_config
    roll_back(newest_rollout("greeting").pk, by="amina", now=timezone.now())
    make_config(name="other")
    with pytest.raises(BadInput, match=f"There are other, {name}|There are {name}, other") as refused:
        start()
    assert (refused.value.code, refused.value.pointer) == ("no_judge", "/evaluator_config")
    rule(name)
    assert start().evaluator_config == judge_config


def test_where_no_config_is_published_a_rollout_says_to_publish_one() -> None:
    record_prompt_text(name="greeting", text="You greet.", revision="a1b2c3d", by="amina")
    record_prompt_text(name="greeting", text="Greet.", revision="c2c2c2c", draft=True, by="amina")
    with pytest.raises(BadInput, match="publish an evaluator config first"):
        start()


def test_another_prompt_that_goes_live_stops_it_and_routers_send_nobody_to_the_canary_meanwhile() -> None:
    role()
    rollout = start(percentage=5)
    record_prompt_text(name="greeting", text="Third words for {name}.", revision="d3d3d3d", by="amina")
    assert routes_now()["greeting"]["percentage"] == 0
    assert look(rollout).status == "stopped"


def test_what_is_not_there_is_not_found() -> None:
    with pytest.raises(NotFound):
        start_rollout(RolloutRequest(role="nobody", canary="nobody@1"), by="amina", now=timezone.now())
    with pytest.raises(NotFound):
        find_rollout("00000000-0000-0000-0000-000000000001")

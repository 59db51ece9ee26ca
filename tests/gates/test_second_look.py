"""Near the line the cases are played again: one more look, declared before, over the trials of both."""

from typing import Any

import pytest

from apps.core.errors import BadInput, Conflict, NotFound
from apps.evaluations.models import Evaluation
from apps.gates.domain.policy import GatePolicy
from apps.gates.queries.gates import find_gate, gate_document
from apps.gates.services.deciding import decide_due_gates
from apps.gates.services.requesting import GateQuestion, request_gate
from tests.evaluations.bench import NOW
from tests.gates.gate_rows import level, scored
from tests.gates.sides import BASE, HEAD

pytestmark = pytest.mark.usefixtures("tenant")
TWO = GatePolicy(looks=2)
DOUBT = {**level(8), "case-00": 2.0, "case-01": 2.0, "case-02": 2.0}


def looked(candidate: Evaluation, baseline: Evaluation | None, policy: GatePolicy = TWO, **more: Any) -> dict[str, Any]:
    asked = {"agent": "booking", "commit": HEAD, "base_commit": BASE, "candidate": candidate.pk,
             "baseline": baseline.pk if baseline else None, **more}  # fmt: skip
    row = request_gate(GateQuestion(**asked), policy)
    decide_due_gates(now=NOW, gate_id=row)
    return gate_document(find_gate(row), base="https://acme.example/")


def test_what_the_first_look_cannot_tell_the_second_tells_over_both() -> None:
    candidate, baseline = scored(DOUBT), scored(level(8), commit=BASE)
    first = looked(candidate, baseline)
    assert (first["decision"], first["policy"]["looks"], first["first_look"]) == ("undecided", 2, None)
    assert first["more_repeats"] >= 1
    assert "more on both sides" in first["sentence"]

    again, before = scored(level(8)), scored(level(8), commit=BASE)
    more = [(scored(level(8)), scored(level(8), commit=BASE)) for _ in range(2)]
    found = looked(again, before, first_look=first["id"])
    assert found["counts"]["candidate"]["repeats"] == found["counts"]["baseline"]["repeats"] == 2
    assert found["counts"]["candidate"]["conversations"] == 24
    (score,) = [one for one in found["metrics"] if (one["metric"], one["language"]) == ("score", "")]
    assert score["difference"] == pytest.approx(-0.75), "18 points over 12 cases of two trials each"
    assert score["n"] == 12, "a case counts once, however often it was played"
    assert (found["first_look"]["id"], found["first_look"]["candidate"]) == (first["id"], str(candidate.pk))
    _offline, note, _no_floor = found["notes"]
    assert note.startswith("Repeated: the first look could not tell, so the cases were played again, now 2 times")
    for text in (found["markdown"], found["terminal"]):
        assert note in text
    assert f"[The first look]({first['url']})" in found["markdown"]
    worst = next(one for one in found["cases"] if one["id"] == "case-00")
    assert f"a={baseline.pk}&b={candidate.pk}" in worst["url"], "the trial that fails is of the first look"
    assert find_gate(first["id"]).decision == "undecided", "the first answer stays"

    with pytest.raises(Conflict, match="looked at again already"):
        looked(*more[0], first_look=first["id"])
    with pytest.raises(BadInput, match="and once"):
        looked(*more[1], first_look=found["id"])


def test_a_second_look_asks_the_same_of_trials_nobody_has_seen() -> None:
    candidate, baseline = scored(DOUBT), scored(level(8), commit=BASE)
    again, before = scored(level(8)), scored(level(8), commit=BASE)
    first, single = looked(candidate, baseline)["id"], looked(candidate, baseline, GatePolicy())["id"]
    sure = looked(scored(level(8)), scored(level(8), commit=BASE))
    assert sure["decision"] == "pass"
    wrong: list[tuple[Any, Any, Any, dict[str, Any], str]] = [
        (again, before, TWO, {"first_look": sure["id"]}, "undecided gate"),
        (again, before, GatePolicy(), {"first_look": single}, "looks: 2"),
        (again, before, GatePolicy(looks=2, margin=2), {"first_look": first}, "asks the same"),
        (again, before, TWO, {"first_look": first, "kind": "advisory"}, "asks the same"),
        (candidate, before, TWO, {"first_look": first}, "has not seen"),
        (again, baseline, TWO, {"first_look": first}, "has not seen"),
        (again, None, TWO, {"first_look": first}, "has not seen"),
    ]
    for here, there, policy, more, words in wrong:
        with pytest.raises(BadInput, match=words):
            looked(here, there, policy, **more)
    with pytest.raises(NotFound):
        looked(again, before, first_look=again.pk)


def test_repeats_by_another_judge_do_not_count() -> None:
    first = looked(scored(DOUBT), scored(level(8), commit=BASE))
    found = looked(
        scored(level(8), fingerprint="0" * 64), scored(level(8), commit=BASE), first_look=first["id"]
    )  # fmt: skip
    assert (found["decision"], found["why"]) == ("unmeasurable", "too_little_measured")
    assert "12 of them by another judge" in found["sentence"]

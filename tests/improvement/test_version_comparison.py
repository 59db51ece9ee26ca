"""Any versions of a prompt beside each other: a matrix that a person could compute by hand, and named gaps."""

import io
import json
import random
from collections import defaultdict
from math import fsum
from statistics import fmean
from typing import Any

import pgtrigger
import pytest
from django.core.management import call_command

from apps.catalog.prompts.services.recording import record_prompt_text
from apps.core.documents import as_json
from apps.core.errors import BadInput, NotFound
from apps.evaluations.models import CriterionScore, Evaluation, Judgement
from apps.improvement.drafts.queries.version_comparison import compare_prompt_versions
from apps.improvement.drafts.queries.version_document import version_document
from apps.improvement.drafts.services.advancing_trials import advance_trials
from apps.improvement.holdout.domain.parts import Part
from apps.improvement.models import FamilyPart, PromptDraft, Trial
from apps.runs.models import Conversation, Turn
from apps.statistics.sign_flip_bounds import flip_bounds
from apps.tenants.context import current_slug
from tests.catalog.samples import questions
from tests.improvement.trial_rows import DRAFT, LIVE, NOW, decided, gain, make_draft, make_world, play, started

pytestmark = pytest.mark.usefixtures("tenant")
FIRST = "greeting@aaa1111"


def version_of(draft: Any) -> str:
    return str(PromptDraft.objects.get(pk=draft).version.version)


def drawn(seed: int) -> Any:
    """Scores that differ from side to side and scenario to scenario."""
    chance = random.Random(seed)
    known: dict[tuple[str, str], float] = {}
    return lambda side, scenario: known.setdefault((side, scenario), round(chance.uniform(2, 10), 3))


def two_trials(**more: Any) -> tuple[str, str]:
    """Two drafts, each tried against the live prompt on its own; their versions."""
    one = make_world(families=8, personas=("aunt", "uncle"))
    decided(one, drawn(1), criteria={"facts": drawn(2)}, repeats=2)
    other = make_draft(DRAFT.replace("each service", "every service, tax included"))
    decided(other, drawn(3), criteria={"facts": drawn(4)}, repeats=2, **more)
    return version_of(one), version_of(other)


def by_hand(first: str, version: str) -> dict[str, list[float]]:
    """{what: difference of each family, in the order of families} straight from the rows."""
    values: dict[tuple[str, str, Any, str], list[float]] = defaultdict(list)
    cases = {}
    for row in Judgement.objects.select_related("conversation__run").prefetch_related("scores"):
        spec, played = row.conversation.spec, row.conversation.run.plan["prompt_version"]
        if played not in (first, version):
            continue
        case = (spec["family"], spec["persona_name"], spec["scenario"], spec["seed"])
        cases[case] = True
        values["overall", played, case, ""].append(row.weighted_score)
        for one in row.scores.all():
            values[one.criterion, played, case, ""].append(one.score)
    found = {}
    for name in ("overall", "flow", "facts"):
        tree: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        for case in cases:
            a, b = (values.get((name, one, case, "")) for one in (first, version))
            if a and b:
                tree[case[0]][case[1]].append(fmean(b) - fmean(a))
        found[name] = [fmean([fmean(one) for one in personas.values()]) for _, personas in sorted(tree.items())]
    return found


def test_the_matrix_is_what_a_hand_computes() -> None:
    one, other = two_trials()
    found = compare_prompt_versions([FIRST, one, other])
    assert [row.prompt.version for row in found.rows] == [one, other]
    assert [row.standing for row in (found.first, *found.rows)] == ["live", "draft", "draft"]
    for row in found.rows:
        expected = by_hand(FIRST, row.prompt.version)
        assert row.cells.keys() == {"overall", "flow", "facts"}
        for name, cell in row.cells.items():
            families = expected[name]
            assert cell.difference.clusters == len(families) == 8
            assert cell.difference.pairs == 16
            assert abs(cell.difference.mean - fsum(families) / 8) < 1e-9
            bounds = flip_bounds(families, level=0.025, seed=1)
            assert cell.difference.interval == pytest.approx((bounds.low, bounds.high), abs=1e-6)
            assert cell.missing is None


def test_two_drafts_are_compared_without_the_live_prompt() -> None:
    one, other = two_trials()
    found = compare_prompt_versions([one, other])
    expected = by_hand(one, other)["overall"]
    assert abs(found.rows[0].figures.overall.difference.mean - fmean(expected)) < 1e-9
    assert found.first.standing == "draft"


def test_the_queries_are_as_many_for_many_rows_as_for_few() -> None:
    one, other = two_trials()
    for versions in ([FIRST, one], [FIRST, one, other]):
        with questions() as asked:
            compare_prompt_versions(versions)
        assert len(asked) == 6


def test_what_cannot_be_compared_says_why_and_is_no_zero() -> None:
    draft = make_world()
    decided(draft, gain(1.0))
    silent = record_prompt_text(name="greeting", text=f"{LIVE}Be brief.\n", revision="bbb2222", draft=True)
    found = compare_prompt_versions([FIRST, version_of(draft), silent])
    assert (found.rows[1].missing, found.rows[1].standing) == ("not_played", "recorded")
    assert "No battle has played greeting@bbb2222" in found.rows[1].why
    document = as_json(version_document(found))
    assert document["versions"][1]["overall"] is None
    assert document["versions"][1]["missing"]["code"] == "not_played"
    assert "not compared: greeting@bbb2222" in found.sentence
    turned = compare_prompt_versions([silent, FIRST])
    assert (turned.rows[0].missing, turned.sentence) == (
        "not_played", "Nothing can be compared with greeting@bbb2222 yet.",
    )  # fmt: skip


def test_scores_of_two_judges_are_never_subtracted() -> None:
    one = make_world(families=8)
    FamilyPart.objects.all().update(part=Part.SELECTION)
    decided(one, gain(1.0), part="selection")
    other = make_draft(DRAFT.replace("each service", "every service"))
    row = started(other, part="selection")
    play(row, gain(2.0), judged=lambda side, scenario: {"fingerprint": "another judge"} if side == "draft" else {})
    advance_trials(now=NOW)
    found = compare_prompt_versions([FIRST, version_of(one), version_of(other)])
    assert [one.missing for one in found.rows] == [None, "other_judge"]
    assert found.judge.fingerprint == "judge"
    assert found.judge.others == 1


def test_a_scenario_that_was_changed_is_another_case() -> None:
    draft = make_world(families=8)
    decided(draft, gain(1.0))
    with pgtrigger.ignore():
        for one in Conversation.objects.filter(run__plan__prompt_version=version_of(draft)):
            one.spec = {**one.spec, "opening": "Another opening."}
            one.save(update_fields=["spec"])
    found = compare_prompt_versions([FIRST, version_of(draft)])
    assert found.rows[0].missing == "no_shared_cases"


def test_what_is_only_asserted_differently_stays_the_same_case() -> None:
    draft = make_world(families=8)
    decided(draft, gain(1.0))
    with pgtrigger.ignore():
        for one in Conversation.objects.filter(run__plan__prompt_version=version_of(draft)):
            one.spec = {**one.spec, "must_not": "invent a price"}
            one.save(update_fields=["spec"])
    assert compare_prompt_versions([FIRST, version_of(draft)]).rows[0].pairs == 8


def test_what_is_played_but_not_judged_says_so_and_a_config_nobody_judged_with_too() -> None:
    draft = make_world()
    decided(draft, gain(1.0))
    assert compare_prompt_versions([FIRST, version_of(draft)], config="probe").rows[0].missing is None
    assert compare_prompt_versions([FIRST, version_of(draft)], config="probe@1").rows[0].missing is None
    found = compare_prompt_versions([FIRST, version_of(draft)], config="nobody")
    assert found.rows[0].missing == "not_judged"
    assert "with nobody" in found.rows[0].why


def test_an_undecided_hold_out_is_not_looked_at_and_a_decided_one_only_as_a_whole() -> None:
    draft = make_world()
    row = started(draft)
    play(row, gain(1.0))
    pair = [FIRST, version_of(draft)]
    assert compare_prompt_versions(pair).rows[0].missing == "not_played"
    advance_trials(now=NOW)
    found = compare_prompt_versions(pair).rows[0]
    assert (found.pairs, found.hold_out) == (12, 12)
    assert compare_prompt_versions(pair, scenarios=["s00"]).rows[0].missing == "not_played"
    assert not [
        one for one in json.dumps(as_json(version_document(compare_prompt_versions(pair)))).split('"') if one == "s00"
    ]


def test_scenarios_narrow_what_is_compared_where_nothing_is_sealed() -> None:
    draft = make_world()
    FamilyPart.objects.all().update(part=Part.SELECTION)
    decided(draft, gain(1.0), part="selection")
    found = compare_prompt_versions([FIRST, version_of(draft)], scenarios=["s00", "s01"]).rows[0]
    assert (found.pairs, found.hold_out) == (2, 0)
    assert found.cells["overall"].difference.mean == pytest.approx(1.15)
    assert found.cells["overall"].missing == "too_few_families"
    assert found.cells["overall"].difference.interval is None
    assert found.cells["overall"].difference.outcome == "cannot_tell"


def test_a_fallback_model_and_a_platform_failure_are_left_out() -> None:
    draft = make_world()
    row = started(draft)
    play(row, gain(1.0), judged=lambda side, scenario: {"by_fallback": scenario == "s00"})
    with pgtrigger.ignore():
        Conversation.objects.filter(spec__scenario="s01").update(blame="platform")
    advance_trials(now=NOW)
    assert compare_prompt_versions([FIRST, version_of(draft)]).rows[0].pairs == 10


def test_a_criterion_that_one_side_lacks_is_not_scored_and_the_others_are() -> None:
    draft = make_world()
    row = decided(draft, gain(1.0))
    side = row.sides.get(side="draft")
    with pgtrigger.ignore():
        CriterionScore.objects.filter(judgement__evaluation=side.evaluation, criterion="facts").update(
            score=None, status="unscored"
        )
    found = compare_prompt_versions([FIRST, version_of(draft)])
    assert found.criteria == ["flow"]
    assert Evaluation.objects.count() == 2


def test_replies_and_their_cost_stand_beside_the_scores() -> None:
    draft = make_world()
    row = started(draft)
    with pgtrigger.ignore():
        for one in Conversation.objects.select_related("run"):
            longer = one.run.plan["prompt_version"] != FIRST
            Turn.objects.create(
                conversation=one, attempt=one.attempt, position=0, purpose="reply", role="assistant",
                content="x" * (30 if longer else 20), latency_ms=900 if longer else 700,
            )  # fmt: skip
    play(row, gain(1.0))
    advance_trials(now=NOW)
    found = compare_prompt_versions([FIRST, version_of(draft)]).rows[0]
    cost, latency, length = found.figures.measures
    assert (latency.difference.mean_a, latency.difference.mean) == (700, 200)
    assert (length.difference.mean_a, length.difference.mean) == (20, 10)
    assert (cost.difference.mean, cost.missing) == (None, "not_measured")


@pytest.mark.parametrize("versions", [[FIRST], [], [f"{FIRST}", FIRST], [f"x@{n}" for n in range(9)]])
def test_fewer_than_two_and_more_than_eight_are_refused(versions: list[str]) -> None:
    with pytest.raises(BadInput) as refused:
        compare_prompt_versions(versions)
    assert (refused.value.code, refused.value.pointer) == ("bad_versions", "/versions")


def test_versions_of_two_prompts_and_unknown_ones_are_refused() -> None:
    make_world()
    stranger = record_prompt_text(name="farewell", text="Say goodbye.", revision="1")
    with pytest.raises(BadInput) as refused:
        compare_prompt_versions([FIRST, stranger])
    assert refused.value.code == "several_prompts"
    with pytest.raises(NotFound):
        compare_prompt_versions([FIRST, "greeting@nobody"])


def run(*arguments: str) -> tuple[int, str]:
    out = io.StringIO()
    try:
        call_command("compare_prompts", *arguments, tenant=current_slug(), stdout=out)
    except SystemExit as ended:
        return int(ended.code or 0), out.getvalue()
    return 0, out.getvalue()


def test_the_command_answers_in_words_json_and_exit_codes() -> None:
    draft = make_world()
    decided(draft, gain(1.0))
    code, said = run(FIRST, version_of(draft))
    assert code == 0
    assert said.startswith(f"{version_of(draft)} is better than {FIRST} by 1.1 [1.1, 1.2] over 12 families.")
    assert "not measured" in said
    code, said = run(version_of(draft), FIRST, "--json")
    assert code == 1
    assert json.loads(said)["versions"][0]["overall"]["outcome"] == "a_better"
    code, said = run(FIRST, version_of(draft), "--scenario", "s00")
    assert code == 3
    assert "not_played" in said
    assert Trial.objects.count() == 1

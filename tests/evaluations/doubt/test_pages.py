"""What the pages say of doubt and of second judges."""

from tests.evaluations.bench import evaluated, judge, judged, only
from tests.evaluations.doubt.three_judges import MODELS, answers


def evaluation_text(evaluation) -> str:
    from django.template.loader import render_to_string  # noqa: PLC0415 - apps are loaded by then
    from django.test import RequestFactory  # noqa: PLC0415 - see above

    from apps.dashboard.results.queries.evaluation import evaluation_page  # noqa: PLC0415 - see above

    found = evaluation_page(evaluation.id, state="", number="1")
    request = RequestFactory().get("/")
    return render_to_string("dashboard/results/parts/evaluation.html", {"found": found, "formats": []}, request=request)


def conversation_text(evaluation) -> str:
    from django.template.loader import render_to_string  # noqa: PLC0415 - apps are loaded by then

    from apps.dashboard.conversations.queries.conversation import conversation_page  # noqa: PLC0415 - see above

    page = conversation_page(only(evaluation).conversation_id, evaluation=str(evaluation.id), asked={})
    parts = [render_to_string("dashboard/parts/reason.html", {"one": one}) for one in page.scores]
    return "\n".join([page.decision, page.flips, *parts])


def test_undecided_has_a_word_and_a_shape(three):
    evaluation = evaluated(three.config(roles=("judge",), repeats=3))
    near = [{"first": score, "second": 6} for score in (5, 6, 7)]
    answers(three["judge"], "openai", MODELS["judge"], *near)
    judge(concurrency=1)
    text = conversation_text(evaluation)
    assert "undecided" in text
    assert "±" in text
    assert "Mean of 3 answers; could be" in text
    assert "on both sides of the pass mark 6.0" in text
    assert "3 answers behind it" in text
    assert "± undecided" in evaluation_text(evaluation)


def test_the_panels_members_stand_by_name(three, settings_of):
    settings_of(cross_check_share=0)
    three.says(judge={"first": 4, "second": 8}, cross_check={"first": 7, "second": 8}, panel={"first": 9, "second": 8})
    text = conversation_text(judged(three.config()))
    for model in MODELS.values():
        assert model in text
    assert "the panel" in text


def test_a_second_judge_has_a_table_of_its_own(three, settings_of):
    settings_of(cross_check_share=1)
    text = evaluation_text(judged(three.config(), "c-1", "c-2"))
    assert "Second judge" in text
    assert "anthropic/claude-sonnet-4-5" in text or "at-anthropic/claude-sonnet-4-5" in text


def test_a_plain_evaluation_shows_none_of_it(three):
    text = evaluation_text(judged(three.config(roles=("judge",), panel="off"), "c-1", "c-2"))
    assert "undecided" not in text
    assert "Second judge" not in text

"""A run's page and its report tell what its evaluations say: in the first sentence, and square by square."""

import re

import pytest

from apps.dashboard.domain.badges import judged_conversation_look
from apps.dashboard.results.queries.run import run_page
from apps.tenants.context import in_tenant
from tests.dashboard.conftest import NOW, make_run
from tests.dashboard.test_headline_traps import Line, judged, many
from tests.dashboard.test_pages import text_of


def squares(html):
    return re.findall(r'class="rb-cell rb-cell-(\w+)" title="[^:]*: ([^"]*)"><span aria-hidden="true">(.)<', html)


@pytest.mark.parametrize(
    "state, judgement, decision, shown",
    [
        ("ended", "scored", "pass", ("good", "▲", "ended, passes")),
        ("ended", "scored", "fail", ("bad", "▼", "ended, fails")),
        ("ended", "scored", "undecided", ("near", "±", "ended, undecided")),
        ("ended", "scored", "", ("idle", "–", "ended, nothing to score")),
        ("ended", "parse_error", "", ("near", "!", "ended, the judge's reply could not be read")),
        ("ended", "pending", "", ("idle", "○", "ended, not judged yet")),
        ("failed", "not_judged", "", ("bad", "✕", "failed, not judged")),
        ("timeout", "scored", "pass", ("near", "!", "timeout, passes")),  # what it passed does not hide its end
    ],
)
def test_a_square_tells_the_conversations_state_and_its_verdict(state, judgement, decision, shown):
    one = judged_conversation_look(state, judgement, decision)
    assert (one.tone.value, one.icon, one.label) == shown


@pytest.mark.django_db
class TestPage:
    def test_squares_are_red_where_conversations_fail(self, owner):
        with in_tenant("acme"):
            evaluation = judged([*many(2.0, 5), Line(score=9.0), Line(status="parse_error")])
        html = owner.get(f"/runs/{evaluation.run_id}/").content.decode()
        assert squares(html) == [
            *[("bad", "ended, fails", "▼")] * 5,
            ("good", "ended, passes", "▲"),
            ("near", "ended, the judge&#x27;s reply could not be read", "!"),
        ]
        assert f"/evaluations/{evaluation.pk}/matrix/?verdict=fail" in html

    def test_a_square_without_any_evaluation_is_only_its_state(self, owner):
        with in_tenant("acme"):
            run, _ = make_run(1)
        assert squares(owner.get(f"/runs/{run.pk}/").content.decode()) == [("good", "ended", "✓")]

    def test_the_first_sentence_names_the_evaluation_that_fails(self, owner):
        with in_tenant("acme"):
            evaluation = judged(many(2.0, 6))
        for address in (f"/runs/{evaluation.run_id}/", f"/runs/{evaluation.run_id}/report/"):
            text = text_of(owner.get(address))
            assert "booking fails 6 of 6 battles by tea@1" in text, address
            assert "0 of 6 pass, 0–39 %" in text, address
        assert "No check was measured in this run, but booking fails" in text

    def test_an_evaluation_that_could_not_be_done_is_named_too(self, owner):
        from apps.evaluations.models import Evaluation  # noqa: PLC0415 - apps are loaded by pytest-django

        with in_tenant("acme"):
            failed = judged([Line(status="model_error")], status="failed")
            Evaluation.objects.filter(pk=failed.pk).update(ended_at=NOW, error_message="the model is away")
        text = text_of(owner.get(f"/runs/{failed.run_id}/"))
        assert "judging with tea@1 failed" in text
        assert "the model is away" in text

    def test_four_conversations_make_no_red_sentence(self):
        with in_tenant("acme"):
            page = run_page(judged(many(2.0, 4)).run_id, now=NOW, asked={})
        assert page.headline.but == ""
        assert page.evaluations[0].verdict.label == "fails 4 of 4"
        assert "0 of 4 pass" in page.evaluations[0].share

    def test_squares_agree_with_the_evaluations_own_count_under_noise(self):
        with in_tenant("acme"):
            evaluation = judged(
                [*many(9.0, 10, error=0.1), *many(6.3, 10, error=2.0), *many(1.0, 3, error=0.1)],
                parameters={"repeats": 3},
            )
            page = run_page(evaluation.run_id, now=NOW, asked={})
        drawn = [one.look.value for one in page.cells]
        assert {name: drawn.count(name) for name in set(drawn)} == dict(page.drawn_by.split)

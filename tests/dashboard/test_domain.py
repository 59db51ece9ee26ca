"""Rules of the pages: looks, figures, sentences and marks, without a database."""

from datetime import timedelta
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.catalog.domain.states import PersonaStatus
from apps.dashboard.conversations.domain.marking import pieces, spans
from apps.dashboard.domain.badge_shapes import Tone
from apps.dashboard.domain.badges import LOOKS, look, score_look
from apps.dashboard.domain.figures import ago, dollars, score_text, share_interval, span
from apps.dashboard.domain.sentences import evaluation_headline, home_headline, run_headline
from apps.dashboard.domain.side_by_side import side_by_side
from apps.dashboard.results.domain.trend import TrendPoint, trend
from apps.evaluations.domain.states import EvaluationStatus, JudgementStatus, ScoreStatus, UnscoredReason
from apps.runs.domain.states import Blame, ConversationStatus, RunStatus
from tests.dashboard.conftest import NOW


@pytest.mark.parametrize(
    "kind, states",
    [
        ("run", RunStatus),
        ("conversation", ConversationStatus),
        ("evaluation", EvaluationStatus),
        ("judgement", JudgementStatus),
        ("score", ScoreStatus),
        ("unscored", UnscoredReason),
        ("blame", Blame),
    ],
)
def test_every_state_of_the_house_has_its_own_look(kind, states):
    assert {state.value for state in states} == set(LOOKS[kind])


def test_no_two_states_of_a_kind_differ_by_colour_alone():
    for kind in ("run", "evaluation", "conversation", "judgement", "evidence"):
        seen = [(one.icon, one.label) for one in LOOKS[kind].values()]
        assert len(set(seen)) == len(seen)
        assert all(one.label and one.icon for one in LOOKS[kind].values())


def test_an_unknown_state_keeps_its_word():
    assert look("run", PersonaStatus.PENDING_VALIDATION).label == "pending validation"


@pytest.mark.parametrize(
    "score, interval, tone",
    [
        (5.1, None, Tone.BAD),
        (6.0, None, Tone.NEAR),
        (8.0, None, Tone.GOOD),
        (6.2, (5.9, 6.5), Tone.NEAR),
        (6.9, (6.6, 7.2), Tone.GOOD),
        (5.8, (5.6, 6.0), Tone.NEAR),
        (None, None, Tone.IDLE),
    ],
)
def test_a_score_whose_interval_straddles_the_mark_is_not_decided(score, interval, tone):
    assert score_look(score, 6.0, interval).tone == tone


def test_times_and_money_are_short():
    assert ago(NOW - timedelta(minutes=3, seconds=20), NOW) == "3 min ago"
    assert ago(NOW + timedelta(seconds=12), NOW) == "in 12 s"
    assert ago(NOW, NOW) == "just now"
    assert [span(0.3), span(59), span(3600), span(86_400), span(200_000)] == ["0.3 s", "59 s", "1 h", "1 day", "2 days"]
    assert [dollars(0), dollars(0.0123), dollars(1234.5)] == ["$0.00", "$0.0123", "$1,234.50"]


@given(st.integers(0, 500), st.integers(1, 500))
def test_the_interval_of_a_share_holds_it_and_stays_inside(passed, n):
    share = min(passed, n) / n
    low, high = share_interval(share, n)
    assert 0 <= low <= share + 1e-9
    assert share - 1e-9 <= high <= 1


def test_quotes_are_found_despite_case_spaces_and_ellipses():
    text = "Sawa Wanjiru,\n kesho SAA tano imethibitishwa. Bei ni KES 1,500."
    assert [text[low:high] for low, high in spans(text, "“kesho saa tano”")] == ["kesho SAA tano"]
    assert [text[low:high] for low, high in spans(text, "Sawa wanjiru … KES 1,500")] == ["Sawa Wanjiru", "KES 1,500"]
    assert spans(text, "kesho saa nne") == []
    assert spans(text, "") == []


@given(st.text(max_size=60), st.lists(st.text(max_size=12), max_size=4))
def test_marking_never_changes_a_text(text, quotes):
    cut = pieces(text, [(f"q{n}", quote) for n, quote in enumerate(quotes)])
    assert "".join(piece.text for piece in cut) == text


def test_overlapping_quotes_share_their_stretch():
    cut = pieces("one two three", [("a", "one two"), ("b", "two three")])
    assert [(piece.text, piece.marks) for piece in cut] == [("one ", "a"), ("two", "a b"), (" three", "b")]


COUNTS = {"pending": 0, "scored": 10, "parse_error": 2, "model_error": 0, "not_judged": 0}


def test_the_first_line_of_an_evaluation_is_the_answer():
    found = evaluation_headline(
        subject="The booking agent", status="completed", score=7.04, interval=(6.8, 7.2), in_mean=10, counts=COUNTS,
        failing=("conferma_orario", 5.1, 6.0),
    )  # fmt: skip
    assert found.text + found.but == (
        "The booking agent scores 7.0 ± 0.2 on 10 conversations, but fails conferma_orario (5.1)"
    )


def test_an_evaluation_without_scores_does_not_call_it_zero():
    found = evaluation_headline(
        subject="The booking agent", status="completed", score=None, interval=None, in_mean=0,
        counts={**COUNTS, "scored": 0}, failing=None,
    )  # fmt: skip
    assert found.text + found.but == "The booking agent has no score: none of 2 conversations could be judged"


def test_a_run_says_how_long_it_will_take():
    counts = {"pending": 111, "running": 8, "ended": 76, "failed": 3, "timeout": 2, "cancelled": 0}
    found = run_headline(kind="battle", status="running", counts=counts, seconds=160, done_per_second=0.5)
    assert found.text + found.but == "81 of 200 battles done, about 3 min to go, 5 battles failed"


def test_home_counts_in_words():
    assert home_headline(4, empty=False).text == "Four things need you"
    assert home_headline(12, empty=False).text == "12 things need you"
    assert home_headline(0, empty=False).text == "Nothing needs you"


@pytest.mark.parametrize(
    "value, mark, shown",
    [
        (5.96, 6.0, "5.96"),
        (5.996, 6.0, "6.0, just below the mark"),
        (5.9999, 6.0, "6.0, just below the mark"),
        (5.94, 6.0, "5.9"),
        (6.0, 6.0, "6.0"),
        (6.04, 6.0, "6.0"),
        (5.96, None, "6.0"),
        (6.96, 7.5, "7.0"),
    ],
)
def test_a_failing_score_is_never_rounded_up_to_its_mark(value, mark, shown):
    assert score_text(value, mark) == shown


def test_texts_beside_each_other_keep_what_is_the_same_short():
    old = "\n".join(f"line {n}" for n in range(20))
    rows = side_by_side(old, old.replace("line 10", "line ten"))
    assert [(row.kind, row.left, row.right) for row in rows if row.kind == "changed"] == [
        ("changed", "line 10", "line ten")
    ]
    assert rows[0].kind == rows[-1].kind == "skipped"
    assert len(rows) == 7
    assert side_by_side(old, old) == []
    assert [row.kind for row in side_by_side("", "a\nb")] == ["added", "added"]


def points(*scored):
    return [
        TrendPoint(
            id=uuid4(), name="run", at=NOW, score=score, judge=judge, config="tea@1",
            interval=(score - 1, score + 1) if judge == "a" else None,
        )
        for score, judge in scored
    ]  # fmt: skip


def test_a_trend_breaks_where_the_judge_changed_and_shows_its_mark():
    found = trend(points((5, "a"), (6, "a"), (8, "b")), mark=6)
    assert [len(line.dots) for line in found.lines] == [2, 1]
    assert found.breaks == [400.0]
    assert (found.low, found.high) == (3.6, 8.4)
    assert found.lines[0].dots[0].y > found.mark_y > found.lines[1].dots[0].y
    assert found.lines[0].dots[1].y == found.mark_y
    assert trend(points((5, "a")), mark=6) is None


@given(st.lists(st.tuples(st.floats(0, 10), st.sampled_from("ab")), min_size=2, max_size=12), st.floats(0, 10))
def test_a_trend_stays_inside_its_drawing(scored, mark):
    found = trend(points(*scored), mark=mark)
    dots = [dot for line in found.lines for dot in line.dots]
    assert len(dots) == len(scored)
    assert all(0 <= dot.x <= 600 and 0 <= dot.y <= 120 for dot in dots)
    assert 0 <= found.mark_y <= 120

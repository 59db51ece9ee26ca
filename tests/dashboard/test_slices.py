"""Slices: what is claimed stands first, the heat map finds the planted groups, and every cell leads to its rows."""

import re
from urllib.parse import parse_qsl

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.dashboard.domain.slice_sentences import left_out_sentence, slices_headline
from apps.dashboard.results.queries.matrix import matrix_page
from apps.dashboard.results.queries.slices import slices_page
from apps.reports.slices.domain.heat_map import MIN_IN_CELL, HeatLevel, heat_map
from apps.reports.slices.domain.slices import SliceClaim, SliceDimension, SliceState
from apps.tenants.context import in_tenant
from tests.dashboard.conftest import make_evaluation, make_run, signed_in
from tests.dashboard.matrix_samples import mixed_evaluation

COUNTS = st.dictionaries(
    st.tuples(st.sampled_from(["", "Asha", "Otieno", "Grace"]), st.sampled_from(["tone", "price", "pay"])),
    st.integers(0, 30).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
)


@given(COUNTS)
@settings(max_examples=60, deadline=None)
def test_a_map_keeps_every_count_and_calls_none_below_the_least(counts) -> None:
    found = heat_map(counts, blocking=frozenset({"pay"}))
    cells = {(row.group, one.criterion): one for row in found.rows for one in row.cells}
    for key, (failing, n) in counts.items():
        if not key[0]:
            assert key not in cells
            continue
        cell = cells[key]
        assert (cell.failing, cell.n) == (failing, n)
        assert (cell.level is HeatLevel.TOO_FEW) == (n < MIN_IN_CELL)
        assert cell.level is not HeatLevel.BLOCKS or key[1] == "pay"
    assert all([one.criterion for one in row.cells] == list(found.criteria) for row in found.rows)


GRID = ("Asha", "Otieno", "Grace", "Wanjiru")
PLANTED = {  # five weaknesses and whom they hit, of a grid of four personas, twelve conversations a cell
    "tone": {"Otieno": 12},
    "price": {"Asha": 12, "Wanjiru": 11},
    "closing": {"Grace": 9},
    "questions": {name: 12 for name in GRID},
    "payment_safety": {"Wanjiru": 2},
}


def test_the_map_finds_who_suffers_from_which_of_five_weaknesses() -> None:
    counts = {(who, what): (PLANTED[what].get(who, 0), 12) for who in GRID for what in PLANTED}
    found = heat_map(counts, blocking=frozenset({"payment_safety"}))
    level = {(row.group, one.criterion): one.level for row in found.rows for one in row.cells}
    suffering = {key for key, one in level.items() if one in (HeatLevel.MOST, HeatLevel.BLOCKS)}
    assert suffering == {(who, what) for what, whom in PLANTED.items() for who in whom}
    assert found.rows[0].group == "Wanjiru", "whom a blocking criterion hits comes first"
    assert found.criteria[:2] == ["payment_safety", "questions"], "then what hits most"


def claim(group, state, difference=None):
    interval = (difference - 0.5, difference + 0.5) if difference else None
    return SliceClaim(group=group, n=20, scenarios=12, mean=7.0, difference=difference, interval=interval, p=0.5,
                      state=state)  # fmt: skip


CELLS = {SliceDimension.LANGUAGE: heat_map({("en", "pay"): (6, 6), ("sw", "pay"): (3, 6)})}


@pytest.mark.parametrize(
    "claims, text, but",
    [
        (
            [claim("sw", SliceState.WORSE, -2.1), claim("en", SliceState.NOT_SHOWN, 2.1)],
            "sw is served worse than the other languages: ",
            "2.1 points lower [1.6, 2.6]",
        ),
        ([claim("sw", SliceState.NOT_SHOWN, -0.1), claim("en", SliceState.NOT_SHOWN, 0.1)], "No slice stands out", ""),
        ([claim("sw", SliceState.TOO_FEW), claim("en", SliceState.TOO_FEW)], "Too few scenarios to say", ""),
        ([], "No slices to hold against each other", ""),
    ],
)
def test_the_first_line_says_what_is_claimed_and_never_what_a_cell_shows(claims, text, but) -> None:
    headline = slices_headline({SliceDimension.LANGUAGE: claims}, CELLS, live=False)
    assert headline.text.startswith(text)
    assert headline.but == but
    assert "claim nothing" in headline.note


def test_what_another_judge_scored_is_told_and_not_compared() -> None:
    assert slices_headline({}, {}, live=True).text == "Nothing to tell apart"
    assert left_out_sentence(other_judges=0, by_fallback=0) == ""
    assert left_out_sentence(other_judges=12, by_fallback=1) == (
        "Left out, since judges are never compared with each other: 12 conversations judged under another fingerprint "
        "and 1 conversation judged by the fallback model."
    )


@pytest.mark.parametrize("repeats", [0, 3])
def test_every_cell_leads_to_the_rows_behind_it(owner, repeats) -> None:
    with in_tenant("acme"):
        evaluation, _ = mixed_evaluation(120, seed=3, repeats=repeats)
        found = slices_page(evaluation.pk)
        parts = [*found.compared, *found.quiet]
        cells = [(part.by.value, row.group, one) for part in parts for row in part.heat.rows for one in row.cells]
    page = owner.get(f"/evaluations/{evaluation.pk}/slices/").content.decode()
    links = [
        dict(parse_qsl(one.replace("&amp;", "&"))) for one in re.findall(r'/matrix/\?([^"]*criterion=[^"]*)"', page)
    ]
    assert len(links) == len(cells) == 21
    with in_tenant("acme"):
        for (by, group, cell), link in zip(cells, links, strict=True):
            assert (link[by], link["criterion"]) == (group, cell.criterion)
            rows, asked = 0, link
            shown = matrix_page(evaluation.pk, asked=asked)
            while shown.rows:
                rows += len(shown.rows)
                if not shown.window.after:
                    break
                shown = matrix_page(evaluation.pk, asked={**asked, "after": shown.window.after})
            assert rows == (cell.failing or cell.n)


def test_a_viewer_reads_it_and_a_stranger_does_not(owner) -> None:
    with in_tenant("acme"):
        evaluation, _ = mixed_evaluation(30)
    address = f"/evaluations/{evaluation.pk}/slices/"
    page = owner.get(address)
    assert page.status_code == 200
    assert "Too few scenarios to say who is served worse" in page.content.decode()
    assert owner.get(f"/evaluations/{evaluation.pk}/who-suffers/").status_code == 200, "its address before"
    assert "2 scenarios: too few" in page.content.decode(), "two scenarios give no interval"
    assert signed_in("nobody").get(address).status_code == 403
    assert owner.get("/evaluations/00000000-0000-0000-0000-000000000000/slices/").status_code == 404
    for view in ("", "matrix/", "slices/"):
        shown = owner.get(f"/evaluations/{evaluation.pk}/{view}").content.decode()
        tabs = re.search(r'aria-label="Views of this evaluation">(.*?)</nav>', shown)[1]
        assert re.findall(r'href="([^"]*)" aria-current="true"', tabs) == [f"/evaluations/{evaluation.pk}/{view}"]
        assert f'href="{address}"' in tabs


def test_a_dimension_with_one_slice_or_too_few_in_each_folds(owner) -> None:
    with in_tenant("acme"):
        run, rows = make_run(4)
        evaluation = make_evaluation(run, rows)
        page = slices_page(evaluation.pk)
    assert page.compared == page.parts, "where nothing can be told apart, all stands open"
    assert page.quiet == []
    with in_tenant("acme"):
        evaluation, _ = mixed_evaluation(30)
        titles = [part.title for part in slices_page(evaluation.pk).quiet]
    html = owner.get(f"/evaluations/{evaluation.pk}/slices/").content.decode()
    folded = html.partition("Nothing to tell apart:")[2].partition("</summary>")[0]
    assert [title for title in titles if title not in folded] == []

"""Who suffers from what: the heat map finds the planted groups, and every cell leads to its rows."""

import re
from urllib.parse import parse_qsl

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.dashboard.domain.heat_looks import heat_headline
from apps.dashboard.queries.matrix import matrix_page
from apps.dashboard.queries.who_suffers import who_suffers_page
from apps.reports.domain.heat_map import LEAST_IN_CELL, HeatLevel, heat_map
from apps.tenants.context import in_tenant
from tests.dashboard.conftest import signed_in
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
        assert (cell.level is HeatLevel.TOO_FEW) == (n < LEAST_IN_CELL)
        assert cell.level is not HeatLevel.BLOCKS or key[1] == "pay"
        assert not cell.more or 2 * failing > 0
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
    out = {(row.group, one.criterion) for row in found.rows for one in row.cells if one.more}
    assert out == suffering - {(who, "questions") for who in GRID} - {("Wanjiru", "payment_safety")} | (
        {("Wanjiru", "payment_safety")} & out
    ), "what hits everybody stands out for nobody"
    assert found.rows[0].group == "Wanjiru", "whom a blocking criterion hits comes first"
    assert found.criteria[:2] == ["payment_safety", "questions"], "then what hits most"
    headline = heat_headline(found, heat_map({}), titles={"payment_safety": "Safe payment"}, least=5)
    assert (headline.text, headline.but) == ("Wanjiru suffers most: ", "Safe payment blocks 2 of 12 conversations")


def test_where_no_group_stands_out_and_most_fail_everybody_suffers() -> None:
    counts = {("en", "pay"): (6, 6), ("sw", "pay"): (3, 3), ("mixed", "pay"): (3, 3)}
    languages = heat_map(counts, blocking=frozenset({"pay"}))
    headline = heat_headline(heat_map({}), languages, titles={"pay": "Safe payment"}, least=LEAST_IN_CELL)
    assert (headline.text, headline.but) == ("Everybody suffers: ", "Safe payment blocks 12 of 12 conversations")


@pytest.mark.parametrize(
    "counts, text",
    [
        ({}, "No persona or language to tell apart"),
        ({("Asha", "tone"): (4, 4)}, "Too few conversations to say who suffers: a cell takes 5"),
        ({("Asha", "tone"): (0, 9)}, "Nobody suffers: no criterion is below its mark where enough was scored"),
    ],
)
def test_the_first_line_says_so_where_there_is_nothing_to_say(counts, text) -> None:
    assert heat_headline(heat_map(counts), heat_map({}), titles={}, least=5).text == text


@pytest.mark.parametrize("repeats", [0, 3])
def test_every_cell_leads_to_the_rows_behind_it(owner, repeats) -> None:
    with in_tenant("acme"):
        evaluation, _ = mixed_evaluation(120, seed=3, repeats=repeats)
        found = who_suffers_page(evaluation.pk)
        cells = [(part.by, row.group, one) for part in found.parts for row in part.heat.rows for one in row.cells]
    page = owner.get(f"/evaluations/{evaluation.pk}/who-suffers/").content.decode()
    links = [
        dict(parse_qsl(one.replace("&amp;", "&"))) for one in re.findall(r'/matrix/\?([^"]*criterion=[^"]*)"', page)
    ]
    assert len(links) == len(cells) == 15
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
    address = f"/evaluations/{evaluation.pk}/who-suffers/"
    page = owner.get(address)
    assert page.status_code == 200
    assert "Everybody suffers: " in page.content.decode()
    assert "2 scenarios: too few" in page.content.decode(), "two scenarios give no interval"
    assert signed_in("nobody").get(address).status_code == 403
    assert owner.get("/evaluations/00000000-0000-0000-0000-000000000000/who-suffers/").status_code == 404
    assert f'href="{address}"' in owner.get(f"/evaluations/{evaluation.pk}/").content.decode()

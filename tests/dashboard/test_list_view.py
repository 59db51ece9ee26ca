"""A list's view as an address: read, written, wrong."""

from hypothesis import given
from hypothesis import strategies as st

from apps.dashboard.domain.list_view import LONGEST, ListColumn, ListFilter, ListSpec, page_window, read_list_view

SPEC = ListSpec(
    columns=[
        ListColumn(name="name", label="Name", sorts=True),
        ListColumn(name="score", label="Score", sorts=True, number=True),
        ListColumn(name="cost", label="Cost", shown=False),
    ],
    filters=[
        ListFilter(name="verdict", label="Verdict", choices={"pass": "pass", "fail": "fail"}),
        ListFilter(name="persona", label="Persona"),
    ],
    sort="score",
    search="words",
    kept={"evaluation": "e-1"},
)


def read(**asked):
    return read_list_view(SPEC, asked)


def test_what_is_so_without_being_asked_for_stays_out_of_the_address():
    assert read().query() == {"evaluation": "e-1"}
    assert read(sort="score", columns="score,name", page="1").query() == {"evaluation": "e-1"}


@given(
    q=st.text(st.characters(exclude_categories=("Cs",)), max_size=40),
    verdict=st.sampled_from(["", "pass", "fail"]),
    persona=st.text(st.characters(exclude_categories=("Cs",)), max_size=20),
    sort=st.sampled_from(["", "name", "-name", "score", "-score"]),
    columns=st.lists(st.sampled_from(["name", "score", "cost"]), unique=True),
    page=st.integers(1, 10**8),
)
def test_a_view_survives_its_address(q, verdict, persona, sort, columns, page):
    view = read(q=q, verdict=verdict, persona=persona, sort=sort, columns=",".join(columns), page=str(page))
    assert not view.problems
    assert read_list_view(SPEC, view.query()) == view


@given(st.dictionaries(st.sampled_from(["q", "verdict", "sort", "columns", "page"]), st.text(max_size=30)))
def test_nothing_that_is_asked_for_raises_and_a_problem_leaves_no_search_behind(asked):
    view = read_list_view(SPEC, asked)
    assert view.sort.removeprefix("-") in {"name", "score"}
    assert set(view.columns) <= {"name", "score", "cost"}
    assert view.columns
    assert view.page >= 1
    assert set(view.filters) <= {"verdict"}


def test_a_wrong_filter_is_named_and_does_not_pass_for_all_rows():
    view = read(verdict="maybe")
    assert view.problems == ("Verdict: 'maybe' is none of pass, fail.",)
    assert read(sort="secret").problems == ("Order: 'secret' is none of name, score.",)
    assert read(page="0").problems == ("Page: '0' is no page number.",)
    assert read(q="x" * LONGEST).problems


def test_a_column_that_is_gone_is_said_aloud():
    view = read(columns="name,colour")
    assert view.columns == ("name",)
    assert "colour" in view.notes[0]


def test_a_chip_leads_to_the_view_without_it_and_to_the_first_page():
    view = read(verdict="fail", persona="Wanjiru", page="7")
    assert view.with_filter("verdict", "").query() == {"evaluation": "e-1", "persona": "Wanjiru"}
    assert view.with_sort("name").sort == "name"
    assert view.with_sort("score").sort == "-score"  # it was the order already


@given(pages=st.integers(1, 4000), data=st.data())
def test_a_pager_shows_the_ends_and_the_neighbours_and_no_gap_of_one(pages, data):
    page = data.draw(st.integers(1, pages))
    shown = page_window(page, pages)
    numbers = [one for one in shown if one is not None]
    assert numbers == sorted(set(numbers))
    assert {1, page, pages} <= set(numbers)
    assert len(shown) <= 9
    for before, here, after in zip(shown, shown[1:], shown[2:], strict=False):
        if here is None:
            assert after - before > 2

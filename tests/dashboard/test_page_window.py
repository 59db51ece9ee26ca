"""Which page numbers a pager shows."""

from hypothesis import given
from hypothesis import strategies as st

from apps.dashboard.domain.page_window import page_window


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

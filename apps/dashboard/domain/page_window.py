"""Choose the page numbers that a pager shows."""


def page_window(page: int, pages: int, *, around: int = 2) -> list[int | None]:
    """Return the page numbers that a pager shows: the ends, those around this one, and None for a gap.

    At most 9 places.
    """
    near = {1, pages, *range(max(1, page - around), min(pages, page + around) + 1)}
    shown: list[int | None] = []
    for number in sorted(one for one in near if one >= 1):
        before = shown[-1] if shown else None
        if before is not None and number - before == 2:
            shown.append(number - 1)
        elif before is not None and number - before > 2:
            shown.append(None)
        shown.append(number)
    return shown

"""What a list shows, as an address: words searched, filters, order, columns and page, read from a query string and
written back. Two people with the same address see the same list."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import urlencode

LONGEST = 4_000  # characters of an address; proxies and chats cut longer ones
_OWN = ("q", "sort", "columns", "page")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListColumn:
    """A column. `shown`: without being asked for; `sorts`: its heading orders the list."""

    name: str
    label: str
    sorts: bool = False
    number: bool = False
    shown: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ListFilter:
    """What rows can be narrowed by. `choices` is value to word; without choices any words do."""

    name: str
    label: str
    choices: Mapping[str, str] = field(default_factory=dict)

    def word(self, value: str) -> str:
        return self.choices.get(value, value)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListSpec:
    """One list: its columns, filters and order (`score`, or `-score` for descending). `search` names what is
    searched, "" for a list without search. `kept` are parameters of the page that the list hands on."""

    columns: Sequence[ListColumn]
    filters: Sequence[ListFilter] = ()
    sort: str = ""
    search: str = ""
    anchor: str = ""
    kept: Mapping[str, str] = field(default_factory=dict)

    def filter(self, name: str) -> ListFilter:
        return next(one for one in self.filters if one.name == name)

    @property
    def default_columns(self) -> tuple[str, ...]:
        return tuple(one.name for one in self.columns if one.shown)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListView:
    """A list as it was asked for. With `problems` (sentences) the page shows them and no row: a wrong filter must not
    pass for one that finds everything. `notes` tell what was left out, such as a column that is gone."""

    spec: ListSpec
    search: str = ""
    filters: Mapping[str, str] = field(default_factory=dict)
    sort: str = ""
    columns: tuple[str, ...] = ()
    page: int = 1
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def shown(self) -> list[ListColumn]:
        return [one for one in self.spec.columns if one.name in self.columns]

    @property
    def narrowed(self) -> bool:
        return bool(self.search or self.filters)

    @property
    def order(self) -> tuple[str, bool]:
        """Name of the column and whether it descends. The query adds the primary key, so that pages never overlap."""
        return self.sort.removeprefix("-"), self.sort.startswith("-")

    def query(self) -> dict[str, str]:
        """The parameters that say it; what is so without being asked for stays out."""
        spec = self.spec
        parameters = {**spec.kept, **self.filters, "q": self.search}
        parameters["sort"] = self.sort if self.sort != spec.sort else ""
        parameters["columns"] = ",".join(self.columns) if self.columns != spec.default_columns else ""
        parameters["page"] = str(self.page) if self.page > 1 else ""
        return {name: value for name, value in parameters.items() if value}

    def address(self) -> str:
        """`?q=…&verdict=fail#anchor`, the same view wherever it is opened."""
        anchor = f"#{self.spec.anchor}" if self.spec.anchor else ""
        return f"?{urlencode(self.query())}{anchor}"

    def with_filter(self, name: str, value: str) -> "ListView":
        """Narrowed by one more, or with "" without that one; from the first page."""
        rest = {one: kept for one, kept in self.filters.items() if one != name}
        return replace(self, filters={**rest, name: value} if value else rest, page=1)

    def with_search(self, words: str) -> "ListView":
        return replace(self, search=words, page=1)

    def with_sort(self, name: str) -> "ListView":
        """Ordered by that column; asked for twice, the other way round."""
        return replace(self, sort=f"-{name}" if self.sort == name else name, page=1)

    def with_page(self, number: int) -> "ListView":
        return replace(self, page=number)


def read_list_view(spec: ListSpec, query: Mapping[str, str]) -> ListView:
    """The view a query string asks for. Nothing raises: what is wrong is named in `problems` or `notes`. Pure."""
    problems: list[str] = []
    notes: list[str] = []
    filters = {}
    for one in spec.filters:
        value = query.get(one.name, "").strip()
        if value and one.choices and value not in one.choices:
            problems.append(f"{one.label}: {value[:60]!r} is none of {', '.join(one.choices.values())}.")
        elif value:
            filters[one.name] = value
    if len(urlencode(dict(query))) > LONGEST:
        problems.append(f"The address is longer than {LONGEST:,} characters: search for fewer words.")
        filters = {}
    return ListView(
        spec=spec,
        search=query.get("q", "").strip()[:LONGEST] if spec.search and not problems else "",
        filters=filters,
        sort=_sort(spec, query.get("sort", ""), problems),
        columns=_columns(spec, query.get("columns", ""), notes),
        page=_page(query.get("page", ""), problems),
        problems=tuple(problems),
        notes=tuple(notes),
    )


def _sort(spec: ListSpec, value: str, problems: list[str]) -> str:
    sorts = [one.name for one in spec.columns if one.sorts]
    if not value or value == spec.sort:
        return spec.sort
    if value.removeprefix("-") in sorts:
        return value
    problems.append(f"Order: {value[:60]!r} is none of {', '.join(sorts)}.")
    return spec.sort


def _columns(spec: ListSpec, value: str, notes: list[str]) -> tuple[str, ...]:
    names = [name for name in value.split(",") if name]
    known = [one.name for one in spec.columns]
    if gone := [name for name in names if name not in known]:
        notes.append(f"This saved view names columns that are not there any more: {', '.join(gone)[:200]}.")
    chosen = tuple(name for name in known if name in names)
    return chosen or spec.default_columns


def _page(value: str, problems: list[str]) -> int:
    if not value:
        return 1
    if value.isascii() and value.isdecimal() and int(value[:9]) >= 1:
        return int(value[:9])
    problems.append(f"Page: {value[:60]!r} is no page number.")
    return 1


def page_window(page: int, pages: int, *, around: int = 2) -> list[int | None]:
    """Which page numbers a pager shows: the ends, those around this one, and None for a gap. At most 9 places."""
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

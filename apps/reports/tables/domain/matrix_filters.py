"""The filters and the order of a matrix, read from an address. Pure.

Defaults stay out of the address, so that one view has one address; whatever is wrong is told by field.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import date
from enum import StrEnum
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qsl, urlencode

from apps.evaluations.domain.states import JudgementStatus
from apps.statistics.decision import Decision

LONGEST = 4_000  # characters of an address's query that every browser and proxy lets through
BARS = 10  # the histogram's last bar
WORST_FIRST = "score"
OF_CONVERSATIONS = ("name", "persona", "language", "scenario", "date")  # sorts by what a conversation is
SORTS = (WORST_FIRST, *OF_CONVERSATIONS)
BY_CRITERION = "criterion:"  # then its name


class CriterionState(StrEnum):
    """The outcome of one criterion in a conversation."""

    PASS = "pass"  # noqa: S105 - no password
    FAIL = "fail"
    UNDECIDED = "undecided"
    UNSCORED = "unscored"


NOT_MEASURED = "not_measured"  # the rest of the conversations: no pass and no fail
VERDICTS = (Decision.PASS.value, Decision.FAIL.value, Decision.UNDECIDED.value, NOT_MEASURED)
EVIDENCE = ("exact", "pattern", "unverified")
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "verdict": VERDICTS,
    "state": tuple(one.value for one in JudgementStatus),
    "having": tuple(one.value for one in CriterionState),
    "evidence": EVIDENCE,
}
_TEXTS = ("criterion", "persona", "scenario", "language", "label", "after", "before")
_PLACE = ("after", "before")  # where the window stands: no part of what is chosen
HAVING_WORDS = {
    "pass": "reaches its mark",
    "fail": "below its mark",
    "undecided": "undecided",
    "unscored": "not scored",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixFilter:
    """One view of a matrix. `having`, `at` (a bar of the histogram, 0-10) and `evidence` are about `criterion`; `low`
    and `high` bound the weighted score, both included; `label` is `name=value`; `columns` are the criteria shown, none
    means all; `after` and `before` are places in the list, as `MatrixWindow` gives them."""

    verdict: str = ""
    state: str = ""
    criterion: str = ""
    having: str = ""
    evidence: str = ""
    at: int | None = None
    low: float | None = None
    high: float | None = None
    persona: str = ""
    scenario: str = ""
    language: str = ""
    label: str = ""
    since: date | None = None
    until: date | None = None
    sort: str = WORST_FIRST
    columns: tuple[str, ...] = ()
    after: str = ""
    before: str = ""

    @property
    def descending(self) -> bool:
        return self.sort.startswith("-")

    @property
    def sorted_by(self) -> str:
        """The field that rows are sorted by, without its direction."""
        return self.sort.removeprefix("-")

    @property
    def chosen(self) -> list[str]:
        """The fields that leave rows out."""
        beside = ("sort", "columns", *_PLACE)
        return [
            field.name
            for field in fields(self)
            if field.name not in beside and getattr(self, field.name) != field.default
        ]

    @property
    def usual_sort(self) -> str:
        """Worst first: on the criterion that is chosen, else in all."""
        scored = self.criterion and self.having != CriterionState.UNSCORED
        return f"{BY_CRITERION}{self.criterion}" if scored else WORST_FIRST

    @property
    def by_conversation(self) -> bool:
        """Tell whether rows are chosen or sorted by what their conversation is."""
        chosen = (self.persona, self.scenario, self.language, self.label, self.since, self.until)
        return any(chosen) or self.sorted_by in OF_CONVERSATIONS

    @property
    def decided(self) -> bool:
        """Tell whether rows are chosen by a decision, which the database does not take."""
        by_verdict = self.verdict and self.verdict != NOT_MEASURED
        return bool(by_verdict or self.having in (Decision.PASS, Decision.FAIL, Decision.UNDECIDED))

    def without(self, *names: str) -> "MatrixFilter":
        """Return the same filter without these fields, from the beginning of the list.

        Without a criterion, the fields that depend on it go too.
        """
        gone = {*names, *_PLACE}
        if "criterion" in gone:
            gone |= {"having", "evidence", "at", *(["sort"] if self.sort == self.usual_sort else [])}
        defaults: dict[str, Any] = {field.name: field.default for field in fields(self) if field.name in gone}
        left = replace(self, **defaults)
        return replace(left, sort=left.usual_sort) if "sort" in gone else left

    def having_also(self, **more: Any) -> "MatrixFilter":
        """Return the same filter with these fields, from the beginning of the list."""
        return replace(self.without(), **more)

    @property
    def fields(self) -> list[tuple[str, str]]:
        """Return the filter's names and values as an address has them, without those that are the default."""
        values = [(field.name, getattr(self, field.name)) for field in fields(self)]
        return [
            (name, ",".join(value) if name == "columns" else str(value))
            for name, value in values
            if value not in (None, "", ()) and not (name == "sort" and value == self.usual_sort)
        ]

    @property
    def query(self) -> str:
        """The filter as an address says it; "" where all is as by default."""
        return urlencode(self.fields)


@dataclass(frozen=True, slots=True)
class FilterChip:
    """One thing that is filtered by, in words, and the query without it."""

    text: str
    query: str


def parse_matrix_filter(given: Mapping[str, str]) -> tuple[MatrixFilter, dict[str, str]]:
    """The filter that the address asks for, and the faults of the address by field. Unknown fields are not looked
    at."""
    read: dict[str, Any] = {}
    wrong: dict[str, str] = {}
    for name, value in ((name, str(value).strip()) for name, value in given.items() if str(value).strip()):
        try:
            read |= _field(name, value)
        except ValueError as error:
            wrong[name] = str(error)
    if any(read.get(name) is not None for name in ("having", "evidence", "at")) and not read.get("criterion"):
        wrong["criterion"] = "name the criterion that this is about"
    matrix_filter = MatrixFilter(**read)
    if "sort" not in read:
        matrix_filter = replace(matrix_filter, sort=matrix_filter.usual_sort)
    if len(matrix_filter.query) > LONGEST:
        wrong["columns"] = "too many columns for an address: choose fewer"
    return matrix_filter, wrong


def unused_fields(given: Mapping[str, str]) -> list[str]:
    """The fields of an address that no view has, such as a misspelt filter: 60 characters of each, five at most."""
    known = {field.name for field in fields(MatrixFilter)} | {"column"}  # ticked one by one, in the form of columns
    return [name[:60] for name in given if name not in known][:5]


def parse_matrix_query(query: str) -> MatrixFilter:
    """The filter of a list that travels in another page's address; what is wrong in it is left out."""
    return parse_matrix_filter(dict(parse_qsl(query[:LONGEST])))[0]


def chips_of(matrix_filter: MatrixFilter, titles: Mapping[str, str] = MappingProxyType({})) -> list[FilterChip]:
    """Each thing that is filtered or sorted by, and the way back from it; `titles` are what readers call criteria."""
    texts = {
        "verdict": f"verdict: {matrix_filter.verdict.replace('_', ' ')}",
        "state": f"state: {matrix_filter.state.replace('_', ' ')}",
        "criterion": _criterion_words(matrix_filter, titles),
        "low": f"score from {matrix_filter.low}",
        "high": f"score to {matrix_filter.high}",
        "persona": f"persona: {matrix_filter.persona}",
        "scenario": f"scenario: {matrix_filter.scenario}",
        "language": f"language: {matrix_filter.language}",
        "label": f"label: {matrix_filter.label}",
        "since": f"since {matrix_filter.since}",
        "until": f"until {matrix_filter.until}",
    }
    chips = [
        FilterChip(texts[name], matrix_filter.without(name).query) for name in matrix_filter.chosen if name in texts
    ]
    if matrix_filter.columns:
        chips.append(FilterChip(f"{len(matrix_filter.columns)} columns", matrix_filter.without("columns").query))
    if matrix_filter.sort != matrix_filter.usual_sort:
        chips.append(FilterChip(_sort_words(matrix_filter, titles), matrix_filter.without("sort").query))
    return chips


def _criterion_words(matrix_filter: MatrixFilter, titles: Mapping[str, str]) -> str:
    parts = [HAVING_WORDS[matrix_filter.having]] if matrix_filter.having else []
    parts += [f"around {matrix_filter.at}"] if matrix_filter.at is not None else []
    parts += [f"{matrix_filter.evidence} evidence"] if matrix_filter.evidence else []
    return f"{titles.get(matrix_filter.criterion, matrix_filter.criterion)}: {', '.join(parts) or 'scored'}"


def _sort_words(matrix_filter: MatrixFilter, titles: Mapping[str, str]) -> str:
    by = matrix_filter.sorted_by.removeprefix(BY_CRITERION)
    if by == WORST_FIRST:
        return "best first" if matrix_filter.descending else "worst first in all"
    scored = matrix_filter.sorted_by.startswith(BY_CRITERION)
    order = (
        ("best first" if matrix_filter.descending else "worst first")
        if scored
        else ("Z to A" if matrix_filter.descending else "A to Z")
    )
    if by == "date":
        order = "newest first" if matrix_filter.descending else "oldest first"
    return f"{titles.get(by, by) if scored else by}, {order}"


def _field(name: str, value: str) -> dict[str, Any]:
    """Read one field of the filter from its text. Raises ValueError with what is wrong."""
    if "\x00" in value:
        raise ValueError("holds a character that no text has")
    if name in _CHOICES:
        if value not in _CHOICES[name]:
            raise ValueError(f"is one of {', '.join(_CHOICES[name])}, not {value!r}")
        return {name: value}
    if name in _TEXTS:
        return {name: value[:300]}
    if name in ("low", "high"):
        return {name: _number(value)}
    if name in ("since", "until"):
        return {name: _day(value)}
    if name == "at":
        if not value.isdecimal() or int(value) > BARS:
            raise ValueError(f"is a whole score of 0 to {BARS}, not {value!r}")
        return {name: int(value)}
    if name == "sort":
        return {name: _sort(value)}
    if name == "columns":
        return {name: tuple(dict.fromkeys(part.strip() for part in value.split(",") if part.strip()))}
    return {}


def _number(value: str) -> float:
    try:
        number = float(value.replace(",", "."))
    except ValueError:
        raise ValueError(f"is a score of 0 to 10, not {value!r}") from None
    if not 0 <= number <= 10:
        raise ValueError(f"is a score of 0 to 10, not {value!r}")
    return number


def _day(value: str) -> date:
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise ValueError(f"is a day as 2026-11-22, not {value!r}") from None


def _sort(value: str) -> str:
    by = value.removeprefix("-")
    if by not in SORTS and not (by.startswith(BY_CRITERION) and by != BY_CRITERION):
        raise ValueError(f"is {', '.join(SORTS)} or {BY_CRITERION}NAME, with - before it for the other way round")
    return value[:300]

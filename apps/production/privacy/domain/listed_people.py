"""The tenant's identity list, and the CSV file it is brought in with."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from apps.core.errors import BadInput
from apps.core.portable.csv_rows import csv_rows
from apps.production.privacy.domain.people import name_words

MAX_PEOPLE = 2_000
MAX_CHARS = 1_000_000
MAX_NAME = 200
_HEADS = frozenset({"name", "full name", "jina", "nome"})


class PersonRole(StrEnum):
    STAFF = "staff"
    OWNER = "owner"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonLine:
    """A line of the list that can be read."""

    line: int
    name: str
    role: PersonRole


@dataclass(frozen=True, slots=True, kw_only=True)
class LineProblem:
    """A line of the list that cannot be read, and why."""

    line: int
    message: str


def read_name(text: str) -> str:
    """A name on one line, as it is stored. Raises BadInput (`bad_name`) where it holds no word that masking could look
    for: three letters and more."""
    name = " ".join(unicodedata.normalize("NFKC", text).replace("\x00", " ").split())
    if not any(any(char.isalpha() for char in word) for word in name_words([name])):
        raise BadInput(
            "needs a word of three letters and more: shorter ones would be masked in every sentence",
            code="bad_name",
            pointer="/name",
        )
    if len(name) > MAX_NAME:
        raise BadInput(f"has more than {MAX_NAME} characters", code="bad_name", pointer="/name")
    return name


def read_people(text: str) -> tuple[Sequence[PersonLine], Sequence[LineProblem]]:
    """The lines of a CSV file `name,role`, with or without its head, separated by commas, semicolons or tabs. A line
    without a role is of the staff. Pure. Raises BadInput (`too_large`, `nobody_listed`)."""
    if len(text) > MAX_CHARS:
        raise BadInput(f"the file has more than {MAX_CHARS:,} characters", code="too_large", pointer="/file")
    people, problems = list[PersonLine](), list[LineProblem]()
    for row in csv_rows(text):
        name, role = (cell.strip() for cell in (*row.cells, "", "")[:2])
        if not people and name.casefold() in _HEADS:
            continue
        try:
            if row.fault:
                raise BadInput(row.fault)
            people.append(PersonLine(line=row.line, name=read_name(name), role=_role(role)))
        except BadInput as error:
            problems.append(LineProblem(line=row.line, message=error.message))
    if len(people) > MAX_PEOPLE:
        raise BadInput(f"{len(people):,} people: a list has up to {MAX_PEOPLE:,}", code="too_large", pointer="/file")
    if not people and not problems:
        raise BadInput("the file lists nobody: one line a person, name,role", code="nobody_listed", pointer="/file")
    return people, problems


def _role(text: str) -> PersonRole:
    try:
        return PersonRole(text.casefold()) if text else PersonRole.STAFF
    except ValueError:
        known = ", ".join(PersonRole)
        raise BadInput(f"{text[:40]!r} is no role: {known}", code="bad_role", pointer="/role") from None

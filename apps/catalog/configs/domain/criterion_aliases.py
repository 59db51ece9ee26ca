"""Resolve criteria that people write: by name, or by a title of any language with `_` for blanks. Pure."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from apps.catalog.configs.domain.content import VersionContent, parse_content
from apps.core.errors import BadInput


def alias_of(title: str) -> str:
    """ "One question at a time" is `one_question_at_a_time`."""
    return re.sub(r"\W+", "_", unicodedata.normalize("NFKC", title).casefold()).strip("_")


@dataclass(frozen=True, slots=True)
class CriterionNames:
    """Names of the tenant's criteria. `titles` is {name: {language: title}}."""

    titles: Mapping[str, Mapping[str, str]]

    def name_of(self, written: str, pointer: str = "/criterion") -> str:
        """The criterion's name; what no criterion is called comes back as it is. A name goes before a title.

        Raises BadInput `ambiguous_criterion` for a title that several have.
        """
        if written in self.titles:
            return written
        alias = alias_of(written)
        called = sorted(
            name for name, titles in self.titles.items() if alias and alias in map(alias_of, titles.values())
        )
        if len(called) > 1:
            message = f"{pointer}: {written!r} is the title of several criteria: write {' or '.join(called)}"
            raise BadInput(message, code="ambiguous_criterion", pointer=pointer)
        return called[0] if called else written

    def names_in(self, content: VersionContent) -> VersionContent:
        """A version's content with names alone. Raises BadInput, also for one criterion written in two ways."""
        if self.titles.keys() >= set(content.names):
            return content
        own_criteria, name_of = content.criteria, self.name_of

        def listed(names: Iterable[str], kind: str) -> list[str]:
            return [name_of(name, f"/criteria/{kind}") for name in names]

        def keyed(values: Mapping[str, Any], pointer: str) -> dict[str, Any]:
            return {name_of(name, pointer): value for name, value in values.items()}

        criteria: dict[str, Any] = {
            kind: listed(own_criteria[kind], kind) for kind in ("core", "domain", "blocking") if kind in own_criteria
        }
        criteria["weights"] = keyed(own_criteria["weights"], "/criteria/weights")
        marks = keyed(content.pass_marks, "/pass_marks")
        return parse_content(content.as_json() | {"criteria": criteria, "pass_marks": marks})

    def names_in_expectations(self, must_not: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Return the expectations with the names of their criteria alone. Raises BadInput."""
        return [
            {**one, "criterion": self.name_of(one["criterion"], f"/must_not/{at}/criterion")}
            for at, one in enumerate(must_not)
        ]

"""Titles of criteria for people, by language. Programs go on reading names: exports, YAML and fields of the API."""

from collections.abc import Mapping
from types import MappingProxyType

from apps.catalog.configs.domain.criteria import FALLBACK_LANGUAGE, title_in
from apps.catalog.configs.domain.criterion_aliases import CriterionNames
from apps.catalog.configs.models import Criterion

Titles = Mapping[str, str]  # {name: what the reader calls it}
NAMES: Titles = MappingProxyType({})


class TitleByName(dict[str, str]):
    """Titles of criteria by name; a criterion without a title gives its name."""

    def __missing__(self, name: str) -> str:
        return name


def criterion_titles(language: str = FALLBACK_LANGUAGE) -> TitleByName:
    """{name: title} of every criterion that has one. One query."""
    rows = Criterion.objects.exclude(titles={}).values_list("name", "titles")
    return TitleByName((name, title_in(titles, language, name=name)) for name, titles in rows)


def criterion_names() -> CriterionNames:
    """Return the names and titles by which people may write the criteria. One query."""
    return CriterionNames(dict(Criterion.objects.values_list("name", "titles")))

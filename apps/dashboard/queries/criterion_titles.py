"""What pages call criteria, in the reader's language."""

from collections.abc import Mapping
from types import MappingProxyType

from apps.catalog.domain.criteria import title_in
from apps.catalog.models import Criterion

Titles = Mapping[str, str]  # {name: what the reader calls it}
NAMES: Titles = MappingProxyType({})


def criterion_titles(language: str) -> Mapping[str, str]:
    """{name: title} of every criterion that has one. One query."""
    rows = Criterion.objects.exclude(titles={}).values_list("name", "titles")
    return {name: title_in(titles, language, name=name) for name, titles in rows}

"""Titles of criteria for people, by language. Programs go on reading names: exports, YAML and fields of the API."""

from collections.abc import Mapping
from types import MappingProxyType

from apps.catalog.configs.domain.criteria import FALLBACK_LANGUAGE, title_in
from apps.catalog.configs.models import Criterion

Titles = Mapping[str, str]  # {name: what the reader calls it}
NAMES: Titles = MappingProxyType({})


def criterion_titles(language: str = FALLBACK_LANGUAGE) -> Titles:
    """{name: title} of every criterion that has one. One query."""
    rows = Criterion.objects.exclude(titles={}).values_list("name", "titles")
    return {name: title_in(titles, language, name=name) for name, titles in rows}

"""Read which metrics are asked for from the brief's YAML as it is (brief 000 §6), strictly.

id: spa_booking_swahili_happy         # only conversations of this scenario; left out: all
    language: sw                          # for conversations that do not say theirs
    assertions:
    - metric: SwahiliFluencyMetric
      threshold: 0.80
    fluency: auto                         # or off: add the fluency metric of the conversation's language

A bare list of assertions will do too. The keys of a scenario file that say how it is played are read over.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from apps.catalog.domain import field_readers as checks
from apps.catalog.domain.catalog_yaml import YamlDocument, load
from apps.catalog.scenarios.domain.assertions import FLUENCY, KINDS
from apps.catalog.scenarios.domain.script import KEYS as SCRIPT_KEYS
from apps.core.errors import BadInput

_KEYS = ("id", "language", "assertions", "fluency")
_PLAYED = ("kind", "name", "persona", "goal", "opening", "max_turns", "description", *SCRIPT_KEYS)
_OF_THE_RUN = frozenset(KINDS) - {"metric"}  # what only the run that plays a scenario can measure


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricSpec:
    """One metric asked for. `threshold` None means the metric's own; both are on the metric's scale, 0 to 1."""

    metric: str
    threshold: float | None = None
    attached: bool = False  # nobody wrote it down: the language brought it


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsDocument:
    """The metrics that one YAML document asks for. `scenario` empty: of every conversation."""

    specs: tuple[MetricSpec, ...]
    scenario: str = ""
    language: str = ""
    attach_fluency: bool = True


def read_metrics(text: str, *, file: str, known: Iterable[str]) -> list[MetricsDocument]:
    """Every document of the file. Raises BadInput naming file, line and field: unknown keys and metrics, a metric that
    stands twice, a threshold off its scale, an empty file. Pure."""
    names = tuple(known)
    documents = [_document(document, names) for document in load(text, file)]
    if not any(document.specs or document.attach_fluency for document in documents):
        raise BadInput(f"{file}: no metric is asked for", code="no_metrics", file=file)
    return documents


def _document(document: YamlDocument, known: tuple[str, ...]) -> MetricsDocument:
    try:
        if isinstance(document.value, list):
            return MetricsDocument(specs=specs_of(document.value, "", known))
        raw = checks.mapping(document.value, "")
        checks.only(raw, (*_KEYS, *_PLAYED), "")
        return MetricsDocument(
            specs=specs_of(raw.get("assertions"), "/assertions", known),
            scenario=checks.text(raw.get("id"), "/id", limit=200),
            language=checks.language(raw.get("language"), "/language"),
            attach_fluency=_fluency(raw),
        )
    except BadInput as error:
        line = document.line(error.pointer or "")
        raise BadInput(
            f"{document.file}, line {line}: {error.message}",
            code=error.code,
            pointer=error.pointer,
            file=document.file,
            line=line,
        ) from error


def specs_of(raw: Any, pointer: str, known: Iterable[str]) -> tuple[MetricSpec, ...]:
    """Read the metrics in a list of assertions, without those of tools and ends. Raises BadInput."""
    known = tuple(known)
    specs: dict[str, MetricSpec] = {}
    for index, item in enumerate(checks.listing(raw, pointer)):
        at = checks.step(pointer, index)
        data = checks.mapping(item, at)
        if set(data) & _OF_THE_RUN and "metric" not in data:
            continue
        checks.only(data, ("metric", "threshold"), at)
        name = checks.text(data.get("metric"), checks.step(at, "metric"), required=True, limit=100)
        if name not in known:
            where = checks.step(at, "metric")
            raise BadInput(f"there is no metric {name!r}; there are {', '.join(known)}", pointer=where)
        if name in specs:
            raise BadInput(f"{name} stands twice here", pointer=checks.step(at, "metric"))
        threshold = None
        if "threshold" in data:
            threshold = checks.number(data["threshold"], checks.step(at, "threshold"), low=0, high=1)
        specs[name] = MetricSpec(metric=name, threshold=threshold)
    return tuple(specs.values())


def _fluency(raw: Mapping[str, Any]) -> bool:
    value = raw.get("fluency", "auto")
    if value is False:  # YAML 1.1 reads a bare `off` as false
        value = "off"
    return checks.one_of(value, FLUENCY, "/fluency") == "auto"

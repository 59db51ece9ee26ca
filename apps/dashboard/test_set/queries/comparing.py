"""The content of the page of two config versions: criteria, wording, models, parameters and template side by side."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from apps.catalog.configs.domain.content import VersionContent
from apps.catalog.configs.domain.criteria import ANCHORS, text_in
from apps.catalog.configs.domain.diff import DiffLine, FieldChange, diff
from apps.catalog.configs.queries.versions import content_of, criteria_sources
from apps.catalog.models import EvaluatorConfigVersion
from apps.core.errors import NotFound
from apps.dashboard.domain.badge_shapes import Badge
from apps.dashboard.domain.badges import look
from apps.dashboard.domain.sentences import Headline, comparison_headline
from apps.dashboard.domain.side_by_side import LinePair, side_by_side


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedLine:
    line: DiffLine
    look: Badge


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """One part of a version. `absent` is what a side without an entry means, `none` what two empty sides mean."""

    title: str
    what: str
    changed: Sequence[ChangedLine]
    same: Sequence[ChangedLine]
    absent: str
    none: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """A criterion whose description or scoring guide differs."""

    criterion: str
    rows: Sequence[LinePair]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparePage:
    older: EvaluatorConfigVersion | None
    newer: EvaluatorConfigVersion
    others: Sequence[EvaluatorConfigVersion]
    headline: Headline
    groups: Sequence[Group]
    wordings: Sequence[Wording]
    template: Sequence[LinePair]

    @property
    def differs(self) -> bool:
        """Tell whether the two evaluator versions differ in template, wording or settings."""
        return bool(self.template or self.wordings) or any(group.changed for group in self.groups)


def compare_page(version_id: uuid.UUID, *, other: str) -> ComparePage:
    """A version against another of its config, or where none is named against the one before. Five queries at most.

    Raises NotFound for ids that are no versions of one config.
    """
    newer = EvaluatorConfigVersion.objects.select_related("config").filter(pk=version_id).first()
    if newer is None:
        raise NotFound(f"There is no evaluator config version {version_id}.")
    others = [
        row
        for row in EvaluatorConfigVersion.objects.select_related("config").filter(config=newer.config_id)
        if row.pk != newer.pk
    ]
    others.sort(key=lambda row: -row.number)
    older = _chosen(others, newer, other)
    if older is None:
        return _alone(newer, others)
    old, new = content_of(older), content_of(newer)
    difference = diff(old, new)
    wordings = _wordings(older, newer, old, new)
    groups = (
        _group("Criteria", "Criterion", difference.criteria, absent="not judged", none="Neither judges anything."),
        _group("Models", "Role", difference.models, absent="the tenant's own choice", none="The tenant's own in both."),
        _group("Parameters", "Parameter", difference.parameters, absent="–", none="None in either."),
    )
    return ComparePage(
        older=older,
        newer=newer,
        others=others,
        headline=comparison_headline(
            newer=str(newer),
            older=str(older),
            changes={group.title: len(group.changed) for group in groups},
            wordings=len(wordings),
            template=bool(difference.template),
        ),
        groups=groups,
        wordings=wordings,
        template=side_by_side(old.system_prompt_template, new.system_prompt_template),
    )


def _alone(newer: EvaluatorConfigVersion, others: Sequence[EvaluatorConfigVersion]) -> ComparePage:
    return ComparePage(
        older=None,
        newer=newer,
        others=others,
        headline=Headline(text=f"{newer} is the only version", note="Make a new one from it to compare the two."),
        groups=(),
        wordings=(),
        template=(),
    )


def _group(title: str, what: str, lines: Sequence[DiffLine], *, absent: str, none: str) -> Group:
    changed_lines = [ChangedLine(line=line, look=look("change", line.change.value)) for line in lines]
    return Group(
        title=title,
        what=what,
        changed=[line for line in changed_lines if line.line.change is not FieldChange.SAME],
        same=[line for line in changed_lines if line.line.change is FieldChange.SAME],
        absent=absent,
        none=none,
    )


def _chosen(others: Sequence[Any], newer: EvaluatorConfigVersion, other: str) -> EvaluatorConfigVersion | None:
    if other:
        version = next((row for row in others if str(row.pk) == other), None)
        if version is None:
            raise NotFound(f"{other} is no other version of {newer.config.name}.")
        return version  # type: ignore[no-any-return]
    before = (row for row in others if row.number < newer.number)
    return next(before, None) or next(iter(others), None)


def _wordings(
    older: EvaluatorConfigVersion, newer: EvaluatorConfigVersion, old: VersionContent, new: VersionContent
) -> list[Wording]:
    """Criteria that are in both and say something else: a draft's as the catalog has them now."""
    both = [name for name in new.names if name in old.names]
    before = criteria_sources(both, older.frozen_criteria, where=str(older))
    after = criteria_sources(both, newer.frozen_criteria, where=str(newer))
    texts = [
        (
            name,
            _as_text(before[name], old.settings()["rubric_language"]),
            _as_text(after[name], new.settings()["rubric_language"]),
        )
        for name in both
    ]
    return [Wording(criterion=name, rows=side_by_side(left, right)) for name, left, right in texts if left != right]


def _as_text(source: Mapping[str, Any], language: str) -> str:
    text = text_in(source["texts"], language)
    guide = [f"{anchor}: {text['scoring_guide'].get(anchor, '')}" for anchor in ANCHORS]
    rule = f"offline rule: {source['offline_rule'] or 'none'} {source['offline_parameters'] or ''}".strip()
    return "\n".join((text["description"], *guide, rule))

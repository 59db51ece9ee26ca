"""Any versions of one prompt beside each other: live, earlier ones, drafts; a matrix of version x criterion."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from apps.catalog.configs.queries.criterion_titles import Titles, criterion_titles
from apps.catalog.models import PromptLine, PromptVersion
from apps.core.errors import BadInput, NotFound
from apps.improvement.drafts.domain.version_matrix import (
    OVERALL,
    DifferenceCell,
    FamilyMean,
    MissingVersion,
    VersionFigures,
    VersionStanding,
    matrix_row,
    worst_first,
)
from apps.improvement.drafts.domain.version_sentences import first_line, why_missing
from apps.improvement.drafts.models import PromptDraft
from apps.improvement.drafts.queries.version_differences import (
    JudgedCases,
    VersionFamily,
    VersionQuestion,
    judged_cases,
    version_families,
)
from apps.reports.comparisons.domain.comparison import decision_sentence

MOST = 8  # versions that fit beside each other
_CRITERION = "="  # what a criterion's name begins with in the query's answer


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedJudge:
    """Judge whose scores are compared, by its fingerprint. `others` scored conversations of these versions too."""

    config: str
    fingerprint: str
    others: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedVersion:
    """A version against the first one: its figures, or `missing` with `why` in a sentence. `standing` is live, draft or
    recorded; `hold_out` of the pairs belong to a hold-out and are never named."""

    prompt: PromptVersion
    standing: VersionStanding
    draft: PromptDraft | None
    missing: MissingVersion | None = None
    why: str = ""
    sentence: str = ""
    figures: VersionFigures | None = None
    pairs: int = 0
    hold_out: int = 0
    worse: int = 0
    better: int = 0

    @property
    def cells(self) -> dict[str, DifferenceCell]:
        """Overall score and criteria by name."""
        if self.figures is None:
            return {}
        return {one.difference.name: one for one in (self.figures.overall, *self.figures.criteria)}


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionComparison:
    """A comparison of prompt versions with `first`; `criteria` are in the order of the largest loss."""

    question: VersionQuestion
    first: ComparedVersion
    rows: Sequence[ComparedVersion]
    criteria: Sequence[str]
    judge: ComparedJudge | None
    sentence: str


def compare_prompt_versions(
    versions: Sequence[str], *, config: str = "", scenarios: Sequence[str] | None = None, titles: Titles | None = None
) -> VersionComparison:
    """Compare the versions with the first of them, by paired differences over shared cases.

    Only cases under one judge count: the judge that scored most versions, then most cases. A family of scenarios is one
    cluster.

    Six queries whatever the size, and 10 ms a cell. Raises NotFound for a version that nobody recorded; BadInput for
    fewer than two, more than eight, or versions of several prompts.
    """
    prompts = find_versions(versions)
    question = VersionQuestion(versions=[prompt.version for prompt in prompts], config=config, scenarios=scenarios)
    first, *others = _standings(prompts)
    cases = judged_cases(question)
    judge = _judge(cases, question.versions)
    families = version_families(question, fingerprint=judge.fingerprint) if judge else []
    by_version: dict[str, list[VersionFamily]] = defaultdict(list)
    for family in families:
        by_version[family.version].append(family)
    criteria = sorted({one.name[1:] for one in families if one.name.startswith(_CRITERION)})
    known = criterion_titles() if titles is None else titles
    rows = []
    for row in others:
        name = row.prompt.version
        if by_version[name] and judge:
            rows.append(_with_figures(row, by_version[name], criteria, first=first.prompt.version, titles=known))
        else:
            rows.append(_without(row, cases, judge, question))
    return VersionComparison(
        question=question,
        first=first,
        rows=rows,
        judge=judge,
        criteria=worst_first([row.cells for row in rows], criteria),
        sentence=_sentence(first, rows),
    )


def find_versions(versions: Sequence[str]) -> list[PromptVersion]:
    """The versions in the order they were named, each once. One query. Raises as `compare_prompt_versions`."""
    wanted = list(dict.fromkeys(name for version in versions if (name := version.strip())))
    if not 2 <= len(wanted) <= MOST:
        raise BadInput(
            f"Name two to {MOST} versions of one prompt, the one that others are held against first; "
            f"{len(wanted)} {'is' if len(wanted) == 1 else 'are'} named.",
            code="bad_versions",
            pointer="/versions",
        )
    rows = {row.version: row for row in PromptVersion.objects.filter(version__in=wanted)}
    for name in wanted:
        if name not in rows:
            raise NotFound(f"There is no prompt version {name!r}.", pointer="/versions")
    lines = sorted({row.name for row in rows.values()})
    if len(lines) > 1:
        raise BadInput(
            f"These are versions of several prompts ({', '.join(lines)}): compare versions of one.",
            code="several_prompts",
            pointer="/versions",
        )
    return [rows[name] for name in wanted]


def _standings(prompts: Sequence[PromptVersion]) -> list[ComparedVersion]:
    """The standing of each version: live, draft or recorded. Two queries."""
    live = PromptLine.objects.filter(name=prompts[0].name).values_list("live_id", flat=True).first()
    drafts = {row.version_id: row for row in PromptDraft.objects.filter(version__in=prompts).order_by("created_at")}
    return [
        ComparedVersion(
            prompt=prompt,
            standing=_standing(prompt, live, drafts),
            draft=drafts.get(prompt.pk),
        )
        for prompt in prompts
    ]


def _standing(version: PromptVersion, live: Any, drafts: Collection[Any]) -> VersionStanding:
    if version.pk == live:
        return VersionStanding.LIVE
    return VersionStanding.DRAFT if version.pk in drafts else VersionStanding.RECORDED


def _judge(cases: Sequence[JudgedCases], versions: Sequence[str]) -> ComparedJudge | None:
    """The judge under whom most versions share cases with the first, then most cases; None where nobody judged."""
    by_print: dict[str, list[JudgedCases]] = defaultdict(list)
    for case in cases:
        if case.fingerprint is not None:
            by_print[case.fingerprint].append(case)
    if not by_print:
        return None

    def worth(fingerprint: str) -> tuple[int, int, int, str]:
        rows = [one for one in by_print[fingerprint] if one.version != versions[0]]
        shared = sum(row.shared for row in rows)
        return -sum(row.shared > 0 for row in rows), -shared, -len(by_print[fingerprint]), fingerprint

    best = min(by_print, key=worth)
    return ComparedJudge(config=by_print[best][0].config, fingerprint=best, others=len(by_print) - 1)


def _with_figures(
    row: ComparedVersion, families: Sequence[VersionFamily], criteria: Sequence[str], *, first: str, titles: Titles
) -> ComparedVersion:
    means: dict[str, list[FamilyMean]] = defaultdict(list)
    for family in families:
        means[family.name.removeprefix(_CRITERION)].append(family.mean)
    overall = [version_family for version_family in families if version_family.name == OVERALL]
    figures = matrix_row(means, criteria)
    named = [
        replace(criterion.difference, name=titles.get(criterion.difference.name, criterion.difference.name))
        for criterion in figures.criteria
    ]
    worse = sum(version_family.worse for version_family in overall)
    return replace(
        row,
        figures=figures,
        pairs=sum(version_family.mean.pairs for version_family in overall),
        worse=worse,
        hold_out=sum(version_family.sealed for version_family in overall),
        better=sum(version_family.better for version_family in overall),
        sentence=decision_sentence(
            figures.overall.difference, [one for one in named if one.pairs], worse=worse, a=first, b=row.prompt.version
        ),
    )


def _without(
    row: ComparedVersion, cases: Sequence[JudgedCases], judge: ComparedJudge | None, question: VersionQuestion
) -> ComparedVersion:
    """Return the row with the reason why there is nothing to compare.

    The reason is this version's, or the first one's.
    """
    first, version = question.versions[0], row.prompt.version
    missing = _reason(version, cases, judge)
    named_version = version
    if missing is MissingVersion.NO_SHARED_CASES and (of_first := _reason(first, cases, judge)) != missing:
        missing, named_version = of_first, first
    why = why_missing(
        missing,
        version=named_version,
        first=first if named_version == version else version,
        judge=judge.config if judge else "",
        config=question.config,
    )
    return replace(row, missing=missing, why=why)


def _reason(version: str, cases: Sequence[JudgedCases], judge: ComparedJudge | None) -> MissingVersion:
    counts: Mapping[bool, int] = Counter(one.fingerprint is None for one in cases if one.version == version)
    if not counts[True]:
        return MissingVersion.NOT_PLAYED
    if not counts[False]:
        return MissingVersion.NOT_JUDGED
    prints = {one.fingerprint for one in cases if one.version == version}
    compared = judge is not None and judge.fingerprint in prints
    return MissingVersion.NO_SHARED_CASES if compared else MissingVersion.OTHER_JUDGE


def _sentence(first: ComparedVersion, rows: Sequence[ComparedVersion]) -> str:
    answers = {row.prompt.version: row.figures.overall.difference for row in rows if row.figures}
    missing = [row.prompt.version for row in rows if row.missing]
    return first_line(first.prompt.version, answers, missing=missing)

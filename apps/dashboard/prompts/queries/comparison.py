"""The content of the page that compares prompt versions: the matrix, the picker, and the differing texts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from apps.catalog.models import PromptLine, PromptVersion
from apps.core.errors import BadInput
from apps.dashboard.domain.badge_shapes import Badge, Tone
from apps.dashboard.domain.figures import many
from apps.dashboard.domain.sentences import Headline
from apps.dashboard.domain.side_by_side import LinePair, side_by_side
from apps.dashboard.queries.criterion_titles import NAMES
from apps.improvement.drafts.domain.version_matrix import COST, LATENCY, OVERALL, DifferenceCell, MissingFigure
from apps.improvement.drafts.queries.combinations import OUT_OF_USE
from apps.improvement.drafts.queries.version_comparison import (
    ComparedVersion,
    VersionComparison,
    compare_prompt_versions,
)
from apps.improvement.models import PromptDraft
from apps.reports.comparisons.domain.comparison import ComparisonOutcome

OFFERED = 60  # versions to choose from, newest first
_SHAPES = {
    ComparisonOutcome.B_BETTER: (Tone.GOOD, "▲", "better"),
    ComparisonOutcome.A_BETTER: (Tone.BAD, "▼", "worse"),
    ComparisonOutcome.NO_DIFFERENCE: (Tone.IDLE, "=", "no difference"),
    ComparisonOutcome.CANNOT_TELL: (Tone.IDLE, "·", "not enough data"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedVersion:
    """A prompt version that can be chosen for a comparison.

    `standing` is live, draft or recorded; for a draft, `note` is its state and `told` its author's remark.
    """

    version: str
    standing: str
    note: str
    told: str
    prompt: PromptVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownDifference:
    """A cell: the look with its word, the difference, the interval or why there is none; `query` opens its pairs."""

    look: Badge
    difference: str
    between: str
    query: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownVersion:
    """A row; `fix`: a draft that can be combined; `wins`: it is better, and nothing is worse."""

    row: ComparedVersion
    result: Badge
    cells: Sequence[ShownDifference]
    measures: Sequence[ShownDifference]

    @property
    def fix(self) -> bool:
        """Tell whether the version is a draft that can be combined: not one out of use."""
        return self.row.draft is not None and self.row.draft.status not in OUT_OF_USE

    @property
    def wins(self) -> bool:
        """Tell whether the version is ticked beforehand."""
        return self.result.value == ComparisonOutcome.B_BETTER.value


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptComparisonPage:
    """Facts for the comparison of prompts.

    `problem` says why nothing is compared; `beside` names the version whose text is shown beside the first one's.
    """

    headline: Headline
    prompts: Sequence[str]
    name: str
    offered: Sequence[OfferedVersion]
    first: str
    chosen: Sequence[str]
    config: str
    query: str
    problem: str = ""
    found: VersionComparison | None = None
    versions: Sequence[ShownVersion] = ()
    beside: ComparedVersion | None = None
    lines: Sequence[LinePair] = ()

    @property
    def may_combine(self) -> bool:
        """Tell whether there are two drafts to put together."""
        return sum(version.fix for version in self.versions) > 1


def prompt_comparison_page(
    *, name: str, first: str, versions: Sequence[str], config: str, beside: str, titles: Mapping[str, str] = NAMES
) -> PromptComparisonPage:
    """Compare the ticked `versions` with `first`; with the live one where nobody names it.

    Ten queries. Raises NotFound for a version that is not there.
    """
    name = name or next((one.rpartition("@")[0] for one in (first, *versions) if one), "")
    prompts = list(PromptLine.objects.order_by("name").values_list("name", flat=True))
    name = name or (prompts[0] if len(prompts) == 1 else "")
    live = PromptLine.objects.filter(name=name).values_list("live__version", flat=True).first() or ""
    first = first or live
    chosen = [version for version in dict.fromkeys(versions) if version != first]
    page = PromptComparisonPage(
        headline=_asking(prompts, name),
        prompts=prompts,
        name=name,
        offered=_offered(name, live),
        first=first,
        chosen=chosen,
        config=config,
        query=_query(first, chosen, config),
    )
    if not (first and chosen):
        return page
    try:
        comparison = compare_prompt_versions([first, *chosen], config=config, titles=titles)
    except BadInput as error:
        if error.code == "not_found":
            raise
        return replace(page, problem=error.message)
    shown_row = next((row for row in comparison.rows if row.prompt.version == beside), comparison.rows[0])
    return replace(
        page,
        headline=Headline(text=comparison.sentence, note=_note(comparison)),
        found=comparison,
        versions=[_shown(row, comparison, page.query, titles) for row in _worst_first(comparison.rows)],
        beside=shown_row,
        lines=side_by_side(comparison.first.prompt.text, shown_row.prompt.text),
    )


def _asking(prompts: Sequence[str], name: str) -> Headline:
    if not prompts:
        return Headline(text="No prompt is recorded yet", note="Record one, write a draft of it and try it.")
    text = f"Which version of {name} is better, and on what?" if name else "Which prompt?"
    return Headline(text=text, note="Tick the versions to be held against one: live, earlier ones, drafts.")


def _query(first: str, chosen: Sequence[str], config: str) -> str:
    named = [("first", first), *(("v", one) for one in chosen), *([("config", config)] if config else [])]
    return urlencode([pair for pair in named if pair[1]])


def _offered(name: str, live: str) -> list[OfferedVersion]:
    """Live first, then the newest. Two queries."""
    if not name:
        return []
    rows = list(PromptVersion.objects.filter(name=name).defer("text").order_by("-created_at", "-id")[:OFFERED])
    drafts = {
        prompt_draft.version_id: prompt_draft
        for prompt_draft in PromptDraft.objects.filter(version__in=rows).only("version", "status", "note")
    }
    versions_offered = [
        OfferedVersion(
            version=row.version,
            prompt=row,
            told=drafts[row.pk].note if row.pk in drafts else "",
            note=drafts[row.pk].status.replace("_", " ") if row.pk in drafts else "",
            standing="live" if row.version == live else "draft" if row.pk in drafts else "recorded",
        )
        for row in rows
    ]
    return sorted(versions_offered, key=lambda version: version.standing != "live")


def _note(comparison: VersionComparison) -> str:
    if comparison.judge is None:
        return "No judge has scored these versions in the same cases."
    others = f"; {many(comparison.judge.others, 'other judge')} left out" if comparison.judge.others else ""
    sealed = sum(row.hold_out for row in comparison.rows)
    hold_out = f". {many(sealed, 'pair')} of a hold-out are in the means and are never shown" if sealed else ""
    return (
        f"Same scenarios, personas and seeds, judged by {comparison.judge.config}{others}. Differences with their 95 % "
        f"interval over scenario families{hold_out}."
    )


def _worst_first(rows: Sequence[ComparedVersion]) -> list[ComparedVersion]:
    """The version that loses most on anything first, what could not be compared last."""

    def loss(row: ComparedVersion) -> tuple[bool, float]:
        means = [cell.difference.mean for cell in row.cells.values() if cell.difference.mean is not None]
        return not means, min(means, default=0.0)

    return sorted(rows, key=loss)


def _shown(row: ComparedVersion, comparison: VersionComparison, query: str, titles: Mapping[str, str]) -> ShownVersion:
    if row.figures is None:
        word = (row.missing.value if row.missing else "").replace("_", " ")
        return ShownVersion(row=row, result=Badge("missing", word, Tone.NEAR, "?"), cells=(), measures=())
    names = [OVERALL, *comparison.criteria]
    return ShownVersion(
        row=row,
        result=_result(row, titles),
        cells=[
            _cell(row.cells[name], f"{query}&{urlencode({'of': row.prompt.version, 'criterion': name})}")
            for name in names
        ],
        measures=[_measure(measure) for measure in row.figures.measures],
    )


def _result(row: ComparedVersion, titles: Mapping[str, str]) -> Badge:
    """The word beside a row: what it is overall, or what it hurts all the same."""
    hurt = [cell.difference for cell in row.cells.values() if cell.difference.outcome is ComparisonOutcome.A_BETTER]
    overall = row.cells[OVERALL].difference
    if overall.outcome is not ComparisonOutcome.A_BETTER and hurt:
        worst = min(hurt, key=lambda difference: difference.mean or 0.0)
        return Badge("hurts", f"hurts {titles.get(worst.name, worst.name)}", Tone.BAD, "✕")
    tone, icon, word = _SHAPES[overall.outcome]
    shown = "not shown to be better" if overall.outcome is ComparisonOutcome.CANNOT_TELL else word
    return Badge(overall.outcome.value, shown, tone, "✓" if tone is Tone.GOOD else "?" if icon == "·" else icon)


def _cell(cell: DifferenceCell, query: str) -> ShownDifference:
    one = cell.difference
    if one.mean is None:
        return ShownDifference(
            look=Badge("missing", "not scored on both sides", Tone.IDLE, "–"), difference="–", between="not scored"
        )
    tone, icon, word = _SHAPES[one.outcome]
    return ShownDifference(
        look=Badge(one.outcome.value, word, tone, icon),
        difference=_points(one.mean),
        between=_between(cell),
        query=query,
    )


def _measure(cell: DifferenceCell) -> ShownDifference:
    """The change in a reply's cost, time or length, shown as neither better nor worse."""
    one = cell.difference
    look = Badge("measure", "", Tone.IDLE, "")
    if one.mean is None or one.mean_a is None:
        return ShownDifference(look=look, difference="–", between="not measured")
    if one.name == COST:
        share = f"{100 * one.mean / one.mean_a:+.0f} %" if one.mean_a else f"{one.mean:+.4f} $"
        return ShownDifference(look=look, difference=share, between=f"from ${one.mean_a:.4f}")
    if one.name == LATENCY:
        return ShownDifference(
            look=look, difference=f"{one.mean / 1000:+.1f} s", between=f"from {one.mean_a / 1000:.1f} s"
        )
    return ShownDifference(look=look, difference=f"{one.mean:+.0f}", between=f"from {one.mean_a:.0f}")


def _points(value: float) -> str:
    """Write a difference with its sign, and without one where it rounds to nothing."""
    shown = f"{value:+.1f}"
    return shown if shown.strip("+-0.") else "0.0"


def _between(cell: DifferenceCell) -> str:
    if cell.missing is MissingFigure.TOO_FEW_FAMILIES:
        return "too few families" if cell.difference.clusters != 1 else "one family"
    low, high = cell.difference.interval or (0.0, 0.0)
    return f"{_points(low)} to {_points(high)}"

"""The content of the page behind a matrix's cell: its pairs, changed ones first, and one of them side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from apps.core.errors import NotFound
from apps.dashboard.domain.figures import many
from apps.dashboard.domain.sentences import Headline
from apps.dashboard.queries.criterion_titles import NAMES
from apps.dashboard.results.domain.comparison_sentences import pair_headline
from apps.dashboard.results.queries.comparison_pair import transcripts_of
from apps.improvement.drafts.domain.version_matrix import OVERALL
from apps.improvement.drafts.queries.version_comparison import ComparedVersion, compare_prompt_versions
from apps.improvement.drafts.queries.version_pairs import PromptPairOfCases, VersionPairs, version_pairs
from apps.reports.comparisons.domain.alignment import FoldedRows, RowDifference, align, first_that_matters, folded
from apps.reports.comparisons.domain.comparison import ConversationChange


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptPairsPage:
    """Facts for the page of pairs.

    `pair` is the one whose transcripts are shown, None where none may be; `at` is its number in `pairs`, from 1.
    """

    headline: Headline
    first: str
    other: ComparedVersion
    criterion: str
    pairs: VersionPairs
    query: str
    back: str
    at: int = 0
    pair: PromptPairOfCases | None = None
    told: str = ""
    rows: Sequence[FoldedRows] = ()

    @property
    def following(self) -> int:
        """The number of the next pair, 0 at the end."""
        return self.at + 1 if 0 < self.at < len(self.pairs.pairs) else 0


def prompt_pairs_page(
    *,
    first: str,
    versions: Sequence[str],
    of: str,
    criterion: str,
    config: str,
    number: str,
    titles: Mapping[str, str] = NAMES,
) -> PromptPairsPage:
    """Return the pairs of version `of` and the first on one criterion (`overall`: the weighted mean).
    Pair `number` is open. Eight queries. Raises NotFound; BadInput as the comparison."""
    versions_compared = compare_prompt_versions([first, *versions], config=config, titles=titles)
    row = next((one for one in versions_compared.rows if one.prompt.version == of), None)
    if row is None or (criterion != OVERALL and criterion not in versions_compared.criteria):
        raise NotFound(f"{of or 'No version'} and {criterion or 'no criterion'} are no cell of this comparison.")
    pairs = version_pairs(versions_compared, other=of, criterion=criterion)
    named = [("first", first), *(("v", version) for version in versions), *([("config", config)] if config else [])]
    at = int(number) if number.isdecimal() and len(number) < 7 and 0 < int(number) <= len(pairs.pairs) else 1
    pair = pairs.pairs[at - 1] if pairs.pairs else None
    page = PromptPairsPage(
        headline=_headline(pairs, of, titles.get(criterion, criterion)),
        first=first,
        other=row,
        criterion=criterion,
        pairs=pairs,
        back=urlencode(named),
        query=urlencode([*named, ("of", of), ("criterion", criterion)]),
        at=at if pair else 0,
        pair=pair,
    )
    return _with_transcripts(page, pair) if pair else page


def _with_transcripts(page: PromptPairsPage, pair: PromptPairOfCases) -> PromptPairsPage:
    turns = transcripts_of({pair.first_conversation, pair.conversation})
    aligned = align(turns.get(pair.first_conversation, []), turns.get(pair.conversation, []))
    kinds = [turn_pair.difference for turn_pair in aligned]
    headline = pair_headline(
        first_that_matters(aligned),
        wording=kinds.count(RowDifference.WORDING),
        same=kinds.count(RowDifference.SAME),
        one_conversation=False,
    )
    return PromptPairsPage(
        headline=page.headline,
        first=page.first,
        other=page.other,
        criterion=page.criterion,
        pairs=page.pairs,
        query=page.query,
        back=page.back,
        at=page.at,
        pair=pair,
        told=headline.text,
        rows=folded(aligned),
    )


def _headline(pairs: VersionPairs, version: str, criterion: str) -> Headline:
    of_hold_out = f"{many(pairs.sealed, 'pair')} of a hold-out" if pairs.sealed else ""
    if not pairs.pairs:
        text = f"No pair of {version} may be shown" if pairs.sealed else f"{version} has no pair on {criterion}"
        note = f"{of_hold_out}: their scores are in the means, and nobody reads them." if pairs.sealed else ""
        return Headline(text=text, note=note)
    worse = sum(pair.change is ConversationChange.WORSE for pair in pairs.pairs)
    better = sum(pair.change is ConversationChange.BETTER for pair in pairs.pairs)
    note = f"{of_hold_out} beside them are in the means and are never shown." if pairs.sealed else ""
    listed = "" if pairs.total == len(pairs.pairs) else f"The first {len(pairs.pairs)} of {pairs.total}. "
    gained = f"{many(better, 'pair')} got better" if better else "" if worse else "no pair moved by half a point"
    return Headline(
        text=f"{criterion}: {gained}" + (", " if better and worse else ""),
        but=f"{worse if better else many(worse, 'pair')} got worse" if worse else "",
        note=f"{listed}{note}".strip(),
    )

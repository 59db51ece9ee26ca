"""The evaluators of one run, as the page of comparisons shows them: agreement pair by pair, and contradictions."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from apps.core.errors import NotFound
from apps.reports.comparisons.domain.evaluators import PairAgreement
from apps.reports.comparisons.queries.evaluators import EvaluatorComparison, ShownContradiction, compare_evaluators


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorPanels:
    """Answer about the evaluators of a run as it is drawn.

    `pairs` are two labels, and criterion by criterion how these agree, least first after "", which is all shared ones.
    `contradictions` stand with what people call their criterion.
    """

    compared: EvaluatorComparison
    pairs: Sequence[tuple[tuple[str, str], Sequence[tuple[str, PairAgreement]]]]
    contradictions: Sequence[tuple[str, ShownContradiction]]


def evaluator_panels(run: str, named: Sequence[str], titles: Mapping[str, str]) -> EvaluatorPanels:
    """Return the panels in some twenty queries. Raises NotFound, and BadInput as `compare_evaluators` does."""
    compared = compare_evaluators(_id(run), [_id(one) for one in named])
    labels = [evaluator.label for evaluator in compared.evaluators]
    rows = [((labels[pair.first], labels[pair.second]), titles.get(pair.criterion, pair.criterion), pair)
            for pair in compared.pairs]  # fmt: skip
    rows.sort(key=lambda row: (row[0], bool(row[1]), row[2].alike / row[2].ratings if row[2].ratings else 0.0))
    return EvaluatorPanels(
        compared=compared,
        pairs=[(both, [row[1:] for row in some]) for both, some in groupby(rows, key=lambda row: row[0])],
        contradictions=[(titles.get(one.criterion, one.criterion), one) for one in compared.contradictions],
    )


def _id(text: str) -> uuid.UUID:
    try:
        return uuid.UUID(text)
    except ValueError as error:
        raise NotFound(f"There is nothing with the id {text[:60]!r}.") from error

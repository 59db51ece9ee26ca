"""The content of the page of a run's evaluators: the sentence, consistency, agreement by criterion, contradictions."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from apps.core.errors import BadInput, NotFound
from apps.dashboard.domain.sentences import Headline
from apps.dashboard.queries.criterion_titles import NAMES
from apps.evaluations.models import Evaluation
from apps.reports.domain.evaluators import PairAgreement
from apps.reports.queries.evaluators import EvaluatorComparison, compare_evaluators
from apps.runs.models import TestRun


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementRow:
    """Two evaluators on one criterion; `title` is the criterion's, "" for all shared ones."""

    title: str
    a: str
    b: str
    pair: PairAgreement
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorsPage:
    """Facts for the comparison of evaluators.

    `problem` says why there is nothing to compare; `chosen` are the evaluations that the address names.
    """

    run: TestRun
    headline: Headline
    choices: Sequence[Evaluation]
    chosen: frozenset[str]
    problem: str = ""
    found: EvaluatorComparison | None = None
    rows: Sequence[AgreementRow] = ()
    titles: Mapping[str, str] = field(default_factory=dict)

    @property
    def titled(self) -> Sequence[tuple[str, object]]:
        """Contradictions with what people call their criterion."""
        shown = self.found.contradictions if self.found else ()
        return [(self.titles.get(one.criterion, one.criterion), one) for one in shown]


def evaluators_page(run_id: uuid.UUID, *, named: Sequence[str], titles: Mapping[str, str] = NAMES) -> EvaluatorsPage:
    """Return the comparison of evaluators. Some twenty queries. Raises NotFound."""
    run = TestRun.objects.filter(pk=run_id).first()
    if run is None:
        raise NotFound(f"There is no run {run_id}.")
    choices = list(Evaluation.objects.filter(run=run_id, status="completed").order_by("-created_at", "-id")[:40])
    asking = Headline(text="Which evaluator config shall be believed?", note="Two or more judge one run for that.")
    page = EvaluatorsPage(run=run, headline=asking, choices=choices, chosen=frozenset(named), titles=titles)
    try:
        compared = compare_evaluators(run_id, [_id(one) for one in named])
    except NotFound:
        raise
    except BadInput as error:
        return EvaluatorsPage(run=run, headline=asking, choices=choices, chosen=page.chosen, problem=error.message)
    if len(compared.evaluators) < 2:
        return EvaluatorsPage(run=run, headline=asking, choices=choices, chosen=page.chosen, problem=compared.sentence)
    labels = [evaluator.label for evaluator in compared.evaluators]
    rows = [
        AgreementRow(
            title=titles.get(pair.criterion, pair.criterion),
            a=labels[pair.first],
            b=labels[pair.second],
            pair=pair,
            share=pair.alike / pair.ratings if pair.ratings else 0.0,
        )
        for pair in compared.pairs
    ]
    return EvaluatorsPage(
        run=run,
        headline=Headline(text=compared.sentence),
        choices=choices,
        found=compared,
        titles=titles,
        rows=sorted(rows, key=lambda one: (one.a, one.b, bool(one.title), one.share)),
        chosen=frozenset(str(evaluator.evaluation.pk) for evaluator in compared.evaluators),
    )


def _id(text: str) -> uuid.UUID:
    try:
        return uuid.UUID(text)
    except ValueError as error:
        raise NotFound(f"There is no evaluation {text[:60]!r}.") from error

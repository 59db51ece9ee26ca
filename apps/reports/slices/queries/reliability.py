"""Measure how reliable an agent is, for whom, in which language: pass^k and pass@k over repeats."""

import uuid
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any

from apps.core.documents import Count, Document, Id, Interval
from apps.core.shapes import described
from apps.evaluations.figures.queries.aggregate_cache import cached_aggregate
from apps.evaluations.figures.queries.decisions_by_group import DecisionsByGroup, PlayedCase, decisions_by_group
from apps.evaluations.figures.queries.results import counts_of, find_evaluation
from apps.evaluations.figures.queries.stored_figures import stored_figure
from apps.evaluations.figures.queries.uncertainty import Uncertainties, noise_of_judge, uncertainties_of
from apps.evaluations.models import Evaluation
from apps.reports.slices.domain.heat_map import MIN_IN_CELL
from apps.reports.slices.domain.reliability import (
    PassShare,
    Reliability,
    RepeatedCase,
    ks_of,
    reliability,
    usual_trials,
)
from apps.reports.slices.domain.slices import SliceDimension
from apps.reports.slices.queries.slices import HeatRowDocument, cells_document, slices_of
from apps.statistics.decision import Decision
from apps.statistics.reliability import MIN_SCENARIOS

GROUPS = "groups"  # the figure's name


class PassShareDocument(Document, component="PassShare"):
    k: Count
    mean: Annotated[float | None, described("Over scenarios; null where no case has k trials.")]
    interval: Annotated[Interval | None, described("95 % over scenarios; null below least_scenarios.")]
    scenarios: Count


class GroupReliability(Document, component="GroupReliability"):
    name: str
    scenarios: Count
    cases: Annotated[Count, described("A scenario played by a persona.")]
    trials: Count
    passed: Count
    repeated: Annotated[Count, described("Cases with two trials or more.")]
    consistent: Annotated[Count, described("Repeated cases whose trials all came out alike.")]
    consistency: float | None
    pass_hat_k: Annotated[Sequence[PassShareDocument], described("The chance that k trials of a case all pass.")]
    pass_at_k: Annotated[Sequence[PassShareDocument], described("The chance that one of k trials passes at least.")]


class ReliabilityHeatMap(Document):
    least_in_cell: Count
    by_persona: Sequence[HeatRowDocument]
    by_language: Sequence[HeatRowDocument]


class ReliabilityDocument(Document, component="Reliability"):
    evaluation_id: Id
    k: Sequence[Count]
    usual_k: Annotated[Count, described("The commonest number of trials of a case; 0 without any.")]
    least_scenarios: Count
    undecided: Annotated[Count, described("Conversations that neither pass nor fail: no trials.")]
    not_measured: Annotated[Count, described("No trials: invalid battles, failures outside the agent.")]
    overall: GroupReliability
    personas: Annotated[Sequence[GroupReliability], described("The least reliable first.")]
    languages: Sequence[GroupReliability]
    heat_map: ReliabilityHeatMap


def groups_of(evaluation: Evaluation, *, scored: int) -> DecisionsByGroup:
    """Return the decisions by group. One query where they are stored, else cached until more is scored:
    one more (about 10 µs a criterion score), and up to three for the judge's noise."""
    if (stored := stored_figure(evaluation, GROUPS)) is not None:
        return DecisionsByGroup(cases={PlayedCase(**one["case"]): _counts(one["counts"]) for one in stored})
    noise = noise_of_judge(uncertainties_of(evaluation, scored=scored))
    return cached_aggregate(GROUPS, evaluation, scored, lambda: decisions_by_group(evaluation, noise))


def make_groups(evaluation: Evaluation, doubts: Uncertainties, _figures: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The counts by case to store when an evaluation has ended. One query."""
    decisions = decisions_by_group(evaluation, noise_of_judge(doubts))
    return [{"case": asdict(case), "counts": dict(counts)} for case, counts in decisions.cases.items()]


def _counts(stored: Mapping[str, int]) -> dict[Decision, int]:
    return {Decision(one): n for one, n in stored.items()}


def reliability_document(evaluation_id: uuid.UUID | str) -> ReliabilityDocument:
    """The body of GET /evaluations/{id}/reliability/. A pass is that of the verdicts; what is undecided or was not
    measured (an invalid battle, a failure outside the agent) is no trial. Three queries where they are stored, else at
    most fifteen (nine without noise), whatever the size. Raises NotFound."""
    evaluation = find_evaluation(evaluation_id)
    counts = counts_of(evaluation)
    groups = groups_of(evaluation, scored=counts["scored"])
    cells = slices_of(evaluation, scored=counts["scored"]).cells
    every = repeated_cases(groups)
    ks = ks_of(every[""])
    overall = reliability(every[""], ks)
    return ReliabilityDocument(
        evaluation_id=str(evaluation.pk),
        k=ks,
        usual_k=usual_trials(Counter(figure.trials for figure in every[""] if figure.trials)),
        least_scenarios=MIN_SCENARIOS,
        undecided=(undecided := undecided_of(groups)),
        not_measured=sum(counts.values()) - overall.trials - undecided,
        overall=_document("", overall),
        personas=[_document(name, one) for name, one in reliability_by(groups, ks, "persona")],
        languages=[_document(name, one) for name, one in reliability_by(groups, ks, "language")],
        heat_map=ReliabilityHeatMap(
            least_in_cell=MIN_IN_CELL,
            by_persona=cells_document(cells[SliceDimension.PERSONA]),
            by_language=cells_document(cells[SliceDimension.LANGUAGE]),
        ),
    )


def repeated_cases(group: DecisionsByGroup, by: str = "") -> dict[str, list[RepeatedCase]]:
    """The cases by persona or language (`by` names the field), or all under "". Pure."""
    cases: defaultdict[str, list[RepeatedCase]] = defaultdict(list)
    for case, counts in group.cases.items():
        passed, failed = counts.get(Decision.PASS, 0), counts.get(Decision.FAIL, 0)
        repeated = RepeatedCase(scenario=case.scenario, trials=passed + failed, passed=passed)
        cases[_group(case, by)].append(repeated)
    return cases if by else {"": cases[""]}


def undecided_of(group: DecisionsByGroup) -> int:
    """Conversations that neither pass nor fail: no trials. Pure."""
    return sum(counts.get(Decision.UNDECIDED, 0) for counts in group.cases.values())


def _group(case: PlayedCase, by: str) -> str:
    return {"": "", "persona": case.persona, "language": case.language}[by]


def reliability_by(found: DecisionsByGroup, ks: Sequence[int], by: str) -> list[tuple[str, Reliability]]:
    """Every named persona or language, the least reliable first. Pure."""
    groups = [(name, reliability(cases, ks)) for name, cases in repeated_cases(found, by).items() if name]
    return sorted(groups, key=lambda group: (_first(group[1].hat), group[0]))


def _first(shares: Mapping[int, PassShare]) -> float:
    mean = shares[1].mean if 1 in shares else None
    return 2.0 if mean is None else mean


def _document(name: str, one: Reliability) -> GroupReliability:
    return GroupReliability(
        name=name,
        scenarios=one.scenarios,
        cases=one.cases,
        trials=one.trials,
        passed=one.passed,
        repeated=one.repeated,
        consistent=one.consistent,
        consistency=one.consistent / one.repeated if one.repeated else None,
        pass_hat_k=_shares(one.hat),
        pass_at_k=_shares(one.at),
    )


def _shares(by_k: Mapping[int, PassShare]) -> list[PassShareDocument]:
    return [
        PassShareDocument(k=k, mean=share.mean, interval=share.interval, scenarios=share.scenarios)
        for k, share in by_k.items()
    ]

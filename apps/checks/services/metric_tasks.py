"""The tasks of measuring: the metrics of a file or of the scenarios, conversation by conversation."""

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from apps.checks.domain.language_pick import shares
from apps.checks.domain.metric_specs import MetricsDocument, MetricSpec, specs_of
from apps.checks.metrics.base import Case, Metric
from apps.checks.metrics.registry import FLUENCY, METRICS, metric_named
from apps.checks.queries.metric_cases import RunCase
from apps.checks.services.metric_judge import judge_version
from apps.connectors.llms.base import LLM
from apps.core.errors import BadInput
from apps.core.portable.metric_keys import deepeval_cache_key


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One metric of one conversation. `recorded`: the conversation is a recorded scenario, so its name says it all and
    the key is the brief's four parts as they are; else the transcript's digest stands beside the name."""

    case: Case
    metric: Metric
    spec: MetricSpec
    conversation_id: uuid.UUID | None = None
    run_id: uuid.UUID | None = None
    prompt_version: str = ""
    pull_request: str = ""
    recorded: bool = False

    @property
    def threshold(self) -> float:
        return self.metric.threshold if self.spec.threshold is None else self.spec.threshold

    def key(self, llm: LLM) -> str:
        name = self.case.id if self.recorded else f"{self.case.id}@{self.case.digest[:16]}"
        return deepeval_cache_key(name, self.prompt_version, judge_version(llm.spec), self.metric.id)


def tasks_for(documents: Sequence[MetricsDocument], cases: Sequence[RunCase]) -> list[Task]:
    """The tasks of these documents, conversation by conversation. Raises BadInput for a scenario that no conversation
    plays.

    A document with an id is about conversations of that scenario (or of that name), one without about all. Where a
    document leaves fluency to us, the metrics of the languages the agent speaks are added.
    """
    tasks: list[Task] = []
    for document in documents:
        mine = [run_case for run_case in cases if document.scenario in ("", run_case.case.id, run_case.scenario)]
        if not mine:
            raise BadInput(
                f"no conversation of this run plays the scenario {document.scenario!r}: without the id all are meant",
                code="no_such_scenario",
                pointer="/id",
            )
        for run_case in mine:
            case = run_case.case
            if document.language and not case.language:
                case = replace(case, language=document.language, shares=shares(case.turns, document.language))
            tasks += [_task(run_case, case, spec) for spec in specs_for(case, document)]
    return tasks


def tasks_of_scenarios(cases: Sequence[RunCase]) -> list[Task]:
    """The tasks of the scenarios' own assertions, as they were when the run started. Raises BadInput where the
    scenarios assert nothing, and for an unknown metric."""
    asserted = [case for case in cases if case.assertions]
    if cases and not asserted:
        raise BadInput("the scenarios of this run assert nothing: give a file with --metrics", code="no_metrics")
    tasks: list[Task] = []
    for case in asserted:
        specs = specs_of(list(case.assertions), f"/{case.scenario}/assertions", METRICS)
        tasks += tasks_for_case(case, MetricsDocument(specs=specs, attach_fluency=case.attach_fluency))
    return tasks


def tasks_for_case(case: RunCase, document: MetricsDocument) -> list[Task]:
    """The tasks that a document asks of one conversation."""
    return [_task(case, case.case, spec) for spec in specs_for(case.case, document)]


def specs_for(case: Case, document: MetricsDocument) -> Iterator[MetricSpec]:
    """The document's metrics, then the fluency metrics that the case's languages bring."""
    yield from document.specs
    if document.attach_fluency:
        named = {spec.metric for spec in document.specs}
        for language in case.shares:
            metric = FLUENCY.get(language)
            if metric is not None and metric.name not in named:
                yield MetricSpec(metric=metric.name, attached=True)


def _task(run_case: RunCase, case: Case, spec: MetricSpec) -> Task:
    return Task(
        case=case,
        metric=metric_named(spec.metric),
        spec=spec,
        conversation_id=run_case.conversation_id,
        run_id=run_case.run_id,
        prompt_version=run_case.prompt_version,
        pull_request=run_case.pull_request,
    )

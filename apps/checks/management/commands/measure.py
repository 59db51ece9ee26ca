"""Command `measure --run R [--metrics FILE.yaml]`."""

import uuid
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser
from django.utils import timezone

from apps.checks.domain.check_states import CheckSource
from apps.checks.domain.metric_specs import MetricsDocument, read_metrics
from apps.checks.domain.profile_warning import profile_warnings
from apps.checks.metrics.base import SCALE
from apps.checks.metrics.registry import METRICS
from apps.checks.metrics.result import MetricResult, summaries
from apps.checks.queries.metric_cases import run_cases
from apps.checks.services.check_results import store_measured
from apps.checks.services.measuring import judge_for_metrics, measure
from apps.checks.services.metric_cache import MetricCache
from apps.checks.services.metric_tasks import tasks_for, tasks_of_scenarios
from apps.core.errors import BadInput
from apps.core.plurals import many
from apps.statistics.decision import Decision, decide_checks
from apps.tenants.commands import Exit, TenantCommand

_CODES = {Decision.PASS: Exit.DONE, Decision.FAIL: Exit.NO}


class Command(TenantCommand):
    help = (
        "Measure the conversations of a run with metrics of their own scale, 0 to 1 (docs/metrics.md). Exit code 0 "
        "when all reach their thresholds, 1 when one does not, 2 for wrong use, 3 when something could not be measured."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--run", required=True, type=uuid.UUID, metavar="RUN", help="whose conversations")
        parser.add_argument("--metrics", default="", metavar="FILE", help="YAML; default: what the scenarios assert")
        parser.add_argument(
            "--config", default="", help="an evaluator config whose judge is asked; default: the tenant's"
        )
        parser.add_argument("--agent", default="", help="whose profile says role and facts, where the run knows none")
        parser.add_argument("--no-deepeval-cache", action="store_true", help="ask again, and keep nothing")
        parser.add_argument(
            "--deepeval-cache-clear", action="store_true", help="forget this tenant's kept results first"
        )

    def answer(self, *, tenant: str, run: uuid.UUID, metrics: str, config: str, agent: str, **options: Any) -> Any:
        documents = _documents(metrics) if metrics else None
        cases, left_out = run_cases(run_id=run, agent=agent)
        tasks = tasks_of_scenarios(cases) if documents is None else tasks_for(documents, cases) if cases else []
        llm = judge_for_metrics(config)
        cache = MetricCache(settings.PROJECT_DIR, tenant=tenant, on=not options["no_deepeval_cache"])
        if options["deepeval_cache_clear"]:
            cache.clear()
        results = measure(tasks=tasks, llm=llm, cache=cache, now=timezone.now)
        stored = store_measured(tasks, results, source=CheckSource.COMMAND, now=timezone.now())
        decision = decide_checks(result.outcome for result in results)
        costs = [result.cost_usd for result in results]
        answer = {
            "test_run_id": str(run),
            "judge": f"{llm.spec.label}/{llm.spec.model}" if llm else None,
            "scale": SCALE,
            "verdict": decision.value,
            "metrics": summaries(results),
            "results": [result.as_json() for result in results],
            "calls": sum(result.calls for result in results),
            "cached": sum(result.cached for result in results),
            "cost_usd": None if None in costs else float(sum(cost for cost in costs if cost is not None)),
            "left_out": left_out,
            "stored": stored,
            "warnings": [
                *_warnings(results, left_out, judged=llm is not None),
                *profile_warnings(case.case.warnings for case in cases),
            ],
        }
        return answer, _CODES.get(decision, Exit.UNMEASURABLE)

    def show(self, answer: Any) -> None:
        self.stdout.write(
            f"{answer['verdict']}: judge {answer['judge'] or 'none'}, {answer['calls']} questions asked, "
            f"{answer['cached']} results from before, {_dollars(answer['cost_usd'])}"
        )
        for line in answer["warnings"]:
            self.stdout.write(f"  ! {line}")
        for metric in answer["metrics"]:
            mean = "   –" if metric["mean"] is None else f"{metric['mean']:4.2f}"
            self.stdout.write(
                f"  {metric['metric']:<32}{mean} of 1   pass {metric['pass']}, fail {metric['fail']}, "
                f"unmeasurable {metric['unmeasurable']}, skipped {metric['skipped']}"
            )
        for result in answer["results"]:
            if result["outcome"] in (Decision.FAIL, Decision.UNMEASURABLE):
                score = "–" if result["score"] is None else f"{result['score']:.2f}"
                line = " ".join(result["reason"].split())[:160]
                self.stdout.write(
                    f"  - {result['conversation']}: {result['metric']} {score} ({result['outcome']}): {line}"
                )


def _documents(name: str) -> list[MetricsDocument]:
    path = Path(name)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise BadInput(f"{name} cannot be read: {why}", code="unreadable_file", pointer="/metrics") from error
    return read_metrics(text, file=path.name, known=METRICS)


def _warnings(results: list[MetricResult], left_out: int, *, judged: bool) -> list[str]:
    warnings = []
    if not judged:
        warnings.append("no model is configured: metrics were measured as far as facts decide, no judge was asked")
    if left_out:
        warnings.append(f"{many(left_out, 'conversation')} did not end: not measured")
    if not any(result.score is not None for result in results):
        warnings.append("nothing was measured")
    return warnings


def _dollars(cost: float | None) -> str:
    return "cost unknown" if cost is None else f"${cost:.4f}"

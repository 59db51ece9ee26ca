"""The main job on real conversations: what `make demo` sets up, starts, waits for and shows.

Everything here is safe to repeat: what is already right is found and left alone.
"""

import json
import re
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from apps.catalog.configs.queries.criterion_titles import criterion_titles
from apps.catalog.connections.services.storing import save_agent
from apps.catalog.files.services.packs import load_pack
from apps.catalog.models import Agent, GoldenSession, Scenario
from apps.core.document_parsing import parse_document
from apps.evaluations.domain.states import EvaluationStatus
from apps.evaluations.figures.queries.results import criterion_results
from apps.evaluations.models import Evaluation
from apps.evaluations.requests.services.battles import battle_run, replay_run
from apps.evaluations.requests.services.creating import request_evaluation
from apps.reports.results.queries.evaluation_document import evaluation_summary
from apps.runs.domain.states import ConversationStatus, RunStatus
from apps.runs.goldens.services.importing import store_golden_sessions
from apps.runs.imports.services.importing import import_documents
from apps.runs.models import TestRun
from apps.runs.playing.queries.progress import conversation_counts
from apps.statistics.decision import Decision
from examples.booking_agent.salon import facts as salon_facts

AGENT = "booking"
CONFIG = "booking-quality"
MARK = "demo"
CONVERSATIONS = Path(__file__).resolve().parent.parent / "examples" / "conversations" / "salon.jsonl"
GOLDEN = 3  # the first of the file, one a language, serve as golden sessions
SCENARIOS = 12


@dataclass(frozen=True, slots=True)
class DemoRun:
    """A run of the demo and its evaluation."""

    run_id: uuid.UUID
    evaluation_id: uuid.UUID


def set_up_catalog(*, port: int, now: datetime) -> None:
    """The shipped catalog, the agent `booking` at its address and the golden sessions. Inside the tenant."""
    load_pack(at=now, by=MARK)
    save_agent(
        name=AGENT,
        kind="a2a",
        address=f"http://127.0.0.1:{port}",
        stagger_s=(0.0, 0.0),
        profile={
            "agent_identity": {"role": "booking agent", "organization": "Salon Amani, Nairobi"},
            "hallucination_context": salon_facts(),
        },
    )
    store_golden_sessions(_documents()[:GOLDEN], now=now)


def first_catalog(*, port: int, now: datetime) -> bool:
    """Set the catalog up where the agent `booking` is missing; whether it was. Inside the tenant. One query otherwise:
    what somebody changed since is left alone."""
    if Agent.objects.filter(name=AGENT).exists():
        return False
    set_up_catalog(port=port, now=now)
    return True


def agent_moved(*, port: int, answers: Callable[[int], bool]) -> str:
    """Give `booking` the example agent's port where it still has the one of another start; "" or where it is now.

    Only an address of ours changes, plain http://127.0.0.1:PORT, at which nobody `answers` any more: what somebody else
    entered stays. Inside the tenant. One query, two where it moves. Safe to repeat.
    """
    address = f"http://127.0.0.1:{port}"
    row = Agent.objects.filter(name=AGENT, kind="a2a").exclude(address=address).first()
    earlier = re.fullmatch(r"http://127\.0\.0\.1:(\d{1,5})", row.address) if row else None
    if row is None or earlier is None or answers(int(earlier[1])):
        return ""
    row.address = address
    row.save(update_fields=["address", "updated_at"])
    return address


def demo_work(*, now: datetime) -> list[DemoRun]:
    """The demo's runs and evaluations: those that are there and well, new ones for the rest. Inside the tenant."""
    makers: dict[str, Callable[[], uuid.UUID]] = {
        "imported": lambda: import_documents(
            documents=_documents(), name="Conversations of Salon Amani", triggered_by=MARK, now=now
        ),
        "replay": lambda: replay_run(
            agent=AGENT,
            golden_sessions=list(
                GoldenSession.objects.filter(name__in=[document.id for document in _documents()[:GOLDEN]])
                .order_by("name")
                .values_list("name", flat=True)
            ),
            triggered_by=MARK,
            now=now,
        ),
        "battle": lambda: battle_run(agent=AGENT, scenarios=_scenarios(), triggered_by=MARK, now=now),
    }
    return [_existing(kind) or _new(maker(), now) for kind, maker in makers.items()]


def is_done(measured: Sequence[DemoRun]) -> bool:
    """Tell whether all of it has ended well, so that nothing needs to be started."""
    good = Evaluation.objects.filter(
        pk__in=[run.evaluation_id for run in measured], status=EvaluationStatus.COMPLETED
    ).count()
    return good == len(measured)


def summary(*, tenant: str, measured: Sequence[DemoRun], urls: dict[str, str], seconds: float) -> dict[str, Any]:
    """The contents of var/demo/summary.json (contract.md). Inside the tenant; some ten queries a run."""
    runs, evaluations = [], []
    for demo_run in measured:
        run = TestRun.objects.get(pk=demo_run.run_id)
        counts = conversation_counts(run.id)
        runs.append(
            {
                "id": str(run.id),
                "kind": run.kind,
                "conversations": sum(counts.values()),
                "ended": counts[ConversationStatus.ENDED],
                "failed": counts[ConversationStatus.FAILED] + counts[ConversationStatus.TIMEOUT],
            }
        )
        summary_document = evaluation_summary(demo_run.evaluation_id)
        counted = summary_document["counts"]
        evaluations.append(
            {
                "id": summary_document["id"],
                "evaluator_config": summary_document["evaluator_config"],
                "status": summary_document["status"],
                "judgements": sum(counted.values()),
                "scored": counted["scored"],
                "parse_errors": counted["parse_error"],
                "model_errors": counted["model_error"],
                "weighted_score": summary_document["weighted_score"],
                "interval": summary_document["interval"],
                "warnings": summary_document["warnings"],
            }
        )
    return {
        "tenant": tenant,
        "test_runs": runs,
        "evaluations": evaluations,
        "urls": urls,
        "seconds": round(seconds, 1),
    }


def table(*, measured: Sequence[DemoRun], found: dict[str, Any]) -> list[str]:
    """The summary for people: a row per run, then criteria with the worst first."""
    lines = [f"{'run':<10}{'conversations':>14}{'ended':>7}{'failed':>8}{'scored':>8}{'score':>8}   95 % interval"]
    for run, evaluation in zip(found["test_runs"], found["evaluations"], strict=True):
        score = evaluation["weighted_score"]
        interval = evaluation["interval"]
        lines.append(
            f"{run['kind']:<10}{run['conversations']:>14}{run['ended']:>7}{run['failed']:>8}{evaluation['scored']:>8}"
            f"{'–' if score is None else f'{score:.2f}':>8}   "
            + (f"{interval[0]:.2f} to {interval[1]:.2f}" if interval else "–")
        )
    warnings = sorted({warning for evaluation in found["evaluations"] for warning in evaluation["warnings"]})
    lines += ["", *(f"! {warning}" for warning in warnings), "", "criteria over the battles, worst first"]
    titles = criterion_titles()
    criteria = [result for result in criterion_results(measured[-1].evaluation_id) if result.mean is not None]
    for result in sorted(criteria, key=lambda criterion: criterion.mean or 0.0):
        title = titles.get(result.criterion, result.criterion)
        lines.append(criterion_line(title, result.mean or 0.0, result.decision, scored=result.scored))
    return lines


def criterion_line(title: str, mean: float, decision: str, *, scored: int) -> str:
    """A criterion for people: its title, its mean as a bar and a number, what was decided, over how many."""
    filled = round(mean)
    verdict = "FAIL" if decision == Decision.FAIL else decision
    return f"  {title:<26}{'█' * filled}{'·' * (10 - filled)} {mean:5.2f}  {verdict}  n={scored}"


def _existing(kind: str) -> DemoRun | None:
    """The demo's own run of this kind, unless it or its evaluation ended badly."""
    demo_run = (
        Evaluation.objects.filter(
            run__kind=kind, run__triggered_by=MARK, triggered_by=MARK, config_ref__startswith=CONFIG
        )
        .exclude(status__in=[EvaluationStatus.FAILED, EvaluationStatus.TIMEOUT, EvaluationStatus.CANCELLED])
        .exclude(run__status__in=[RunStatus.FAILED, RunStatus.TIMEOUT, RunStatus.CANCELLED])
        .order_by("-created_at")
        .values_list("run_id", "id")
        .first()
    )
    return DemoRun(*demo_run) if demo_run else None


def _new(run_id: uuid.UUID, now: datetime) -> DemoRun:
    evaluation = request_evaluation(config=CONFIG, run_id=run_id, triggered_by=MARK, now=now)
    return DemoRun(run_id, evaluation.evaluation_id)


def _documents() -> list[Any]:
    return [parse_document(json.loads(line)) for line in CONVERSATIONS.read_text().splitlines() if line.strip()]


def _scenarios() -> list[str]:

    return list(
        Scenario.objects.filter(slug__startswith="booking_").order_by("slug").values_list("slug", flat=True)[:SCENARIOS]
    )

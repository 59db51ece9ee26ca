"""Command `eval_gate`: may this pull request pass? It uses the service of POST /gates/, and decides at once."""

import argparse
import time
import uuid
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser
from django.utils import timezone

from apps.core.actor import actor_now
from apps.core.errors import BadInput
from apps.core.identities import uuid_in
from apps.core.plurals import many
from apps.core.portable.changes.listed_paths import MAX_BYTES, ListRefused, read_listed_paths
from apps.core.portable.changes.matrix import scope_by_names
from apps.gates.domain.gate_floor import HeldFloor, asked_policy
from apps.gates.domain.gate_states import GateKind, GateStatus
from apps.gates.models import PullRequestGate
from apps.gates.queries.baselines import baselines_of
from apps.gates.queries.gate_floors import floor_of
from apps.gates.queries.gates import find_gate, gate_document, junit_of
from apps.gates.services.deciding import decide_due_gates
from apps.gates.services.gate_files import write_gate_files
from apps.gates.services.gate_of_run import AskedGate, ask_gate_of_run, play_gate_again
from apps.gates.services.requesting import GateQuestion, request_gate
from apps.jobs.wakeups import wake_workers_on_commit
from apps.runs.models import TestRun
from apps.tenants.commands import Exit, TenantCommand
from apps.tenants.context import current_slug

DEFAULT_USD = Decimal(20)
POLL_S = 2.0


class Command(TenantCommand):
    help = (
        "Decide whether a pull request may pass. Exit code: 0 it passes, 1 the agent is "
        "worse (or nobody can tell, where the policy blocks), 2 wrong use, 3 it could not be measured."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--agent", default="", help="the agent's name; a run that --candidate names says it")
        parser.add_argument("--commit", default="", help="of the pull request; a run that --candidate names says it")
        parser.add_argument("--base-commit", default="", help="the merge base; a baseline of another commit is stale")
        parser.add_argument("--candidate", default="", metavar="RUN|EVALUATION",
                            help="default: the newest evaluation of --commit; of a run its newest, held against the "
                            "newest of the live prompt, which is played where there is none")  # fmt: skip
        parser.add_argument("--baseline", default="", metavar="RUN|EVALUATION",
                            help="default: the newest of --base-commit; a run where --candidate is one")  # fmt: skip
        parser.add_argument("--play-again", default="", metavar="GATE",
                            help="play the cases that it names on both sides again, and ask once more")  # fmt: skip
        parser.add_argument(
            "--replays-of", default="", metavar="GATE", help="whose play_again these evaluations played"
        )
        parser.add_argument("--changed-files", type=argparse.FileType("rb"), metavar="F",
                            help="one path a line (git diff --name-only); - is standard input")  # fmt: skip
        parser.add_argument("--kind", choices=[one.value for one in GateKind], help="default: by --changed-files")
        parser.add_argument("--budget-usd", type=_dollars, help="default: RATIBA_EVAL_BUDGET_USD, else 20")
        parser.add_argument("--pull-request", default="", help="as its budget is named: its costs are the gate's")
        parser.add_argument("--title", default="", help="of the pull request; shown, escaped")
        parser.add_argument("--margin", type=float, help="points; a smaller loss passes; default 0.5")
        parser.add_argument("--undecided", choices=["block", "pass"], help="default: block, for advisory gates pass")
        parser.add_argument("--hard", choices=["any", "new"], help="new: what failed for the baseline too passes")
        parser.add_argument("--hard-check", action="append", default=[], metavar="NAME",
                            help="every failing one stops, without a replay; may be repeated")  # fmt: skip
        parser.add_argument("--require-certificate", action="store_true", help="an uncertified judge measures nothing")
        parser.add_argument("--timeout", type=float, default=3600.0, metavar="SECONDS", help="to wait at most")
        parser.add_argument("--junit", type=Path, metavar="F", help="write JUnit XML here")
        parser.add_argument("--summary", type=_path_or_none, metavar="F",
                            help="append the Markdown ($GITHUB_STEP_SUMMARY); empty: nowhere")  # fmt: skip
        parser.add_argument("--report", type=Path, metavar="DIR", help="write report.json, report.html and report.md")
        parser.add_argument("--url", default="http://localhost:8000/", help="where the pages are, for links")

    def answer(self, *, tenant: str, **options: Any) -> tuple[dict[str, Any], Exit]:
        kind = self._kind(options)
        if options["play_again"]:
            again = play_gate_again(gate_id=_id(options["play_again"]), by=actor_now(), now=timezone.now())
            return self._answered(again, options)
        chosen = {"margin": options["margin"], "undecided": options["undecided"], "hard": options["hard"]}
        chosen["require_certificate"] = options["require_certificate"] or None
        chosen["hard_checks"] = options["hard_check"] or None
        if (run := _run(options["candidate"])) is not None:
            baseline, now = _run(options["baseline"], option="--baseline"), timezone.now()
            gate = ask_gate_of_run(run_id=run, baseline_run=baseline, policy=chosen, by=actor_now(), now=now)
            return self._answered(gate, options)
        if not options["agent"] or not options["commit"]:
            raise BadInput("Name --agent and --commit, or a run with --candidate.", code="bad_option")
        floor = floor_of(options["agent"])
        policy = asked_policy(floor, chosen, "")
        question = _question(options, kind, floor)
        return self._answered(AskedGate(gate_id=request_gate(question, policy, requested_by=actor_now())), options)

    def _answered(self, asked_gate: AskedGate, options: dict[str, Any]) -> tuple[dict[str, Any], Exit]:
        """The gate once it is decided, with its files, and its exit code."""
        if asked_gate.played:
            self.note(
                f"Playing {many(len(asked_gate.played), 'run')} for it: workers play and judge, then it is decided."
            )
            wake_workers_on_commit(current_slug())
        document = _decided(asked_gate.gate_id, options["timeout"])
        gate = gate_document(document, base=options["url"].rstrip("/") + "/")
        if gate["decision"] is None:
            self.note(f"Not decided: {gate['waiting_for']}.")
            return gate, Exit.UNMEASURABLE
        _write(options["junit"], junit_of(document, base=options["url"]), "--junit", append=False)
        _write(options["summary"], gate["markdown"].encode(), "--summary", append=True)
        if options["report"] is not None:
            write_gate_files(gate, options["report"])
        return gate, Exit(gate["exit_code"])

    def _kind(self, options: dict[str, Any]) -> GateKind:
        if options["kind"]:
            return GateKind(options["kind"])
        if options["changed_files"] is None:
            return GateKind.BLOCKING
        try:
            with options["changed_files"] as file:
                scope = scope_by_names(read_listed_paths(file.read(MAX_BYTES + 1)))
        except ListRefused as error:
            where = f"--changed-files, line {error.line}" if error.line else "--changed-files"
            raise BadInput(f"{where}: {error}", code="bad_changed_files") from error
        file_name, why = scope.reasons[0]
        self.note(f"{scope.need}: {file_name!r} ({why})")
        return GateKind(scope.need.value)

    def show(self, answer: Any) -> None:
        self.stdout.write(answer.get("terminal") or f"{answer['decision']}: {answer['sentence']}")


def _run(text: str, *, option: str = "") -> uuid.UUID | None:
    """The run of this id; None where it is no run. With an `option`, raises BadInput for what is given and is none."""
    id = uuid_in(text)
    run = TestRun.objects.filter(pk=id).values_list("pk", flat=True).first() if id else None
    if text and run is None and option:
        message = f"{option}: there is no run {text}; where --candidate is a run, this is one too."
        raise BadInput(message, code="bad_option")
    return run


def _id(text: str) -> uuid.UUID:
    pk = uuid_in(text)
    if pk is None:
        raise BadInput(f"--play-again: {text!r} is no gate's id.", code="bad_option")
    return pk


def _decided(row: uuid.UUID, timeout_s: float) -> PullRequestGate:
    """The gate once somebody decided it, this process or a worker; or as it is when time is up."""
    until = time.monotonic() + timeout_s
    while True:
        decide_due_gates(now=timezone.now(), gate_id=row)
        gate = find_gate(row)
        if gate.status == GateStatus.DECIDED or time.monotonic() >= until:
            return gate
        time.sleep(min(POLL_S, max(0.0, until - time.monotonic())))


def _question(options: dict[str, Any], kind: GateKind, floor: HeldFloor) -> GateQuestion:
    agent, now = options["agent"], timezone.now()
    candidate = options["candidate"] or _newest(agent, options["commit"], "--candidate")
    baseline = options["baseline"] or None
    if baseline is None and options["base_commit"]:
        rows = baselines_of(agent=agent, commit=options["base_commit"], now=now)
        baseline = rows[0]["evaluation"] if rows else None
    return GateQuestion(
        agent=agent,
        commit=options["commit"],
        base_commit=options["base_commit"],
        candidate=candidate,
        baseline=baseline,
        kind=kind,
        pull_request=options["pull_request"],
        title=options["title"][:300],
        budget_usd=_budget(options, floor),
        replays_of=options["replays_of"] or None,
    )


def _newest(agent: str, commit: str, option: str) -> str:
    rows = baselines_of(agent=agent, commit=commit, now=timezone.now())
    if not rows:
        message = f"No completed evaluation of {agent} at {commit[:12]}: run one, or name it by {option}."
        raise BadInput(message, code="no_candidate")
    return str(rows[0]["evaluation"])


def _budget(options: dict[str, Any], floor: HeldFloor) -> Decimal | None:
    """Return the budget of the options or of the environment; None where only the floor has one, else the default."""
    if options["budget_usd"] is not None:
        return Decimal(options["budget_usd"])
    if settings.EVAL_BUDGET_USD is not None:
        return Decimal(settings.EVAL_BUDGET_USD)
    return None if floor.budget_usd is not None else DEFAULT_USD


def _path_or_none(text: str) -> Path | None:
    """Return the path, or None for "": outside of GitHub $GITHUB_STEP_SUMMARY is empty."""
    return Path(text) if text else None


def _dollars(text: str) -> Decimal:
    try:
        usd = Decimal(text)
    except InvalidOperation:
        usd = Decimal(-1)
    if not usd.is_finite() or usd < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not an amount of dollars: 0 or more")
    return usd


def _write(path: Path | None, content: bytes, option: str, *, append: bool) -> None:
    if path is None:
        return
    try:
        with path.open("ab" if append else "wb") as file:
            file.write(content)
    except OSError as error:
        raise BadInput(f"{option}: cannot write {path}: {error.strerror}", code="bad_option") from error

"""Command `calibrate --labels F --config C`."""

import uuid
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from apps.calibration.domain.agreement_with_people import CertificateVerdict, Kappa
from apps.calibration.domain.labels import LabelSet
from apps.calibration.domain.labels_reading import read_labels
from apps.calibration.queries.certificates import certificate_document
from apps.calibration.queries.labels import gathered_labels
from apps.calibration.services.certification import certify, request_calibration
from apps.catalog.configs.queries.criterion_titles import criterion_names, criterion_titles
from apps.core.errors import BadInput, RatibaError
from apps.evaluations.domain.states import EvaluationStatus
from apps.evaluations.figures.queries.results import find_evaluation
from apps.evaluations.management.progress_bar import ProgressBar
from apps.evaluations.progress.services.wait import wait_until_done
from apps.jobs.wakeups import wake_workers_on_commit
from apps.tenants.commands import Exit, TenantCommand

_EXIT = {
    CertificateVerdict.CERTIFIED: Exit.DONE,
    CertificateVerdict.REFUSED: Exit.NO,
    CertificateVerdict.UNMEASURABLE: Exit.UNMEASURABLE,
}


class Command(TenantCommand):
    help = (
        "Compare a judge with people and write its certificate. Exit code 0 when every criterion and language is "
        "certified, 1 when one is refused, 2 for wrong use, 3 when the judge scored nothing that people labelled."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--labels", type=Path, metavar="FILE", help="human_labelled.yaml or .jsonl; default: what was labelled here"
        )
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("--config", help="name, or name@version: judges the labelled conversations now")
        which.add_argument("--evaluation", type=uuid.UUID, help="an evaluation that judged these conversations already")
        parser.add_argument("--scale", choices=("auto", "own", "binned"), default="auto", help="default auto")
        parser.add_argument(
            "--kappa", choices=[one.value for one in Kappa], help="which kappa decides; default: the setting"
        )
        parser.add_argument(
            "--criterion",
            action="append",
            default=[],
            metavar="LABEL=NAME",
            help="only these labels, for that criterion",
        )
        parser.add_argument("--seed", type=int, default=0, help="of the bootstrap; default 0")
        parser.add_argument("--wait", action="store_true", help="accepted for likeness: it always waits")
        parser.add_argument("--timeout", type=float, default=3600.0, help="seconds to wait at most; default 3600")

    def answer(
        self,
        *,
        tenant: str,
        labels: Path | None,
        config: str | None,
        evaluation: uuid.UUID | None,
        scale: str,
        kappa: str | None,
        criterion: list[str],
        seed: int,
        timeout: float,
        **_: Any,
    ) -> Any:
        self.titles = criterion_titles()
        started = request_calibration(
            labels=_chosen(_read(labels), criterion),
            config=config,
            evaluation_id=evaluation,
            scale=scale,
            decides=Kappa(kappa) if kappa else None,
            seed=seed,
            asked_by="command",
            every=bool(criterion),
            now=timezone.now(),
        )
        if evaluation is None:
            wake_workers_on_commit(tenant)
        with ProgressBar("judging") as bar:
            wait_until_done(
                run_ids=[], evaluation_ids=[started.evaluation_id], on_progress=bar.update, timeout_s=timeout
            )
        if find_evaluation(started.evaluation_id).status == EvaluationStatus.TIMEOUT:
            raise RatibaError(
                "The watchdog closed the evaluation before all was judged: reconcile_runs takes it up again, and the "
                "certificate is written when it has ended.",
                code="evaluation_timeout",
            )
        certificate = certify(calibration_id=started.calibration_id, now=timezone.now())
        return certificate_document(certificate), _EXIT[CertificateVerdict(certificate.verdict)]

    def show(self, answer: Any) -> None:
        until = "" if answer["verdict"] == CertificateVerdict.REFUSED else f", valid until {answer['valid_until'][:10]}"
        self.stdout.write(f"{answer['evaluator_config']}: {answer['verdict']}{until}")
        if answer["left_out"]:
            self.stdout.write(f"  left out, not judged by this evaluator: {', '.join(answer['left_out'])}")
        for item in answer["items"]:
            where = f"{self.titles[item['criterion']]} [{item['language'] or 'any language'}]"
            self.stdout.write(f"  {where:<40} {item['verdict']:<10} n={item['n']}: {item['reason']}")


def _read(path: Path | None) -> LabelSet:
    if path is None:
        labels = gathered_labels()
        if not labels.items:
            raise BadInput("Nothing was labelled here yet: give --labels FILE.", code="no_labels", pointer="/labels")
        return labels
    try:
        return read_labels(path.read_text(encoding="utf-8-sig"), file=path.name)
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise BadInput(f"cannot read {path}: {why}", code="no_such_file", pointer="/labels") from error


def _chosen(labels: LabelSet, pairs: list[str]) -> LabelSet:
    names = dict(pair.rpartition("=")[::2] if "=" in pair else (pair, pair) for pair in pairs)
    unknown = sorted(set(names) - set(labels.criteria))
    if unknown:
        raise BadInput(
            f"nobody labelled {', '.join(unknown)}; labelled are {', '.join(labels.criteria)}", pointer="/criterion"
        )
    name_of = criterion_names().name_of
    return labels.renamed({label: name_of(name) for label, name in names.items()}) if names else labels

"""The verdicts of four judge prompts over real conversations as four evaluations of one run, and each figure counted a
second time from the file alone. The file has `labels.success` (what came of it) and `labels.judges`."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

from tests.shared_data import SHARED

if TYPE_CHECKING:
    from datetime import datetime

    from apps.calibration.models import Certificate
    from apps.reports.comparisons.queries.comparing import Comparison

FILE = SHARED / "data" / "judge" / "llm_judges_vs_outcome.jsonl"
CRITERION = "customer_outcome"
POINTS = {"pass": 10.0, "fail": 0.0}
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionCounts:
    """Two prompts, counted from the file: mean of each, and conversations that pass with one of them only."""

    mean_a: float
    mean_b: float
    only_a: int
    only_b: int

    @property
    def chance(self) -> float:
        """McNemar, exact: how often a fair coin parts the differing conversations at least so unevenly."""
        n, less = self.only_a + self.only_b, min(self.only_a, self.only_b)
        return min(1.0, 2 * sum(comb(n, k) for k in range(less + 1)) / 2**n) if n else 1.0


def read(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def names(rows: Sequence[Row]) -> list[str]:
    """The prompts, as the file calls them."""
    return sorted({judge["judge"] for row in rows for judge in row["labels"]["judges"]})


def said(rows: Sequence[Row], judge: str) -> dict[str, Row]:
    """What this prompt said of each conversation."""
    return {row["id"]: one for row in rows for one in row["labels"]["judges"] if one["judge"] == judge}


def counted(rows: Sequence[Row], a: str, b: str) -> DecisionCounts:
    """The comparison by hand."""
    left, right = said(rows, a), said(rows, b)
    verdicts = [(left[row["id"]]["verdict"] == "pass", right[row["id"]]["verdict"] == "pass") for row in rows]
    return DecisionCounts(
        mean_a=10 * sum(one for one, _ in verdicts) / len(rows),
        mean_b=10 * sum(two for _, two in verdicts) / len(rows),
        only_a=verdicts.count((True, False)),
        only_b=verdicts.count((False, True)),
    )


def kappa(rows: Sequence[Row], judge: str) -> float:
    """Cohen's kappa of the prompt's verdict and the outcome, by its definition."""
    answers = said(rows, judge)
    pairs = [(answers[row["id"]]["verdict"] == "pass", bool(row["labels"]["success"])) for row in rows]
    n = len(pairs)
    agreed = sum(one == two for one, two in pairs) / n
    passed, succeeded = sum(one for one, _ in pairs) / n, sum(two for _, two in pairs) / n
    chance = passed * succeeded + (1 - passed) * (1 - succeeded)
    return (agreed - chance) / (1 - chance)


def import_run(rows: Sequence[Row], *, now: "datetime") -> UUID:
    """The conversations as a run, without what is known about them."""
    from apps.core.document_parsing import DocumentLimits, parse_document  # noqa: PLC0415 - after django.setup()
    from apps.runs.imports.services.importing import import_documents  # noqa: PLC0415

    documents = [parse_document({**row, "labels": {}}, limits=DocumentLimits(turns=2000)) for row in rows]
    return import_documents(documents=documents, name="real conversations", triggered_by="bench", now=now)


def import_judge(rows: Sequence[Row], judge: str, *, run: UUID, now: "datetime") -> UUID:
    """One prompt's verdicts as an evaluation: its justification is the reason, its quotes are checked."""
    from apps.calibration.domain.scores_reading import ImportedScore  # noqa: PLC0415
    from apps.calibration.services.importing_scores import import_scores  # noqa: PLC0415

    turns = {row["id"]: row["turns"] for row in rows}
    return import_scores(
        run_id=run,
        config=_evaluator(judge.removesuffix("_v1").replace("_", "-"), now),
        judge=f"gpt-4o {judge}",
        scores=[
            ImportedScore(
                conversation=id,
                criterion=CRITERION,
                value=POINTS[one["verdict"]],
                reason=one["justification"],
                evidence=checked_quotes(one, turns[id]),
            )
            for id, one in said(rows, judge).items()
        ],
        now=now,
    )


def checked_quotes(answer: Row, turns: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The evidence of a prompt's issues, verified as a judge's is; it numbers turns from 1."""
    from apps.evaluations.domain.evidence import Checker  # noqa: PLC0415 - after django.setup()

    checker = Checker(turns)
    quotes = [one["evidence"] for one in answer["issues"] if isinstance(one, Mapping) and one.get("evidence")]
    found = [checker.verify(quote if isinstance(quote, str) else json.dumps(quote)) for quote in quotes]
    return [
        {
            "quote": one.quote,
            "turn": one.turn,
            "kind": one.kind.value,
            "repair": one.repair.value if one.repair else None,
            "source": one.source,
        }
        for one in found
    ]


def certify_against_outcome(rows: Sequence[Row], evaluation: UUID, *, now: "datetime") -> "Certificate":
    """The certificate, or refusal, of an evaluation against what came of each conversation."""
    from apps.calibration.domain.labels import HumanRating, LabelledItem, LabelSet  # noqa: PLC0415
    from apps.calibration.services.certification import certify, request_calibration  # noqa: PLC0415
    from apps.evaluations.figures.domain.rating_scale import read_scale  # noqa: PLC0415

    labels = LabelSet(
        scales={CRITERION: read_scale([False, True])},
        items=tuple(
            LabelledItem(
                id=row["id"],
                language=row["lang"],
                ratings={CRITERION: (HumanRating(value=bool(row["labels"]["success"])),)},
            )
            for row in rows
        ),
    )
    asked = request_calibration(labels=labels, evaluation_id=evaluation, now=now)
    return certify(calibration_id=asked.calibration_id, now=now)


def _evaluator(name: str, now: "datetime") -> str:
    from apps.catalog.configs.services.versions import create_draft, publish  # noqa: PLC0415
    from apps.catalog.models import Criterion  # noqa: PLC0415 - after django.setup()

    guide = {"0": "It was not solved.", "3": "Barely.", "5": "Half.", "7": "Mostly.", "10": "It was solved."}
    text = {"description": "Was what the customer wanted done, as the policy allows?", "scoring_guide": guide}
    Criterion.objects.get_or_create(
        name=CRITERION, defaults={"kind": "domain", "domain": "service", "texts": {"en": text}}
    )
    version = create_draft(
        config=name,
        content={
            "criteria": {"core": [], "domain": [CRITERION], "weights": {CRITERION: 1.0}},
            "llm_config": {"judge": {"provider": "offline", "model": "offline-rules"}},
        },
    )
    publish(version_id=version, at=now, by="bench")
    return name


def wrong_figures(found: "Comparison", by_hand: DecisionCounts) -> list[str]:
    """What the comparison says otherwise than the count by hand."""
    (one,) = found.differences
    return [
        f"{what}: {ours} and by hand {theirs}"
        for what, ours, theirs in (
            ("mean of a", one.mean_a, by_hand.mean_a),
            ("mean of b", one.mean_b, by_hand.mean_b),
            ("difference", one.mean, by_hand.mean_b - by_hand.mean_a),
            ("only a passes", (one.passes or (0, 0))[0], by_hand.only_a),
            ("only b passes", (one.passes or (0, 0))[1], by_hand.only_b),
            ("McNemar", one.passes_chance, by_hand.chance),
        )
        if ours is None or abs(ours - theirs) > 1e-9
    ]


def compared(
    rows: Sequence[Row], evaluations: Mapping[str, UUID]
) -> Iterator[tuple[str, str, "Comparison", DecisionCounts]]:
    """Each pair of prompts: compared by us and by hand."""
    from apps.reports.comparisons.queries.comparing import compare  # noqa: PLC0415 - after django.setup()

    for a, b in combinations(evaluations, 2):
        yield a, b, compare(evaluations[a], evaluations[b], limit=len(rows)), counted(rows, a, b)

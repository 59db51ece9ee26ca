"""What is asked again: a run judged, then judged again with one thing changed at a time, counted at the model's door.

    python -m benchmarks.answer_cache [--conversations 500] [FILE.jsonl …]

Goal: the second judging of the same run makes no call; each change has asked again exactly what it touches.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratiba_eval.settings")

CHANGED = 7  # conversations in which the agent says something else


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One line of the table: what is changed, and how many of `n` conversations that touches."""

    what: str
    calls: Callable[[int], int]
    version: dict[str, Any] = field(default_factory=dict)
    how: dict[str, Any] = field(default_factory=dict)
    documents: Callable[[Any], Any] | None = None
    criterion: str = ""


def _other_words(documents: Any) -> Any:
    """The agent's last turn differs in the first few."""
    changed = []
    for number, document in enumerate(documents):
        *before, last = document.turns
        turns = (*before, replace(last, content=f"{last.content} Karibu tena.")) if number < CHANGED else document.turns
        changed.append(replace(document, turns=turns))
    return changed


def _other_prompt(documents: Any) -> Any:
    return [replace(one, extra={**one.extra, "prompt_version": "booking@b2c3d4e"}) for one in documents]


def _all(n: int) -> int:
    return n


def _none(_n: int) -> int:
    return 0


CHANGES: Sequence[Change] = (
    Change(what="nothing", calls=_none),
    Change(what="the judge's model", calls=_all, version={"model": "stub-model-2"}),
    Change(what="the template", calls=_all, version={"template": "You judge kindly. {{ criteria }}"}),
    Change(what="a parameter", calls=_all, version={"parameters": {"reason_language": "sw"}}),
    Change(what="a criterion's words", calls=_all, criterion="tono_naturale"),
    Change(what="a weight", calls=_none, version={"weight": 3.0}),
    Change(what="the agent's prompt", calls=_all, documents=_other_prompt),
    Change(what=f"the agent's words in {CHANGED}", calls=lambda n: min(CHANGED, n), documents=_other_words),
    Change(what="the repeat number", calls=_all, how={"repeat": 2}),
    Change(what="--no-cache", calls=_all, how={"use_cache": False}),
    Change(what="nothing, once more", calls=_none),
)


def publish_version(change: Change, now: datetime) -> str:
    """A config of its own for the change; its name."""
    from apps.catalog.models import Criterion  # noqa: PLC0415 - after django.setup()
    from apps.catalog.services.versions import create_draft, publish  # noqa: PLC0415
    from benchmarks import rig  # noqa: PLC0415

    if change.criterion:
        row = Criterion.objects.get(name=change.criterion)
        row.texts = {lang: {**texts, "description": f"{texts['description']} (!)"} for lang, texts in row.texts.items()}
        row.save()
    name = f"bench-{abs(hash(change.what))}"
    version = create_draft(
        config=name,
        content={
            "criteria": {
                "core": rig.CORE,
                "domain": rig.SALES,
                "weights": {"discovery_socratica": change.version.get("weight", 1.5)},
            },
            "llm_config": {"judge": {"provider": "stub", "model": change.version.get("model", "stub-model")}},
            "parameters": change.version.get("parameters", {}),
            "system_prompt_template": change.version.get("template", ""),
        },
    )
    publish(version_id=version, at=now, by="bench")
    return name


def judge(config: str, documents: Any, how: dict[str, Any]) -> tuple[float, dict[str, Any]]:
    """Seconds and summary of judging these documents, in this process."""
    from django.utils import timezone  # noqa: PLC0415 - after django.setup()

    from apps.evaluations.services.completion import finish_evaluations  # noqa: PLC0415
    from apps.evaluations.services.creating import request_evaluation  # noqa: PLC0415
    from apps.evaluations.services.judging import judge_lane  # noqa: PLC0415
    from apps.reports.queries.evaluation_document import evaluation_summary  # noqa: PLC0415
    from apps.runs.imports.services.importing import import_documents  # noqa: PLC0415

    now = timezone.now()
    run = import_documents(documents=documents, name="bench", triggered_by="bench", now=now)
    asked = request_evaluation(config=config, run_id=run, now=now, how=how)
    start = time.perf_counter()
    judge_lane(lanes=1, concurrency=32, now=timezone.now)
    seconds = time.perf_counter() - start
    finish_evaluations(now=timezone.now())
    return seconds, evaluation_summary(asked.evaluation_id)


def main() -> int:
    """Print the table; exit 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, default=[Path("examples/conversations/salon.jsonl")])
    parser.add_argument("--conversations", type=int, default=500)
    options = parser.parse_args()
    django.setup()
    from django.utils import timezone  # noqa: PLC0415 - after django.setup()

    from apps.tenants.context import in_tenant  # noqa: PLC0415
    from benchmarks import rig  # noqa: PLC0415

    n, missed = options.conversations, 0
    with rig.services(), rig.stub_model("--latency-ms", "20") as stub, rig.tenant(stub) as slug, in_tenant(slug):
        documents = rig.conversations(options.files, n)
        first = Change(what="first", calls=_all)
        for change in (first, *CHANGES):
            config = publish_version(change, timezone.now())
            stub.reset()
            seconds, summary = judge(config, (change.documents or list)(documents), change.how)
            calls, wanted = stub.stats()["calls"], change.calls(n)
            good = calls == wanted and summary["counts"]["scored"] == n
            missed += not good
            verdict = "as it should be" if good else "WRONG"
            sys.stdout.write(
                f"{change.what:<24} {calls:>5} calls of {n} (expected {wanted:>3}), {summary['from_cache']:>4} from "
                f"cache, {seconds:6.2f} s, score {summary['weighted_score']:.4f}; {verdict}\n"
            )
            sys.stdout.flush()
            if change.criterion:
                put_back(change.criterion)
    return 1 if missed else 0


def put_back(criterion: str) -> None:
    """The criterion's words as they were."""
    from apps.catalog.models import Criterion  # noqa: PLC0415 - after django.setup()

    row = Criterion.objects.get(name=criterion)
    row.texts = {
        lang: {**texts, "description": texts["description"].removesuffix(" (!)")} for lang, texts in row.texts.items()
    }
    row.save()


if __name__ == "__main__":
    sys.exit(main())

"""What tests of judging start from: a config judged by a loopback model, imported runs, and one lane at a time."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings

from apps.budgets.models import ModelCall
from apps.catalog.configs.services.versions import create_draft, publish
from apps.catalog.connections.services.storing import save_model_provider
from apps.catalog.models import Criterion
from apps.connectors.outbound import OutboundPolicy, outbound_client
from apps.core.document_parsing import parse_document
from apps.evaluations.judging.services.completion import finish_evaluations
from apps.evaluations.judging.services.judging import JudgingWork
from apps.evaluations.models import Evaluation, Judgement
from apps.evaluations.requests.services.creating import request_evaluation
from apps.jobs.worker_loop import LoopLimits, LoopReport, run_worker_loop
from apps.runs.imports.services.importing import import_documents
from tests.catalog.samples import GUIDE

NOW = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
NONCE = "n0nce-of-the-test"
SALT = "5a175a1700"  # in the key of every number a stub answers
KEY = f"score_{SALT}"
GOOD_REPLY = {"first": 8, "second": 7, "third": 6}
WEIGHTS = {"first": 1.0, "second": 1.5, "third": 1.5}


def minutes(count: float) -> datetime:
    """That long after NOW."""
    return NOW + timedelta(minutes=count)


def make_config(
    *,
    url: str = "",
    fallback_url: str = "",
    weights: Mapping[str, float] = WEIGHTS,
    name: str = "probe",
    parameters: Mapping[str, Any] | None = None,
    template: str = "",
    description: str = "Is it good?",
    model: str = "stub-model",
    pass_marks: Mapping[str, float] | None = None,
    blocking: Sequence[str] = (),
) -> str:
    """A published version; `url` is a loopback model's base URL, without one the offline rules judge."""
    for criterion in weights:
        Criterion.objects.update_or_create(
            name=criterion,
            defaults={"kind": "domain", "domain": "tea", "texts": {"en": {"description": description, **_GUIDE}}},
        )
    judge: dict[str, Any] = {"provider": "offline", "model": "offline-rules"}
    if url:
        listed = {"price_provider": "openai"} if model.startswith("gpt") else None
        save_model_provider(name="stub", kind="openai", base_url=url, api_key="not-a-key", options=listed)
        judge = {"provider": "stub", "model": model}
    if fallback_url:
        save_model_provider(name="behind", kind="anthropic", base_url=fallback_url, api_key="not-a-key")
        judge["fallback"] = {"provider": "behind", "model": "behind-model"}
    version = create_draft(
        config=name,
        content={
            "criteria": {"core": [], "domain": list(weights), "weights": dict(weights), "blocking": list(blocking)},
            "pass_marks": dict(pass_marks or {}),
            "llm_config": {"judge": judge},
            "parameters": dict(parameters or {}),
            "system_prompt_template": template,
        },
    )
    publish(version_id=version, at=NOW, by="tests")
    return name


_GUIDE = {"scoring_guide": dict(GUIDE)}


def document(id: str = "c-1", *lines: str, **more: Any) -> Any:
    """A conversation of the lines, customer first."""
    said = lines or ("Niaje, do you have a slot?", "Yes: at ten.")
    turns = [{"role": ("user", "assistant")[n % 2], "content": line} for n, line in enumerate(said)]
    return parse_document({"id": id, "language": "en", "turns": turns, **more})


def imported(*ids: str, marked: bool = False) -> UUID:
    """An imported run of short conversations; `marked` puts the stub's key into each."""
    documents = [document(id, f"Hello from {id} #key={id}", f"Welcome {id}") if marked else document(id) for id in ids]
    return import_documents(documents=documents, name="tests", triggered_by="tests", now=NOW)


def evaluated(config: str, *ids: str, marked: bool = False, now: datetime = NOW) -> Evaluation:
    """An evaluation of an imported run, owed and not yet judged."""
    asked = request_evaluation(config=config, run_id=imported(*(ids or ("c-1",)), marked=marked), now=now)
    return Evaluation.objects.get(pk=asked.evaluation_id)


def judging_work(now: Callable[[], datetime] | datetime = NOW) -> JudgingWork:
    return JudgingWork(now=now if callable(now) else lambda: now, make_nonce=lambda: NONCE, salt_of=lambda _: SALT)


def judge(
    now: Callable[[], datetime] | datetime = NOW,
    *,
    concurrency: int = 4,
    wait_s: float = 0,
    sleep: Callable[[float], None] = time.sleep,
) -> LoopReport:
    """One lane pays what is owed at this time; it stays at most `wait_s` for what is due later.

    A time that is given moves on by what the lane sleeps: on a clock that stands, it waits for a model's next place
    until its four minutes are over.
    """
    policy = OutboundPolicy(private_hosts=tuple(settings.PRIVATE_HOSTS), purpose="model")
    slept = timedelta()

    def clock() -> datetime:
        return now() if callable(now) else now + slept

    def rest(seconds: float) -> None:
        nonlocal slept
        slept += timedelta(seconds=seconds)
        sleep(seconds)

    return run_worker_loop(
        work=judging_work(clock),
        limits=LoopLimits(concurrency=concurrency, linger_for=timedelta(seconds=wait_s)),
        client=lambda: outbound_client(policy),
        now=clock,
        sleep=rest,
    )


def judged(config: str, *ids: str, now: datetime = NOW) -> Evaluation:
    """An evaluation judged to its end."""
    evaluation = evaluated(config, *ids, now=now)
    judge(now)
    finish_evaluations(now=now)
    evaluation.refresh_from_db()
    return evaluation


def only(evaluation: Evaluation) -> Judgement:
    """Its one judgement."""
    return Judgement.objects.get(evaluation=evaluation)


def scores(judgement: Judgement) -> dict[str, float | None]:
    return dict(judgement.scores.order_by("position").values_list("criterion", "score"))


def reply(scored: Mapping[str, Any], *, nonce: str | None = NONCE, key: str = KEY) -> str:
    """What a well-behaved judge answers: each number under the key, whether it is given alone or as `score`."""
    body = {
        name: {key if one == "score" else one: value for one, value in entry.items()}
        if isinstance(entry, dict)
        else {"reason": "as seen", "evidence": ['[1] "Yes: at ten."'], key: entry}
        for name, entry in scored.items()
    }
    return json.dumps({"nonce": nonce, "scores": body} if nonce else {"scores": body})


def ledger(**conditions: Any) -> list[tuple[str, str]]:
    """(purpose, outcome) of the calls entered, in order."""
    rows = ModelCall.objects.filter(**conditions).order_by("created_at", "id")
    return list(rows.values_list("purpose", "outcome"))


def all_of(values: Sequence[Any]) -> Any:
    """The one value all of them share."""
    (one,) = set(values)
    return one

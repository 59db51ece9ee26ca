"""Decide which of two conversations is better, asked in both orders (docs/adr/0068).

It works for two conversations or two runs.
"""

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction

from apps.budgets.domain.cache_entry import FIRST, CacheEntry
from apps.budgets.domain.estimate import History, max_cost, request_tokens
from apps.budgets.domain.purpose import Purpose
from apps.budgets.domain.sentences import SPENT_CODE
from apps.budgets.services import CallFor, LedgerCall, record_calls
from apps.budgets.services.metered_model import MeteredModel, Opener
from apps.budgets.services.metered_run import MeteredJob, run_metered
from apps.budgets.services.reservations import BudgetReservations
from apps.budgets.services.reserving import ReservationRequest
from apps.budgets.services.response_cache import CachedModel, NewCacheEntry, get_cached, put_cached
from apps.catalog.configs.domain.snapshots import ConfigSnapshot
from apps.catalog.configs.queries.judges import with_models_in_force
from apps.catalog.configs.queries.versions import resolve_config
from apps.connectors.errors import ConnectorError
from apps.connectors.llms.base import LLM, LLMRequest, ModelSpec
from apps.connectors.retry import RetryPolicy
from apps.core.digest import canonical_json, sha256_hex
from apps.core.errors import BadInput, Fault, RatibaError
from apps.core.question_secrets import fresh_nonce
from apps.core.redaction import redact
from apps.evaluations.domain.parsing import ParseError, read_answer
from apps.evaluations.judging.services.leases import ClaimedJudgement
from apps.evaluations.judging.services.salts import process_salt
from apps.reports.comparisons.domain.pairwise import Bout, Place, contest
from apps.reports.comparisons.domain.pairwise_prompt import PAIRWISE_VERSION, pairwise_request, read_choice
from apps.runs.domain.cases import case_of
from apps.runs.models import Conversation, Turn
from apps.runs.prompt_of_conversation import prompts_of
from apps.runs.services.model_roles import models_of, retry_policy

AT_ONCE = 16
MAX_PAIRS = 1000


class NothingCompared(RatibaError):
    """No pair could be asked about: no model answered, or no money was left."""

    code = "nothing_compared"
    fault = Fault.REMOTE


@dataclass(frozen=True, slots=True, kw_only=True)
class PairwiseSide:
    """One conversation of a pair, as plain data."""

    id: uuid.UUID
    run_id: uuid.UUID
    name: str
    turns: list[dict[str, Any]]
    prompt_version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairwiseAnswer:
    """One order of one pair: what was chosen, or why nothing was."""

    place: Place | None
    reason: str
    calls: tuple[LedgerCall, ...]
    new_entries: tuple[NewCacheEntry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question:
    request: LLMRequest
    claimed: ClaimedJudgement
    key: str
    nonce: str
    salt: str


def pairs_of_runs(run_a: uuid.UUID, run_b: uuid.UUID) -> list[tuple[uuid.UUID, uuid.UUID]]:
    """Return the conversations of two runs that are trials of one case, first with first.

    Second comes with second; one without a counterpart is left out. One query. Raises BadInput where nothing is shared.
    """
    if run_a == run_b:
        raise BadInput("A run cannot be compared with itself: choose another for B.", code="no_pairs", pointer="/b")
    rows = Conversation.objects.filter(run_id__in=[run_a, run_b]).order_by("position")
    by_run: dict[uuid.UUID, dict[str, list[uuid.UUID]]] = {run_a: {}, run_b: {}}
    for run_id, name, spec, id in rows.values_list("run_id", "external_id", "spec", "id"):
        by_run[run_id].setdefault(case_of(spec, name), []).append(id)
    shared = sorted(set(by_run[run_a]) & set(by_run[run_b]))
    if not shared:
        raise BadInput(
            "The two runs share no scenario with its persona, golden session or conversation id, so nothing can be "
            "paired.",
            code="no_pairs",
        )
    pairs = [pair for case in shared for pair in zip(by_run[run_a][case], by_run[run_b][case], strict=False)]
    return pairs[:MAX_PAIRS]


def compare_pairwise(
    *, config: str, pairs: Sequence[tuple[uuid.UUID, uuid.UUID]], now: Callable[[], datetime]
) -> dict[str, Any]:
    """Ask the config's judge about every pair in both orders; who is better, and whether the judge favours a place.

    A pair of which one order was not answered counts as unanswered. Costs two model calls for each pair, none for what
    was asked before; reserved first, in the ledger under `pairwise`. Raises BadInput (unknown config, offline rules, no
    such conversation) and NothingCompared. Must not be called inside a transaction. Safe to repeat.
    """
    snapshot = with_models_in_force(resolve_config(config))
    if snapshot.llm_config["judge"].provider == "offline":
        raise BadInput("The offline rules cannot compare: choose a model as the judge.", code="offline_cannot_compare")
    llm, _ = models_of(snapshot.as_json()["llm_config"]["judge"])
    sides = _sides({id for pair in pairs for id in pair})
    questions = [
        _question(sides[one], sides[other], snapshot, llm.spec) for a, b in pairs for one, other in ((a, b), (b, a))
    ]
    cached = get_cached(keys={question.key for question in questions}, now=now())
    answers = _ask_all(questions, llm, cached, now)
    bouts, shown, unanswered = [], [], 0
    for (a, b), forward, backward in zip(pairs, answers[::2], answers[1::2], strict=True):
        if forward.place is None or backward.place is None:
            unanswered += 1
            continue
        bout = Bout(forward=forward.place, backward=backward.place)
        bouts.append(bout)
        shown.append({
            "a": str(a), "b": str(b), "name": sides[a].name, "better": bout.better.value, "flipped": bout.flipped,
            "reasons": [redact(forward.reason), redact(backward.reason)],
        })  # fmt: skip
    if not bouts:
        raise NothingCompared("No pair was answered in both orders: " + (answers[0].reason if answers else "no pairs"))
    result = asdict(contest(bouts))
    return {
        "judge": f"{llm.spec.label}/{llm.spec.model}",
        **result,
        "unanswered": unanswered,
        "sentence": _sentence(result),
        "pairs": shown,
    }


def _ask_all(
    questions: Sequence[_Question], llm: LLM, cached: Mapping[str, CacheEntry], now: Callable[[], datetime]
) -> list[PairwiseAnswer]:
    reservations = BudgetReservations(now=now)
    reservations.history.load([llm.spec])
    history = reservations.history.paid
    uncached = {question.key: question for question in questions if question.key not in cached}
    try:
        retries = retry_policy()  # read here: the loop sees no database
        for refusal in reservations.reserve([_request(one, llm.spec, history) for one in uncached.values()]).values():
            raise NothingCompared(refusal.sentence, code=SPENT_CODE)
        answers = run_metered(
            {n: _job(question, llm, cached, history, retries) for n, question in enumerate(questions)},
            reservations=reservations,
            concurrency=AT_ONCE,
            store=lambda ended: _store(ended, now()),
        )
    finally:
        reservations.release()
    return [answers[n] for n in range(len(questions))]


def _store(ended: Sequence[PairwiseAnswer], now: datetime) -> None:
    with transaction.atomic():
        put_cached(answers=[new_entries for answer in ended for new_entries in answer.new_entries], now=now)
        record_calls(calls=[call for answer in ended for call in answer.calls])


def _job(
    question: _Question, llm: LLM, cached: Mapping[str, CacheEntry], history: History, retries: RetryPolicy
) -> MeteredJob[PairwiseAnswer]:
    async def job(client: Any, opener: Opener) -> PairwiseAnswer:
        metered = MeteredModel(
            primary=llm, fallback=None, policy=retries, client=client, opener=opener, history=history
        )
        model = CachedModel(
            metered=metered, nonce=question.nonce, salt=question.salt, key=question.key, cached=cached.get(question.key)
        )
        return await _ask_once(question, model)

    return job


async def _ask_once(question: _Question, model: CachedModel) -> PairwiseAnswer:
    place, reason = None, ""
    try:
        result = await model.ask(
            question.request, step=FIRST, call_for=question.claimed.call_for_purpose(Purpose.PAIRWISE)
        )
        place, reason = read_answer(result.response, lambda text: read_choice(text, nonce=model.nonce, salt=model.salt))
        model.note_usable(FIRST, result)
    except (ConnectorError, ParseError) as error:
        reason = error.message
    return PairwiseAnswer(place=place, reason=reason, calls=tuple(model.calls), new_entries=model.new_entries())


def _question(first: PairwiseSide, second: PairwiseSide, snapshot: ConfigSnapshot, spec: ModelSpec) -> _Question:
    nonce, salt = fresh_nonce(), process_salt()
    criteria = [criterion.as_json() for criterion in snapshot.criteria]
    request = pairwise_request(
        first=first.turns,
        second=second.turns,
        criteria=criteria,
        nonce=nonce,
        salt=salt,
        timeout_s=settings.MODEL_TIMEOUT_S,
    )
    key = sha256_hex(
        {
            "pairwise": PAIRWISE_VERSION,
            "first": first.turns,
            "second": second.turns,
            "system": request.system,
            "judge": canonical_json([spec.identity(), spec.model]),
        }
    )
    claimed = ClaimedJudgement(
        judgement_id=uuid.uuid4(),  # of no row
        evaluation_id=uuid.uuid4(),
        conversation_id=first.id,
        run_id=first.run_id,
        call_for=CallFor(
            purpose=Purpose.PAIRWISE, run_id=first.run_id, conversation_id=first.id, prompt_version=first.prompt_version
        ),
        external_id=first.name,
        language="",
        attempts=1,
        turns=first.turns,
    )
    return _Question(request=request, claimed=claimed, key=key, nonce=nonce, salt=salt)


def _sides(ids: set[uuid.UUID]) -> dict[uuid.UUID, PairwiseSide]:
    """Three queries. Raises BadInput for an id that is not there."""
    rows = {row.id: row for row in Conversation.objects.filter(pk__in=ids).only("id", "run_id", "external_id")}
    missing = sorted(str(id) for id in ids if id not in rows)
    if missing:
        raise BadInput(f"There is no conversation {missing[0]}.", code="no_such_conversation")
    turns: dict[uuid.UUID, list[dict[str, Any]]] = {id: [] for id in ids}
    fields = ("conversation_id", "role", "content", "tool_calls", "tool_call_id", "name")
    turn_rows = Turn.objects.transcript().filter(conversation_id__in=ids).order_by("conversation_id", "position")
    for turn in turn_rows.values(*fields):
        turns[turn.pop("conversation_id")].append(dict(turn))
    prompts = prompts_of(ids)
    return {
        id: PairwiseSide(
            id=id, run_id=row.run_id, name=row.external_id, turns=turns[id], prompt_version=prompts.get(id, "")
        )
        for id, row in rows.items()
    }


def _request(question: _Question, spec: ModelSpec, history: History) -> ReservationRequest:
    request = question.request
    cost = max_cost(
        [spec], input_tokens=request_tokens(request), output_tokens=request.max_output_tokens, history=history
    )
    return ReservationRequest(
        id=uuid.uuid4(), usd=cost.usd, run_id=question.claimed.run_id, price=cost.price, unpriced=cost.unpriced
    )


def _sentence(result: Mapping[str, Any]) -> str:
    n, a, b = result["bouts"], result["a"], result["b"]
    if result["favours"]:
        bias = (
            f" The judge favours whatever it is shown {result['favours']}: it flipped {result['flipped']} of {n} times."
        )
    else:
        bias = f" It flipped {result['flipped']} of {n} times when the two changed places." if result["flipped"] else ""
    if result["chance"] is not None and result["chance"] < 0.05:
        name, won, lost = ("A", a, b) if a > b else ("B", b, a)
        return f"{name} is better: {won} of {n} against {lost}, {result['ties']} ties.{bias}"
    return f"No difference shown: {a} for A, {b} for B, {result['ties']} ties of {n}.{bias}"

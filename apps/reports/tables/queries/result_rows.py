"""The widest table of results: a row per conversation × criterion, read a page at a time."""

import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from django.db import connection

from apps.audit.domain.masking_rules import OURS
from apps.budgets.queries import cost_by_conversation
from apps.catalog.configs.queries.criterion_titles import Titles, criterion_titles
from apps.core.errors import NotFound
from apps.core.subject import FIELDS, words_of
from apps.evaluations.domain.fallback_rule import fallback_counts
from apps.evaluations.domain.states import JudgementStatus
from apps.evaluations.figures.queries.decisions import marked_criteria
from apps.evaluations.figures.queries.results import find_evaluation
from apps.evaluations.figures.queries.uncertainty import Uncertainties, uncertainties_of
from apps.evaluations.models import CriterionScore, Evaluation
from apps.runs.domain.counting import counting_of
from apps.runs.domain.kind_traits import JUDGEABLE, sql_list
from apps.runs.models import TestRun
from apps.runs.playing.queries.progress import find_run
from apps.runs.prompt_of_conversation import prompt_sql
from apps.statistics.decision import Decision, decide

_WHOLE = ("evaluation_id", "test_run_id", "evaluator_config", "agent", "subject")
_FROM_PAGE = (
    "conversation",
    "conversation_id",
    "scenario",
    "persona",
    "conversation_status",
    "blame",
    "simulator_verdict",
    "language",
    "kind",
    "criterion",
    "criterion_title",
    "state",
    "unscored_reason",
    "score",
    "scale",
    "weight",
    "pass_mark",
    "passed",
    "answers",
    "standard_error",
    "judgement_state",
    "weighted_score",
    "in_mean",
    "reason",
    "evidence",
    "fingerprint",
    "provider",
    "model",
    "by_fallback",
    "late",
    "error_code",
    "error_message",
    "judged_at",
)
_COSTS = ("cost_usd", "judging_cost_usd", "playing_cost_usd")
_COUNTING = ("counts", "counts_why")
_DECIDED = ("blocking", "verdict", "conversation_verdict", "blocked_by")
_SUBJECT = {f"subject_{name}": name for name in FIELDS}
COLUMNS = (*_WHOLE, *_FROM_PAGE, *_COSTS, *_DECIDED, *_SUBJECT, *_COUNTING)
# Where the texts among them are read. Reasons and quotes are masked when they are stored, but not what was stored
# before; an agent's own error may hold anything.
SOURCES = {
    **dict.fromkeys(
        (
            "evaluation_id",
            "test_run_id",
            "conversation_id",
            "conversation_status",
            "blame",
            "simulator_verdict",
            "kind",
            "state",
            "unscored_reason",
            "scale",
            "judgement_state",
            "error_code",
            "counts_why",
            "verdict",
            "conversation_verdict",
            "blocked_by",
        ),
        OURS,
    ),
    **dict.fromkeys(("agent", "subject", *_SUBJECT), "evaluations_evaluation.subject"),
    "evaluator_config": "evaluations_evaluation.config_ref",
    "conversation": "runs_conversation.external_id",
    "scenario": "catalog_scenario.slug",
    "persona": "catalog_persona.name",
    "language": "runs_conversation.language",
    "criterion": "evaluations_criterionscore.criterion",
    "criterion_title": "catalog_criterion.titles",
    "reason": "evaluations_criterionscore.reason",
    "evidence": "evaluations_criterionscore.evidence",
    "error_message": "evaluations_judgement.error_message",
    **{name: f"evaluations_judgement.{name}" for name in ("fingerprint", "provider", "model")},
}

PAGE = 500  # conversations read at a time

# A page of conversations and every criterion of the snapshot, judged or not: what is missing is a row that says so. The
# page is cut before anything is joined, so the plan is index lookups whatever the statistics say.
_PAGE = f"""
WITH page AS MATERIALIZED (
  SELECT id, position, external_id, spec, status, blame, simulator_verdict, language, kind, error_code, error_message,
    {{prompt}} AS prompt_version
  FROM runs_conversation c
  WHERE run_id = %(run)s AND position > %(after)s AND kind IN {sql_list(JUDGEABLE)} ORDER BY position LIMIT %(size)s
), criteria AS MATERIALIZED (
  SELECT place, item->>'name' AS name, coalesce(item->>'title', item->>'name') AS title,
   (item->>'weight')::float8 AS weight, (item->>'pass_mark')::float8 AS pass_mark,
    coalesce((item->>'blocking')::boolean, false) AS blocking
  FROM jsonb_array_elements(%(criteria)s::jsonb) WITH ORDINALITY AS c(item, place)
)
SELECT c.position, c.external_id, c.id, coalesce(nullif(c.spec->>'golden_session', ''), c.spec->>'scenario', ''),
  coalesce(c.spec->>'persona_name', ''), c.status, c.blame, c.simulator_verdict, c.language, c.kind, k.name, k.title,
  coalesce(s.status, j.status, %(without)s), nullif(s.unscored_reason, ''), s.score, coalesce(s.scale, '0-10'),
  coalesce(s.weight, k.weight), coalesce(s.pass_mark, k.pass_mark), NULL,
  s.answers, s.standard_error,
  coalesce(j.status, %(without)s), j.weighted_score,
  coalesce(j.status = 'scored' AND j.weighted_score IS NOT NULL AND (%(with_fallback)s OR NOT j.by_fallback), false),
  coalesce(s.reason, ''), coalesce(s.evidence, '[]'::jsonb)::text, coalesce(j.fingerprint, ''),
  coalesce(j.provider, ''), coalesce(j.model, ''), coalesce(j.by_fallback, false), coalesce(j.late, false),
  coalesce(nullif(j.error_code, ''), c.error_code), coalesce(nullif(j.error_message, ''), c.error_message), j.judged_at,
  c.prompt_version, k.blocking, s.must_reach, coalesce(s.opinions, '[]'::jsonb)::text
FROM page c CROSS JOIN criteria k
LEFT JOIN evaluations_judgement j ON j.evaluation_id = %(evaluation)s AND j.conversation_id = c.id
LEFT JOIN evaluations_criterionscore s ON s.judgement_id = j.id AND s.criterion = k.name
ORDER BY c.position, k.place
"""  # noqa: S608 - words of our own


def agent_of(run: TestRun) -> str:
    """The agent under test by its name: as the caller named it, as planned, or as it is called now."""
    name = run.subject.get("agent") or run.frozen_plan.agent_name
    return str(name or (run.agent.name if run.agent else ""))


def evaluations_of(
    *, evaluation_id: uuid.UUID | None = None, run_id: uuid.UUID | None = None
) -> tuple[uuid.UUID, list[uuid.UUID]]:
    """The run, and which of its evaluations: the one named, or all of them in the order they were asked for.

    Raises NotFound for an unknown id, and for a run that was never evaluated. Two queries.
    """
    if evaluation_id is not None:
        evaluation = find_evaluation(evaluation_id)
        return evaluation.run_id, [evaluation.id]
    if run_id is None:
        raise ValueError("an evaluation or a run")
    run = find_run(run_id)
    ids = list(Evaluation.objects.filter(run_id=run.id).order_by("id").values_list("id", flat=True))
    if not ids:
        raise NotFound(f"Run {run.id} has not been evaluated: judge it with an evaluator config first")
    return run.id, ids


def result_rows(*, run_id: uuid.UUID, evaluation_ids: list[uuid.UUID]) -> Iterator[dict[str, Any]]:
    """Rows named by COLUMNS, by evaluation, conversation and criterion, as they are stored; `evidence` is a list.

    One query per 500 conversations and up to seven per evaluation. No transaction stays open while somebody reads
    slowly, and memory holds one page and a number per conversation. `cost_usd` is the share of the row of what judging
    its conversation cost, so that the column can be added up; the other two costs stand whole in each row.
    """
    playing, titles = cost_by_conversation(run_id=run_id), criterion_titles()
    for evaluation_id in evaluation_ids:
        evaluation = find_evaluation(evaluation_id, related=("run__agent",))
        judging = cost_by_conversation(evaluation_id=evaluation_id)
        criteria = len(evaluation.snapshot["criteria"])
        for row in _rows_of(evaluation, titles):
            spent = judging.get(row["conversation_id"])
            row["cost_usd"] = None if spent is None else spent / criteria
            row["judging_cost_usd"] = spent
            row["playing_cost_usd"] = playing.get(row["conversation_id"])
            yield {name: row[name] for name in COLUMNS}


def _rows_of(evaluation: Evaluation, titles: Titles) -> Iterator[dict[str, Any]]:
    parameters = {
        "run": evaluation.run_id,
        "evaluation": evaluation.id,
        "criteria": json.dumps(
            [{**criterion, "title": titles.get(criterion["name"])} for criterion in evaluation.snapshot["criteria"]]
        ),
        "with_fallback": fallback_counts(evaluation.options, evaluation.snapshot),
        "size": PAGE,
        "subject_prompt": evaluation.subject.get("prompt_version", ""),
        "without": JudgementStatus.NOT_JUDGED if evaluation.ended_at else JudgementStatus.PENDING,
    }
    named = (agent_of(evaluation.run), words_of(evaluation.subject))
    whole = dict(zip(_WHOLE, (evaluation.id, evaluation.run_id, evaluation.config_ref, *named), strict=True))
    whole |= {column: evaluation.subject.get(name, "") for column, name in _SUBJECT.items()}
    doubts, marked = uncertainties_of(evaluation), marked_criteria(evaluation.snapshot)
    statement = _PAGE.replace("{prompt}", prompt_sql("%(subject_prompt)s::text"))
    after = -1
    while True:
        with connection.cursor() as cursor:
            cursor.execute(statement, {**parameters, "after": after})
            page = cursor.fetchall()
        if not page:
            return
        after = page[-1][0]
        for _, together in groupby(page, key=lambda row: row[0]):
            yield from _decisions(list(together), whole, doubts, marked)


def _decisions(
    page: Sequence[Sequence[Any]], whole: Mapping[str, Any], doubts: Uncertainties, marked: set[str]
) -> Iterator[dict[str, Any]]:
    """The rows of one conversation with what was decided about each score and about the whole."""
    rows, scores = [], []
    for _position, *values, prompt, blocking, must_reach, opinions in page:
        row = {**whole, **dict(zip(_FROM_PAGE, values, strict=True)), "blocking": blocking}
        row["subject_prompt_version"] = prompt
        row["evidence"] = json.loads(row["evidence"])
        row |= counting_of(
            status=row["conversation_status"], blame=row["blame"], simulator_verdict=row["simulator_verdict"]
        ).as_json()
        rows.append(row)
        scores.append(
            CriterionScore(
                criterion=row["criterion"],
                score=row["score"],
                scale=row["scale"],
                weight=row["weight"],
                unscored_reason=row["unscored_reason"] or "",
                pass_mark=row["pass_mark"],
                must_reach=must_reach,
                answers=row["answers"] or 1,
                standard_error=row["standard_error"],
                opinions=json.loads(opinions),
            )
        )
    verdict = doubts.of_judgement(scores, blame=rows[0]["blame"] if rows else None)
    for row, score in zip(rows, scores, strict=True):
        one = doubts.of_score(score) if row["criterion"] in marked else None
        row["verdict"] = one.decision.value if one else None
        stands = decide(row["score"], row["pass_mark"])
        row["passed"] = stands is Decision.PASS if one else None
        row["conversation_verdict"] = verdict.decision.value if verdict else None
        row["blocked_by"] = list(verdict.blockers) if verdict else []
        yield row

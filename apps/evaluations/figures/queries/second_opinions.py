"""Second judges' opinions of the first judge: agreement on each criterion, drift since before, favour for its own
family."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.db import connection

from apps.budgets.domain.purpose import Purpose
from apps.catalog.configs.queries.criterion_titles import NAMES, Titles
from apps.evaluations.domain.cross_check import LEFT_OUT_FOR_BUDGET, PairedScore, agreement, disagree, shift
from apps.evaluations.domain.fallback_rule import fallback_counts
from apps.evaluations.domain.panel import PanelEffect, own_score
from apps.evaluations.domain.self_preference import family, preference
from apps.evaluations.domain.warnings import ResultWarning, WarningCode
from apps.evaluations.figures.queries.aggregate_cache import cached_aggregate
from apps.evaluations.figures.queries.stored_figures import stored_of
from apps.evaluations.models import Evaluation, Judgement
from apps.statistics.drift import Shift

MOST = 5000  # newest cross-checked scores that are looked at, here and before

_ROWS = """
SELECT s.criterion, s.score, s.pass_mark, s.opinions::text, j.from_cache,
  coalesce(nullif(c.labels->>'generator_model', ''), r.plan#>>'{{agent,options,model}}',
    r.plan#>>'{{agent,profile,model}}', '')
FROM evaluations_criterionscore s JOIN evaluations_judgement j ON j.id = s.judgement_id
JOIN runs_conversation c ON c.id = j.conversation_id JOIN runs_testrun r ON r.id = c.run_id
WHERE {which} AND j.status = 'scored' AND s.opinions @> '[{{"purpose": "cross_check"}}]'
ORDER BY s.id DESC LIMIT %(most)s
"""
_HERE = _ROWS.format(which="j.evaluation_id = %(evaluation)s")
_BEFORE = _ROWS.format(
    which="j.fingerprint = %(fingerprint)s AND NOT j.from_cache AND j.evaluation_id IN ("
    "SELECT id FROM evaluations_evaluation WHERE config_version_id = %(version)s"
    " AND created_at < %(created)s ORDER BY created_at DESC LIMIT 50)"
)
# What the panel gave in place of the judge's own mean, in points of the conversation's weighted score.
_PANEL = """
WITH ruled AS (
  SELECT s.judgement_id, s.score >= s.pass_mark AS passes, (s.score - own.score) * s.weight AS moved
  FROM evaluations_criterionscore s JOIN evaluations_judgement j ON j.id = s.judgement_id
  CROSS JOIN LATERAL (SELECT avg((o->>'score')::float8) AS score FROM jsonb_array_elements(s.opinions) o
    WHERE o->>'purpose' = 'judge') own
  WHERE j.evaluation_id = %(evaluation)s AND j.status = 'scored' AND s.status = 'scored' AND own.score IS NOT NULL
    AND s.opinions @> '[{"purpose": "panel"}]' AND (%(with_fallback)s OR NOT j.by_fallback)
)
SELECT count(*), count(DISTINCT judgement_id), count(*) FILTER (WHERE passes), coalesce(sum(moved / (
    SELECT nullif(sum(weight), 0) FROM evaluations_criterionscore b
    WHERE b.judgement_id = ruled.judgement_id AND b.status = 'scored')), 0)
FROM ruled
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    criterion: str
    pass_mark: float
    checked: PairedScore | None
    left_out: bool
    generator: str
    from_cache: bool


def cross_check_of(evaluation: Evaluation, *, fingerprint: str, scored: int, target: float) -> dict[str, Any] | None:
    """The cross-check as the API shows it, without its warnings (`cross_check_warnings`).

    None where no second judge is in force. Two queries, kept while no more is scored. `target` is the agreement the
    tenant asks for.
    """
    second = evaluation.snapshot["llm_config"].get("cross_check")
    share = float(evaluation.options.get("cross_check_share") or 0.0)
    if second is None or not share:
        return None
    here, before = cached_aggregate(
        f"second-{fingerprint[:8]}",
        evaluation,
        scored,
        lambda: (_read(_HERE, evaluation, fingerprint), _read(_BEFORE, evaluation, fingerprint)),
    )
    judge_family = family(evaluation.snapshot["llm_config"]["judge"]["model"])
    criteria = [
        _criterion(name, _of(here, name), _of(before, name), judge_family, target)
        for name in dict.fromkeys(criterion["name"] for criterion in evaluation.snapshot["criteria"])
        if any(row.criterion == name and row.checked for row in here)
    ]
    first = evaluation.snapshot["criteria"][0]["name"] if evaluation.snapshot["criteria"] else ""
    left_out = sum(row.left_out for row in here if row.criterion == first)
    return {
        "share": share,
        "provider": second["provider"],
        "model": second["model"],
        "conversations": max((criterion["n"] for criterion in criteria), default=0),
        "left_out_for_budget": left_out,
        "criteria": criteria,
    }


def left_out_for_budget(evaluation: Evaluation) -> int:
    """Conversations that were chosen for a cross-check and got none, because money ran short. One query."""
    note = [{"purpose": Purpose.CROSS_CHECK.value, "left_out": LEFT_OUT_FOR_BUDGET}]
    rows = Judgement.objects.filter(evaluation=evaluation, scores__opinions__contains=note)
    return rows.distinct().count()


def panel_effect(evaluation: Evaluation, *, scored: int) -> PanelEffect:
    """Return the effect of the panel on the mean's scores; none without a panel in force.
    No query where it is stored or cached, else one."""
    if stored := stored_of(evaluation):
        return PanelEffect(**stored["panel"])
    return cached_aggregate("panel-effect", evaluation, scored, lambda: read_panel_effect(evaluation))


def read_panel_effect(evaluation: Evaluation) -> PanelEffect:
    """Read now how a panel changed the scores. One query, none where no panel is in force."""
    if "panel" not in evaluation.snapshot["llm_config"]:
        return PanelEffect(scores=0, conversations=0, lifted=0, points=0.0)
    with connection.cursor() as cursor:
        cursor.execute(
            _PANEL,
            {
                "evaluation": evaluation.pk,
                "with_fallback": fallback_counts(evaluation.options, evaluation.snapshot),
            },
        )
        scores, conversations, lifted, points = cursor.fetchone()
    return PanelEffect(scores=scores, conversations=conversations, lifted=lifted, points=points)


def _criterion(
    name: str, here: Sequence[_Row], before: Sequence[_Row], judge_family: str, target: float
) -> dict[str, Any]:
    now = [row.checked for row in here if row.checked]
    asked_now = [row.checked for row in here if row.checked and not row.from_cache]  # kept answers did not drift
    earlier = [row.checked for row in before if row.checked]
    result = agreement(now, pass_mark=here[0].pass_mark)
    own = [row.checked for row in here if row.checked and judge_family and family(row.generator) == judge_family]
    others = [row.checked for row in here if row.checked and row.generator and family(row.generator) != judge_family]
    favour = preference(own, others)
    return {
        "criterion": name,
        **asdict(result),
        "disagree": disagree(result, target=target),
        "drift": _shown(shift(earlier, asked_now)),
        "own_family": _shown(favour),
    }


def cross_check_warnings(
    evaluation: Evaluation, cross_check: Mapping[str, Any], *, target: float, titles: Titles = NAMES
) -> list[ResultWarning]:
    """The findings of `cross_check_of` that a reader must know: not enough money, disagreement, drift, own favourites.
    `titles` is what sentences call criteria."""
    warnings = []
    if left_out := cross_check["left_out_for_budget"]:
        many = f"{left_out} conversation{'s' if left_out != 1 else ''}"
        text = f"{many} not cross-checked: the budget is in danger"
        warnings.append(ResultWarning(code=WarningCode.NOT_CROSS_CHECKED, text=text, count=left_out))
    judge_family = family(evaluation.snapshot["llm_config"]["judge"]["model"])
    for criterion in cross_check["criteria"]:
        texts, title = {}, titles.get(criterion["criterion"], criterion["criterion"])
        if criterion["disagree"]:
            low, high = criterion["ac1_interval"]
            texts[WarningCode.JUDGES_DISAGREE] = (
                f"two judges disagree on {title}: both pass or both fail {criterion['same_side']:.0%} of "
                f"{criterion['n']} conversations, AC1 {criterion['ac1']:.2f} [{low:.2f}, {high:.2f}] below {target:g}"
            )
        if criterion["drift"] and criterion["drift"]["sure"]:
            texts[WarningCode.JUDGE_DRIFTS] = f"the judge drifts on {title}: {_points(criterion['drift'])} than before"
        if criterion["own_family"] and criterion["own_family"]["sure"]:
            texts[WarningCode.OWN_FAMILY_FAVOURED] = (
                f"the judge favours its own family ({judge_family}) on {title}: {_points(criterion['own_family'])}"
                " than others' words, against a judge of another family"
            )
        warnings += [
            ResultWarning(code=code, text=text, names=(criterion["criterion"],)) for code, text in texts.items()
        ]
    return warnings


def _points(shift: Mapping[str, Any]) -> str:
    word = "higher" if shift["points"] > 0 else "lower"
    low, high = shift["interval"]
    return f"{abs(shift['points']):.1f} points {word} [{low:+.1f}, {high:+.1f}]"


def _shown(shift: Shift | None) -> dict[str, Any] | None:
    return None if shift is None else asdict(shift)


def _read(statement: str, evaluation: Evaluation, fingerprint: str) -> list[_Row]:
    with connection.cursor() as cursor:
        cursor.execute(
            statement,
            {
                "evaluation": evaluation.pk,
                "fingerprint": fingerprint,
                "version": evaluation.config_version_id,
                "created": evaluation.created_at,
                "most": MOST,
            },
        )
        return [_row(*row) for row in cursor.fetchall()]


def _row(
    criterion: str, score: float | None, pass_mark: float, opinions: str, from_cache: bool, generator: str
) -> _Row:
    entries = json.loads(opinions)
    return _Row(
        criterion=criterion,
        pass_mark=pass_mark,
        checked=paired_score(entries, score),
        left_out=any("left_out" in one for one in _seconds(entries)),
        generator=generator,
        from_cache=from_cache,
    )


def paired_score(opinions: Sequence[Mapping[str, Any]], score: float | None) -> PairedScore | None:
    """Return the scores of the judge and of the second judge; None where one of them gave none.

    They come from the opinions as stored beside a score.
    """
    own = own_score(opinions, score)
    other = next((one["score"] for one in _seconds(opinions) if one["score"] is not None), None)
    return PairedScore(judge=own, other=other) if own is not None and other is not None else None


def _seconds(opinions: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [opinion for opinion in opinions if opinion["purpose"] == "cross_check"]


def _of(rows: Sequence[_Row], criterion: str) -> list[_Row]:
    return [row for row in rows if row.criterion == criterion]

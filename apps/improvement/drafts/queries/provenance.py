"""Trace every sentence of a release: feedback, scenario, finding, draft, trial, decision, person."""

from collections.abc import Collection
from typing import Any

from apps.catalog.models import Scenario
from apps.core.plurals import many
from apps.core.timestamps import format_if_known
from apps.improvement.drafts.models import PromptDraft, Trial
from apps.improvement.holdout.domain.parts import Part
from apps.runs.models import Conversation

STEP = {  # a step may say more: when, in which evaluation
    "properties": {name: {"type": "string"} for name in ("step", "id", "sentence")},
    "required": ["step", "id", "sentence"],
    "description": "feedback, scenario, finding, draft, trial, decision or person.",
}


def provenance_of(trial: Trial) -> list[dict[str, Any]]:
    """The steps of the draft that this trial is of. Three queries."""
    return provenance_of_draft(trial.draft, trial)


def provenance_of_draft(draft: PromptDraft, trial: Trial | None) -> list[dict[str, Any]]:
    """The steps in their order, each with what it is, its id and a sentence; those that were not taken are left out.
    Three queries, and one more for a combined draft, whose parts come first with their findings."""
    if trial is not None and trial.part != Part.HOLD_OUT:  # which scenarios a hold-out has is not told
        slugs: Collection[str] = trial.scenarios
    else:
        slugs = _slugs_of_finding(draft)
    steps = [*_scenarios(slugs), *_parts(draft), *_finding(draft), _draft(draft)]
    if trial is not None:
        steps += _tried(trial)
    if draft.released_at is not None:
        why = f": {draft.release_reason}" if draft.release_reason else "."
        sentence = f"Released by {draft.released_by}{why}"
        steps.append(_step("person", str(draft.pk), sentence, at=format_if_known(draft.released_at)))
    if draft.rejected_at is not None:
        sentence = f"Rejected by {draft.rejected_by}: {draft.reject_reason}"
        steps.append(_step("person", str(draft.pk), sentence, at=format_if_known(draft.rejected_at)))
    return steps


def _scenarios(slugs: Collection[str]) -> list[dict[str, Any]]:
    """Return the steps for these scenarios, each after the customers' feedback that it was made from."""
    steps = []
    rows = Scenario.objects.filter(slug__in=slugs).exclude(origin="").order_by("slug") if slugs else ()
    for row in rows:
        for feedback in row.provenance.get("feedback") or ():
            steps.append(_step("feedback", str(feedback), f"A customer's feedback became the scenario {row.slug}."))
        by = f", released by {row.released_by}" if row.released_by else ""
        steps.append(_step("scenario", str(row.pk), f"{row.slug}{by}", at=format_if_known(row.released_at)))
    return steps


def _slugs_of_finding(draft: PromptDraft) -> set[str]:
    """The scenarios of the conversations that the finding was seen in. One query at most."""
    finding = _finding_of(draft)
    if not finding or draft.analysis is None:
        return set()
    rows = Conversation.objects.filter(
        run_id=draft.analysis.evaluation.run_id, external_id__in=finding.get("conversations") or ()
    )
    return {str(slug) for slug in rows.values_list("spec__scenario", flat=True) if slug}


def _finding_of(draft: PromptDraft) -> dict[str, Any]:
    if draft.analysis is None or draft.finding_number is None:
        return {}
    findings = draft.analysis.findings
    return dict(findings[draft.finding_number - 1]) if 1 <= draft.finding_number <= len(findings) else {}


def _finding(draft: PromptDraft) -> list[dict[str, Any]]:
    if draft.analysis is None or draft.finding_number is None:
        return []
    title = str(_finding_of(draft).get("title") or f"Finding {draft.finding_number}")
    return [_step("finding", str(draft.analysis_id), title, evaluation=str(draft.analysis.evaluation_id))]


def _parts(draft: PromptDraft) -> list[dict[str, Any]]:
    """Return the steps of a combined draft: each draft whose words it has, after the finding that it answers."""
    if not draft.parts:
        return []
    named = [part["draft"] for part in draft.parts]
    rows = PromptDraft.objects.select_related("analysis", "line", "base", "version").in_bulk(named)
    by_key = {str(key): row for key, row in rows.items()}
    return [step for key in named if key in by_key for step in (*_finding(by_key[key]), _draft(by_key[key]))]


def _draft(draft: PromptDraft) -> dict[str, Any]:
    whose = "a model" if draft.origin == "model" else draft.created_by or "somebody"
    called = draft.version.version if draft.version_id else f"A draft of {draft.line.name}"
    how = f"combined by {whose} from {many(len(draft.parts), 'draft')}" if draft.parts else f"written by {whose}"
    sentence = f"{called}, {how} against {draft.base.version}"
    return _step("draft", str(draft.pk), sentence, at=format_if_known(draft.created_at))


def _tried(trial: Trial) -> list[dict[str, Any]]:
    steps = [_trial(trial)]
    if trial.decision:
        steps.append(_step("decision", str(trial.pk), trial.sentence, at=format_if_known(trial.decided_at)))
    return steps + [
        _step(
            "person",
            str(trial.pk),
            f"{lifted_block['by']} let {lifted_block['criterion']} be worse: {lifted_block['reason']}",
            at=lifted_block["at"],
        )
        for lifted_block in trial.lifted_blocks
    ]


def _trial(trial: Trial) -> dict[str, Any]:
    title = f"{trial.part.replace('_', '-')} of set {trial.set_number}" if trial.set_number else trial.part
    by = trial.requested_by or "somebody"
    return _step("trial", str(trial.pk), f"Tried by {by} on the {title}", at=format_if_known(trial.created_at))


def _step(step: str, id: str, sentence: str, **more: Any) -> dict[str, Any]:
    return {"step": step, "id": id, "sentence": sentence, **{name: value for name, value in more.items() if value}}

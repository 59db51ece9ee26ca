"""Reflective: one draft after the other, each written from the one before that helped (gepa's search)."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from apps.core.errors import BadInput, Conflict, NotFound
from apps.improvement.analysis.queries.failing_conversations import failing_conversations
from apps.improvement.domain.optimization_states import DraftPlace, LeftOut
from apps.improvement.drafts.domain.states import DraftMode
from apps.improvement.drafts.domain.trial_states import TRIAL_OPEN, TrialStatus
from apps.improvement.drafts.models import Trial
from apps.improvement.drafts.queries.trial_pairs import trial_pairs
from apps.improvement.drafts.services.requesting_trials import playable_rows, request_trial
from apps.improvement.drafts.services.steering_trials import cancel_trial
from apps.improvement.holdout.domain.parts import Part
from apps.improvement.holdout.queries.train_conversations import families_of_conversations
from apps.improvement.optimizer.domain.reflective_rules import MAX_PLAYS, UNSCORED, chosen_families, scores_by_family
from apps.improvement.optimizer.models import Optimization, OptimizationDraft
from apps.improvement.optimizer.queries.search_trials import open_search_trials
from apps.improvement.optimizer.services.drafts import ask_for_draft, leave_out, next_position
from apps.improvement.optimizer.services.reflective_search import SearchStep, Unanswered, run_search, step_documents
from apps.improvement.optimizer.services.requesting_optimizations import trial_choices_of

_NOT_SCORED = (LeftOut.NOT_COMPARED, "Nobody could score it on the train conversations, so it was not tried further.")
_NO_BETTER = "It did no better on the train conversations than what it was written from, so it was not tried further."


def propose(row: Optimization, now: datetime) -> None:
    """Freeze which families the search looks at and chooses by. Some twelve queries. Raises Conflict
    (`nothing_to_reflect`) where no train family that can be played fails in the evaluation."""
    playable = {playable_row.family_name for playable_row in playable_rows(trial_choices_of(row, part=Part.TRAIN))}
    failing = {
        subject.conversation_id for subject in failing_conversations(row.evaluation_id, train_only=True).subjects
    }
    train = playable & set(families_of_conversations(row.evaluation.run_id, failing).values())
    if not train:
        raise Conflict(
            "Reflecting needs conversations of train families that fail: optimize an evaluation of a run that played "
            "all scenarios, or use the mode surgical.",
            code="nothing_to_reflect",
        )
    selection = {playable_row.family_name for playable_row in playable_rows(trial_choices_of(row))}
    chosen = chosen_families(sorted(selection), seed=row.trial_choices["seed"])
    plan = {"train": sorted(train), "selection": chosen, "trials": {}, "steps": [], "most_plays": MAX_PLAYS}
    Optimization.objects.filter(pk=row.pk).update(search=plan)


def search(row: Optimization, now: datetime) -> None:
    """One visit: run the search over what is known, owe what it asks for next, or end it. Some forty queries where a
    trial is asked for. Safe to repeat; in the caller's transaction, which holds the row's lock."""
    if row.line.live_id != row.base_id:
        end_search(
            row, now, why=(LeftOut.NOT_TRIABLE, f"{row.line.live.version} went live in the middle of the search.")
        )
        return
    answers = KeptAnswers(row, now)
    plan = row.search
    try:
        steps = run_search(
            answers,
            live=answers.live,
            train=plan["train"],
            selection=plan["selection"],
            seed=row.trial_choices["seed"],
            most=row.wanted,
        )
    except Unanswered as owed:
        plan_document = {
            **plan,
            "trials": answers.trials,
            "steps": step_documents(owed.steps, _positions(answers.rows)),
        }
        Optimization.objects.filter(pk=row.pk).update(search=plan_document)
        return
    end_search(row, now, steps=steps, trials=answers.trials)


def end_search(
    row: Optimization,
    now: datetime,
    *,
    steps: Sequence[SearchStep] | None = None,
    trials: Mapping[str, str] | None = None,
    why: tuple[LeftOut, str] = (LeftOut.NOT_PURSUED, _NO_BETTER),
) -> None:
    """End a search: nothing more is reflected on.

    A draft that was not tried on the selection is left out, and says why.
    """
    for trial in open_search_trials(row):
        cancel_trial(trial.pk, by="the end of its search", now=now)
    rows = list(row.drafts.filter(place=DraftPlace.FIX).select_related("draft").order_by("position"))
    unscored = {step.draft.strip() for step in steps or () if step.after is None}
    for one in rows:
        if one.trial_id is None and one.draft_id is not None:
            leave_out(one, *(_NOT_SCORED if one.draft.text.strip() in unscored else why))
    search_document = {**row.search, "trials": dict(trials or row.search.get("trials", {}))}
    if steps is not None:
        search_document["steps"] = step_documents(steps, _positions(rows))
    Optimization.objects.filter(pk=row.pk).update(search=search_document, searched_at=now)


def _positions(rows: Sequence[OptimizationDraft]) -> dict[str, int]:
    """Words -> the first draft that has them."""
    positions: dict[str, int] = {}
    for row in rows:
        if row.draft is not None:
            positions.setdefault(row.draft.text.strip(), row.position)
    return positions


class KeptAnswers:
    """The rows' answers to the search; an answer that is not there yet is owed, once."""

    def __init__(self, row: Optimization, now: datetime) -> None:
        self.row, self.now = row, now
        self.live = str(row.base.text)
        self.trials: dict[str, str] = dict(row.search["trials"])
        beside = ("draft__version", "trial")
        self.rows = list(row.drafts.filter(place=DraftPlace.FIX).select_related(*beside).order_by("position"))

    def words(self, number: int, parent: str, families: Sequence[str]) -> str:
        """Return the words of a reflection's draft (see reflective_search.SearchAnswers)."""
        if number > len(self.rows):
            self.rows.append(self._ask(parent, families))
        one = self.rows[number - 1]
        if one.draft is not None:
            return str(one.draft.text)
        if one.left_out:
            return parent
        raise Unanswered

    def scores(self, text: str, families: Sequence[str], *, chooses: bool) -> list[float]:
        """Return the scores of a text by family (see reflective_search.SearchAnswers)."""
        if text.strip() == self.live.strip():
            return [0.0] * len(families)
        row = self._row_of(text)
        trial = self._selection_trial(row) if chooses else self._train_trial(row, families)
        if trial is None or trial.status not in (TrialStatus.COMPLETED, *TRIAL_OPEN):
            return [UNSCORED] * len(families)
        if trial.status in TRIAL_OPEN:
            raise Unanswered
        return scores_by_family(trial_pairs(trial.pk), families)

    def _row_of(self, text: str) -> OptimizationDraft:
        return next(row for row in self.rows if row.draft is not None and row.draft.text.strip() == text.strip())

    def _ask(self, parent: str, families: Sequence[str]) -> OptimizationDraft:
        """Owe the words of the next draft; left out where nothing fails any more that could be reflected on."""
        basis = self._basis(parent, families)
        if not basis["conversations"]:
            why = "Nothing of what it would have been written from fails any more."
            return OptimizationDraft.objects.create(
                optimization=self.row,
                position=next_position(self.row),
                left_out=LeftOut.NOT_PROPOSED,
                left_out_why=why,
            )
        return ask_for_draft(self.row, findings=[], mode=DraftMode.REFLECTIVE, now=self.now, basis=basis)

    def _basis(self, parent: str, families: Sequence[str]) -> dict[str, Any]:
        """Return the basis of a reflection: its parent's draft and the conversations that failed with it.

        The conversations are of these families.
        """
        evaluation, run, one = self.row.evaluation_id, self.row.evaluation.run_id, None
        if parent.strip() != self.live.strip():
            one = self._row_of(parent)
            trial = self._train_trial(one, families)
            side = trial.sides.get(side="draft") if trial is not None else None
            if side is None or side.evaluation_id is None:
                return {"conversations": []}
            evaluation, run = side.evaluation_id, side.test_run_id
        conversations = [item.conversation_id for item in failing_conversations(evaluation, train_only=True).subjects]
        placed = families_of_conversations(run, conversations)
        return {
            "parent": str(one.draft_id) if one is not None else "",
            "after": one.position if one is not None else 0,
            "evaluation": str(evaluation),
            "conversations": [name for name in conversations if placed.get(name) in set(families)],
        }

    def _train_trial(self, draft: OptimizationDraft, families: Sequence[str]) -> Trial | None:
        """The trial of this draft over these families; asked for where there is none. None where it cannot be tried."""
        key = f"{draft.draft_id}|{','.join(sorted(set(families)))}"
        if key not in self.trials:
            choices = replace(
                trial_choices_of(self.row, part=Part.TRAIN), families=tuple(set(families)), futility=False
            )
            made = None if draft.left_out else self._request(draft, choices)
            self.trials[key] = "" if made is None else str(made)
        return Trial.objects.filter(pk=self.trials[key]).first() if self.trials[key] else None

    def _selection_trial(self, draft: OptimizationDraft) -> Trial | None:
        """Return the draft's trial on the families that choose; the matrix shows this trial."""
        if draft.trial is None and not draft.left_out:
            choices = replace(trial_choices_of(self.row), families=tuple(self.row.search["selection"]))
            made = self._request(draft, choices, leave=True)
            if made is not None:
                OptimizationDraft.objects.filter(pk=draft.pk, trial=None).update(trial=made)
                draft.trial = Trial.objects.get(pk=made)
        trial: Trial | None = draft.trial
        return trial

    def _request(self, draft: OptimizationDraft, choices: Any, *, leave: bool = False) -> uuid.UUID | None:
        try:
            return request_trial(draft.draft.pk, choices, by=self.row.requested_by, now=self.now)
        except (BadInput, Conflict, NotFound) as error:
            if leave:
                leave_out(draft, LeftOut.NOT_TRIABLE, error.message)
                draft.left_out = LeftOut.NOT_TRIABLE
            return None

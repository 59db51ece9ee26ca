"""An optimization's rows as the rules take them: what is due next, and how each draft did."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from apps.budgets.domain.scopes import Scope, ScopeKind
from apps.budgets.models import Budget
from apps.improvement.domain.acceptance import AcceptanceVerdict
from apps.improvement.domain.optimization_states import DraftPlace, LeftOut
from apps.improvement.drafts.domain.prompt_merge import combine
from apps.improvement.drafts.domain.release import BREAKER
from apps.improvement.drafts.domain.trial_states import TRIAL_OPEN, TrialStatus
from apps.improvement.optimizer.domain.modes import mode_named
from apps.improvement.optimizer.domain.steps import DraftFacts, OptimizationFacts
from apps.improvement.optimizer.domain.words import TriedDraft, best_of, winners
from apps.improvement.optimizer.models import Optimization, OptimizationDraft
from apps.improvement.optimizer.queries.search_trials import open_search_trials


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimizationState:
    """The drafts with their trials in the order they are tried, what each came to, and the facts."""

    rows: Sequence[OptimizationDraft]
    tried: Sequence[TriedDraft]
    facts: OptimizationFacts

    @property
    def best(self) -> OptimizationDraft | None:
        """The one that helped most on the selection."""
        draft = best_of(self.tried)
        return None if draft is None else next(row for row in self.rows if str(row.pk) == draft.id)

    @property
    def winners(self) -> list[OptimizationDraft]:
        """Single fixes that helped."""
        named = {winner.id for winner in winners(self.tried)}
        return [row for row in self.rows if str(row.pk) in named]


def optimization_state(row: Optimization) -> OptimizationState:
    """Return the state of an optimization. Four queries, one more during a search."""
    beside = ("proposal", "trial", "draft__version", "draft__base", "draft__line__live")
    rows = list(row.drafts.select_related(*beside).order_by("position"))
    tried = [tried_draft(one) for one in rows]
    mode, analysis, proof = mode_named(row.mode), row.analysis, row.proof
    won = {winner.id for winner in winners(tried)}
    facts = OptimizationFacts(
        needs_analysis=mode.needs_analysis and row.wanted > 0,
        analysis=analysis.status if analysis else "",
        analysis_error=analysis.error_message if analysis else "",
        findings=len(analysis.findings) if analysis else 0,
        proposed=row.proposed_at is not None,
        drafts=[_facts(one) for one in rows],
        combined=row.combined_at is not None,
        may_combine=mode.combines and stands_together([one for one in rows if str(one.pk) in won]),
        prove=row.prove,
        has_best=best_of(tried) is not None,
        proof_open=proof is not None and proof.status in TRIAL_OPEN,
        proof=proof is not None,
        budget_spent=budget_spent(row),
        searching=(searching := bool(mode.search) and row.wanted > 0 and row.searched_at is None),
        search_waits=_search_waits(row, rows) if searching and row.proposed_at else "",
    )
    return OptimizationState(rows=rows, tried=tried, facts=facts)


def _search_waits(row: Optimization, rows: Sequence[OptimizationDraft]) -> str:
    """The reason why a search waits: a model's words, or a trial on the families that train or choose."""
    for draft in rows:
        if draft.proposal_id is not None and draft.draft_id is None and not draft.left_out:
            return f"the words of {name_of(draft)}"
        if draft.trial is not None and draft.trial.status in TRIAL_OPEN and not draft.left_out:
            return f"the trial of {name_of(draft)} on the families that choose"
    return "the look at a draft on train families" if open_search_trials(row).exists() else ""


def stands_together(rows: Sequence[OptimizationDraft]) -> bool:
    """Tell whether two fixes and more can be put together without a person's choice.

    No query where drafts are loaded.
    """
    return len(rows) > 1 and not conflicts_of(rows)


def conflicts_of(rows: Sequence[OptimizationDraft]) -> Sequence[Any]:
    """The sections that several winners change in different ways."""
    if len(rows) < 2:
        return ()
    drafts = {str(row.draft_id): str(row.draft.text) for row in rows}
    first = rows[0].draft
    return combine(base=first.base.text, drafts=drafts, live=first.line.live.text, choices={}).conflicts


def tried_draft(draft: OptimizationDraft) -> TriedDraft:
    """Return how a draft did in its trial. No query where the trial is loaded."""
    decision: Mapping[str, Any] = draft.trial.decision if draft.trial is not None and draft.trial.decision else {}
    return TriedDraft(
        id=str(draft.pk),
        name=name_of(draft),
        place=DraftPlace(draft.place),
        estimate=decision.get("estimate"),
        blocked=decision.get("verdict") == AcceptanceVerdict.BLOCKED,
        regressed=BREAKER in decision.get("codes", ()),
        left_out=LeftOut(draft.left_out) if draft.left_out else None,
    )


def name_of(draft: OptimizationDraft) -> str:
    """Return what sentences call the draft: `draft 2`, `the combined draft`."""
    return "the combined draft" if draft.place == DraftPlace.COMBINED else f"draft {draft.position}"


def budget_spent(row: Optimization) -> bool:
    """Tell whether its own budget refused something. One query."""
    scope = Scope(ScopeKind.PULL_REQUEST, row.budget_name)
    return Budget.objects.filter(pk=scope.id, stopped_at__isnull=False).exists()


def _facts(draft: OptimizationDraft) -> DraftFacts:
    trial = draft.trial
    return DraftFacts(
        position=draft.position,
        settled=draft.draft_id is not None or bool(draft.left_out),
        asked=draft.proposal_id is not None,
        ready=draft.draft_id is not None and not draft.left_out,
        trial_open=trial is not None and trial.status in TRIAL_OPEN and not draft.left_out,
        trial_ended=trial is not None and trial.status in set(TrialStatus) - TRIAL_OPEN,
    )

"""The content of the workshop: each live prompt with its drafts, their trials' results, and the next step."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from apps.catalog.models import PromptLine
from apps.core.plurals import many
from apps.dashboard.domain.sentences import Headline
from apps.dashboard.domain.trial_sentences import trial_in_words
from apps.dashboard.queries.criterion_titles import NAMES, Titles
from apps.improvement.drafts.domain.states import DraftStatus
from apps.improvement.drafts.queries.documents import drafts_found, newest_trials
from apps.improvement.models import Optimization, PromptDraft, Trial
from apps.improvement.optimizer.queries.needs_optimization import MissedMark, needing_optimization

MAX_DRAFTS = 8  # of a prompt; the rest is counted
_NEXT = {
    DraftStatus.PROPOSED: "Try it",
    DraftStatus.IN_TRIAL: "Watch the trial",
    DraftStatus.BETTER: "Release it",
    DraftStatus.NOT_SHOWN: "Decide",
    DraftStatus.BLOCKED: "See why",
    DraftStatus.REFUSED: "See why",
    DraftStatus.RELEASED: "Hand it over",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownDraft:
    """A draft in the list. `said` is the sentence of its newest trial, or why guards refused it."""

    row: PromptDraft
    trial: Trial | None
    said: str
    next: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPromptLine:
    line: PromptLine
    drafts: Sequence[ShownDraft]
    more: int
    missed: MissedMark | None
    optimization: Optimization | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkshopPage:
    headline: Headline
    lines: Sequence[ShownPromptLine]


def workshop_page(*, titles: Titles = NAMES) -> WorkshopPage:
    """Return the prompts: by newest draft, then those without one by name. Five queries."""
    lines = list(PromptLine.objects.select_related("live", "agent").order_by("name"))
    drafts = defaultdict(list)
    for row in drafts_found({}).order_by("-id"):
        drafts[row.line_id].append(row)
    trials = newest_trials(row.pk for rows in drafts.values() for row in rows[:MAX_DRAFTS])
    missed = needing_optimization()
    newest = {
        optimization.line_id: optimization
        for optimization in Optimization.objects.order_by("created_at").only("line", "status", "mode")
    }
    lines.sort(key=lambda line: drafts[line.pk][0].pk.int if drafts[line.pk] else 0, reverse=True)
    return WorkshopPage(
        headline=_headline([row for rows in drafts.values() for row in rows], len(lines)),
        lines=[
            ShownPromptLine(
                line=line,
                drafts=[shown_draft(row, trials.get(row.pk), titles) for row in drafts[line.pk][:MAX_DRAFTS]],
                more=max(0, len(drafts[line.pk]) - MAX_DRAFTS),
                missed=missed.get(line.name),
                optimization=newest.get(line.pk),
            )
            for line in lines
        ],
    )


def prompt_names() -> list[str]:
    """The prompts of which something is live. One query."""
    return list(PromptLine.objects.order_by("name").values_list("name", flat=True))


def shown_draft(row: PromptDraft, trial: Trial | None, titles: Titles = NAMES) -> ShownDraft:
    """Return the draft as the page shows it. No query."""
    sentence = trial_in_words(trial.decision, trial.part, titles) or trial.error_message if trial is not None else ""
    if row.status == DraftStatus.REFUSED:
        sentence = str(row.stop_reasons[0]["sentence"]) if row.stop_reasons else ""
    if row.status == DraftStatus.REJECTED:
        sentence = row.reject_reason
    step = _NEXT.get(DraftStatus(row.status), "")
    done = row.status == DraftStatus.RELEASED and row.seen_live_at is not None
    return ShownDraft(row=row, trial=trial, said=sentence, next="" if done else step)


def _headline(drafts: Sequence[PromptDraft], lines: int) -> Headline:
    counts = {status: sum(row.status == status for row in drafts) for status in DraftStatus}
    decided = counts[DraftStatus.BETTER] + counts[DraftStatus.NOT_SHOWN] + counts[DraftStatus.BLOCKED]
    handed = sum(row.status == DraftStatus.RELEASED and row.seen_live_at is None for row in drafts)
    if counts[DraftStatus.BETTER]:
        ready = counts[DraftStatus.BETTER]
        return Headline(text=f"{many(ready, 'draft')} {'is' if ready == 1 else 'are'} shown to be better than live.")
    if decided:
        return Headline(
            text=f"{many(decided, 'draft')} {'was' if decided == 1 else 'were'} tried: none is shown to be better."
        )
    if counts[DraftStatus.IN_TRIAL]:
        return Headline(text=f"{many(counts[DraftStatus.IN_TRIAL], 'draft')} in a trial.")
    if counts[DraftStatus.PROPOSED]:
        waiting = counts[DraftStatus.PROPOSED]
        return Headline(text=f"{many(waiting, 'draft')} {'waits' if waiting == 1 else 'wait'} to be tried.")
    if handed:
        return Headline(text=f"{many(handed, 'draft')} released, not yet seen live.")
    return Headline(text="Nobody has drafted a better prompt yet." if lines else "No prompt is live yet.")

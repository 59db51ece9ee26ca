"""The content of a trial's page: the sentence first, then the interval, the worse criteria, and the next step."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from django.utils import timezone

from apps.dashboard.domain.badge_shapes import Badge
from apps.dashboard.domain.badges import look
from apps.dashboard.domain.figures import dollars, milliseconds
from apps.dashboard.domain.sentences import Headline
from apps.dashboard.domain.trial_sentences import trial_in_words
from apps.dashboard.queries.criterion_titles import NAMES, Titles
from apps.evaluations.requests.domain.run_time import time_in_words
from apps.improvement.domain.acceptance import AcceptanceVerdict
from apps.improvement.drafts.domain.decision_document import GroupMovement, movement
from apps.improvement.drafts.domain.trial_states import TRIAL_OPEN, SideName, TrialStatus
from apps.improvement.drafts.queries.draft_status import deciding_trial
from apps.improvement.drafts.queries.hold_out import HoldOutDocument, hold_out_document
from apps.improvement.drafts.queries.releases import DraftRelease, release_document
from apps.improvement.drafts.queries.trial_families import FamilyDifference, family_differences
from apps.improvement.drafts.queries.trial_guards import SideGuards, trial_guards
from apps.improvement.drafts.queries.trials import TrialDocument, find_trial, trial_document
from apps.improvement.failure_modes.domain.complaints import complaints_sentence
from apps.improvement.failure_modes.queries.complaints import complaints_with
from apps.improvement.holdout.domain.parts import Part
from apps.improvement.models import Trial
from apps.jobs.domain.work_states import FOR_A_WORKER
from apps.jobs.queries.waits_before import waits_before

WIDE = 100  # the plot's own units
_OPEN_ENDS = 99.0  # a bound that so few families cannot give is drawn to the edge


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialLine:
    """A difference as it is drawn, `low` to `high` with the middle at `at`, of 0-100; 50 is none."""

    name: str
    title: str
    families: int
    estimate: float
    interval: Sequence[float | None] | None
    look: Badge
    low: float
    at: float
    high: float
    p: float | None = None
    blocks: bool = False
    lifted: Mapping[str, Any] | None = None

    @property
    def moved(self) -> bool:
        """Tell whether the line shows more than chance; its row is then open, others are folded."""
        return self.look.value not in (GroupMovement.CANNOT_TELL, GroupMovement.TOO_FEW)


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardLine:
    """One figure of each prompt, as text."""

    name: str
    live: str
    draft: str
    change: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftTrialPage:
    """Facts for the page of a trial.

    `deciding`: a release of the draft rests on this trial. `release` is what a release would take, where it decides.
    """

    row: Trial
    found: TrialDocument
    headline: Headline
    live: bool
    verdict: Badge | None
    reach: int
    whole: TrialLine | None
    criteria: Sequence[TrialLine]
    groups: Sequence[TrialLine]
    withheld: int
    flagged: Sequence[str]
    guards: Sequence[GuardLine]
    families: Sequence[FamilyDifference]
    hold_out: HoldOutDocument | None
    deciding: bool
    release: DraftRelease | None
    complaints: str  # which released complaints of this prompt hold with the draft; "" without any
    queue: str  # what is before it while no worker has taken it up

    @property
    def quiet_criteria(self) -> Sequence[TrialLine]:
        """The criteria of which nothing is shown: the page folds them."""
        return [line for line in self.criteria if not line.moved]

    @property
    def quiet_groups(self) -> Sequence[TrialLine]:
        """The personas and languages of which nothing is shown."""
        return [line for line in self.groups if not line.moved]

    @property
    def waits(self) -> str:
        """The reason why it waits, beside how far it is: for money; "" while it goes on."""
        return self.row.waiting_for if self.row.waiting_for.startswith("money") else ""

    @property
    def sealed(self) -> bool:
        """True for a hold-out trial: opening its conversations has a consequence."""
        return bool(self.row.part == Part.HOLD_OUT)


def draft_trial_page(trial_id: uuid.UUID, *, titles: Titles = NAMES) -> DraftTrialPage:
    """Return the page of a trial. Some forty queries, whatever the size; thirty while it goes on. Raises NotFound."""
    row = find_trial(trial_id)
    document = trial_document(row)
    live = row.status in TRIAL_OPEN
    decision = row.decision
    deciding = _decides(row)
    reach = _reach(decision)
    return DraftTrialPage(
        row=row,
        found=document,
        headline=_headline(row, document, titles),
        live=live,
        verdict=look("draft", document.verdict) if document.verdict else None,
        reach=reach,
        whole=_whole(decision, reach) if decision else None,
        criteria=[_line(criterion, reach, titles, row) for criterion in decision.get("criteria", ())],
        groups=[_line(group, reach, {}, row) for group in decision.get("groups", ())],
        withheld=decision.get("groups_withheld", 0),
        flagged=decision.get("flagged", ()),
        guards=_guards(trial_guards(row.pk)) if decision else (),
        families=family_differences(row) if decision else (),
        hold_out=None if live else hold_out_document(),
        deciding=deciding,
        release=release_document(row.draft_id) if deciding else None,
        complaints="" if live else complaints_sentence(complaints_with(row.draft.version.version)),
        queue=waits_before(row.created_at, now=timezone.now()) if row.waiting_for == FOR_A_WORKER else "",
    )


def _decides(row: Trial) -> bool:
    if row.part != Part.HOLD_OUT or row.status != TrialStatus.COMPLETED:
        return False
    newest = deciding_trial(row.draft_id)
    return newest is not None and newest.pk == row.pk


def _headline(row: Trial, document: TrialDocument, titles: Titles) -> Headline:
    """The answer, or how far it is. A lifted block is told beside the sentence, which stays as it was decided."""
    version = row.draft.version.version
    if row.status == TrialStatus.COMPLETED:
        verdict, note = trial_in_words(row.decision, row.part, titles), ""
        if row.lifted and document.verdict and document.verdict != row.decision["verdict"]:
            now = look("draft", document.verdict).label
            lifted = ", ".join(titles.get(name, name) for name in row.lifted)
            note = f"{lifted} may be worse, a person said; what is left: {now}."
        if row.decision["verdict"] == AcceptanceVerdict.BLOCKED:
            return Headline(text="", but=verdict, note=note)
        return Headline(text=verdict, note=note)
    if row.status == TrialStatus.PENDING:
        return Headline(text=f"The trial of {version} begins.", note=f"It waits for {row.waiting_for}.")
    if row.status == TrialStatus.RUNNING:
        done, total = document.progress.done, document.progress.total
        minutes, sample = row.forecast.get("minutes") or 0.0, row.forecast.get("sample") or 0
        expected = f"It was said to take {time_in_words(float(minutes), sample=sample)}. " if sample else ""
        waits = f"Now: {row.waiting_for}. " if row.waiting_for.startswith("money") else ""
        return Headline(
            text=f"{version} and the live prompt play: {done:,} of {total:,} conversations and judgements are done.",
            note=f"{waits}{expected}Nothing is shown before everything has ended.",
        )
    words = "was stopped" if row.status == TrialStatus.CANCELLED else "decided nothing"
    return Headline(text=f"The trial of {version} {words}:", but=row.error_message)


def _reach(decision: Mapping[str, Any]) -> int:
    """Points to either side of the plot's middle."""
    every = [decision, *decision.get("criteria", ()), *decision.get("groups", ())]
    bounds = [bound for one in every for bound in one.get("interval") or () if bound is not None]
    middles = [one["estimate"] for one in every if one.get("estimate") is not None]
    return max(1, *(ceil(abs(float(value))) for value in (*bounds, *middles, 0)))


def _whole(decision: Mapping[str, Any], reach: int) -> TrialLine | None:
    if decision["estimate"] is None:
        return None
    shown = look("group_moved", movement(decision, decision))
    return _drawn(decision, reach, name="", title="Overall", shown=shown)


def _line(one: Mapping[str, Any], reach: int, titles: Titles, row: Trial) -> TrialLine:
    blocks = one["kind"] == "criterion" and one["name"] in row.decision["blocked_criteria"]
    lifted = next((each for each in row.lifted_blocks if each["criterion"] == one["name"]), None) if blocks else None
    return _drawn(
        one,
        reach,
        name=one["name"],
        title=titles.get(one["name"], one["name"]),
        shown=look("group_moved", movement(one, row.decision)),
        p=one["p"],
        blocks=blocks,
        lifted=lifted,
    )


def _drawn(one: Mapping[str, Any], reach: int, *, name: str, title: str, shown: Badge, **more: Any) -> TrialLine:
    def place(value: float) -> float:
        return WIDE / 2 + WIDE / 2 * max(-reach, min(reach, value)) / reach

    estimate = float(one["estimate"])
    low, high = one["interval"] or (estimate, estimate)
    return TrialLine(
        name=name,
        title=title,
        families=one["families"],
        estimate=estimate,
        interval=one["interval"],
        look=shown,
        low=place(-_OPEN_ENDS if low is None else low),
        at=place(estimate),
        high=place(_OPEN_ENDS if high is None else high),
        **more,
    )


def _guards(sides: Mapping[SideName, SideGuards]) -> list[GuardLine]:
    live, draft = sides.get(SideName.LIVE), sides.get(SideName.DRAFT)
    if live is None or draft is None:
        return []
    lines = [
        ("Model cost of the agent, a conversation", live.usd, draft.usd, dollars),
        ("A reply takes", live.latency_ms, draft.latency_ms, lambda value: milliseconds(round(value))),
        ("Characters of a reply", live.chars, draft.chars, lambda value: f"{value:,.0f}"),
        ("Replies in a conversation", live.replies, draft.replies, lambda value: f"{value:.1f}"),
        ("Conversations that did not end", live.failed, draft.failed, lambda value: f"{value:,}"),
    ]
    return [
        GuardLine(name=name, live=_told(ours, words), draft=_told(theirs, words), change=_change(ours, theirs))
        for name, ours, theirs, words in lines
        if ours is not None or theirs is not None
    ]


def _told(value: Any, words: Any) -> str:
    return "–" if value is None else str(words(value))


def _change(ours: float | None, theirs: float | None) -> str:
    if ours is None or theirs is None:
        return "–"
    if not ours:
        return "0 %" if not theirs else "–"
    return f"{(theirs - ours) / ours:+.0%}".replace("%", " %").replace("-", "−")

"""The content of a draft's page, and of the page on which a draft is written."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.urls import NoReverseMatch, reverse

from apps.catalog.models import PromptLine
from apps.core.errors import NotFound
from apps.core.portable.prompt_words import comparable
from apps.dashboard.domain.sentences import Headline
from apps.dashboard.domain.trial_sentences import trial_in_words
from apps.dashboard.prompts.domain.diff import SectionDiff, changed_words, prompt_diff
from apps.dashboard.queries.criterion_titles import NAMES, Titles
from apps.evaluations.models import Evaluation
from apps.improvement.drafts.domain.places import place_in
from apps.improvement.drafts.domain.states import DraftStatus, with_line_ends_of
from apps.improvement.drafts.queries.documents import find_draft, find_line
from apps.improvement.drafts.queries.provenance import provenance_of_draft
from apps.improvement.drafts.queries.releases import DraftRelease, release_document
from apps.improvement.failure_modes.domain.complaints import HeldComplaint, complaints_sentence
from apps.improvement.failure_modes.queries.complaints import complaints_with
from apps.improvement.models import Analysis, PromptDraft, Trial
from apps.runs.domain.kind_traits import BASELINE

SCENARIO, FINDING, TRIAL = "scenario", "finding", "trial"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownReason:
    """A guard's objection to a draft: `line` (from 1) and the words there, where it stands somewhere."""

    code: str
    sentence: str
    line: int | None
    section: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownStep:
    """A step of where it comes from; `url` "" where there is no page of it."""

    what: str
    sentence: str
    at: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftPage:
    headline: Headline
    row: PromptDraft
    finding: Mapping[str, Any] | None
    sections: Sequence[SectionDiff]
    words: int
    refusals: Sequence[ShownReason]
    warnings: Sequence[ShownReason]
    trials: Sequence[Trial]
    steps: Sequence[ShownStep]
    release: DraftRelease
    judged_run: uuid.UUID | None  # the newest run that played it outside a trial and is judged
    complaints: Sequence[HeldComplaint]

    @property
    def complaints_sentence(self) -> str:
        """The sentence on released complaints of this prompt that hold with the draft; "" without any."""
        return complaints_sentence(self.complaints)

    @property
    def unfixed(self) -> bool:
        """Tell whether one of them does not."""
        return any(complaint.unfixed for complaint in self.complaints)

    @property
    def proven(self) -> bool:
        """Tell whether a trial showed it to be better, so that releasing it is what comes next."""
        return self.row.status == DraftStatus.BETTER

    @property
    def handed_over(self) -> bool:
        """Tell whether somebody has still to put it in force."""
        return self.row.status == DraftStatus.RELEASED and self.row.seen_live_at is None


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftForm:
    """The page on which a draft is written: the live prompt, the words so far, what they change."""

    line: PromptLine
    text: str
    note: str
    analysis_id: str
    number: str
    finding: Mapping[str, Any] | None
    sections: Sequence[SectionDiff] = ()
    refusals: Sequence[ShownReason] = ()
    draft_id: str = ""


def draft_page(draft_id: uuid.UUID, *, titles: Titles = NAMES) -> DraftPage:
    """Return the page of a draft. Some thirteen queries. Raises NotFound."""
    row = find_draft(draft_id)
    trials = list(Trial.objects.filter(draft=row).order_by("-created_at", "-id"))
    release = release_document(row.pk)
    sections = prompt_diff(row.base.text, row.text)
    deciding = next((trial for trial in trials if str(trial.pk) == release.trial), trials[0] if trials else None)
    complaints = complaints_with(row.version.version) if row.version_id else ()
    headline = _headline(row, trials[0] if trials else None, titles)
    if any(complaint.unfixed for complaint in complaints):
        headline = replace(headline, note=f"{complaints_sentence(complaints)} {headline.note}".strip())
    return DraftPage(
        headline=headline,
        row=row,
        finding=_finding(row.analysis, row.finding_number),
        sections=sections,
        words=changed_words(sections),
        refusals=shown_reasons(row.text, row.stop_reasons),
        warnings=shown_reasons(row.text, row.guard_warnings),
        trials=trials,
        steps=[_step(one) for one in provenance_of_draft(row, deciding)],
        release=release,
        judged_run=_judged_run(row),
        complaints=complaints,
    )


def draft_form(*, name: str, analysis: str, finding: str, text: str | None = None, note: str = "") -> DraftForm:
    """The form with the live prompt's words, or those that somebody has written. Two queries. Raises NotFound."""
    line = find_line(name)
    number = int(finding) if finding.isdecimal() and len(finding) < 5 else 0
    row = None
    if analysis:
        try:
            row = Analysis.objects.filter(pk=uuid.UUID(analysis)).first()
        except ValueError:
            row = None
        if row is None or not 1 <= number <= len(row.findings):
            raise NotFound(f"There is no finding {finding or '?'} of an analysis {analysis}.")
    words = line.live.text if text is None else with_line_ends_of(line.live.text, text)
    return DraftForm(
        line=line,
        text=words,
        note=note,
        analysis_id=str(row.pk) if row else "",
        number=str(number) if row else "",
        finding=_finding(row, number),
        sections=prompt_diff(line.live.text, words) if text is not None else (),
    )


def shown_reasons(text: str, reasons: Sequence[Mapping[str, Any]]) -> list[ShownReason]:
    """Reasons with the words that they are about."""
    shown = []
    for reason in reasons:
        place = place_in(text, reason.get("span"))
        words = " ".join(text[place["start"] : place["end"]].split()) if place else ""
        shown.append(
            ShownReason(
                code=reason["code"],
                sentence=reason["sentence"],
                line=place["line"] if place else None,
                section=place["section"] if place else "",
                words=words if len(words) <= 160 else f"{words[:159]}…",
            )
        )
    return shown


def _judged_run(row: PromptDraft) -> uuid.UUID | None:
    """One query, none for a refused draft."""
    if not row.version_id:
        return None
    rows = Evaluation.objects.filter(run__plan__prompt_version=row.version.version, run__kind__in=BASELINE)
    rows = rows.exclude(status__in=("failed", "cancelled")).order_by("-created_at")
    return rows.values_list("run_id", flat=True).first()


def _finding(analysis: Analysis | None, number: int | None) -> Mapping[str, Any] | None:
    if analysis is None or not number or number > len(analysis.findings):
        return None
    return {**analysis.findings[number - 1], "evaluation": analysis.evaluation_id, "number": number}


_HEADLINES = {
    DraftStatus.PROPOSED: "This draft waits to be tried against the live prompt.",
    DraftStatus.REFUSED: "This draft is refused: it cannot be tried.",
    DraftStatus.IN_TRIAL: "This draft is being tried against the live prompt.",
}


def _headline(row: PromptDraft, trial: Trial | None, titles: Titles) -> Headline:
    """The headline of a draft: its newest trial's sentence, or its decision once it is released or rejected."""
    version = row.version.version if row.version_id else ""
    verdict = trial_in_words(trial.decision, trial.part, titles) if trial is not None else ""
    if row.status == DraftStatus.RELEASED:
        return Headline(text=f"{version} {_whether_live(row)}.", note=verdict)
    if row.status == DraftStatus.REJECTED:
        return Headline(text=f"{version} is rejected: {row.reject_reason}")
    sentence = verdict or (trial.error_message if trial is not None else "")
    if row.status == DraftStatus.REFUSED or row.status == DraftStatus.IN_TRIAL or not sentence:
        return Headline(text=_HEADLINES.get(DraftStatus(row.status), version))
    return Headline(text=sentence)


def _whether_live(row: PromptDraft) -> str:
    if row.seen_live_at is None:
        return "is released, not yet seen live"
    if comparable(row.line.live.text) == comparable(row.text):
        return "is live"
    return f"went live on {row.seen_live_at:%-d %B %Y}, and is live no more: {row.line.live.version} is"


def _step(one: Mapping[str, Any]) -> ShownStep:
    address = {
        SCENARIO: ("admin:catalog_scenario_change", one["id"]),
        FINDING: ("analysis", one.get("evaluation")),
        TRIAL: ("trial", one["id"]),
    }.get(one["step"])
    url = ""
    if address is not None and address[1]:
        try:
            url = reverse(address[0], args=[address[1]])
        except NoReverseMatch:
            url = ""
    return ShownStep(what=one["step"], sentence=one["sentence"], at=str(one.get("at") or ""), url=url)

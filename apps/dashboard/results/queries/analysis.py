"""The content of the analyzer's panel: findings with a quote, those with a pattern alone, and the doubtful below."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from apps.dashboard.domain.badge_shapes import Badge
from apps.dashboard.domain.badges import look
from apps.dashboard.domain.figures import many
from apps.evaluations.domain.evidence import EvidenceKind
from apps.evaluations.domain.states import AnalysisStatus
from apps.evaluations.models import Judgement
from apps.improvement.analysis.queries.analyses import latest_analysis, prompt_of_analysis
from apps.improvement.drafts.domain.states import ProposalStatus
from apps.improvement.models import Analysis, FixProposal
from apps.improvement.optimizer.queries.proposals import newest_proposals


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisPanel:
    """The content of the panel that shows an evaluation's analysis.

    `sentence` answers what should be changed. It also says where nothing was found, so that the panel is never blank.
    """

    evaluation_id: uuid.UUID
    row: Analysis | None
    pending: bool
    live: bool  # whether something of it still changes by itself
    look: Badge | None
    sentence: str
    held: Sequence[Mapping[str, Any]]
    patterns: Sequence[Mapping[str, Any]]
    doubtful: Sequence[Mapping[str, Any]]
    named: Mapping[str, uuid.UUID]  # the conversations that findings and quotes name
    prompt: str  # whose words a finding may change; "" where no live prompt was played


def analysis_panel(evaluation_id: uuid.UUID) -> AnalysisPanel:
    """The newest analysis of an evaluation, each finding with the newest fix that a model was asked for. Six queries
    at most."""
    row = latest_analysis(evaluation_id)
    findings = _numbered(row) if row is not None and row.findings else []
    believed = [finding for finding in findings if not finding["doubts"]]
    patterns = [finding for finding in believed if finding.get("support") == EvidenceKind.PATTERN]
    quoted = [finding for finding in believed if finding not in patterns]
    doubtful = [finding for finding in findings if finding["doubts"]]
    pending = row is not None and row.status == AnalysisStatus.PENDING
    return AnalysisPanel(
        evaluation_id=evaluation_id,
        row=row,
        pending=pending,
        live=pending or any(_is_open(finding["proposal"]) for finding in findings),
        look=look("analysis", row.status) if row is not None else None,
        sentence=_sentence(row, len(quoted), len(patterns), len(doubtful)),
        held=quoted,
        patterns=patterns,
        doubtful=doubtful,
        named=_named(evaluation_id, findings),
        prompt=prompt_of_analysis(row) if row is not None and findings else "",
    )


def _numbered(row: Analysis) -> list[dict[str, Any]]:
    proposals = newest_proposals(row.pk)
    return [{**finding, "number": at, "proposal": proposals.get(at)} for at, finding in enumerate(row.findings, 1)]


def _is_open(proposal: FixProposal | None) -> bool:
    return proposal is not None and proposal.status == ProposalStatus.PENDING


def _named(evaluation_id: uuid.UUID, findings: Sequence[Mapping[str, Any]]) -> dict[str, uuid.UUID]:
    names = {name for finding in findings for name in finding["conversations"]}
    names |= {quote["conversation"] for finding in findings for quote in finding["evidence"]}
    rows = Judgement.objects.filter(evaluation=evaluation_id, conversation__external_id__in=names)
    return dict(rows.values_list("conversation__external_id", "conversation_id")) if names else {}


def _sentence(row: Analysis | None, quoted: int, patterns: int, doubtful: int) -> str:
    if row is None:
        return "Not analysed yet."
    if row.status == AnalysisStatus.PENDING:
        return f"Being read: {row.waiting_for}." if row.waiting_for else "Being read."
    if row.status == AnalysisStatus.FAILED:
        return f"The analyzer failed: {row.error_message}"
    if not row.failing:
        return str(row.notes[0]) if row.notes else "No conversation fails any criterion."
    read = f"{row.read} of {many(row.failing, 'failing conversation')}"
    if not quoted and not patterns:
        return f"Nothing that can be believed was found in {read}."
    summed = f"; {patterns} more on a pattern alone" if patterns else ""
    more = f"; {doubtful} more could not be believed" if doubtful else ""
    return f"{many(quoted, 'thing')} to change, found in {read}{summed}{more}."

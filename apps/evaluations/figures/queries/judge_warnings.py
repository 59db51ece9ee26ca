"""Warnings about the judge of an evaluation: known faults, its own check, and quotes that stand nowhere."""

from collections.abc import Sequence

from apps.catalog.configs.domain.snapshots import RoleModel
from apps.catalog.configs.queries.judges import check_of_judge
from apps.evaluations.domain.evidence import EvidenceKind
from apps.evaluations.domain.warnings import ResultWarning, WarningCode
from apps.evaluations.models import Evaluation

UNVERIFIED_SHARE = 0.5  # of the quotes; a judge that invents more than it finds has not read what it scores


def judge_warnings(evaluation: Evaluation, evidence: Sequence[tuple[str, str, int]]) -> list[ResultWarning]:
    """Warn of a judge by its check, its noise and its evidence.

    `evidence` are counts by criterion and kind, as `Sums` have them. Two queries; none for offline rules and for scores
    from elsewhere, which no check is made of.
    """
    warnings = []
    judge = evaluation.snapshot["llm_config"]["judge"]
    if judge["provider"] not in ("offline", "imported"):
        snapshot = evaluation.snapshot
        check = check_of_judge(
            RoleModel.from_json(judge),
            template=snapshot.get("system_prompt_template", ""),
            parameters=snapshot["parameters"],
        )
        if check is not None and not check.passed:
            why = "; ".join(check.figures["shortfalls"])
            warnings.append(
                ResultWarning(code=WarningCode.JUDGE_REFUSED, text=f"the judge check refused this judge: {why}")
            )
    quotes = sum(count for _, _, count in evidence)
    unverified = sum(count for _, kind, count in evidence if kind == EvidenceKind.UNVERIFIED)
    if unverified > UNVERIFIED_SHARE * quotes:
        text = (
            f"{unverified} of the judge's {quotes} quotes stand in no conversation: read its reasons before its scores"
        )
        warnings.append(ResultWarning(code=WarningCode.UNVERIFIED_QUOTES, text=text, count=unverified))
    return warnings

"""Tell whether an evaluation's judge is certified today, and correct its figures for known errors."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import OuterRef, Q, QuerySet, Subquery

from apps.calibration.domain.agreement_with_people import CertificateStatus, CertificateVerdict, deciding
from apps.calibration.models import Certificate, CertificateRevocation
from apps.calibration.queries.strata import Stratum, strata_of
from apps.catalog.configs.queries.criterion_titles import NAMES, Titles
from apps.evaluations.models import Evaluation
from apps.statistics.correction import (
    IntervalEstimate,
    Moments,
    ppi_of_moments,
    rogan_gladen_interval,
    rogan_gladen_refusal,
    stratified,
)

NEWEST = 50  # certificates of one evaluator that are looked at
SHOWN = (
    "criterion",
    "language",
    "n",
    "agreement",
    "kappa",
    "kappa_linear",
    "kappa_quadratic",
    "ac1",
    "interval",
    "human_alpha",
    "verdict",
    "reason",
    "decides",
    "raters",
    "left_out",
    "confusion",
    "bias",
)
_WORST_FIRST = (
    CertificateStatus.REFUSED,
    CertificateStatus.EXPIRED,
    CertificateStatus.NONE,
    CertificateStatus.CERTIFIED,
)


def with_revocations() -> QuerySet[Certificate]:
    """Certificates, each with why it is void (`revocation`), None where it is not."""
    revoked = CertificateRevocation.objects.filter(
        fingerprint=OuterRef("fingerprint"), created_at__gte=OuterRef("issued_at")
    )
    return Certificate.objects.annotate(revocation=Subquery(revoked.order_by("created_at").values("reason")[:1]))


def certificate_document(certificate: Certificate) -> dict[str, Any]:
    """A certificate as commands and the API show it."""
    return {
        "id": str(certificate.pk),
        "fingerprint": certificate.fingerprint,
        "evaluator_config": certificate.config_ref,
        "evaluation_id": str(certificate.calibration.evaluation_id),
        "verdict": certificate.verdict,
        "issued_at": certificate.issued_at.isoformat(),
        "valid_until": certificate.valid_until.isoformat(),
        "declared": certificate.declared,
        "labels_digest": certificate.labels_digest,
        "left_out": certificate.declared.get("left_out", []),
        "items": [{key: item[key] for key in SHOWN} for item in certificate.items],
    }


def certification_of(
    evaluation: Evaluation, *, fingerprint: str, scored: int, now: datetime, titles: Titles = NAMES
) -> dict[str, Any]:
    """Return `certificate`, `certificate_note` and `corrected` of an evaluation with this fingerprint.

    The newest certificate of the fingerprint decides for each criterion and language that was judged; the status is the
    worst of them. A certificate of another fingerprint is dead: model, template, criteria or parameters changed.
    `titles` is what the sentence calls criteria; each item has its criterion's name and `title`. Where nobody compared
    this judge with people, `certificate` is None and the note says so. Corrected figures need a certified judge; they
    stand beside the raw ones. One query without a certificate, else two (three where nothing is stored).
    """
    config = evaluation.config_ref.rpartition("@")[0]
    certificates = with_revocations().filter(Q(fingerprint=fingerprint) | Q(config_ref__startswith=f"{config}@"))
    rows = list(certificates.order_by("-issued_at")[:NEWEST])
    ours = [row for row in rows if row.fingerprint == fingerprint and fingerprint]
    if not ours:
        return {"certificate": None, "certificate_note": _without(rows, fingerprint), "corrected": None}
    strata = strata_of(evaluation, fingerprint, scored)
    newest = _newest_items(ours)
    items = [_item(stratum, newest.get((stratum.criterion, stratum.language)), now, titles) for stratum in strata]
    status = next((one for one in _WORST_FIRST if any(item["status"] == one for item in items)), CertificateStatus.NONE)
    until = [item["valid_until"] for item in items if item["valid_until"]]
    lowest = min((item for item in items if item["kappa"] is not None), key=lambda item: item["kappa"], default=None)
    note = _sentence(status, items, min(until, default=""), titles)
    certificate = {
        "status": status.value,
        "reason": note,
        "fingerprint": fingerprint,
        "valid_until": min(until, default=None),
        "kappa": lowest["kappa"] if lowest else None,
        "decides": lowest["decides"] if lowest else "",
        "items": items,
    }
    corrected = _corrected(evaluation, strata, items, newest)
    return {"certificate": certificate, "certificate_note": note, "corrected": corrected}


def _without(rows: Sequence[Certificate], fingerprint: str) -> str:
    if not fingerprint:
        return "Nothing is scored, so the judge is not known."
    if not rows:
        return "Nobody has compared this judge with people."
    return (
        f"The certificate of {rows[0].issued_at:%-d %B %Y} was for another judge: model, template, criteria or "
        "parameters have changed since. Calibrate again."
    )


def _newest_items(rows: Sequence[Certificate]) -> dict[tuple[str, str], tuple[Certificate, Mapping[str, Any]]]:
    newest: dict[tuple[str, str], tuple[Certificate, Mapping[str, Any]]] = {}
    for row in rows:  # newest first
        for item in row.items:
            newest.setdefault((item["criterion"], item["language"]), (row, item))
    return newest


def _item(
    stratum: Stratum, newest: tuple[Certificate, Mapping[str, Any]] | None, now: datetime, titles: Titles
) -> dict[str, Any]:
    title = titles.get(stratum.criterion, stratum.criterion)
    whole: dict[str, Any] = {"criterion": stratum.criterion, "title": title, "language": stratum.language}
    if newest is None:
        return whole | {
            "status": CertificateStatus.NONE.value,
            "reason": "no labels in this language",
            "kappa": None,
            "decides": "",
            "interval": None,
            "n": 0,
            "valid_until": None,
            "certificate": None,
        }
    row, item = newest
    revocation = getattr(row, "revocation", None)
    if item["verdict"] != CertificateVerdict.CERTIFIED:
        status = CertificateStatus.REFUSED
    else:
        holds = now < row.valid_until and not revocation
        status = CertificateStatus.CERTIFIED if holds else CertificateStatus.EXPIRED
    return whole | {
        "status": status.value,
        "reason": revocation or item["reason"],
        "kappa": deciding(item),
        "decides": item["decides"],
        "interval": item["interval"],
        "n": item["n"],
        "valid_until": row.valid_until.isoformat(),
        "certificate": str(row.pk),
    }


TOO_FEW = "too few: "  # how a reason begins that no more says than that labels are missing


def _sentence(status: CertificateStatus, items: Sequence[Mapping[str, Any]], until: str, titles: Titles) -> str:
    at_fault = [item for item in items if item["status"] == status]
    names = sorted({item["criterion"] for item in at_fault})
    shown = ", ".join(titles.get(name, name) for name in names[:3]) + (
        f" and {len(names) - 3} more" if len(names) > 3 else ""
    )
    if status is CertificateStatus.CERTIFIED:
        return f"The judge agrees with people on every criterion, until {until[:10]}."
    if status is CertificateStatus.REFUSED:
        reason = at_fault[0]["reason"].split("; ")[0]
        if all(TOO_FEW in item["reason"] for item in at_fault):
            return f"Not enough labels yet on {shown}: {reason.partition(TOO_FEW)[2]}."
        return f"The judge was refused on {shown}: {reason}."
    if status is CertificateStatus.EXPIRED and "anchors" in at_fault[0]["reason"]:
        return f"{at_fault[0]['reason']} The certificate is void: calibrate again."
    if status is CertificateStatus.EXPIRED:
        return f"The certificate has expired on {shown}. Calibrate again."
    return f"Nobody has compared the judge with people on {shown}." if names else "Nothing is scored yet."


def _corrected(
    evaluation: Evaluation,
    strata: Sequence[Stratum],
    items: Sequence[Mapping[str, Any]],
    newest: Mapping[tuple[str, str], tuple[Certificate, Mapping[str, Any]]],
) -> dict[str, Any] | None:
    """Corrected figures of each criterion that is certified in all its languages. The pass rate is corrected by
    Rogan-Gladen, the mean by PPI (prediction-powered inference). The raw figures stand beside them.
    `pass_rate_note` says why a pass rate is not corrected."""
    status = {(item["criterion"], item["language"]): item["status"] for item in items}
    by_criterion: dict[str, list[Stratum]] = {}
    for stratum in strata:
        by_criterion.setdefault(stratum.criterion, []).append(stratum)
    criteria = {}
    for name, parts in by_criterion.items():
        if all(status[name, part.language] == CertificateStatus.CERTIFIED for part in parts):
            certified = [(part, newest[name, part.language][1]) for part in parts if part.n]
            criteria[name] = {
                "pass_rate": _pass_rate(certified),
                "pass_rate_note": _refusal(certified),
                "mean": _mean(certified),
            }
    if not criteria:
        return None
    return {"criteria": criteria, "weighted_score": _weighted(evaluation, strata, criteria)}


def _pass_rate(parts: Sequence[tuple[Stratum, Mapping[str, Any]]]) -> dict[str, Any] | None:
    rates = []
    for stratum, item in parts:
        counts = item["passes"]
        part = rogan_gladen_interval(stratum.passed, stratum.n, **counts) if counts else None
        if part is None:
            return None
        rates.append((stratum.n, part))
    raw = sum(stratum.passed for stratum, _ in parts) / sum(stratum.n for stratum, _ in parts) if parts else 0.0
    return _beside(raw, stratified(rates), "Rogan-Gladen", (0.0, 1.0))


def _refusal(parts: Sequence[tuple[Stratum, Mapping[str, Any]]]) -> str:
    """Say why the pass rate is not corrected, by the first language that cannot be; "" where it is."""
    for stratum, item in parts:
        counts = item["passes"]
        why = rogan_gladen_refusal(stratum.passed, stratum.n, **counts) if counts else "these labels have no pass mark"
        if why:
            return f"{stratum.language}: {why}" if stratum.language else why
    return ""


def _mean(parts: Sequence[tuple[Stratum, Mapping[str, Any]]]) -> dict[str, Any] | None:
    means = []
    for stratum, item in parts:
        judge = Moments(n=stratum.n, mean=stratum.mean or 0.0, variance=stratum.variance)
        part = ppi_of_moments(judge=judge, errors=Moments(**item["errors"])) if item["errors"] else None
        if part is None:
            return None
        means.append((stratum.n, part))
    n = sum(stratum.n for stratum, _ in parts)
    raw = sum(stratum.n * (stratum.mean or 0.0) for stratum, _ in parts) / n if n else 0.0
    return _beside(raw, stratified(means), "prediction-powered inference", (0.0, 10.0))


def _beside(
    raw: float, estimate: IntervalEstimate | None, method: str, ends: tuple[float, float]
) -> dict[str, Any] | None:
    if estimate is None:
        return None
    low, value, high = (min(ends[1], max(ends[0], one)) for one in (estimate.low, estimate.value, estimate.high))
    return {"raw": raw, "value": value, "interval": [low, high], "method": method}


def _weighted(
    evaluation: Evaluation, strata: Sequence[Stratum], criteria: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any] | None:
    """The headline mean, where every criterion is corrected and nothing is unscored. Its interval adds the criteria's
    half-widths: wide enough however they depend on each other."""
    weights = {criterion["name"]: criterion["weight"] for criterion in evaluation.snapshot["criteria"]}
    means = {name: figures["mean"] for name, figures in criteria.items()}
    total = sum(weights.values())
    if set(weights) != set(means) or not all(means.values()) or any(part.unscored for part in strata) or not total:
        return None
    raw, value, low, high = (
        sum(weights[name] * one for name, one in values.items()) / total
        for values in (
            {name: mean["raw"] for name, mean in means.items()},
            {name: mean["value"] for name, mean in means.items()},
            {name: mean["interval"][0] for name, mean in means.items()},
            {name: mean["interval"][1] for name, mean in means.items()},
        )
    )
    return {"raw": raw, "value": value, "interval": [low, high], "method": "prediction-powered inference"}

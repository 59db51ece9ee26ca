"""Whether a judge is certified: of one fingerprint, today."""

from typing import Any

from apps.evaluations.models import Certificate

SHOWN = (
    "criterion", "language", "n", "agreement", "kappa", "kappa_linear", "kappa_quadratic", "ac1", "interval",
    "human_alpha", "verdict", "reason", "decides", "raters", "left_out", "confusion", "bias",
)  # fmt: skip


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
        "items": [{key: item[key] for key in SHOWN} for item in certificate.items],
    }

"""A certificate ends before its time when something shows that its judge moved since."""

from collections.abc import Collection
from datetime import datetime

from apps.calibration.models import Certificate, CertificateRevocation
from apps.core.events import EventType, log_event
from apps.core.inserting import insert_together


def revoke_certificates(*, fingerprints: Collection[str], reason: str, now: datetime) -> int:
    """Certificates of these judges that were issued until now are void from now on; of how many judges there were any
    that held. A later calibration certifies anew. Two statements; safe to repeat."""
    holding = Certificate.objects.filter(fingerprint__in=list(fingerprints), valid_until__gt=now)
    newest = dict(holding.order_by("issued_at").values_list("fingerprint", "issued_at"))
    revoked = dict(
        CertificateRevocation.objects.filter(fingerprint__in=list(newest))
        .order_by("created_at")
        .values_list("fingerprint", "created_at")
    )
    fresh = [one for one, issued in newest.items() if one not in revoked or revoked[one] < issued]
    insert_together(
        [CertificateRevocation(created_at=now, fingerprint=fingerprint, reason=reason[:300]) for fingerprint in fresh]
    )
    for fingerprint in fresh:
        log_event(EventType.CERTIFICATE_REVOKED, fingerprint=fingerprint, reason=reason)
    return len(fresh)

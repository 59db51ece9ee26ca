"""Home's lines about calibration: ratings that are waited for, certificates that end, models to look at."""

from datetime import datetime, timedelta

from django.urls import reverse

from apps.calibration.domain.agreement_with_people import CertificateVerdict
from apps.calibration.models import Certificate
from apps.calibration.queries.labelling import RoundFigures, latest_figures
from apps.dashboard.domain.figures import many
from apps.dashboard.home.domain.needs import Need, need

SOON = timedelta(days=7)
LONG_AGO = timedelta(days=35)  # a certificate that ended longer ago is no news

RATE, CALIBRATE = "calibration.add_humanlabel", "calibration.add_calibration"


def calibration_needs(now: datetime) -> list[Need]:
    """Return the needs about calibration. Three queries whatever the size."""
    round_ = latest_figures()
    return [*(_round(round_) if round_ else ()), *_ending(now)]


def _round(state: RoundFigures) -> list[Need]:
    found: list[Need] = []
    missing, owner = state.missing, state.round.owner
    if missing:
        owned = "Nobody owns the labelling: an owner names somebody under Settings."
        found.append(
            need(
                "near",
                f"{many(missing, 'rating')} missing for {state.round.month:%B %Y}",
                f"{owner} owns the labelling." if owner else owned,
                reverse("labelling"),
                key=f"ratings {state.round.pk}",
                about=str(state.round.pk),
                count=missing,
                right=RATE,
                verb="Rate",
            )
        )
    if state.reviewed is False:
        found.append(
            need(
                "near",
                "The quarterly review of the pinned models is due",
                "On the same Monday as the labelling: are the judges' models still those you want?",
                reverse("calibration"),
                key=f"models review {state.round.pk}",
                right=CALIBRATE,
                verb="Review",
            )
        )
    return found


def _ending(now: datetime) -> list[Need]:
    """Certified judges whose newest certificate ends within a week, or ended lately."""
    newest: dict[str, Certificate] = {}
    for row in Certificate.objects.filter(issued_at__gte=now - timedelta(days=400)).order_by("-issued_at")[:200]:
        newest.setdefault(row.config_ref.rpartition("@")[0], row)
    return [
        need(
            "near",
            f"The certificate of {row.config_ref} {'has ended' if row.valid_until <= now else 'ends soon'}",
            f"Valid until {row.valid_until:%-d %B %Y}. Calibrate again with what people have rated.",
            reverse("calibration"),
            key=f"certificate {row.pk}",
            right=CALIBRATE,
            verb="Calibrate",
        )
        for row in newest.values()
        if row.verdict == CertificateVerdict.CERTIFIED and now - LONG_AGO < row.valid_until <= now + SOON
    ][:5]

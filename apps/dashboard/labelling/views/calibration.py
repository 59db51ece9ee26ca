"""Pages of calibration: can the judges be believed, and the monthly labelling."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from apps.calibration.domain.labels_reading import write_labels
from apps.calibration.queries.labels import gathered_labels
from apps.calibration.services.certification import request_calibration
from apps.calibration.services.labelling import note_languages, note_models_reviewed, open_round_now
from apps.core.errors import BadInput, Conflict, RatibaError
from apps.dashboard.conversations.views.annotation import LABEL
from apps.dashboard.domain.figures import many
from apps.dashboard.labelling.queries.calibration import calibration_page, certificate_page
from apps.dashboard.page_access import READ, show, staff_page
from apps.dashboard.templatetags.criterion_titles import titles_for
from apps.jobs.wakeups import wake_workers_on_commit
from apps.tenants.context import current_slug

VIEW, CALIBRATE = "calibration.view_certificate", "calibration.add_calibration"


@staff_page(VIEW, methods=READ)
def calibration(request: HttpRequest) -> HttpResponse:
    """The page that shows whether the judges can be believed, and who has still to rate."""
    page = calibration_page(user=request.user.get_username(), now=timezone.now())
    wanted = {"label": LABEL, "calibrate": CALIBRATE, "open": LABEL}
    may = {verb: request.user.has_perm(permission) for verb, permission in wanted.items()}
    return show(request, "labelling/calibration", "Calibration", found=page, may=may)


@staff_page(VIEW, methods=READ)
def certificate(request: HttpRequest, certificate_id: uuid.UUID) -> HttpResponse:
    """The page of a certificate: the judge it certifies, the rule it used, and where judge and people differ."""
    page = certificate_page(certificate_id, now=timezone.now(), titles=titles_for(request))
    return show(request, "labelling/certificate", f"Certificate of {page.certificate.config_ref}", found=page)


@staff_page(CALIBRATE, methods=("POST",))
def calibrate(request: HttpRequest) -> HttpResponse:
    """Compare a config's judge with all labels of this tenant. POST only."""
    try:
        labels = gathered_labels()
        if not labels.items:
            raise BadInput("Nothing has been rated yet.", code="no_labels")
        calibration = request_calibration(
            labels=labels,
            config=request.POST.get("config", ""),
            asked_by=request.user.get_username(),
            now=timezone.now(),
        )
    except RatibaError as error:
        messages.error(request, error.message)
        return redirect("calibration")
    wake_workers_on_commit(current_slug())
    messages.success(request, f"{many(len(labels.items), 'conversation')} are being judged; the certificate follows.")
    if calibration.left_out:
        messages.warning(
            request, f"Rated, and not judged by this config, so left out: {', '.join(calibration.left_out)}."
        )
    return redirect("calibration")


@staff_page(LABEL, methods=("POST",))
def languages(request: HttpRequest) -> HttpResponse:
    """Set which languages this person reads. POST only."""
    try:
        named = request.POST.get("languages", "").replace(",", " ").split()
        stored_languages = note_languages(rater=request.user.get_username(), languages=named)
    except BadInput as error:
        messages.error(request, error.message)
    else:
        messages.success(
            request, f"You read {', '.join(stored_languages)}." if stored_languages else "You read every language."
        )
    return redirect("calibration" if request.user.has_perm(VIEW) else "labelling")


@staff_page(LABEL, methods=("POST",))
def open_labelling(request: HttpRequest) -> HttpResponse:
    """Open this month's labelling round now (POST only). Raters may: its conversations are random."""
    try:
        open_round_now(now=timezone.now())
    except Conflict as error:
        messages.error(request, error.message)
        return redirect("calibration" if request.user.has_perm(VIEW) else "labelling")
    messages.success(request, "The labelling round is open: its conversations wait under Labelling.")
    return redirect("labelling")


@staff_page(CALIBRATE, methods=("POST",))
def reviewed(request: HttpRequest, round_id: uuid.UUID) -> HttpResponse:
    """Record that the pinned models were reviewed this quarter. POST only."""
    note_models_reviewed(round_id=round_id, by=request.user.get_username(), now=timezone.now())
    return redirect("calibration")


@staff_page(VIEW, methods=READ)
def labels_file(request: HttpRequest) -> HttpResponse:
    """Download everything rated here as `human_labelled.yaml`, masked."""
    answer = HttpResponse(write_labels(gathered_labels(to_be_read=True)), content_type="application/yaml")
    answer["Content-Disposition"] = 'attachment; filename="human_labelled.yaml"'
    return answer

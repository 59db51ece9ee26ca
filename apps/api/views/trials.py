"""Trials of drafts: what one would take, how far it is, what it came to; the hold-out sets; the release of a draft."""

import uuid
from datetime import datetime
from typing import Any

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.domain.trial_body import BlockLiftRequest, DraftReleaseRequest, TrialRequest
from apps.api.pages import PAGED, Order, page_of
from apps.api.schema import operation
from apps.api.services.idempotency import StoredResponse
from apps.api.views.base import ApiView, no_body, person_of
from apps.core.actor import actor_now
from apps.core.validation import validate
from apps.improvement.drafts.domain.trial_forecast import TrialForecastOnly
from apps.improvement.drafts.queries.documents import find_draft
from apps.improvement.drafts.queries.hold_out import HoldOutDrawn, hold_out_document
from apps.improvement.drafts.queries.releases import DraftReleased, release_document
from apps.improvement.drafts.queries.trials import find_trial, trial_document, trial_line
from apps.improvement.drafts.services.placing_families import draw_hold_out
from apps.improvement.drafts.services.releasing_drafts import release_draft
from apps.improvement.drafts.services.requesting_trials import plan_trial, request_trial
from apps.improvement.drafts.services.steering_trials import cancel_trial, lift_block
from apps.improvement.models import Trial
from apps.jobs.wakeups import wake_workers_on_commit
from apps.tenants.context import current_slug
from apps.tenants.domain.rights import Right


class TrialView(ApiView):
    """What the views of trials share. A trial may spend one of three looks at a hold-out set, for life and for the
    whole team, so a key needs the scope curate."""

    read_right = Right.READ_TRIALS
    write_right = Right.START_TRIALS


class TrialsOfDraft(TrialView):
    query_names = PAGED

    @operation(
        "createTrial",
        "Play a draft against the live prompt, or say what that would take",
        body="TrialRequest",
        answers={200: "TrialForecastOnly", 202: "Trial"},
        idempotent=True,
    )
    def post(self, request: Request, id: uuid.UUID) -> Response:
        def work(body: Any, now: datetime) -> StoredResponse:
            find_draft(id)  # nobody's id is 404 before anything of the body is looked at
            request = validate(TrialRequest, body)
            if request.forecast_only:
                plan = plan_trial(id, request.choices(), now=now)
                return StoredResponse(
                    status=200, body=TrialForecastOnly(draft=str(id), forecast=plan.forecast.document())
                )
            made = request_trial(id, request.choices(), by=actor_now() or "api", now=now)
            wake_workers_on_commit(current_slug(), "trial")
            return StoredResponse(status=202, body=trial_document(find_trial(made)))

        return self.once(request, work)

    @operation("listTrials", "Trials of a draft, newest first", answers={200: "TrialPage"}, paged=True)
    def get(self, request: Request, id: uuid.UUID) -> Response:
        rows = Trial.objects.filter(draft=find_draft(id))
        page, following, preceding = page_of(request, rows, Order(field="id", read=uuid.UUID, newest_first=True))
        return Response({"results": [trial_line(row) for row in page], "next": following, "previous": preceding})


class TrialDetail(TrialView):
    @operation("getTrial", "How far a trial is, and what it came to", answers={200: "Trial"})
    def get(self, request: Request, id: uuid.UUID) -> Response:
        return Response(trial_document(find_trial(id)))


class CancelTrial(TrialView):
    write_right = Right.STOP_TRIALS

    @operation("cancelTrial", "Stop a trial for good", answers={200: "Trial"}, idempotent=True)
    def post(self, request: Request, id: uuid.UUID) -> Response:
        def work(body: Any, now: datetime) -> StoredResponse:
            find_trial(id)
            no_body(body)
            cancel_trial(id, by=actor_now() or "api", now=now)
            return StoredResponse(status=200, body=trial_document(find_trial(id)))

        return self.once(request, work)


class LiftBlock(TrialView):
    """The answer of a person; a key never gives it."""

    write_right = Right.LIFT_BLOCKS

    @operation(
        "liftBlock",
        "Let a criterion that blocks the draft be worse, with the reason; people only",
        body="BlockLiftRequest",
        answers={200: "Trial"},
    )
    def post(self, request: Request, id: uuid.UUID) -> Response:
        find_trial(id)
        by = person_of(request)
        lift = validate(BlockLiftRequest, self.json_body(request))
        lift_block(id, criterion=lift.criterion, reason=lift.reason, by=by, now=timezone.now())
        return Response(trial_document(find_trial(id)))


class ReleaseOfDraft(ApiView):
    """The answer of a person; a key never gives it."""

    read_right = Right.READ_DRAFTS
    write_right = Right.RELEASE_DRAFTS

    @operation(
        "getDraftRelease", "What a release of this draft would take, and its patch", answers={200: "DraftRelease"}
    )
    def get(self, request: Request, id: uuid.UUID) -> Response:
        return Response(release_document(id))

    @operation(
        "releaseDraft", "Hand a draft over; people only", body="DraftReleaseRequest", answers={200: "DraftReleased"}
    )
    def post(self, request: Request, id: uuid.UUID) -> Response:
        find_draft(id)
        by = person_of(request)
        release = validate(DraftReleaseRequest, self.json_body(request))
        made = release_draft(id, by=by, reason=release.reason, acknowledged=release.acknowledged, now=timezone.now())
        return Response(
            DraftReleased(
                draft=str(made.draft_id),
                version=made.version,
                sentence=made.sentence,
                live=made.live,
                patch=made.patch,
            )
        )


class HoldOut(TrialView):
    @operation(
        "getHoldOut",
        "The hold-out sets: families, looks left, and how many families more are needed",
        answers={200: "HoldOut"},
    )
    def get(self, request: Request) -> Response:
        return Response(hold_out_document())

    @operation(
        "drawHoldOut",
        "Fill the hold-out with families that no trial has played",
        answers={200: "HoldOutDrawn"},
        idempotent=True,
    )
    def post(self, request: Request) -> Response:
        def work(body: Any, now: datetime) -> StoredResponse:
            no_body(body)
            drawn = draw_hold_out(now=now)
            return StoredResponse(status=200, body=HoldOutDrawn(drawn=drawn, hold_out=hold_out_document()))

        return self.once(request, work)

"""A version's judge tried on known answers, asked for by a button and done by a worker."""

import uuid
from datetime import datetime

from apps.catalog.models import EvaluatorConfigVersion
from apps.core.errors import NotFound
from apps.jobs.domain.interactive_states import InteractiveRequest, InteractiveStep
from apps.jobs.services.interactive import request_interactive_job

KIND = "judge_check"


def request_judge_check(*, version_id: uuid.UUID, requested_by: str, now: datetime) -> uuid.UUID:
    """Request a check of this version's judge. Raises NotFound, and Conflict while one is running."""
    if not EvaluatorConfigVersion.objects.filter(pk=version_id).exists():
        raise NotFound(f"There is no evaluator config version {version_id}.")
    return request_interactive_job(kind=KIND, subject_id=version_id, requested_by=requested_by, now=now)


def run(request: InteractiveRequest) -> InteractiveStep:
    """Ask the judge about every known answer; the result is a row of its own (catalog.JudgeCheck) besides."""
    from apps.calibration.services.judge_check import check_judge  # noqa: PLC0415 - a page loads no HTTP client

    return InteractiveStep(answer=check_judge(version_id=request.subject_id, now=request.now).as_json())

"""Prompt versions of agents: record one, list them."""

import uuid
from datetime import datetime
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.domain.prompt_body import PromptRequest
from apps.api.pages import PAGED, Order, page_of
from apps.api.queries.documents import prompt_line
from apps.api.schema import operation
from apps.api.services.idempotency import StoredResponse
from apps.api.views.base import ApiView
from apps.catalog.prompts.queries.versions import prompt_versions
from apps.catalog.prompts.services.recording import record_prompt_text
from apps.core.actor import actor_now
from apps.core.validation import validate
from apps.improvement.optimizer.queries.needs_optimization import needing_optimization
from apps.tenants.domain.rights import Right


class Prompts(ApiView):
    """What an agent was told when it was tested. Written once: another text is another version."""

    query_names = PAGED
    read_right = Right.READ_CATALOG
    write_right = Right.WRITE_CATALOG

    @operation(
        "recordPrompt", "Keep a prompt as a version", body="PromptRequest", answers={200: "PromptLine"}, idempotent=True
    )
    def post(self, request: Request) -> Response:
        def work(body: Any, now: datetime) -> StoredResponse:
            prompt = validate(PromptRequest, body)
            version = record_prompt_text(
                name=prompt.name,
                text=prompt.text,
                revision=prompt.revision,
                draft=prompt.draft,
                by=actor_now() or "api",
            )
            return StoredResponse(status=200, body=prompt_line(prompt_versions().get(version=version)))

        return self.once(request, work)

    @operation("listPrompts", "Prompt versions, newest first", answers={200: "PromptPage"}, paged=True)
    def get(self, request: Request) -> Response:
        order = Order(field="id", read=uuid.UUID, newest_first=True)
        page, following, preceding = page_of(request, prompt_versions(), order)
        missed = {mark.version for mark in needing_optimization().values()}
        lines = [prompt_line(row, missed=missed) for row in page]
        return Response({"results": lines, "next": following, "previous": preceding})

"""Gemini by API key (generativelanguage.googleapis.com). Options: see google_format."""

from urllib.parse import quote

import httpx

from apps.connectors.llms.base import LLMRequest, LLMResponse, ModelSpec
from apps.connectors.llms.endpoint import endpoint
from apps.connectors.llms.google_format import google_body, google_response
from apps.connectors.llms.http_json import post_json

OFFICIAL_BASE_URL = "https://generativelanguage.googleapis.com/v1beta"


class Gemini:
    """A Gemini model by key."""

    def __init__(self, spec: ModelSpec) -> None:
        self.spec = spec
        path = f"/models/{quote(spec.model.removeprefix('models/'), safe='')}:generateContent"
        self._url = endpoint(spec.base_url or OFFICIAL_BASE_URL, path)
        # The key goes in a header: in the query it would end up in access logs.
        self._headers = {"content-type": "application/json"}
        if spec.api_key:
            self._headers["x-goog-api-key"] = spec.api_key

    async def complete(self, request: LLMRequest, *, client: httpx.AsyncClient) -> LLMResponse:
        """See base.LLM.complete."""
        reply = await post_json(
            client,
            self._url,
            headers=self._headers,
            body=lambda left_out: google_body(request, self.spec.options, left_out),
            timeout_s=request.timeout_s,
            spec=self.spec,
        )
        return google_response(reply, self.spec)

"""Gemini on Vertex AI: a service account's key (JSON, in `api_key`), or the machine's own credentials (ADC) without.

Options: `project` (default: the credentials' own), `location` (default global), and those of google_format.
"""

from urllib.parse import quote

import httpx

from apps.connectors.errors import RemoteRefusal
from apps.connectors.llms.base import LLMRequest, LLMResponse, ModelSpec
from apps.connectors.llms.endpoint import endpoint
from apps.connectors.llms.google_format import google_body, google_response
from apps.connectors.llms.google_tokens import access_token
from apps.connectors.llms.http_json import post_json


class Vertex:
    """A Gemini model in a Google Cloud project."""

    def __init__(self, spec: ModelSpec) -> None:
        self.spec = spec

    async def complete(self, request: LLMRequest, *, client: httpx.AsyncClient) -> LLMResponse:
        """See base.LLM.complete. May cost one more request, for an access token, about once an hour."""
        token = await access_token(self.spec.api_key, client=client, timeout_s=request.timeout_s)
        reply = await post_json(
            client,
            self._url(token.project),
            headers={"content-type": "application/json", "authorization": f"Bearer {token.value}"},
            body=lambda left_out: google_body(request, self.spec.options, left_out),
            timeout_s=request.timeout_s,
            spec=self.spec,
        )
        return google_response(reply, self.spec)

    def _url(self, own_project: str | None) -> str:
        location = str(self.spec.options.get("location", "global"))
        project = self.spec.options.get("project") or own_project
        if not project:
            raise RemoteRefusal("vertex: no project: set the model's option `project`", provider=self.spec.label)
        host = "aiplatform.googleapis.com" if location == "global" else f"{location}-aiplatform.googleapis.com"
        path = f"projects/{quote(str(project), safe='')}/locations/{quote(location, safe='')}/publishers/google/models"
        model = f"{path}/{quote(self.spec.model, safe='')}:generateContent"
        return endpoint(self.spec.base_url or f"https://{host}/v1", model)

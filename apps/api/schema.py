"""The OpenAPI document: each view says what it takes and gives, by the names of components()."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema

from apps.api import schemas
from apps.api.schema_answers import answer_components
from apps.api.schema_building import known
from apps.api.schema_requests import EXAMPLES, request_components

PROBLEM = "application/problem+json"
_PROBLEMS = {
    400: "Malformed: `code` and `pointer` say what and where.",
    401: "Unsigned, or signed or keyed wrongly.",
    403: "The key's scopes or the account's permissions do not cover this.",
    404: "Nothing of this tenant has this id.",
    409: "The state of the thing forbids it now, or the first request with this key is still being taken in.",
    413: "Too large: 5 MiB, 500 conversations, 400 turns each.",
    415: "Not uncompressed application/json.",
    422: "Well formed, but names something that cannot be used; or the key was used for another request.",
    429: "Too many requests; see Retry-After.",
}
_READ, _WRITE = (400, 401, 403, 404, 429), (400, 401, 403, 404, 409, 413, 415, 422, 429)


def operation(
    name: str,
    summary: str,
    *,
    answers: Mapping[int, str],
    body: str | None = None,
    idempotent: bool = False,
    paged: bool = False,
    conditional: bool = False,
    media: str = "application/json",
    refusals: Sequence[int] = (),
    filters: Sequence[str] | Mapping[str, str] = (),
) -> Callable[[Any], Any]:
    """Describe one method of a view.

    It has an operation id, a body and answers by component name ("": no body), and errors (`refusals`: those beside
    what every view of its kind has).
    """
    writes = body is not None or idempotent
    responses: dict[Any, Any] = {
        (code, media): OpenApiResponse(known(component), summary) for code, component in answers.items() if component
    }
    responses |= {code: OpenApiResponse(None, "Done.") for code, component in answers.items() if not component}
    if conditional:
        responses[304] = OpenApiResponse(None, "As it was: If-None-Match names its ETag.")
    for code in (*(_WRITE if writes else _READ), *refusals):
        responses[(code, PROBLEM)] = OpenApiResponse(known("Problem"), _PROBLEMS[code])
    return extend_schema(
        operation_id=name,
        summary=summary,
        request={"application/json": known(body)} if body else None,
        responses=responses,
        parameters=[
            *_parameters(idempotent=idempotent, paged=paged, conditional=conditional),
            *(OpenApiParameter(name, OpenApiTypes.STR, description=what) for name, what in _described(filters)),
        ],
        examples=[
            OpenApiExample(title, value=value, request_only=True) for title, value in EXAMPLES.get(body or "", ())
        ],
    )


def _described(filters: Sequence[str] | Mapping[str, str]) -> Iterable[tuple[str, str]]:
    return filters.items() if isinstance(filters, Mapping) else ((name, "Of the subject, exactly.") for name in filters)


def _parameters(*, idempotent: bool, paged: bool, conditional: bool) -> Sequence[OpenApiParameter]:
    parameters = []
    if idempotent:
        what = "Same key and body: the stored answer again. 1 to 255 visible ASCII characters."
        schema = {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"}
        parameters.append(OpenApiParameter("Idempotency-Key", schema, "header", description=what))
    if conditional:
        parameters.append(
            OpenApiParameter("If-None-Match", OpenApiTypes.STR, "header", description="An ETag you have.")
        )
    if paged:
        limit = {"type": "integer", "minimum": 1, "maximum": 200, "default": 50}
        parameters.append(OpenApiParameter("limit", limit, description="Rows on a page."))
        parameters.append(OpenApiParameter("cursor", OpenApiTypes.STR, description="From `next` or `previous`."))
    return parameters


def components() -> dict[str, Any]:
    """{name: JSON Schema} of every shape of the API. Raises ValueError where two have one name."""
    parts = request_components()
    by_hand = (
        import_module(f"{schemas.__name__}.{module.name}").COMPONENTS for module in iter_modules(schemas.__path__)
    )
    for more in (answer_components(), *by_hand):
        if twins := parts.keys() & more.keys():
            raise ValueError(f"two shapes have one name: {', '.join(sorted(twins))}")
        parts |= more
    return parts


def add_components(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Add the named components and the headers of answers, as a hook of drf-spectacular."""
    result.setdefault("components", {}).setdefault("schemas", {}).update(components())
    for methods in result["paths"].values():
        for described in methods.values():
            if "requestBody" in described:
                described["requestBody"]["required"] = True
            for code, answer in described.get("responses", {}).items():
                answer.update(_headers(code, described))
    return result


def _headers(code: str, described: Mapping[str, Any]) -> dict[str, Any]:
    parameters = {parameter["name"] for parameter in described.get("parameters", ())}
    headers: dict[str, Any] = {}
    if code == "429":
        headers["Retry-After"] = {"description": "Seconds.", "schema": {"type": "integer"}}
    if code == "401":
        headers["WWW-Authenticate"] = {"schema": {"type": "string"}}
    if code in ("200", "304") and "If-None-Match" in parameters:
        headers["ETag"] = {"schema": {"type": "string"}}
    if code in ("200", "202") and "Idempotency-Key" in parameters:
        what = "true: this answer was given before."
        headers["Idempotency-Replayed"] = {"description": what, "schema": {"type": "string"}}
    return {"headers": headers} if headers else {}


class SignatureScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # spectacular registers subclasses so
    target_class = "apps.api.authentication.SignatureAuthentication"
    name = "webhookSignature"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        what = "Standard Webhooks (standardwebhooks.com): webhook-id, webhook-timestamp, webhook-signature. POST only."
        return {"type": "apiKey", "in": "header", "name": "webhook-signature", "description": what}


class KeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # as above
    target_class = "apps.api.authentication.ApiKeyAuthentication"
    name = "apiKey"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {"type": "http", "scheme": "bearer", "bearerFormat": "rk_…"}


class StaffScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # as above
    target_class = "apps.api.authentication.StaffAuthentication"
    name = "session"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        what = "A signed-in member of staff. A POST sends the cookie csrftoken as the header X-CSRFToken too."
        return {"type": "apiKey", "in": "cookie", "name": "sessionid", "description": what}

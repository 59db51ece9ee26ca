"""What every view of the API shares: limits, who may, how often, and answers given once."""

import hashlib
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.api.authentication import WRONG_MEDIA, ApiKeyAuthentication, SignatureAuthentication, StaffAuthentication
from apps.api.domain.json_body import parse_body
from apps.api.permissions import MayDoThis
from apps.api.services.idempotency import (
    IdempotencyClaim,
    StoredResponse,
    digest_of_request,
    idempotency_key,
    run_once,
    scope_of,
)
from apps.api.throttling import PerCaller
from apps.core.errors import BadInput
from apps.core.events import EventType, log_event
from apps.core.shapes import Shape
from apps.core.validation import validate
from apps.improvement.holdout.queries.sealing import refuse_sealed
from apps.tenants.domain.rights import Right

MAX_BODY_BYTES = 5 * 1024 * 1024
API_ROOT = "/api/v1/"


class AlwaysJson(BaseContentNegotiation):
    """We speak JSON, whatever Accept says (RFC 9110 §15.5.7 allows it): a 406 helps nobody."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return None

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> Any:
        return renderers[0], renderers[0].media_type


class ApiView(APIView):
    """Parse, call one service or query, answer. Reading takes one right, anything else the other."""

    authentication_classes = [SignatureAuthentication, ApiKeyAuthentication, StaffAuthentication]
    permission_classes = [MayDoThis]
    throttle_classes = [PerCaller]
    content_negotiation_class = AlwaysJson
    query_names: tuple[str, ...] = ()  # what a GET reads from the query string
    read_right = Right.READ_RUNS
    write_right = Right.JUDGE
    reads_conversations = False  # whether its ids are of runs, evaluations or conversations: some belong to a hold-out

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Before anybody is asked who they are: too large is refused by its announced size, without reading it."""
        check_size(request._request)
        super().initial(request, *args, **kwargs)
        check_query(request, self.query_names if request.method in ("GET", "HEAD") else ())
        if self.reads_conversations:
            refuse_sealed(list(kwargs.values()))

    def json_body(self, request: Request) -> Any:
        """The body as JSON. Raises BadInput; only JSON in UTF-8, uncompressed, is read."""
        raw = request._request.body
        if raw:
            _check_media(request)
        return parse_body(raw)

    def base_address(self, request: Request) -> str:
        return request.build_absolute_uri(API_ROOT)

    def once(self, request: Request, work: Callable[[Any, Any], StoredResponse]) -> Response:
        """Answer a POST: `work(body, now)` for the first request of its keys, and the kept answer ever after."""
        body = self.json_body(request)
        claims, now = _claims(request, body), timezone.now()
        answer = run_once(claims=claims, now=now, work=lambda: work(body, now))
        response = Response(answer.body or None, status=answer.status)
        if answer.replayed:
            response["Idempotency-Replayed"] = "true"
            log_event(EventType.REQUEST_REPLAYED, path=request.path)
        return response

    def decided(
        self, request: Request, id: uuid.UUID, act: Callable[[Any, datetime], object], *, document: Callable[[Any], Any]
    ) -> Response:
        """A decision about a row: `act(body, now)` calls one service; then the row's document as it is then."""

        def work(body: Any, now: datetime) -> StoredResponse:
            document(id)  # nobody's id is 404 before anything of the body is looked at
            act(body, now)
            return StoredResponse(status=200, body=document(id))

        return self.once(request, work)


def person_of(request: Request) -> str:
    """The name of the signed-in person. For views whose right no key has, so that there is one."""
    caller: Any = request.auth
    return str(caller.user.get_username())


@dataclass(frozen=True, slots=True)
class NoBody(Shape):
    """Nothing."""


def no_body(body: Any) -> None:
    """Raise `unknown_field` for anything in the body of a request that takes none."""
    validate(NoBody, body)


def check_query(request: Request, known: Sequence[str]) -> None:
    """Raise `unknown_parameter` for what nobody reads, and for what stands twice: a filter that does nothing would be
    taken for one that found everything."""
    for name, values in request.query_params.lists():
        if name not in known:
            there = f"there are {', '.join(known)}" if known else "there are none here"
            raise BadInput(f"There is no query parameter {name!r}; {there}.", code="unknown_parameter")
        if len(values) > 1:
            raise BadInput(f"The query parameter {name!r} stands {len(values)} times.", code="duplicate")
        if "\x00" in values[0]:
            raise BadInput(f"The query parameter {name!r} holds a NUL, which no text here has.", code="bad_parameter")


def check_size(request: HttpRequest) -> None:
    """Raise `body_too_large` beyond 5 MiB: by Content-Length at once, else by what came."""
    announced = request.META.get("CONTENT_LENGTH") or ""
    too_large = announced.isdecimal() and int(announced[:20]) > MAX_BODY_BYTES
    if not too_large and request.method not in ("GET", "HEAD", "OPTIONS"):
        too_large = len(request.body) > MAX_BODY_BYTES
    if too_large:
        raise BadInput(
            f"The body is larger than {MAX_BODY_BYTES} bytes: send fewer conversations.", code="body_too_large"
        )


def _check_media(request: Request) -> None:
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("", "identity"):
        raise BadInput(f"Content-Encoding {encoding!r} is not read: send it plain.", code="unsupported_encoding")
    media = (request.content_type or "").partition(";")[0].strip().lower()
    if media != "application/json" and not media.endswith("+json"):
        raise BadInput(f"Content-Type is {media or 'missing'}: send application/json.", code=WRONG_MEDIA)


def _claims(request: Request, body: Any) -> list[IdempotencyClaim]:
    """The keys of this request. A signed `webhook-id` counts for every address; an Idempotency-Key for this one."""
    caller: Any = request.auth
    digest = digest_of_request(request.method or "", request.path, body)
    claims = []
    if caller.signed_id:
        name = caller.signed_id
        key = name if len(name) <= 255 else hashlib.sha256(name.encode()).hexdigest()
        claims.append(IdempotencyClaim(scope="webhook-id", key=key, digest=digest))
    if (client_key := request.headers.get("Idempotency-Key")) is not None:
        scope = scope_of(caller.principal, request.method or "", request.path)
        claims.append(IdempotencyClaim(scope=scope, key=idempotency_key(client_key), digest=digest))
    return claims

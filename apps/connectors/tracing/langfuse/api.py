"""One request to the public API of a Langfuse by its own generated client, sent by our guarded one (ADR 0208)."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import httpx

from apps.connectors.agents.http_exchange import HttpAsk, delivered_once, fetch, refuse_bad_status
from apps.connectors.callbacks import CallbackOutcome
from apps.connectors.errors import AddressRefused, BadReply, ConnectorError, RateLimited, Unreachable
from apps.connectors.tracing.langfuse.address import LangfuseAddress

if TYPE_CHECKING:
    from langfuse.api import AsyncLangfuseAPI


@dataclass(frozen=True, slots=True, kw_only=True)
class LangfuseAnswer:
    """Langfuse's answer to a request that was taken.

    It has the object as it came ({} for anything else), and `data`, the client's model of it. Who only writes does not
    look at it: a server of another version has taken it, too.
    """

    document: Mapping[str, Any]
    status: int
    size: int
    read: Any = None
    unreadable: BadReply | None = None

    @property
    def data(self) -> Any:
        """The answer's data. Raises BadReply for an answer that the client cannot read."""
        if self.unreadable is not None:
            raise self.unreadable
        return self.read


class LangfuseApi:
    """The API of one project. `who` names it in messages, without its key."""

    def __init__(self, address: LangfuseAddress) -> None:
        self._address = address
        self.who = f"the Langfuse at {address.base_url.rstrip('/')}"

    async def ask(
        self, client: httpx.AsyncClient, call: "Callable[[AsyncLangfuseAPI], Awaitable[Any]]", *, within_s: float,
        pauses: tuple[float, ...] = (), rows_as_they_came: bool = False,
    ) -> LangfuseAnswer:  # fmt: skip
        """Ask Langfuse through `call`. One request, and one after each of `pauses` if it did not arrive.
        Raises a ConnectorError for anything but a 2xx. The first call imports the client (0.6 s). `rows_as_they_came`
        makes no models of the rows (0.8 s for 1,000); `document` has them."""
        from langfuse.api import AsyncLangfuseAPI  # noqa: PLC0415 - 60 MB of packages, for who has a Langfuse
        from langfuse.api.core.api_error import ApiError  # noqa: PLC0415 - as above
        from pydantic import ValidationError  # noqa: PLC0415 - as above

        sender = _GuardedSender(client, self.who, within_s, pauses, rows_as_they_came)
        api = AsyncLangfuseAPI(
            base_url=self._address.base_url.rstrip("/"), username=self._address.public_key,
            password=self._address.secret_key, httpx_client=sender, timeout=within_s,  # type: ignore[arg-type]  # all it asks for
        )  # fmt: skip
        read, unreadable = None, None
        try:
            read = await call(api)
        except (ApiError, ValidationError, RecursionError) as error:
            unreadable = BadReply(f"{self.who} {_unreadable(error)}", raw=sender.answer.text)
        answer = sender.answer
        return LangfuseAnswer(
            document=json_of(answer), status=answer.status_code, size=len(answer.content), read=read,
            unreadable=unreadable,
        )  # fmt: skip


class _GuardedSender:
    """The HTTP client that a generated client is given.

    It sends one guarded request each, never tried again by its own rules; an answer that is no 2xx is our error.
    """

    def __init__(
        self, client: httpx.AsyncClient, who: str, within_s: float, pauses: tuple[float, ...], without_rows: bool
    ) -> None:
        self._client, self._who, self._within_s, self._pauses = client, who, within_s, pauses
        self._without_rows = without_rows
        self.answer = httpx.Response(204)

    async def request(
        self, *, method: str, url: str, headers: Mapping[str, str], params: Any = None, json: Any = None, **_: Any
    ) -> httpx.Response:
        own = {**headers, "accept": "application/json"}
        ask = HttpAsk(
            who=self._who, method=method, url=f"{url}?{urlencode(params)}" if params else url, timeout_s=self._within_s,
            headers=own if json is None else {**own, "content-type": "application/json"}, content=_body(json),
        )  # fmt: skip
        self.answer = await delivered_once(lambda: fetch(self._client, ask), pauses=self._pauses)
        refuse_bad_status(self.answer, self._who)
        document = json_of(self.answer) if self._without_rows else {}
        if isinstance(document.get("data"), list):
            return httpx.Response(self.answer.status_code, json={**document, "data": []})
        return self.answer


def _body(document: Any) -> bytes | None:
    return None if document is None else json.dumps(document, ensure_ascii=False).encode("utf-8", "replace")


def _unreadable(error: Exception) -> str:
    """Say that an answer is another than the client knows, and where.

    Pydantic's own words would quote the text there.
    """
    where = ""
    if errors := getattr(error, "errors", None):
        first = errors(include_url=False, include_input=False)[0]
        where = f" ({'.'.join(map(str, first['loc']))}: {first['msg']})"[:120]
    return (
        f"answers otherwise than its API of today{where}: is this the address of a Langfuse, of version 4.59 or newer?"
    )


def json_of(response: httpx.Response) -> Mapping[str, Any]:
    """The object that it holds; {} for anything else."""
    try:
        document = json.loads(response.content)
    except (ValueError, RecursionError):
        document = None
    return document if isinstance(document, Mapping) else {}


def failed(error: ConnectorError) -> CallbackOutcome:
    """Return the outcome of an attempt that ended in this error.

    A refusal by the guard and a malformed request (400, 413, 422) are final; a key, an address and an outage may be
    mended, so another attempt may help.
    """
    return CallbackOutcome(
        delivered=False,
        status=error.status,
        error=error.message[:200],
        refused=isinstance(error, AddressRefused) or error.status in (400, 413, 422),
        retry_after_s=error.retry_after if isinstance(error, RateLimited) else None,
        timed_out=isinstance(error, Unreachable) and error.timed_out,
    )

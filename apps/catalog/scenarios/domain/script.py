"""Read how a scenario is played beside its persona's own words: lines, files, and HTTP calls around it.

turns:                              # the customer's, in order; after the last one the persona goes on
      - Habari, nataka kunyoa.          # said as it stands
      - free: 2                         # two turns in the persona's own words
      - {say: Hii hapa., attachments: [{name: note.txt, text: Paid.}]}
      - end: true                       # the customer says nothing more
    attachments: [{name: id.png, base64: …}]    # with the first turn
    before: [{url: "https://…/reset", body: {session: "{{ conversation }}"}}]
    after: [{url: "https://…/clean"}]

`before` gives a remote agent a fresh state, `after` takes it away. A hook is POST unless `method` says so, and succeeds
with a status of 2xx, or with `status`. Address and body may hold {{ conversation }}, {{ scenario }}, {{ attempt }}.
"""

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any

from apps.catalog.connections.domain.secret_names import refuse_secrets
from apps.catalog.domain import field_readers as checks
from apps.connectors.agents.templates import Template
from apps.core.errors import BadInput

KEYS = ("turns", "attachments", "before", "after")
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110, 5.6.2
HOOK_NAMES = ("conversation", "scenario", "attempt")
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
MAX_TURNS = 400
MAX_HOOKS = 10
MAX_FILE_BYTES = 1_000_000  # of all files of a scenario together: they stand in its row


def read_script(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The script among a scenario's keys, as plain data; empty where there is none. Raises BadInput."""
    script: dict[str, Any] = {}
    for name, read in (("turns", _turns), ("attachments", _files), ("before", _hooks), ("after", _hooks)):
        value = read(raw[name], f"/{name}") if raw.get(name) is not None else []
        if value:
            script[name] = value
    size = sum(len(file["base64"]) * 3 // 4 for file in files_of_script(script))
    if size > MAX_FILE_BYTES:
        raise BadInput(f"the files have {size:,} bytes together; the limit is {MAX_FILE_BYTES:,}", pointer="/turns")
    return script


def script_document(script: Mapping[str, Any]) -> dict[str, Any]:
    """The script's keys as a file writes them: read again, they are the same script."""
    plain = [turn["say"] if set(turn) == {"say"} else dict(turn) for turn in script.get("turns") or ()]
    return {**({"turns": plain} if plain else {}), **{key: script[key] for key in KEYS[1:] if script.get(key)}}


def files_of_script(script: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Every file of a script, {"name", "base64", "media_type"?}."""
    turns = [attachment for turn in script.get("turns") or () for attachment in turn.get("attachments") or ()]
    return [*(script.get("attachments") or ()), *turns]


def _header_name(name: str, at: str) -> str:
    if not _TOKEN.fullmatch(name):
        raise BadInput(f"{at}/headers: {name!r} is no header's name", pointer=f"{at}/headers")
    return name


def _header_value(value: Any, at: str) -> str:
    text = checks.text(value, at)
    if not text.isascii() or not text.replace("\t", " ").isprintable():
        raise BadInput(f"{at} must be printable ASCII in one line", pointer=at)
    return text


def read_request(raw: Any, at: str, *, known: tuple[str, ...], method: str) -> dict[str, Any]:
    """An HTTP call as a scenario names it; `known` are the keys it may have. Raises BadInput."""
    data = checks.mapping(raw, at)
    checks.only(data, known, at)
    url = checks.text(data.get("url"), f"{at}/url", required=True, limit=2000)
    if not url.lower().startswith(("http://", "https://")):
        raise BadInput(f"{at}/url begins with http:// or https://", pointer=f"{at}/url")
    headers = checks.json_mapping(data.get("headers"), f"{at}/headers")
    refuse_secrets(headers, f"{at}/headers")
    call: dict[str, Any] = {
        "url": url,
        "method": checks.one_of(str(data.get("method", method)).upper(), METHODS, f"{at}/method"),
    }
    if headers:
        call["headers"] = {
            _header_name(name, at): _header_value(value, f"{at}/headers/{name}") for name, value in headers.items()
        }
    if data.get("body") is not None:
        call["body"] = checks.plain_json(data["body"], f"{at}/body")
    if data.get("status") is not None:
        call["status"] = checks.integer(data["status"], f"{at}/status", low=100, high=599)
    for key in ("url", "body"):
        Template(call.get(key, ""), f"{at}/{key}", names=HOOK_NAMES)
    return call


def _turns(raw: Any, pointer: str) -> list[dict[str, Any]]:
    items = checks.listing(raw, pointer)
    if len(items) > MAX_TURNS:
        raise BadInput(f"{pointer} has {len(items)} entries; the limit is {MAX_TURNS}", pointer=pointer)
    turns = [_turn(item, f"{pointer}/{index}") for index, item in enumerate(items)]
    for index, turn in enumerate(turns[:-1]):
        if "end" in turn:
            raise BadInput(f"{pointer}/{index}: nothing comes after `end`", pointer=f"{pointer}/{index + 1}")
    return turns


def _turn(item: Any, at: str) -> dict[str, Any]:
    if isinstance(item, str):
        return {"say": checks.text(item, at, required=True)}
    data = checks.mapping(item, at)
    kinds = [key for key in ("say", "free", "end") if key in data]
    if len(kinds) != 1:
        raise BadInput(f"{at} is a text, or has one of say, free, end", pointer=at)
    if kinds == ["say"]:
        checks.only(data, ("say", "attachments"), at)
        files = _files(data.get("attachments") or [], f"{at}/attachments")
        words = checks.text(data["say"], f"{at}/say", required=not files)
        return {"say": words} | ({"attachments": files} if files else {})
    checks.only(data, kinds, at)
    if kinds == ["end"]:
        if data["end"] is not True:
            raise BadInput(f"{at}/end can only be true", pointer=f"{at}/end")
        return {"end": True}
    return {"free": checks.integer(data["free"], f"{at}/free", low=1, high=MAX_TURNS)}


def _files(raw: Any, pointer: str) -> list[dict[str, Any]]:
    return [_file(item, f"{pointer}/{index}") for index, item in enumerate(checks.listing(raw, pointer))]


def _file(item: Any, at: str) -> dict[str, Any]:
    data = checks.mapping(item, at)
    checks.only(data, ("name", "text", "base64", "media_type"), at)
    name = checks.text(data.get("name"), f"{at}/name", required=True, limit=255)
    if ("text" in data) == ("base64" in data):
        raise BadInput(f"{at} holds its content as `text` or as `base64`", pointer=at)
    if "text" in data:
        words = checks.text(data["text"], f"{at}/text", limit=MAX_FILE_BYTES)
        content = base64.b64encode(words.encode()).decode()
    else:
        content = "".join(checks.text(data["base64"], f"{at}/base64", limit=2 * MAX_FILE_BYTES).split())
        try:
            base64.b64decode(content, validate=True)
        except (binascii.Error, ValueError):
            raise BadInput(f"{at}/base64 is not base64", pointer=f"{at}/base64") from None
    media = checks.text(data.get("media_type"), f"{at}/media_type", limit=100)
    return {"name": name, "base64": content} | ({"media_type": media} if media else {})


def _hooks(raw: Any, pointer: str) -> list[dict[str, Any]]:
    items = checks.listing(raw, pointer)
    if len(items) > MAX_HOOKS:
        raise BadInput(f"{pointer} has {len(items)} calls; the limit is {MAX_HOOKS}", pointer=pointer)
    known = ("url", "method", "headers", "body", "status")
    return [read_request(item, f"{pointer}/{index}", known=known, method="POST") for index, item in enumerate(items)]

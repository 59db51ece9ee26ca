"""Leave parameters that a server has refused by name out of later requests.

Servers that speak one format differ in what they take: a schema for the answer, the name of the limit, a temperature, a
seed. A refusal that names such a field is no fault of the question: it is asked again without it, and that is
remembered of the model: by the process, and by all of them where a `SharedMemory` is given.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from apps.connectors.errors import RemoteRefusal
from apps.connectors.llms.schemas import BOUNDS
from apps.connectors.llms.spec import ModelSpec

LeftOut = frozenset[str]
BOUNDS_NAME = "schema_bounds"
# Names that may be left out; what a server may call them beside the field's own name.
_NAMES: Mapping[str, str] = {
    # Before the schema itself, which such a refusal names as well; a server may only say that its grammar failed.
    BOUNDS_NAME: "|".join((*sorted(BOUNDS), "grammar", r"json[ _]schema contains", "xgrammar|outlines|guidance")),
    "json_schema": r"json_schema|response_format|structured[ _]outputs?|output_config|output_format|"
    r"responseJsonSchema|response_json_schema|guided_json",
    "json_object": r"json_object|response_format|json mode",
    "max_tokens": r"max_tokens",
    "max_completion_tokens": r"max_completion_tokens",
    "temperature": r"temperature",
    "seed": r"seed",
}
_REFUSES = re.compile(
    r"unsupported|not supported|do(?:es)?(?: not|n't) support|failed to (?:parse|compile|build)|unknown|"
    r"unrecogni[sz]ed|unexpected|not permitted|not allowed|"
    r"extra (?:inputs|fields)|cannot find field|deprecated|not a valid (?:field|parameter)|invalid parameter",
    re.IGNORECASE,
)
_KNOWN: dict[tuple[str, str, str], LeftOut] = {}


class SharedMemory(Protocol):
    """The memory of all processes about a model, by a key of theirs. It raises nothing: a memory that is away knows
    nothing."""

    def read(self, key: str) -> LeftOut: ...

    def write(self, key: str, names: LeftOut) -> None: ...


_SHARED: list[SharedMemory] = []


def share_refusals(memory: SharedMemory) -> None:
    """Remember refusals there too; whoever starts the processes says so once."""
    _SHARED[:] = [memory]


def left_out_for(spec: ModelSpec) -> LeftOut:
    """The parameters that this model's server has refused so far. The shared memory is asked once a process and
    model."""
    key = _key(spec)
    if key not in _KNOWN:
        _KNOWN[key] = frozenset().union(*(one.read(_digest(key)) & _NAMES.keys() for one in _SHARED))
    return _KNOWN[key]


def learn_refusal(spec: ModelSpec, error: RemoteRefusal, body: Mapping[str, Any]) -> bool:
    """Remember the field of this body that a refusal names; return False if none or known."""
    name = _refused(error, body)
    known = left_out_for(spec)
    if name is None or name in known or len(known) >= len(_NAMES):
        return False
    key = _key(spec)
    _KNOWN[key] = known | {name}
    for one in _SHARED:
        one.write(_digest(key), one.read(_digest(key)) | _KNOWN[key])
    return True


def forget_refusals() -> None:
    """Ask everything of everybody again, and share nothing (tests)."""
    _KNOWN.clear()
    _SHARED.clear()


def _refused(error: RemoteRefusal, body: Mapping[str, Any]) -> str | None:
    if error.status not in (400, 404, 422) or not _REFUSES.search(error.message):
        return None
    param = _param(error.raw)
    for name in _sent(body):
        named = (
            error.message if name == BOUNDS_NAME else param or error.message
        )  # the field named is the whole schema's
        if re.search(rf"(?<!\w)(?:{_NAMES[name]})(?!\w)", named, re.IGNORECASE):
            return name
    return None


def _sent(body: Mapping[str, Any]) -> Iterator[str]:
    """The names of _NAMES that a body holds, in whatever format."""
    inner = body.get("generationConfig") or body
    shape = (body.get("response_format") or {}).get("type")
    if shape == "json_schema" and _bounded(body["response_format"]):
        yield BOUNDS_NAME
    if shape == "json_schema" or "format" in (body.get("output_config") or {}) or "responseJsonSchema" in inner:
        yield "json_schema"
    if shape == "json_object":
        yield "json_object"
    yield from (name for name in ("max_tokens", "max_completion_tokens", "temperature", "seed") if name in inner)


def _bounded(node: Any) -> bool:
    if isinstance(node, Mapping):
        return bool(BOUNDS & set(node)) or any(map(_bounded, node.values()))
    return isinstance(node, list) and any(map(_bounded, node))


def _param(raw: str) -> str:
    """The field that an error of OpenAI's form names, "" for none."""
    try:
        error = json.loads(raw).get("error")
    except (ValueError, AttributeError, RecursionError):
        return ""
    param = error.get("param") if isinstance(error, Mapping) else None
    return param if isinstance(param, str) else ""


def _digest(key: tuple[str, str, str]) -> str:
    return hashlib.sha256(json.dumps(key).encode()).hexdigest()


def _key(spec: ModelSpec) -> tuple[str, str, str]:
    return spec.label, spec.base_url or "", spec.model

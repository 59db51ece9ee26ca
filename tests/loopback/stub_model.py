"""A model provider for benchmarks and fault drills: right answers at a set pace, wrong ones at a set rate.

    python -m tests.loopback.stub_model --port 8199 --latency-ms 50 --fault-429 0.1 --prose 0.1 --hang 0.05

It speaks OpenAI chat, Anthropic Messages and Gemini (base URLs: /v1, nothing, /v1beta) and answers a judge's question
for exactly the criteria in the JSON Schema it was sent. A score depends on nothing but the transcript and the name of
the criterion, so a checker can tell the right one (`right_score`, `key_of_turns`). Faults depend on seed, transcript
and how often it was asked about, so a run can be repeated. `#key=NAME` in a conversation names it in the counts.

GET /stats: {"calls", "by_outcome", "conversations", "most_at_once", "per_key": {NAME: {"calls", "ok"}}}; POST /reset.
"""

import argparse
import asyncio
import hashlib
import json
import re
import signal
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tests.loopback import formats
from tests.loopback.http_server import Answer, HttpProtocol, Request

MARKER = re.compile(r"#key=([\w.-]+)")
FENCE = re.compile(r"<<<TRANSCRIPT ([^>\n]*)>>>\n(.*)\n<<<END TRANSCRIPT \1>>>", re.DOTALL)
_SPOKEN = re.compile(r"^\[(\d+)\] assistant: (\S[^\n]{0,79})", re.MULTILINE)


TELLS = ("retry-after", "retry-after-ms", "x-ratelimit", "nothing")
HANG_S = 600.0  # longer than anybody waits


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    """Shares are 0 to 1 and must not add up to more than 1."""

    latency_s: float = 0.05
    rate_limited: float = 0.0
    broken: float = 0.0
    prose: float = 0.0
    cut: float = 0.0
    hang: float = 0.0
    retry_after_s: int = 1
    seed: int = 1
    takes: float = 0.0  # calls a second; 0: all
    tells: str = "retry-after"


def right_score(key: str, criterion: str) -> float:
    """The one right score, 0 to 10 in halves, for a conversation's key and a criterion."""
    digest = hashlib.blake2b(f"{key}|{criterion}".encode(), digest_size=4).digest()
    return (int.from_bytes(digest) % 21) / 2


def key_of_transcript(body: str) -> str:
    """What stands for a conversation: its `#key=` marker, or a digest of the transcript between the fences."""
    marker = MARKER.search(body)
    return marker[1] if marker else hashlib.blake2b(body.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def key_of_turns(turns: Sequence[Mapping[str, Any]]) -> str:
    """The same from the turns of a conversation document, for a checker."""
    # Lazy: the stub itself knows nothing of the product.
    from apps.evaluations.domain.transcript import render_transcript  # noqa: PLC0415

    found = FENCE.search(render_transcript(turns, nonce="x"))
    assert found is not None
    return key_of_transcript(found[2])


class StubModel:
    """The handler behind the server, and its counts."""

    def __init__(self, behaviour: Behaviour) -> None:
        self.behaviour = behaviour
        self.reset()

    def reset(self) -> None:
        self.outcomes: Counter[str] = Counter()
        self.asked: Counter[str] = Counter()
        self.marked: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.open = 0
        self.hanging = False
        self.most_at_once = 0
        self.level, self.level_at = 1.0, time.monotonic()

    def _is_too_fast(self) -> bool:
        """A token bucket that holds one call."""
        if not self.behaviour.takes:
            return False
        now = time.monotonic()
        self.level = min(1.0, self.level + (now - self.level_at) * self.behaviour.takes)
        self.level_at = now
        if self.level < 1:
            return True
        self.level -= 1
        return False

    def _told(self) -> dict[str, str]:
        wait = self.behaviour.retry_after_s
        return {
            "retry-after": {"retry-after": str(wait)},
            "retry-after-ms": {"retry-after-ms": str(wait * 200)},
            "x-ratelimit": {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": f"{wait}s"},
        }.get(self.behaviour.tells, {})

    def stats(self) -> dict[str, Any]:
        return {
            "calls": self.outcomes.total(),
            "by_outcome": dict(self.outcomes),
            "conversations": len(self.asked),
            "most_at_once": self.most_at_once,
            "per_key": {key: dict(counts) for key, counts in self.marked.items()},
        }

    def __call__(self, request: Request) -> Answer:
        kind = formats.kind_of(request.path)
        if kind is None:
            return self._own(request)
        self.open += 1
        self.most_at_once = max(self.most_at_once, self.open)
        asyncio.get_running_loop().call_later(self.behaviour.latency_s, self._closed)
        try:
            answer = self._answer(kind, request)
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            self.outcomes["400"] += 1
            answer = formats.error(kind, 400, f"the stub cannot read this: {error!r}")
        answer.delay_s = HANG_S if self.hanging else self.behaviour.latency_s
        return answer

    def _closed(self) -> None:
        self.open -= 1

    def _own(self, request: Request) -> Answer:
        if request.method == "POST" and request.path == "/reset":
            self.reset()
            return Answer(status=204)
        if request.path == "/stats":
            return Answer(body=json.dumps(self.stats()).encode())
        return Answer(body=b'{"ready": true}') if request.path in ("/", "/health") else Answer(status=404)

    def _answer(self, kind: str, request: Request) -> Answer:
        body = json.loads(request.body)
        model, prompt, schema = _question(kind, body, request.path)
        fence = FENCE.search(prompt)
        nonce, transcript = (fence[1], fence[2]) if fence else ("", prompt)
        key = key_of_transcript(transcript)
        self.asked[key] += 1
        outcome = "429" if self._is_too_fast() else self._outcome(key)
        self.hanging = outcome == "hang"
        self.outcomes[outcome] += 1
        if MARKER.search(transcript):
            self.marked[key].update(("calls", outcome) if outcome == "ok" else ("calls",))
        if outcome == "429":
            return formats.error(kind, 429, "stub", headers=self._told())
        if outcome == "500":
            return formats.error(kind, 500, "stub")
        text = _reply(schema, key, nonce, transcript)
        if outcome == "prose":
            text = "Overall the agent did rather well: I would give it a solid seven out of ten."
        elif outcome == "cut":
            text = text[: len(text) // 2]
        tokens = (200 + len(prompt) // 4, len(text) // 4)
        return formats.answer(kind, text, model=model, finish="length" if outcome == "cut" else "stop", tokens=tokens)

    def _outcome(self, key: str) -> str:
        behaviour = self.behaviour
        text = f"{behaviour.seed}|{key}|{self.asked[key]}"
        drawn = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=6).digest()) / 2**48
        shares = {
            "429": behaviour.rate_limited,
            "500": behaviour.broken,
            "prose": behaviour.prose,
            "cut": behaviour.cut,
            "hang": behaviour.hang,
        }
        for outcome, share in shares.items():
            if drawn < share:
                return outcome
            drawn -= share
        return "ok"


def _question(kind: str, body: Mapping[str, Any], path: str) -> tuple[str, str, Mapping[str, Any] | None]:
    """Model, last user message and schema, wherever this wire format keeps them."""
    if kind in ("google", "vertex"):
        model = path.rpartition("/")[2].partition(":")[0]
        schema = body.get("generationConfig", {}).get("responseJsonSchema")
        return model, body["contents"][-1]["parts"][0]["text"], schema
    content = body["messages"][-1]["content"]
    prompt = content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
    if kind == "anthropic":
        return body["model"], prompt, body.get("output_config", {}).get("format", {}).get("schema")
    return body["model"], prompt, body.get("response_format", {}).get("json_schema", {}).get("schema")


def _reply(schema: Mapping[str, Any] | None, key: str, nonce: str, transcript: str) -> str:
    properties = (schema or {}).get("properties", {})
    if "scores" not in properties:
        return json.dumps(_sample(schema)) if schema else "I have nothing to say in particular."
    spoken = _SPOKEN.search(transcript)
    # Put together by hand: json.dumps of the whole would be a third of a request's cost.
    evidence = quoted(f"[{spoken[1]}] {spoken[2].strip()}") if spoken else ""
    before = f'{{"reason":"as the stub reckons","evidence":[{evidence}],'
    scores = ",".join(
        f"{quoted(name)}:{before}{quoted(number)}:{right_score(key, name)}}}"
        for name, number in _names(properties["scores"])
    )
    echo = f'"nonce":{quoted(nonce)},' if "nonce" in properties else ""
    return f'{{{echo}"scores":{{{scores}}}}}'


@lru_cache(maxsize=4096)
def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _names(scores: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """Each criterion, and the key of its number: the one that is neither reason nor evidence."""
    for name, entry in scores.get("properties", {}).items():
        yield name, number_key(entry)


def number_key(entry: Mapping[str, Any]) -> str:
    """The key under which this entry of the schema wants its number."""
    return next((key for key in entry.get("properties", {}) if key.startswith("score")), "score")


def _sample(schema: Any) -> Any:
    """Something that fits a simple schema."""
    kind = schema.get("type") if isinstance(schema, Mapping) else None
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        return {name: _sample(inner) for name, inner in schema.get("properties", {}).items()}
    return {"string": "As you say.", "boolean": True, "number": 1, "integer": 1, "array": []}.get(str(kind))


async def serve(stub: StubModel, host: str, port: int) -> None:
    """Serve until SIGTERM or SIGINT; prints one line with the address when ready."""
    loop = asyncio.get_running_loop()
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopped.set)
    open_connections: set[HttpProtocol] = set()
    server = await loop.create_server(lambda: HttpProtocol(stub, open_connections), host, port, backlog=1024)
    print(f"stub model ready at http://{host}:{server.sockets[0].getsockname()[1]}", flush=True)
    await stopped.wait()
    server.close()
    for connection in list(open_connections):
        connection.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one (default)")
    parser.add_argument("--latency-ms", type=float, default=50.0)
    parser.add_argument("--retry-after", type=int, default=1, help="seconds a 429 asks to wait")
    parser.add_argument("--takes", type=float, default=0.0, help="calls a second, one at a time; 0: all (default)")
    parser.add_argument("--tells", default="retry-after", help="what a 429 carries", choices=TELLS)
    parser.add_argument("--seed", type=int, default=1)
    for name in ("fault-429", "fault-500", "prose", "cut", "hang"):
        parser.add_argument(f"--{name}", type=float, default=0.0, help="share of calls, 0 to 1")
    chosen = parser.parse_args()
    behaviour = Behaviour(
        latency_s=chosen.latency_ms / 1000,
        rate_limited=chosen.fault_429,
        broken=chosen.fault_500,
        prose=chosen.prose,
        cut=chosen.cut,
        hang=chosen.hang,
        retry_after_s=chosen.retry_after,
        seed=chosen.seed,
        takes=chosen.takes,
        tells=chosen.tells,
    )
    asyncio.run(serve(StubModel(behaviour), chosen.host, chosen.port))


if __name__ == "__main__":
    main()

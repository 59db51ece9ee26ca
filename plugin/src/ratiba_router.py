"""Choose the prompt version of a conversation: the stable one, or a canary for a few of a hundred.

One file without dependencies: copy it into an agent, or install `pytest-ratiba`. The answer comes from a table in
memory that a thread refreshes from a Ratiba Eval server; a conversation never waits for the network. Without a server,
with one that is down for a minute, and after a rollback, every conversation gets the stable version that is bundled.

    router = ratiba_router.start(folder="prompts", server="https://acme.example.org", key=os.environ["RATIBA_API_KEY"])
    ratiba_router.providers["anthropic"] = MyProvider()            # has `async call(model=, system_prompt=, …)`
    ratiba_router.role_assignments["greeting"] = {"provider": "anthropic", "model": "claude-opus-4-7"}
    reply = await ratiba_router.call_for_role("greeting", tenant_id, conversation_id, system_prompt, user_prompt)

`prompts/` holds one file a role (`greeting.md`), and `aliases.yaml` where the stable version has another file:

    greeting:
      stable: greeting
      canary: greeting_short
"""

import encodings.idna  # noqa: F401 - a lookup that a fork cuts off in its import would fail for ever in the child
import hashlib
import json
import logging
import os
import re
import subprocess
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID

REFRESH_S = 10.0
STALE_S = 60.0  # a table older than this may miss a rollback: everybody is stable then
_MAX_BYTES = 8 * 1024 * 1024
_SUFFIXES = (".md", ".txt", ".prompt")
_VARIABLE = re.compile(
    r"\{\{-?\s*(?P<a>[^{}\n]{1,200}?)\s*-?\}\}|\$\{(?P<b>\w{1,100})\}|\{(?P<c>[A-Za-z_][\w.]{0,100})\}"
)

_log_once = cache(logging.getLogger("ratiba_router").warning)  # each reason once: it may concern every answer

role_assignments: dict[str, dict[str, str]] = {}  # role → {"provider", "model"}
providers: dict[str, Any] = {}  # name → an object with `async call(model=, system_prompt=, user_prompt=, …)`


@dataclass(frozen=True)
class PromptText:
    """A prompt version and its words."""

    prompt_version: str
    text: str


@dataclass(frozen=True)
class LLMResponse:
    """A response is the provider's answer, and names the prompt that the provider was given.
    `alias` is stable, canary, or custom where the caller's own words were sent."""

    content: Any
    prompt_version: str
    alias: str


@dataclass
class Router:
    """The table of one agent. `bundled` maps role and alias to what the agent carries; `routes` is what the server
    said last: {role: {"percentage", "canary": PromptText or None, "forced", "promoted": PromptText or None}}."""

    bundled: dict[tuple[str, str], PromptText]
    routes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    read_at: float = float("-inf")
    clock: Callable[[], float] = time.monotonic
    counts: Counter[str] = field(default_factory=Counter)

    def resolve(self, role: str, tenant_id: UUID | str, conversation_id: UUID | str) -> tuple[str, PromptText]:
        """The alias of this conversation and its prompt. KeyError for a role without a stable prompt."""
        stable = self.bundled[(role, "stable")]
        route = self.routes.get(role) if self.clock() - self.read_at <= STALE_S else None
        if not route:
            return "stable", stable
        digest = _digest(tenant_id, conversation_id)
        if route["canary"] and (int(digest, 16) % 100 < route["percentage"] or digest in route["forced"]):
            return "canary", route["canary"]
        return "stable", route["promoted"] or stable

    def take(self, answer: Mapping[str, Any]) -> None:
        """Make what the server answered the table. ValueError for another shape: the former table stays."""
        routes = {}
        for role, route in answer["roles"].items():
            percentage, forced = route["percentage"], frozenset(route.get("forced") or ())
            if type(percentage) is not int or not 0 <= percentage <= 100:
                raise ValueError(f"percentage of {role}")
            canary, promoted = (_prompt_text(route.get(name)) for name in ("canary", "promoted"))
            routes[role] = {"percentage": percentage, "canary": canary, "forced": forced, "promoted": promoted}
        self.routes, self.read_at = routes, self.clock()


def _prompt_text(given: Mapping[str, Any] | None) -> PromptText | None:
    if given is not None and not all(given[name] and type(given[name]) is str for name in ("prompt_version", "text")):
        raise ValueError("a prompt without its version or its text")
    return None if given is None else PromptText(given["prompt_version"], given["text"])


_router = Router(bundled={})


def bucket(tenant_id: UUID | str, conversation_id: UUID | str) -> int:
    """0 to 99, the same for ever for this caller and conversation."""
    return int(_digest(tenant_id, conversation_id), 16) % 100


def _digest(tenant_id: UUID | str, conversation_id: UUID | str) -> str:
    return hashlib.sha256(f"{tenant_id}:{conversation_id}".encode()).hexdigest()


def resolve_prompt_alias(role: str, alias: str = "stable") -> str:
    """The version that this alias of the role names in what the agent carries. KeyError where there is none."""
    return _router.bundled[(role, alias)].prompt_version


async def _resolve_prompt_for_canary(role: str, tenant_id: UUID, conversation_id: UUID) -> str:
    """The version that answers this conversation."""
    return _router.resolve(role, tenant_id, conversation_id)[1].prompt_version


async def call_for_role(
    role: str,
    tenant_id: UUID,
    conversation_id: UUID,
    system_prompt: str,
    user_prompt: str,
    schema: dict[str, Any] | None = None,
    max_tokens: int | None = None,
    *,
    variables: Mapping[str, str] | None = None,
) -> LLMResponse:
    """Ask the role's model with the prompt of this conversation.

    `system_prompt` is the stable text, filled with the caller's variables or not; a canary is filled with the same
    ones. Words that are not the stable text (`comparable`) are sent as they are and counted as custom, in neither arm;
    the log says why, once. Give `variables` where a value may hold words of the prompt. KeyError for a role that nobody
    assigned.
    """
    assignment = role_assignments[role]
    alias, prompt = _router.resolve(role, tenant_id, conversation_id)
    stable = _router.bundled[(role, "stable")]
    text, version = _text(stable.text, prompt.text, system_prompt, variables), prompt.prompt_version
    if text is None:
        alias, text, version = "custom", system_prompt, "custom"
        how = "as `variables` fills it" if variables is not None else "with its variables filled"
        _log_once(
            f"{role}: sent as they are (custom), no canary: system_prompt is not the stable file {how}, or "
            f"{prompt.prompt_version} wants a variable that they lack"
        )
    _router.counts[f"{role}:{alias}"] += 1
    content = await providers[assignment["provider"]].call(
        model=assignment["model"], system_prompt=text, user_prompt=user_prompt, schema=schema, max_tokens=max_tokens
    )
    return LLMResponse(content=content, prompt_version=version, alias=alias)


def comparable(text: str) -> str:
    """The text as it is compared: a line ends in a line feed alone, and nothing blank stands at the end."""
    return text.replace("\r\n", "\n").replace("\r", "\n").rstrip()


def _text(stable: str, chosen: str, given: str, variables: Mapping[str, str] | None) -> str | None:
    stable, words = comparable(stable), comparable(given)
    values = values_in(stable, words) if variables is None else variables
    plain = words == stable and not variables
    if not plain and (values is None or comparable(fill(stable, values) or "") != words):
        return None
    return given if comparable(chosen) == stable else chosen if plain else fill(chosen, values or {})


def fill(template: str, values: Mapping[str, str]) -> str | None:
    """The template with its variables filled, once: a value is never read as a template. None where one is missing."""
    if any(_name(found) not in values for found in _VARIABLE.finditer(template)):
        return None
    return _VARIABLE.sub(lambda found: values[_name(found)], template)


def values_in(template: str, filled: str) -> dict[str, str] | None:
    """The values that a filled template holds. None where it is another text, or where they could be read in two ways:
    a value that holds the words that follow it. Linear."""
    names = [_name(found) for found in _VARIABLE.finditer(template)]
    words = _literals(template)
    if not filled.startswith(words[0]):
        return None
    values = dict[str, str]()
    at = len(words[0])
    for place, name in enumerate(names):
        after, last = words[place + 1], place == len(names) - 1
        end = len(filled) - len(after) if last else filled.find(after, at) if after else -1
        if end < at or not filled.startswith(after, end) or (after and filled.find(after, at) != end):
            return None
        if values.setdefault(name, filled[at:end]) != filled[at:end]:
            return None
        at = end + len(after)
    ambiguous = any(word.strip() and word in value for word in words for value in values.values())
    return values if at == len(filled) and not ambiguous else None


def _literals(template: str) -> list[str]:
    words, at = [], 0
    for found in _VARIABLE.finditer(template):
        words.append(template[at : found.start()])
        at = found.end()
    return [*words, template[at:]]


def _name(found: re.Match[str]) -> str:
    return next(part for part in found.groups() if part)


def start(*, folder: str | Path = "prompts", server: str = "", key: str = "") -> Router:
    """Read the prompts that the agent carries, and, with a server, begin to refresh the table every 10 seconds."""
    global _router
    _router = Router(bundled=bundled_prompts(Path(folder)))
    if server:
        _start_refreshing(_router, server, key)
    return _router


def _start_refreshing(router: Router, server: str, key: str) -> None:
    """In this process, and in every one that is forked from it: a web server's workers have no thread of its parent."""

    def begin() -> None:
        threading.Thread(target=_refresh, args=(router, server, key), daemon=True, name="ratiba-router").start()

    begin()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=begin)


def bundled_prompts(folder: Path) -> dict[tuple[str, str], PromptText]:
    """Role and alias → version and text, of a folder's files and its `aliases.yaml`. ValueError for an alias of a
    prompt that is not there. The version is `<name>@<git short sha>`, from `versions.lock` (lines of `<name>@<sha>`)
    where there is no git, else of the text's own digest."""
    texts = {file.stem: file for file in sorted(folder.iterdir()) if file.suffix in _SUFFIXES}
    prompts = {name: PromptText(_version(name, file), file.read_text(encoding="utf-8")) for name, file in texts.items()}
    bundled = {(name, "stable"): prompt for name, prompt in prompts.items()}
    listed = folder / "aliases.yaml"
    for role, alias, name in _aliases(listed.read_text(encoding="utf-8")) if listed.exists() else ():
        if name.split("@")[0] not in prompts:
            raise ValueError(f"{listed}: {role} names the prompt {name!r}, and {folder} has no file of it")
        bundled[(role, alias)] = prompts[name.split("@")[0]]
    return bundled


def _aliases(text: str) -> list[tuple[str, str, str]]:
    """(role, alias, prompt) of the flat YAML shown above. ValueError with the line of anything else."""
    found, role = [], ""
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.split(" #")[0].rstrip()
        if not bare or bare.lstrip().startswith("#"):
            continue
        outer = re.fullmatch(r"([\w-]+):", bare)
        inner = re.fullmatch(r"\s+(stable|canary):\s*['\"]?([\w.@-]+)['\"]?", bare)
        if outer:
            role = outer.group(1)
        elif inner and role:
            found.append((role, inner.group(1), inner.group(2)))
        else:
            raise ValueError(f"aliases.yaml, line {number}: neither a role nor `stable:` or `canary:` of one: {line!r}")
    return found


def _version(name: str, file: Path) -> str:
    lock = file.parent / "versions.lock"
    for line in lock.read_text(encoding="utf-8").splitlines() if lock.exists() else ():
        if line.startswith(f"{name}@"):
            return line.strip()
    changed = _git(file.parent, "status", "--porcelain", "--", file.name)
    sha = _git(file.parent, "log", "-1", "--format=%h", "--abbrev=7", "--", file.name) if changed == "" else ""
    return f"{name}@{sha or 'sha256-' + hashlib.sha256(file.read_bytes()).hexdigest()[:12]}"


def _git(folder: Path, *words: str) -> str | None:
    command = ["git", "-C", str(folder), *words]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def _refresh(router: Router, server: str, key: str) -> None:
    while True:
        read_routes(router, server, key)
        time.sleep(REFRESH_S)


def read_routes(router: Router, server: str, key: str) -> bool:
    """Ask the server once; whether it answered with a table. Nothing is raised; why it did not is logged once."""
    request = urllib.request.Request(  # noqa: S310 - the operator's own address
        f"{server.rstrip('/')}/api/v1/prompts/routes/", headers={"Authorization": f"Bearer {key}"}
    )
    try:
        with urllib.request.urlopen(request, timeout=REFRESH_S) as answer:  # noqa: S310
            router.take(json.loads(answer.read(_MAX_BYTES)))
    except Exception as error:
        _log_once(f"no prompt table, so all get the stable one: {error} (the key needs the scope read)")
        return False
    return True

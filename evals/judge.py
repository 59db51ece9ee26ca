"""A pack's judge as an agent: it is sent a conversation, and answers with what it gives each criterion.

The packs' templates, rubrics and criteria are what a change may make worse; so this agent asks with those of its own
working tree, as the product asks.
"""

import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx
import yaml

from apps.core.errors import BadInput
from apps.evaluations.domain.parsing import parse_reply
from apps.evaluations.domain.prompt import judge_request
from evals.model import model_of_environment

PACKS = Path(__file__).resolve().parents[1] / "apps" / "catalog" / "packs"
CONFIG = "booking-quality"
HIGH = 7  # of 10: the rubric says "as a rule" from there on
_ROLES = {"Customer": "user", "Agent": "assistant"}


async def reply(messages: Sequence[Mapping[str, Any]], context: Mapping[str, Any]) -> dict[str, Any]:
    """The last message is the conversation, a line a turn ("Customer: …", "Agent: …"); the answer a line a criterion
    ("brevita_risposte: 7"), and a call of the tool `give_bands` with "low", "high" (from 7 on) or "unscored" for each,
    which scenarios assert. One model call."""
    criteria, template, parameters = judge_of_pack("service-booking", CONFIG)
    nonce, salt = secrets.token_hex(8), secrets.token_hex(5)
    request = judge_request(
        criteria=criteria, template=template, parameters=parameters, turns=_turns(str(messages[-1]["content"])),
        nonce=nonce, salt=salt, language="en",
    )  # fmt: skip
    async with httpx.AsyncClient() as client:
        response = await model_of_environment().complete(request, client=client)
    scores = parse_reply(response.text, [one["name"] for one in criteria], nonce=nonce, salt=salt)
    given = {name: one["score"] if one else None for name, one in scores.items()}
    text = "\n".join(f"{name}: {'unscored' if score is None else score}" for name, score in given.items())
    call = {"id": nonce, "name": "give_bands", "arguments": {name: _band(score) for name, score in given.items()}}
    return {"content": text, "tool_calls": [call]}


def _band(score: float | None) -> str:
    if score is None:
        return "unscored"
    return "high" if score >= HIGH else "low"


def judge_of_pack(pack: str, config: str) -> tuple[list[dict[str, Any]], str, dict[str, Any]]:
    """Criteria as a judge is shown them, the version's own template ("": the built-in one) and its parameters. Reads
    three files. Raises StopIteration for a config that is not in the pack."""
    version = next(one for one in _rows(pack, "evaluator_configs") if one["name"] == config)["versions"][-1]
    parameters = dict(version.get("parameters") or {})
    rows = {one["name"]: one for source in ("core", pack) for one in _rows(source, "criteria")}
    language = parameters.get("rubric_language") or "en"
    names = [*version["criteria"].get("core", ()), *version["criteria"].get("domain", ())]
    criteria = [
        {
            "name": name,
            **rows[name]["texts"][language],
            "offline_rule": rows[name].get("offline_rule", ""),
            "offline_parameters": rows[name].get("offline_parameters", {}),
        }
        for name in names
    ]
    return criteria, str(version.get("system_prompt_template") or ""), parameters


def _rows(pack: str, section: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load((PACKS / pack / f"{section}.yaml").read_text())[section]
    return found


def _turns(text: str) -> list[dict[str, str]]:
    turns = []
    for line in filter(None, map(str.strip, text.splitlines())):
        who, _, words = line.partition(": ")
        if who not in _ROLES:
            raise BadInput(f"a turn begins with {' or '.join(_ROLES)}, not {who[:30]!r}")
        turns.append({"role": _ROLES[who], "content": words})
    return turns

"""Read tau2-bench's `tasks.json`.

User scenario → persona and goal, expected actions → tool assertions with their arguments, `communicate_info` → words
that the agent must say, `nl_assertions` → criteria.

Its people are invented, and its arguments are compared letter by letter: nothing is masked. A task whose customer acts
on a device of its own (telecom), or that begins in a state of its own, is refused: only its simulator can play that.
"""

import re
from collections.abc import Mapping
from typing import Any

from apps.catalog.domain import field_readers as checks
from apps.catalog.files.domain.test_formats.collecting import Collected, ImportedCase, texts_of
from apps.catalog.files.domain.test_formats.reading import rows_of
from apps.core.errors import BadInput

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def read(text: str, into: Collected) -> None:
    """Every task of the file. Raises BadInput for a file that is no list."""
    for place, raw in rows_of(text, into.file, key="tasks"):
        task = raw if isinstance(raw, Mapping) else {}
        name = str(task.get("id") or "")
        try:
            if isinstance(raw, BadInput):
                raise raw
            case = _case(task)
        except BadInput as error:
            into.refuse(place, error.message, name)
        else:
            into.take(place, case)


def _case(task: Mapping[str, Any]) -> ImportedCase:
    user = checks.mapping(task.get("user_scenario"), "/user_scenario")
    instructions = user.get("instructions")
    instructions = instructions if isinstance(instructions, Mapping) else {"reason_for_call": instructions}
    wanted = checks.mapping(task.get("evaluation_criteria"), "/evaluation_criteria")
    actions = [
        checks.mapping(action, f"/evaluation_criteria/actions/{n}")
        for n, action in enumerate(wanted.get("actions") or [])
    ]
    _refuse_unplayable(task, wanted, actions)
    domain = checks.text(instructions.get("domain"), "/user_scenario/instructions/domain", limit=40)
    case = ImportedCase(
        key="-".join(part for part in (domain, str(task.get("id", ""))) if part),
        language="en",
        goal=checks.text(
            instructions.get("reason_for_call"), "/user_scenario/instructions/reason_for_call", required=True
        ),
        persona=_persona(user, instructions),
        criteria=texts_of(wanted.get("nl_assertions")),
    )
    case.assertions = [_tool(action) for action in actions]
    case.assertions += [_said(text) for text in texts_of(wanted.get("communicate_info"))]
    if not (case.assertions or case.criteria):
        case.left_out.append("the task expects nothing: say what must not happen before you release it")
    return case


def _refuse_unplayable(task: Mapping[str, Any], wanted: Mapping[str, Any], actions: list[Mapping[str, Any]]) -> None:
    start = task.get("initial_state")
    parts = [key for key, value in start.items() if value] if isinstance(start, Mapping) else []
    reasons = [f"it begins in a state of its own (initial_state: {', '.join(parts)})"] if parts else []
    if any(action.get("requestor") == "user" for action in actions):
        reasons.append("its customer calls tools on a device (requestor: user)")
    if wanted.get("env_assertions"):
        reasons.append("it is decided by the state of tau2's own simulator (env_assertions)")
    if reasons:
        raise BadInput("; ".join(reasons))


def _persona(user: Mapping[str, Any], told: Mapping[str, Any]) -> str:
    parts = [
        checks.text(user.get("persona"), "/user_scenario/persona").strip(),
        _headed("What the customer knows:", told.get("known_info")),
        _headed("What the customer does not know:", told.get("unknown_info")),
        _headed("How the customer acts:", told.get("task_instructions")),
    ]
    return "\n\n".join(part for part in parts if part)


def _headed(head: str, value: Any) -> str:
    body = checks.text(value, "/user_scenario/instructions").strip()
    return f"{head}\n{body}" if body else ""


def _tool(action: Mapping[str, Any]) -> dict[str, Any]:
    arguments = checks.json_mapping(action.get("arguments"), "/evaluation_criteria/actions/arguments")
    compared = action.get("compare_args")
    if isinstance(compared, list):
        arguments = {key: value for key, value in arguments.items() if key in compared}
    return {"tool": str(action.get("name") or ""), **({"arguments": arguments} if arguments else {})}


def _said(words: str) -> dict[str, Any]:
    """A number may be written with commas ("1,628") or decimals, and does not stand inside another; "1628" is not found
    in "16280"."""
    plain = words.replace(",", "").strip().lstrip("$")
    if not _NUMBER.fullmatch(plain):
        return {"said": [words.strip()]}
    whole, _, decimals = plain.partition(".")
    digits = "".join(f"{digit},?" for digit in whole[:-1]) + whole[-1:]
    rest = rf"\.{decimals}" if decimals else r"(?:\.0+)?"
    return {"said": [rf"(?<![\d.,]){digits}{rest}(?!\d|[.,]\d)"], "match": "regex"}

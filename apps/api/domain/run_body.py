"""The body of POST /test-runs/ as plain data."""

from dataclasses import dataclass
from typing import Any

from apps.api.domain.fields import Fields
from apps.core.errors import BadInput
from apps.core.subject import Subject, read_subject

KINDS = ("battle", "replay")
TRANSPORTS = ("auto", "a2a", "agentx", "http")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunBody:
    """What was asked for: `scenarios` and `personas` of battles, `golden_sessions` and `transport` of replays."""

    kind: str
    agent: str
    scenarios: list[str] | str
    personas: list[str] | str | None
    golden_sessions: list[str]
    transport: str
    repeats: int
    max_turns: int | None
    evaluator_config: str
    run_analyzer: bool
    triggered_by: str
    callback_url: str
    subject: Subject
    pull_request: str


def read_run(body: Any) -> RunBody:
    """Raises BadInput with a pointer. Fields of the other kind are unknown fields. Pure."""
    fields = Fields(body)
    kind = fields.one_of("kind", KINDS)
    battle = kind == "battle"
    read = RunBody(
        kind=kind,
        agent=fields.required_text("agent", longest=100),
        scenarios=(fields.names("scenarios", word="all") or _required("scenarios")) if battle else [],
        personas=fields.names("personas", word="eligible") if battle else None,
        golden_sessions=[] if battle else _listed(fields.names("golden_sessions")),
        transport="auto" if battle else fields.one_of("transport", TRANSPORTS, default="auto"),
        repeats=fields.whole("repeats", low=1, high=50) or 1,
        max_turns=fields.whole("max_turns", low=1, high=400) if battle else None,
        evaluator_config=fields.text("evaluator_config", longest=200),
        run_analyzer=fields.flag("run_analyzer"),
        triggered_by=fields.text("triggered_by", longest=100),
        callback_url=fields.web_address("callback_url"),
        subject=read_subject(fields.raw("subject")),
        pull_request=fields.text("pull_request", longest=200),
    )
    fields.refuse_rest()
    if not read.evaluator_config and (read.callback_url or read.run_analyzer):
        field = "callback_url" if read.callback_url else "run_analyzer"
        raise BadInput(
            f"{field} needs an evaluator_config: it is about the evaluation.",
            code="callback_needs_evaluation" if read.callback_url else "invalid",
            pointer=f"/{field}",
        )
    return read


def _listed(value: list[str] | str | None) -> list[str]:
    return value if isinstance(value, list) else _required("golden_sessions")


def _required(name: str) -> Any:
    raise BadInput(f"{name} is required.", code="required", pointer=f"/{name}")

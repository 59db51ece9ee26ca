"""Name the attributes of our spans as a Langfuse reads them."""

import json

from apps.production.exports.domain.exported_spans import (
    NAME,
    OWN_ENVIRONMENT,
    SAID,
    Attributes,
    ExportedSubject,
    SpanFacts,
    cut,
    five_facts,
)

_OF_TRACE = ("tenant_id", "conversation_id", "prompt_version")


def langfuse_names(subject: ExportedSubject, facts: SpanFacts) -> Attributes:
    """Metadata of the trace and of the observation, its kind, texts and usage; a run is an experiment."""
    five = five_facts(subject, facts)
    of_trace = {
        **{name: cut(text, SAID) for name, text in subject.said.items()},
        **{one: five[one] for one in _OF_TRACE},
    }
    of_span = {**{name: five[name] for name in ("model", "cost_usd")}, **facts.more}
    attributes: Attributes = {
        **{f"langfuse.trace.metadata.{name}": value for name, value in of_trace.items()},
        **{f"langfuse.observation.metadata.{name}": value for name, value in of_span.items()},
        **{f"langfuse.observation.{name}": text for name in ("input", "output") if (text := getattr(facts, name))},
        "langfuse.observation.type": facts.kind,
        "langfuse.environment": OWN_ENVIRONMENT,
        "langfuse.trace.name": subject.name[:NAME],
        "session.id": str(subject.conversation_id),
    }
    if subject.experiment is not None:
        attributes |= {
            "langfuse.experiment.id": str(subject.experiment.id),
            "langfuse.experiment.name": subject.experiment.name[:NAME],
            "langfuse.experiment.item.id": subject.experiment.item_id[:NAME],
            "langfuse.experiment.item.root_observation_id": subject.experiment.root,
        }
    if facts.is_root:
        attributes["langfuse.internal.as_root"] = True
    if facts.kind == "generation":
        attributes["langfuse.observation.model.name"] = facts.model
    if facts.usage:
        attributes["langfuse.observation.usage_details"] = json.dumps(facts.usage)
    if facts.cost_usd is not None and facts.kind in ("agent", "generation"):
        attributes["langfuse.observation.cost_details"] = json.dumps({"total": facts.cost_usd})
    if subject.tags:
        attributes["langfuse.trace.tags"] = subject.tags
    if subject.prompt_version:
        attributes["langfuse.version"] = subject.prompt_version
    if facts.error:
        attributes |= {"langfuse.observation.level": "ERROR", "langfuse.observation.status_message": facts.error}
    return attributes

"""Notes of an import, beside its results."""

from apps.catalog.files.domain.document import Catalog
from apps.catalog.measured_metrics import measured_metrics
from apps.catalog.scenarios.domain.assertions import unmeasured_metrics
from apps.core.pattern_probe import slow_pattern_warning

_PATTERNS = ("tool_patterns", "step_agent_patterns", "silent_upload_patterns")


def slow_pattern_notes(catalog: Catalog) -> list[str]:
    """A note for each pattern of an agent's profile that is slow on long replies."""
    notes = []
    for item in catalog["agents"].values():
        document, profile = item.origin.document, item.content.profile
        for section in _PATTERNS:
            for place, entry in enumerate(profile.get(section) or ()):
                at = f"/profile/{section}/{place}"
                pattern = entry if isinstance(entry, str) else entry["pattern"]
                if warning := slow_pattern_warning(pattern):
                    notes.append(f"{document.file}, line {document.line(item.origin.pointer + at)}: {at}: {warning}")
    return notes


def unmeasured_metric_notes(catalog: Catalog) -> list[str]:
    """Return a note for each metric that a scenario asks for and that this server does not measure.

    Where there is any, a last note lists the metrics that this server has.
    """
    known = measured_metrics()
    notes = []
    for item in catalog["scenarios"].values():
        for place, name in unmeasured_metrics(item.content.assertions, known):
            document = item.origin.document
            line = document.line(f"{item.origin.pointer}/assertions/{place}/metric")
            notes.append(
                f"{document.file}, line {line}: this server has no metric {name!r}: it stays unmeasurable here, unless "
                "the agent's own repository measures it"
            )
    return [*notes, f"The metrics of this server: {', '.join(known)}"] if notes else []

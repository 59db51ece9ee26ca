"""Which permissions a person needs for what a catalog's import writes: a file is no way around a role. Pure."""

from collections.abc import Callable, Container

_MODELS = {
    "criteria": ("criterion",),
    "evaluator_configs": ("evaluatorconfig", "evaluatorconfigversion"),
    "personas": ("persona",),
    "scenarios": ("scenario",),
    "agents": ("agent",),
    "model_providers": ("modelprovider",),
    "prompts": ("promptversion",),
}


def sections_refused(
    created: Container[str], updated: Container[str], has_permission: Callable[[str], bool]
) -> list[str]:
    """Sections, in words, of what was created and updated that this person may not add to or change."""
    return [
        section.replace("_", " ")
        for section, models in _MODELS.items()
        if not all(
            has_permission(f"catalog.{verb}_{model}")
            for model in models
            for verb, touched in (("add", created), ("change", updated))
            if section in touched
        )
    ]

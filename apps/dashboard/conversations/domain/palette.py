"""The actions that a reader can start from any page, found by their words. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PaletteAction:
    """Action that the palette offers. `permission` is needed to use it; `also` are further words it is found by."""

    title: str
    address: str
    permission: str
    also: str = ""

    def named_by(self, words: Sequence[str]) -> bool:
        """Tell whether each word is the beginning of one of its own."""
        return begins(f"{self.title} {self.also}", words)


def begins(text: str, words: Sequence[str]) -> bool:
    """Tell whether each of some small words is the beginning of a word of a text."""
    own = text.lower().split()
    return all(any(one.startswith(word) for one in own) for word in words)


ACTIONS = (
    PaletteAction("Start a run", "start_run", "runs.add_testrun", "battle replay play new test"),
    PaletteAction("Try your agent", "try_agent", "catalog.add_agent", "first new address url"),
    PaletteAction("Import conversations", "import_conversations", "runs.add_testrun", "upload jsonl bring in"),
    PaletteAction("Compare two evaluations", "comparison", "evaluations.view_evaluation", "difference versus"),
    PaletteAction("Rate conversations", "labelling", "calibration.add_humanlabel", "label review judge"),
    PaletteAction("Make a review queue", "new_queue", "calibration.add_labellinground", "new labelling"),
    PaletteAction("Generate personas", "generate_personas", "catalog.add_persona", "new customers write"),
    PaletteAction("Compare prompt versions", "compare_prompts", "evaluations.view_evaluation", "draft difference"),
    PaletteAction("Load a starter pack", "packs", "catalog.add_evaluatorconfig", "criteria vertical spa"),
    PaletteAction("Import a catalog", "import_catalog", "catalog.add_criterion", "upload yaml"),
    PaletteAction("Import from other tools", "import_from", "catalog.add_criterion", "promptfoo deepeval langfuse"),
    PaletteAction("Start a rollout", "start_rollout", "production.add_rollout", "canary new prompt"),
    PaletteAction("Erase a person's words", "erasures", "erasure.view_erasure", "gdpr privacy delete"),
    PaletteAction("Change settings", "tenant_settings", "budgets.change_budget", "preferences configure"),
)

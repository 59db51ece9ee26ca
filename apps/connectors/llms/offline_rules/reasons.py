"""The rules' reasons in English, Swahili and Italian: one template per situation, filled with counts."""

from apps.connectors.llms.offline_rules.reasons_text import TEXTS

LANGUAGES = ("en", "sw", "it")


def reason(rule: str, situation: str, language: str, **counts: object) -> str:
    """The sentence for `rule`.`situation` in `language` (English where that is not one of ours)."""
    tongue = language if language in LANGUAGES else "en"
    return TEXTS[f"{rule}.{situation}"][LANGUAGES.index(tongue)].format(**counts)

"""The texts that ship: in force wherever a tenant has made no version of its own active."""

from collections.abc import Mapping

from apps.catalog.domain.states import LANGUAGES
from apps.improvement.prompt_templates.domain import analyzer_texts, proposer_texts
from apps.improvement.prompt_templates.domain.proposer_texts import ProposerTexts
from apps.improvement.prompt_templates.domain.texts import PromptTexts, TemplatePurpose


def _analyzer(purpose: TemplatePurpose, asks: Mapping[str, str]) -> list[PromptTexts]:
    version = f"built-in {analyzer_texts.VERSION}"
    return [
        PromptTexts(
            purpose=purpose,
            language=language,
            version=version,
            system=analyzer_texts.ANALYZER_SYSTEM[language],
            ask=asks[language],
        )
        for language in LANGUAGES
    ]


def _proposer(purpose: TemplatePurpose, texts: Mapping[str, ProposerTexts]) -> list[PromptTexts]:
    version = f"built-in {proposer_texts.VERSION}"
    return [
        PromptTexts(
            purpose=purpose, language=language, version=version, system=texts[language].system, ask=texts[language].ask
        )
        for language in LANGUAGES
    ]


BUILT_IN: Mapping[tuple[str, str], PromptTexts] = {
    (one.purpose, one.language): one
    for one in (
        *_analyzer(TemplatePurpose.ANALYZER, analyzer_texts.ANALYZER_ASK),
        *_analyzer(TemplatePurpose.JOIN, analyzer_texts.JOIN_ASK),
        *_proposer(TemplatePurpose.SURGICAL, proposer_texts.TEXTS),
        *_proposer(TemplatePurpose.FULL, proposer_texts.FULL_TEXTS),
        *_proposer(TemplatePurpose.REFLECTIVE, proposer_texts.REFLECTIVE_TEXTS),
    )
}


def language_of_texts(language: str) -> str:
    """One of the three; English for every other."""
    tongue = language[:2].lower()
    return tongue if tongue in LANGUAGES else "en"


def built_in(purpose: str, language: str) -> PromptTexts:
    """Return the built-in texts of the language, else the English ones."""
    return BUILT_IN[(purpose, language_of_texts(language))]

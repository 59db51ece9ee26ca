"""A criterion's texts: a description and a scoring guide anchored at 0, 3, 5, 7 and 10, per language."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from apps.catalog.domain import field_readers as checks
from apps.catalog.domain.states import LANGUAGES, CriterionKind
from apps.core.errors import BadInput

ANCHORS = ("0", "3", "5", "7", "10")
FALLBACK_LANGUAGE = "en"
MAX_TITLE = 80


class UnknownCriteria(BadInput):
    """A config names criteria that nobody defined; `extra["unknown_criteria"]` lists them."""

    code = "unknown_criteria"

    def __init__(self, names: list[str], *, where: str = "the evaluator config") -> None:
        super().__init__(
            f"{where} names criteria that are not in the catalog: {', '.join(names)}",
            pointer="/criteria",
            unknown_criteria=names,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionContent:
    """All a criterion says. `texts` maps a language to {"description", "scoring_guide"}; `titles` maps one to what
    pages call the criterion: no judge reads a title, so it is part of no version and of no fingerprint."""

    kind: str = CriterionKind.DOMAIN.value
    domain: str = ""
    texts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    offline_rule: str = ""
    offline_parameters: Mapping[str, Any] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "domain": self.domain,
            "texts": {language: dict(text) for language, text in self.texts.items()},
            "offline_rule": self.offline_rule,
            "offline_parameters": dict(self.offline_parameters),
            "titles": dict(self.titles),
        }


def parse_criterion(raw: Mapping[str, Any], pointer: str = "") -> CriterionContent:
    """Read a criterion's content. Raises BadInput with the pointer of the first field at fault."""
    checks.only(raw, ("kind", "domain", "texts", "offline_rule", "offline_parameters", "titles"), pointer)
    kind = checks.one_of(raw.get("kind", "domain"), list(CriterionKind), checks.step(pointer, "kind"))
    domain = checks.text(raw.get("domain"), checks.step(pointer, "domain"), limit=100)
    if kind == CriterionKind.CORE and domain:
        at = checks.step(pointer, "domain")
        raise BadInput(f"{at}: a core criterion belongs to every domain; leave the domain out", pointer=at)
    at = checks.step(pointer, "texts")
    texts = checks.mapping(raw.get("texts"), at)
    if not texts:
        raise BadInput(f"{at}: at least one language is needed ({', '.join(LANGUAGES)})", pointer=at)
    rule_at = checks.step(pointer, "offline_rule")
    return CriterionContent(
        kind=kind,
        domain=domain,
        texts={
            checks.one_of(language, LANGUAGES, checks.step(at, language)): _one_text(text, checks.step(at, language))
            for language, text in texts.items()
        },
        offline_rule=checks.text(raw.get("offline_rule"), rule_at, limit=100),
        offline_parameters=checks.json_mapping(
            raw.get("offline_parameters"), checks.step(pointer, "offline_parameters")
        ),
        titles=_titles(raw.get("titles"), checks.step(pointer, "titles")),
    )


def text_in(texts: Mapping[str, Mapping[str, Any]], language: str) -> Mapping[str, Any]:
    """The text in a language; in English where that is missing; else in the first language there is.

    A rubric in the wrong language is shown as it is (the snapshot says so in its words), never left empty.
    """
    for choice in (language, FALLBACK_LANGUAGE, *sorted(texts)):
        if choice in texts:
            return texts[choice]
    return {"description": "", "scoring_guide": {}}


def title_in(titles: Mapping[str, str], language: str, *, name: str) -> str:
    """The criterion's name on pages in a language; its English title where that is missing, else its name."""
    return titles.get(language) or titles.get(FALLBACK_LANGUAGE) or name


def _titles(raw: Any, pointer: str) -> dict[str, str]:
    read = {
        checks.one_of(language, LANGUAGES, checks.step(pointer, language)): " ".join(
            checks.text(title, checks.step(pointer, language), limit=MAX_TITLE).split()
        )
        for language, title in checks.mapping(raw, pointer).items()
    }
    return {language: read[language] for language in LANGUAGES if read.get(language)}


def _one_text(raw: Any, pointer: str) -> dict[str, Any]:
    data = checks.mapping(raw, pointer)
    checks.only(data, ("description", "scoring_guide"), pointer)
    at = checks.step(pointer, "scoring_guide")
    guide = data.get("scoring_guide")
    if isinstance(guide, Mapping):  # YAML reads an unquoted 0: as a number; both spellings mean the same anchor
        guide = {str(key) if isinstance(key, int) and not isinstance(key, bool) else key: v for key, v in guide.items()}
    guide = checks.mapping(guide, at)
    checks.only(guide, ANCHORS, at)
    return {
        "description": checks.text(
            data.get("description"), checks.step(pointer, "description"), required=True, limit=4000
        ),
        "scoring_guide": {
            anchor: checks.text(guide.get(anchor), checks.step(at, anchor), required=True, limit=4000)
            for anchor in ANCHORS
        },
    }

"""Find the one of our languages in which somebody reads: the browser says it."""

from apps.catalog.domain.states import LANGUAGES

MOST = 20  # entries of the header that are looked at
LONGEST = 500


def reader_language(accept: str) -> str:
    """The language of ours that `Accept-Language` ranks highest; English where it names none of them. Pure."""
    ranked: list[tuple[float, int, str]] = []
    for place, entry in enumerate(accept[:LONGEST].split(",")[:MOST]):
        tag, _, weight = entry.strip().partition(";")
        language = tag.strip().lower().partition("-")[0]
        if language in LANGUAGES:
            ranked.append((-_weight(weight), place, language))
    best = min(ranked, default=(0.0, 0, "en"))
    return best[2] if best[0] < 0 or not ranked else "en"


def _weight(text: str) -> float:
    """Read a weight such as `q=0.8`; 1 without one, 0 for one that is no number."""
    name, _, value = text.strip().partition("=")
    if name.strip().lower() != "q":
        return 1.0
    try:
        return min(1.0, max(0.0, float(value)))
    except ValueError:
        return 0.0

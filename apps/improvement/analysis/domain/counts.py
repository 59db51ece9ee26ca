"""Count the conversations that a finding holds for; the count replaces the claimed one. Pure."""

import re

_WORDS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|several|many|most|all|"
    "due|tre|quattro|cinque|sei|sette|otto|nove|dieci"
)
_N = rf"(?:all\s+)?(?P<n>\d{{1,6}}|{_WORDS})"
_OF = r"(?P<of>\s+(?:out\s+)?(?:of|su|di)\s+(?:the\s+|all\s+|le\s+)?(?P<total>\d{1,6}))?"
_NOUN = r"(?P<noun>\s+(?:(?:different|separate|failing|shown)\s+)?(?:conversations?|conversazion[ei]))\b"
_COUNT = re.compile(rf"\b{_N}{_OF}{_NOUN}", re.I)
_AFTER = re.compile(rf"\b(?P<before>(?:across|in|throughout|su)\s+){_N}{_OF}{_NOUN}", re.I)
_SWAHILI = re.compile(
    r"\b(?P<before>mazungumzo\s+)(?P<n>\d{1,6})(?!\w)(?P<of>\s+kati\s+ya\s+(?P<total>\d{1,6}))?", re.I
)


def counted(text: str, n: int, *, of: int | None = None, only_after_a_preposition: bool = False) -> str:
    """Put n in the text wherever it says of how many conversations it speaks.

    Such places are "across 15 conversations", "twelve of the 40 conversations", "15 conversazioni", "mazungumzo 15".
    `of` (how many were shown) goes in for the total.

    A suggestion may speak of conversations that are to come ("after 3 conversations"): there only "across" and "in" n
    conversations are claims.
    """

    def ours(found: re.Match[str]) -> str:
        groups = found.groupdict()
        total = groups["of"] or ""
        if total and of is not None:
            total = total.replace(groups["total"], str(of))
        noun = groups.get("noun") or ""
        return f"{groups.get('before') or ''}{n}{total}{noun if total else _numbered(noun, n)}"

    pattern = _AFTER if only_after_a_preposition else _COUNT
    return _SWAHILI.sub(ours, pattern.sub(ours, text))


def _numbered(noun: str, n: int) -> str:
    """The noun as it follows n."""
    if noun.lower().endswith(("conversazioni", "conversazione")):
        return noun[:-1] + ("e" if n == 1 else "i")
    stem = noun.removesuffix("s")
    return stem if n == 1 else f"{stem}s"

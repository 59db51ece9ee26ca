"""Words that mean one thing (docs/glossary.md): the pages on which each may stand, and what is said elsewhere.

An expression is looked for in what a page shows, whatever its case; an address is matched from its beginning.
"""

import re

PROMPTS = r"/workshop/|/prompts/|/evaluations/[^/]+/improve/|/production/rollouts/|/admin/improvement/"
ROLES = r"/admin/auth/"  # permissions are called after the tables
KINDS = r"/admin/runs/(testrun|conversation)/"  # the filter by kind

WORDS = {
    r"trials?": (rf"{PROMPTS}|{ROLES}|{KINDS}|/erasures/", "a play, a test, *Judge again, keep nothing*"),
    r"candidates?": (
        r"/production/|/admin/($|production/|auth/|catalog/scenario/|catalog/goldensession/)|/settings/|/catalog/import-from/",
        "the other side of a comparison is B, of a gate this commit; a golden session waits for approval",
    ),
    r"famil(y|ies)": (rf"{PROMPTS}|{ROLES}|/production/candidates/|/admin/catalog/scenario/", "scenarios"),
    r"evaluators?(?! configs?)": (r"$^", "an evaluator config, or the judge"),
    r"anchors?": (rf"/production/|{ROLES}|{KINDS}|/admin/production/", "the points of a scoring guide"),
    r"reconcil\w*": (r"$^", "repair"),
    r"workshop": (r"$^", "drafts, prompts, the optimizer"),
    r"actors?|bots?": (r"$^", "a persona, an agent"),
}


def wrong_words(path: str, text: str) -> list[str]:
    """Return each word that the page shows in a sense which the glossary does not give."""
    return [
        f"{path}: “{text[max(0, at.start() - 40) : at.end() + 30]}”; say {instead}"
        for word, (allowed, instead) in WORDS.items()
        if not re.match(allowed, path)
        for at in re.finditer(rf"(?<![\w-])(?:{word})(?![\w-])", text, re.IGNORECASE)
    ]

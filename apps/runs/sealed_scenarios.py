"""Scenarios that a prompt plays in its trials alone: a later room registers who says which, when Django starts."""

from collections.abc import Callable, Collection

from apps.core.errors import BadInput
from apps.core.plurals import many

SealedScenarios = Callable[[str], Collection[str]]  # from a prompt version to the slugs

_QUESTIONS: dict[str, SealedScenarios] = {}
WHY = "kept for the trials of this draft"


def register_sealed_scenarios(name: str, question: SealedScenarios) -> None:
    """Ask this for every run that names a prompt from now on; the same name again replaces it."""
    _QUESTIONS[name] = question


def sealed_scenarios(*prompts: str) -> frozenset[str]:
    """Return the slugs that a run with these prompt versions leaves out.

    The versions are the one it shall play, and the one that its subject names, which is played or told. None without a
    prompt, or for one that is no draft.
    """
    named = {prompt for prompt in prompts if prompt}
    return frozenset(slug for prompt in named for question in _QUESTIONS.values() for slug in question(prompt))


def refuse_sealed_scenarios(named: Collection[str], sealed: Collection[str]) -> None:
    """Refuse named scenarios that are held out.

    Raises BadInput (`sealed_scenarios`). The error does not name them: a hold-out is sampled by chance, and nobody
    writes a prompt for it.
    """
    if of_these := {*named} & {*sealed}:
        raise BadInput(
            f"{many(len(of_these), 'scenario')} of these are {WHY}: played outside a trial, they would prove nothing. "
            'Start a trial of it, or play "all", which leaves them out.',
            code="sealed_scenarios",
            pointer="/scenarios",
        )

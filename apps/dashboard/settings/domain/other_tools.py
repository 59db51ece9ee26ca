"""The sentence above the table of another tool's file. Pure."""

from apps.core.plurals import many
from apps.dashboard.domain.sentences import Headline


def tests_headline(*, file: str, taken: int, refused: int, looked: bool, problem: str) -> Headline:
    """The headline of another tool's file: the cases that came in. `file` is "" before one was given."""
    if problem:
        return Headline(text="", but=problem)
    if not file:
        return Headline(text="Bring in the tests you have in another tool")
    if not taken:
        return Headline(text="", but=f"{file}: none of {many(refused, 'case')} can be taken")
    text = f"{file}: {many(taken, 'case')} {'would come in' if looked else 'came in'}"
    return Headline(text=f"{text}, ", but=f"{many(refused, 'case')} refused") if refused else Headline(text=text)

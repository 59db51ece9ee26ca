"""A worker that dies with a row in hand is a loss of that row; after so many the row is not tried again."""

MAX_LOSSES = 3
MAX_LOSSES_OF_MANY = 5  # where a worker carries many rows at once, its loss says little about one of them


def lost_before(claims: int) -> int:
    """The losses of a row that counts its claims, the present one among them: every claim that came to nothing."""
    return claims - 1


def lost_too_often(losses: int, *, most: int = MAX_LOSSES) -> bool:
    """Tell whether work that was lost so often is given up now."""
    return losses >= most


def loss_sentence(doing: str, *, most: int = MAX_LOSSES) -> str:
    """Say that a worker was lost too often; `doing` names its work, as in "judging it"."""
    return f"The worker {doing} was lost {most} times."

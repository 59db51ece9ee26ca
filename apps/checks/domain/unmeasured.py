"""Say why the checks of a conversation that did not end say nothing. Pure."""


def did_not_end(status: str, blame: str | None) -> str:
    """Say that the conversation did not end: an expectation of the whole cannot be checked then."""
    fault = f", to blame: {blame.replace('_', ' ')}" if blame else ""
    return f"The conversation did not end ({status}{fault}), so there is nothing whole to measure."

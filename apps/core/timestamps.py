"""Times as other systems write them: ISO 8601 in, aware UTC datetimes out."""

from datetime import UTC, datetime


def parse_timestamp(text: str) -> datetime:
    """An aware datetime in UTC; a time without a zone is taken as UTC. Raises ValueError for anything else.

    A date alone is refused: it says nothing about when in the day something was said.
    """
    if "T" not in text and " " not in text.strip() and "t" not in text:
        raise ValueError("a time of day is missing")
    moment = datetime.fromisoformat(text.strip())
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("the time is out of range") from error


def format_if_known(moment: datetime | None) -> str | None:
    """Format a moment as `format_timestamp` does; None for None."""
    return None if moment is None else format_timestamp(moment)


def format_timestamp(moment: datetime) -> str:
    """ISO 8601 in UTC with a Z, as the conversation document writes it."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")

"""What a message means: approval, refusal, a question, a date, a name. Pure; the day comes in from outside."""

import re
from datetime import date, timedelta

_YES = re.compile(
    r"\b(approved?|yes|yep|ok(ay)?|sure|correct|right|move forward|go ahead|launch|submit|confirm(ed)?|looks good|"
    r"ndiyo|sawa)\b",
    re.I,
)
_NO = re.compile(r"\b(no|not|don'?t|wrong|change|cancel|stop|hapana)\b", re.I)
_NUDGE = re.compile(r"\W*(please\s+)?(continue|go on|proceed)\W*", re.I)
_PROGRESS = re.compile(r"\b(where am i|how far|progress|status|stages?)\b", re.I)
_TERM = re.compile(
    r"\bwhat (?:does|is|are|do)\s+(?:an?\s+|the\s+)?[\"'“]?([\w -]{2,30}?)[\"'”]?(?:\s+mean|\s*\?|$)", re.I
)
_OFF_TOPIC = re.compile(r"\b(weather|poem|joke|football|recipe|president|lottery|horoscope|song|capital of)\b", re.I)
_NEW = re.compile(r"\b(create|new|start|set up)\b.*\bcampaign\b", re.I | re.S)
_CLAIMED_FILE = re.compile(r"\[I have attached a file: ?([^\]]*)\]", re.I)
_NAME = re.compile(r"\bmy name is ([^.,;\n]+?)(?=\s+and\b|[.,;\n]|$)", re.I)
_CAMPAIGN = re.compile(r"\bcampaign (?:called|named) ([^.,;\n]+)", re.I)
_PHONE = re.compile(r"\+?\d[\d ()-]{7,}\d")
_ISO = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAY_MONTH = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)? ({'|'.join(_MONTHS)})[a-z]*,? (\d{{4}})\b", re.I)
_MONTH_DAY = re.compile(rf"\b({'|'.join(_MONTHS)})[a-z]* (\d{{1,2}})(?:st|nd|rd|th)?,? (\d{{4}})\b", re.I)
_IN_DAYS = re.compile(r"\bin (\d{1,3}) days?\b", re.I)
_CLOCK = re.compile(r"\b(\d{1,2}):(\d{2})\b(?!-)")
_CLOCK_12 = re.compile(r"\b(\d{1,2})(?:[:.](\d{2}))? ?([ap])\.?m\b", re.I)


def approves(text: str) -> bool:
    """Yes, and not no."""
    return bool(_YES.search(text)) and not declines(text)


def declines(text: str) -> bool:
    """No, in one of its forms."""
    return bool(_NO.search(text))


def is_nudge(text: str) -> bool:
    """Nothing but a request to go on."""
    return bool(_NUDGE.fullmatch(text.strip()))


def asks_progress(text: str) -> bool:
    """A question about how far the case is."""
    return bool(_PROGRESS.search(text))


def asked_term(text: str) -> str:
    """The word whose meaning is asked, or nothing."""
    found = _TERM.search(text)
    return found[1].strip() if found else ""


def is_off_topic(text: str) -> bool:
    """About something that is no campaign."""
    return bool(_OFF_TOPIC.search(text))


def wants_campaign(text: str) -> bool:
    """Asks for a new campaign."""
    return bool(_NEW.search(text))


def claimed_file(text: str) -> str:
    """The file that a text says is attached, or nothing."""
    found = _CLAIMED_FILE.search(text)
    return found[1].strip() or "a file" if found else ""


def told_name(text: str) -> str:
    """The customer's name, or nothing."""
    found = _NAME.search(text)
    return found[1].strip() if found else ""


def told_campaign(text: str) -> str:
    """The campaign's name, or nothing."""
    found = _CAMPAIGN.search(text)
    return found[1].strip() if found else ""


def told_phone(text: str) -> str:
    """A phone number with Kenya's country code, or nothing."""
    found = _PHONE.search(_ISO.sub("", text))
    digits = re.sub(r"\D", "", found[0]) if found else ""
    if digits.startswith("0") and len(digits) == 10:
        digits = f"254{digits[1:]}"
    return f"+{digits}" if digits else ""


def told_date(text: str, *, today: date) -> date | None:
    """The day that a text names, or None. Raises nothing: an impossible date is no date."""
    lowered = text.lower()
    if "tomorrow" in lowered:
        return today + timedelta(days=1)
    if found := _IN_DAYS.search(text):
        return today + timedelta(days=int(found[1]))
    parts: tuple[int, int, int] | None = None
    if found := _ISO.search(text):
        parts = int(found[1]), int(found[2]), int(found[3])
    elif found := _DAY_MONTH.search(text):
        parts = int(found[3]), _MONTHS.index(found[2].lower()) + 1, int(found[1])
    elif found := _MONTH_DAY.search(text):
        parts = int(found[3]), _MONTHS.index(found[1].lower()) + 1, int(found[2])
    try:
        return date(*parts) if parts else None
    except ValueError:
        return None


def told_clock(text: str) -> str:
    """The time of day as HH:MM, or nothing."""
    if found := _CLOCK_12.search(text):
        hour = int(found[1]) % 12 + (12 if found[3].lower() == "p" else 0)
        return f"{hour:02d}:{found[2] or '00'}"
    found = _CLOCK.search(text)
    return f"{int(found[1]):02d}:{found[2]}" if found and int(found[1]) < 24 else ""

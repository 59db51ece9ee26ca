"""`22 Nov 2026 05:17 UTC`: the day before the month by name, 24 hours, the zone."""

DATE_FORMAT = SHORT_DATE_FORMAT = "j M Y"
TIME_FORMAT = "H:i T"
DATETIME_FORMAT = SHORT_DATETIME_FORMAT = "j M Y H:i T"
MONTH_DAY_FORMAT = "j F"
YEAR_MONTH_FORMAT = "F Y"

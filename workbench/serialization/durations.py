"""Durations as text in the form of ISO 8601: ``P1DT2H30M``, ``-PT0.5S``."""

from __future__ import annotations

import re
from datetime import timedelta

_FORM = (
    r"(?a)"
    r"(?P<sign>-?)P(?:(?P<days>\d{1,9})D)?"
    r"(?:T(?=\d)(?:(?P<hours>\d{1,9})H)?(?:(?P<minutes>\d{1,9})M)?"
    r"(?:(?P<seconds>\d{1,9})(?:\.(?P<fraction>\d{1,6}))?S)?)?"
)


def duration_text(value: timedelta) -> str:
    """A duration as text, exactly; ``PT0S`` for none."""
    sign, value = ("-", -value) if value < timedelta(0) else ("", value)
    minutes, seconds = divmod(value.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    fraction = f".{value.microseconds:06d}".rstrip("0") if value.microseconds else ""
    parts = [f"{hours}H" if hours else "", f"{minutes}M" if minutes else ""]
    parts.append(f"{seconds}{fraction}S" if seconds or fraction else "")
    time = "".join(parts)
    days = f"{value.days}D" if value.days else ""
    return f"{sign}P{days}{f'T{time}' if time else ''}" if days or time else "PT0S"


def duration_of(text: str) -> timedelta | None:
    """The duration of a text with days, hours, minutes and seconds; None if the text is none."""
    match = re.fullmatch(_FORM, text)
    if match is None or not any(match[part] for part in ("days", "hours", "minutes", "seconds")):
        return None
    whole = {part: int(match[part] or 0) for part in ("days", "hours", "minutes", "seconds")}
    value = timedelta(**whole, microseconds=int((match["fraction"] or "0").ljust(6, "0")))
    return -value if match["sign"] else value

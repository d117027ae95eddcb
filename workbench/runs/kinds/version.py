"""The kind ``version``: whether a text names one version exactly, and its numbers."""

from __future__ import annotations

import re

from workbench.model import ArgumentType, Kind
from workbench.runs.kinds.value_kind import FLAG, TEXT, Parts, ValueKind
from workbench.runs.values.found_value import Missing

_WHOLE = ArgumentType(Kind.INT, optional=True)
# By semver.org.
_NUMBER = r"(0|[1-9]\d{0,17})"
_TAG = r"(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)"
_EXACT = re.compile(
    rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-({_TAG}(?:\.{_TAG})*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?",
    re.ASCII,
)


def _read(text: str) -> Parts:
    if len(text) > 256:
        raise Missing("a version has at most 256 characters")
    match = _EXACT.fullmatch(text)
    major, minor, patch = (int(match.group(place)) if match else None for place in (1, 2, 3))
    return {
        "exact": match is not None,
        "major": major,
        "minor": minor,
        "patch": patch,
        "tag": (match.group(4) or "") if match else "",
    }


VERSION = ValueKind(
    name="version",
    meaning="a version of a package, by semantic versioning, or a range that is not exact",
    parts=(("exact", FLAG), ("major", _WHOLE), ("minor", _WHOLE), ("patch", _WHOLE), ("tag", TEXT)),
    prepare=lambda _options: _read,
)

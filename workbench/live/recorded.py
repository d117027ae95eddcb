"""The decisions in a decision log, by run, to compare with those of a replay."""

from __future__ import annotations

import itertools
import json
from collections.abc import Collection
from pathlib import Path
from typing import Any, cast

from workbench.clean_text import clean
from workbench.guard.log import FORMAT

type Decided = tuple[str, tuple[str, ...]]
"""A verdict and the rules that fired."""


def recorded_decisions(path: Path, begun: int = 0) -> dict[str, list[Decided]]:
    """The decisions, in order, of the runs of a log that have lines past ``begun`` bytes.

    A run is named as an import names it: the second run of one name gets ``#2``. Lines that no guard wrote,
    which an import reports, are skipped.
    """
    names: dict[tuple[str, str], str] = {}
    decisions_by_run: dict[str, list[Decided]] = {}
    new: set[str] = set()
    place = 0
    with path.open("rb") as file:
        for line in file:
            begins, place = place, place + len(line)
            record = _record(line)
            if record is None:
                continue
            key = (clean(str(record["run"])), str(record.get("instance", "")))
            if key not in names:
                names[key] = _free(key[0], names.values())
            if begins >= begun:
                new.add(names[key])
            if "decision" in record:
                rules = tuple(str(violation["rule"]) for violation in record["violations"])
                decisions_by_run.setdefault(names[key], []).append((str(record["decision"]), rules))
    return {name: decided for name, decided in decisions_by_run.items() if name in new}


def _record(line: bytes) -> dict[str, Any] | None:
    try:
        record = cast("object", json.loads(line))
    except (ValueError, RecursionError):
        return None
    of_guard = isinstance(record, dict) and cast("dict[str, Any]", record).get("format") == FORMAT
    return cast("dict[str, Any]", record) if of_guard else None


def _free(name: str, taken_names: Collection[str]) -> str:
    if name not in taken_names:
        return name
    return next(
        candidate for count in itertools.count(2) if (candidate := f"{name}#{count}") not in taken_names
    )

"""What a decision log says was decided, by run, beside which a replay is put."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

type Decided = tuple[str, tuple[str, ...]]
"""A verdict and the rules that fired."""


def recorded_decisions(path: Path, begun: int = 0) -> dict[str, list[Decided]]:
    """The decisions of the runs of a log of which lines stand past ``begun`` bytes, in order.

    A run is called as an import calls it: the second of one name has ``#2`` behind it.
    """
    names: dict[tuple[str, str], str] = {}
    found: dict[str, list[Decided]] = {}
    new: set[str] = set()
    place = 0
    with path.open("rb") as file:
        for line in file:
            record = cast("dict[str, Any]", json.loads(line))
            run = str(record["run"])
            key = (run, str(record.get("instance", "")))
            if key not in names:
                count = sum(name == run for name, _ in names) + 1
                names[key] = run if count == 1 else f"{run}#{count}"
            if place >= begun:
                new.add(names[key])
            if "decision" in record:
                rules = tuple(str(one["rule"]) for one in record["violations"])
                found.setdefault(names[key], []).append((str(record["decision"]), rules))
            place += len(line)
    return {name: decided for name, decided in found.items() if name in new}

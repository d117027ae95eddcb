"""Write the logs of the shipped sessions: ``python scripts/generate_runs.py [folder of sessions]``.

All their content is invented by seeded generators; running this again writes the same bytes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path

import hospital_runs
import shop_runs
import travel_runs

SESSIONS = Path(__file__).resolve().parent.parent / "sessions"


def write(folder: Path, runs: Iterable[tuple[str, dict[str, object]]]) -> None:
    """Write each run as a line of its log file."""
    texts: dict[str, list[str]] = {}
    for name, record in runs:
        texts.setdefault(name, []).append(json.dumps(record, ensure_ascii=False) + "\n")
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in texts.items():
        (folder / name).write_text("".join(lines), encoding="utf-8")


def main(folder: Path) -> None:
    """Write the logs of the sessions below a folder, and the labels of the travel desk's calls."""
    write(folder / "hospital-access" / "logs", hospital_runs.runs())
    write(folder / "web-shopping" / "logs", shop_runs.runs())
    write(folder / "travel-desk" / "logs", travel_runs.runs())
    write(folder / "travel-desk", travel_runs.labels())


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else SESSIONS)

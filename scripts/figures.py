"""Measure the figures of the documents, and write them into the pages.

Run: python scripts/figures.py measure [NAME ...] [--data DIR]   runs commands and writes their result files
     python scripts/figures.py fill                              writes the values of the files into the pages
     python scripts/figures.py ages [NAME ...]                   says how much of their code is newer

``benchmarks/figures.toml`` has a table for each measurement: ``command`` is what makes it, in which ``DATA``
is the folder of the recordings, and ``values`` names texts of its output, each by a regular expression with
one group. ``measure`` runs the command and writes ``benchmarks/results/NAME.json``: command, revision, day,
machine, exit code, output and values. It refuses to measure a changed work tree, because the revision would
not be that of the code.

A page has a value between a comment that names it and one that ends it:
``<!--labels-airline.recall-->100.0 %<!--/-->``; a value of several lines is on lines of its own.
``NAME.measured`` is the revision and the day of a measurement, ``NAME.command`` its command, and
``all.measurements`` a table of all. A page that shows a value of a measurement says when it was measured;
``tests/docs/test_figures.py`` checks this, and that each page is what ``fill`` writes.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TypedDict, cast

ROOT = Path(__file__).resolve().parent.parent
MEASUREMENTS = ROOT / "benchmarks/figures.toml"
RESULTS = ROOT / "benchmarks/results"
MEASURED = "measured"
ALL = "all.measurements"
NAME = r"[a-z0-9-]+\.[a-z0-9-]+"
SHOWN = re.compile(rf"<!--(?P<name>{NAME})-->(?P<value>.*?)<!--/-->", re.DOTALL)


class MeasurementTable(TypedDict):
    """A table of ``figures.toml``."""

    command: list[str]
    values: dict[str, str]


@dataclass(frozen=True, slots=True)
class Result:
    """What a command measured: its output and the values found in it, and where and when that was."""

    command: str
    revision: str
    day: str
    machine: str
    exit_code: int
    values: Mapping[str, str] = field(default_factory=dict[str, str])
    output: Sequence[str] = ()


def measurements() -> Mapping[str, MeasurementTable]:
    """The measurements by name."""
    return cast("Mapping[str, MeasurementTable]", tomllib.loads(MEASUREMENTS.read_text(encoding="utf-8")))


def pages() -> tuple[Path, ...]:
    """The pages that may show figures."""
    return (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))


def values() -> Mapping[str, str]:
    """The values of all result files: each as ``MEASUREMENT.VALUE``."""
    found: dict[str, str] = {}
    rows = ["| measurement | command | measured at | machine |", "|---|---|---|---|"]
    for path in sorted(RESULTS.glob("*.json")):
        result = Result(**json.loads(path.read_text(encoding="utf-8")))
        found |= {f"{path.stem}.{name}": value for name, value in result.values.items()}
        found[f"{path.stem}.{MEASURED}"] = measured_at = f"{result.revision} ({result.day})"
        found[f"{path.stem}.command"] = f"`{result.command}`"
        rows.append(f"| {path.stem} | `{result.command}` | {measured_at} | {result.machine} |")
    return {**found, ALL: "\n".join(rows)}


def filled(text: str, known: Mapping[str, str]) -> str:
    """The text of a page with the known values; raises KeyError for a value that no result file has."""

    def replaced(at: re.Match[str]) -> str:
        value = known[at["name"]]
        lines = value
        if "\n" in value:
            lines = f"\n{value}\n" if value.startswith("|") else f"\n```text\n{value}\n```\n"
        return f"<!--{at['name']}-->{lines}<!--/-->"

    return SHOWN.sub(replaced, text)


def shown(text: str) -> frozenset[str]:
    """The names of the values that a page shows."""
    return frozenset(at["name"] for at in SHOWN.finditer(text))


def values_of(output: str, patterns: Mapping[str, str]) -> dict[str, str]:
    """The values of an output by the patterns, each with one group; raises ValueError if one is not in it."""
    found: dict[str, str] = {}
    for name, pattern in patterns.items():
        match = re.search(pattern, output, re.MULTILINE | re.DOTALL)
        if match is None:
            raise ValueError(f"the value {name} is not in the output")
        found[name] = match[1].strip()
    return found


def measure(name: str, table: MeasurementTable, data: Path | None) -> Result:
    """Run the command of a measurement; raises ValueError if its output lacks a value."""
    words = [
        str(data) + word.removeprefix("DATA") if word.startswith("DATA") else word
        for word in table["command"]
    ]
    if words[0] == "python":
        words[0] = sys.executable
    elif words[0] == "workbench":
        words[:1] = [sys.executable, "-m", "workbench"]
    load = os.getloadavg()[0]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "COLUMNS": "200"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # or each start compiles all modules, as for no user
    done = subprocess.run(
        words,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env=environment,
    )
    output = done.stdout.replace(str(data), "DATA") if data else done.stdout
    lines = output.replace(str(ROOT), ".").splitlines()
    if not output.strip():
        raise ValueError(f"{name} printed nothing, and ended with {done.returncode}: {done.stderr[-500:]}")
    return Result(
        shlex.join(table["command"]),
        _git("rev-parse", "--short=8", "HEAD"),
        f"{datetime.now(UTC):%Y-%m-%d}",
        f"{os.cpu_count()} cores, load {load:.1f}, Python {platform.python_version()}",
        done.returncode,
        values_of("\n".join(lines), table["values"]),
        lines,
    )


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def measure_all(names: Iterable[str], data: Path | None) -> int:
    """Measure the named figures one after the other; 1 if one could not be measured."""
    code = ("workbench", "sessions", "benchmarks", ":!benchmarks/results")
    changed = _git("status", "--porcelain", "--", *code)
    if changed:
        sys.exit(f"Commit first, so that the revision is that of the code:\n{changed}")
    failed = False
    for name in names:
        table = measurements()[name]
        if data is None and any(word.startswith("DATA") for word in table["command"]):
            failed |= _said(f"{name} needs --data DIR, or WORKBENCH_RECORDINGS.")
            continue
        try:
            result = measure(name, table, data)
        except ValueError as error:
            failed |= _said(f"{name}: {error}")
            continue
        (RESULTS / f"{name}.json").write_text(
            json.dumps(asdict(result), indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )
    return int(failed)


def _said(problem: str) -> bool:
    sys.stderr.write(f"{problem}\n")
    return True


def ages(names: Iterable[str]) -> list[tuple[int, str]]:
    """How many commits changed the code of each figure since it was measured, the most first.

    Its code is the program, and the files and folders that its command names.
    """
    found: list[tuple[int, str]] = []
    for name in names:
        path = RESULTS / f"{name}.json"
        if path.exists():
            result = Result(**json.loads(path.read_text(encoding="utf-8")))
            words = shlex.split(result.command)
            own = [one for one in words if "/" in one and one[0] != "/" and (ROOT / one).exists()]
            since = _git("rev-list", "--count", f"{result.revision}..HEAD", "--", "workbench", *own)
            found.append((int(since), name))
    return sorted(found, reverse=True)


def fill() -> None:
    """Write the values into every page that shows one."""
    known = values()
    for page in pages():
        text = page.read_text(encoding="utf-8")
        try:
            new = filled(text, known)
        except KeyError as missing:
            sys.exit(f"{page} shows {missing}, which no result file has; measure it.")
        if new != text:
            page.write_text(new, encoding="utf-8")


def main() -> int:
    """Measure, fill, or tell the ages."""
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("act", choices=["measure", "fill", "ages"])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--data", type=Path, default=os.environ.get("WORKBENCH_RECORDINGS"))
    options = parser.parse_args()
    if options.act == "fill":
        fill()
        return 0
    names = options.names or measurements()
    if options.act == "ages":
        for commits, name in ages(names):
            sys.stdout.write(f"{commits:5} commits since  {name}\n")
        return 0
    return measure_all(names, options.data)


if __name__ == "__main__":
    sys.exit(main())

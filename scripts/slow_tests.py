"""Write ``tests/slow_tests.txt``, the tests that ``make test-fast`` leaves out, from measured times.

Run: .venv/bin/python scripts/slow_tests.py REPORT...

A report is the output of ``pytest --junitxml=REPORT`` for the whole suite, on a machine without other work.
Of several reports the shortest time of a test counts, since its first use of a library may be in that time.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "tests" / "slow_tests.txt"
SECONDS_OF_A_CASE = 0.04
SECONDS_OF_ALL_CASES = 4.0
# Tests with a terminal or a browser: these wait more than they compute.
ALWAYS = ("serve/", "tui/")


def times(report: Path) -> dict[str, tuple[float, int]]:
    """The seconds of each test with all its cases, and the number of its cases."""
    seconds, cases = defaultdict[str, float](float), Counter[str]()
    for case in ElementTree.parse(report).iter("testcase"):
        module = case.get("classname", "").removeprefix("tests.").replace(".", "/")
        test = f"{module}.py::{case.get('name', '').partition('[')[0]}"
        seconds[test] += float(case.get("time", "0"))
        cases[test] += 1
    return {test: (seconds[test], cases[test]) for test in cases}


def is_slow(seconds: float, cases: int) -> bool:
    """Whether ``make test-fast`` leaves out a test."""
    return seconds > SECONDS_OF_ALL_CASES or seconds / cases > SECONDS_OF_A_CASE


def tests_of(path: Path) -> Iterator[str]:
    """The names of the tests that a file defines."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            yield node.name


def slow_tests(reports: Iterable[Mapping[str, tuple[float, int]]], folder: Path) -> list[str]:
    """The slow tests of a folder; a file or folder with only slow tests is listed by its own name."""
    least_by_test: dict[str, tuple[float, int]] = {}
    for report in reports:
        for test, measured in report.items():
            least_by_test[test] = min(measured, least_by_test.get(test, measured))
    slow = {test for test, (seconds, cases) in least_by_test.items() if is_slow(seconds, cases)}
    return sorted(_slow_in(folder, folder, slow))


def _slow_in(folder: Path, root: Path, slow: set[str]) -> list[str]:
    """The folder's name if all its tests are slow, else the names of the slow ones."""
    name = "" if folder == root else f"{folder.relative_to(root).as_posix()}/"
    if name in ALWAYS:
        return [name]
    names: list[str] = []
    whole = bool(name)
    for path in sorted(folder.iterdir()):
        if path.is_dir() and any(path.rglob("test_*.py")):
            inner = _slow_in(path, root, slow)
            whole = whole and inner == [f"{path.relative_to(root).as_posix()}/"]
            names += inner
        elif path.match("test_*.py"):
            file = path.relative_to(root).as_posix()
            tests = {f"{file}::{test}" for test in tests_of(path)}
            whole = whole and tests <= slow
            names += [file] if tests <= slow else tests & slow
    return [name] if whole else names


def main() -> None:
    """Write the list."""
    reports = [times(Path(name)) for name in sys.argv[1:]]
    if not reports:
        sys.exit(__doc__)
    LIST.write_text("\n".join(slow_tests(reports, ROOT / "tests")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""The pytest plugin that returns the results of cases, one JSON line for each.

It runs inside the process that ``run_cases`` starts and writes to the file that the environment names, as
each case finishes.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

RESULTS = "WORKBENCH_CASE_RESULTS"
PREFIX = "test_case_"


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Write the result of a finished case, or of one whose set-up failed."""
    if report.when != "call" and not report.failed:
        return
    name = report.nodeid.rsplit("::", 1)[-1]
    got = next((value for key, value in report.user_properties if key == "got"), None)
    reasons = next((value for key, value in report.user_properties if key == "detail"), "")
    detail = str(reasons) if report.passed or got is not None else report.longreprtext[-2000:]
    line = json.dumps({"test": name, "passed": report.passed, "got": got, "detail": detail})
    with Path(os.environ[RESULTS]).open("a", encoding="utf-8") as file:
        file.write(line + "\n")

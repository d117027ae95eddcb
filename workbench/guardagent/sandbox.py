"""Running checked guardrail code in a process of its own, with limits on time, memory and output.

That process checks the text too, so that this one does not even parse hostile text.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from workbench.guardagent.toolbox import Toolbox
from workbench.model import Json

SECONDS = 5.0
MEGABYTES = 512
_STARTING = 10.0


@dataclass(frozen=True, slots=True)
class Execution:
    """The result of running guardrail code: its variables, its output, or why it failed.

    ``error`` is fit to be sent back to the model that wrote the code.
    """

    values: Mapping[str, Json]
    output: str = ""
    error: str = ""


def execute(
    source: str,
    variables: Mapping[str, Json],
    toolbox: Toolbox,
    *,
    seconds: float = SECONDS,
    megabytes: int = MEGABYTES,
) -> Execution:
    """Check ``source`` and run it with ``variables`` and the toolbox's functions.

    The process gets nothing of this one's environment. An error of the code never raises here.

    Args:
        source: the guardrail code, hostile until checked.
        variables: plain data that the code may read under these names.
        toolbox: functions that the code may call.
        seconds: processor time of the code; the process may take ten seconds more to start.
        megabytes: address space of the process.
    """
    process = subprocess.Popen(
        _worker(seconds, megabytes),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={},
        start_new_session=True,
    )
    try:
        answer, _ = process.communicate(_job(source, variables, toolbox), timeout=seconds + _STARTING)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return Execution({}, error=f"The code ran longer than {seconds:g} seconds.")
    return _read(answer, process.returncode, seconds)


def _worker(seconds: float, megabytes: int) -> list[str]:
    """The command that starts the process, with its limits."""
    module = "workbench.guardagent.sandbox_worker"
    return [sys.executable, "-I", "-m", module, str(megabytes), str(max(1, round(seconds)))]


def _job(source: str, variables: Mapping[str, Json], toolbox: Toolbox) -> bytes:
    """The input of the process: the code, its variables, and the places of its functions and modules."""
    functions = {
        name: [function.__module__, function.__qualname__] for name, function in toolbox.functions.items()
    }
    path = [folder for folder in sys.path if Path(folder).is_absolute()]  # without the current folder
    job = {
        "source": source,
        "variables": dict(variables),
        "functions": functions,
        "written": toolbox.source,
        "path": path,
    }
    return json.dumps(job).encode()


def _read(answer: bytes, code: int, seconds: float) -> Execution:
    if code in (-signal.SIGXCPU, -signal.SIGKILL):
        return Execution({}, error=f"The code ran longer than {seconds:g} seconds.")
    try:
        reply = cast("dict[str, Json]", json.loads(answer))
    except ValueError:
        return Execution({}, error="The code used too much memory or ended the process.")
    values = reply.get("values")
    return Execution(
        values if isinstance(values, dict) else {},
        str(reply.get("output", "")),
        str(reply.get("error", "")),
    )

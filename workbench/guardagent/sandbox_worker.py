"""The process that runs one piece of checked guardrail code: job on standard input, result on output."""

from __future__ import annotations

import builtins
import importlib
import json
import resource
import sys
from collections.abc import Callable, Mapping
from typing import cast

from workbench.guardagent.subset import BUILTINS, EXCEPTIONS, check_subset
from workbench.model import Json

LONGEST_OUTPUT = 20_000
LONGEST_VALUE = 20_000
MOST_VALUES = 100
_MOST_PROBLEMS = 5


def main() -> None:
    """Read the job, limit this process, run the code, and write its result."""
    job = cast("dict[str, Json]", json.load(sys.stdin))
    sys.path[:] = cast("list[str]", job["path"])
    functions = _functions(cast("dict[str, list[str]]", job["functions"]))
    megabytes, seconds = int(sys.argv[1]), int(sys.argv[2])
    _limit(megabytes, seconds)
    answer = _run(
        str(job["source"]), cast("dict[str, Json]", job["variables"]), functions, str(job["written"])
    )
    sys.stdout.write(json.dumps(answer))


def _limit(megabytes: int, seconds: int) -> None:
    """Limit memory, time, open files, written files and processes to these values."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    until = int(usage.ru_utime + usage.ru_stime) + seconds
    size = megabytes * 2**20
    for kind, limit in (
        (resource.RLIMIT_AS, size),
        (resource.RLIMIT_CPU, until),
        (resource.RLIMIT_NOFILE, 3),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (limit, limit))


def _functions(named: Mapping[str, list[str]]) -> dict[str, object]:
    return {
        name: getattr(importlib.import_module(module), attribute)
        for name, (module, attribute) in named.items()
    }


def _run(
    source: str, variables: Mapping[str, Json], named: Mapping[str, object], written: str
) -> dict[str, Json]:
    try:
        functions = {**named, **_written(written, named)}
        problems = check_subset(source, {*functions, *variables})
    except ValueError as error:
        return {"error": str(error)}
    except (RecursionError, MemoryError):
        return {"error": "The code is nested too deeply."}
    if problems:
        return {"error": "\n".join(map(str, problems[:_MOST_PROBLEMS]))}
    printed: list[str] = []
    namespace: dict[str, object] = {"__builtins__": _builtins(printed), **functions, **variables}
    error = ""
    try:
        exec(compile(source, "guardrail", "exec"), namespace)  # noqa: S102  checked against the subset just above
    except MemoryError:
        error = "MemoryError: the code used too much memory."
    except Exception as raised:  # the code's own failure is sent back to the model
        error = _error_text(raised)
    names = [name for name in namespace if not name.startswith("_") and name not in {*functions, *variables}]
    values: dict[str, Json] = {name: _plain(namespace[name]) for name in names[:MOST_VALUES]}
    return {"values": values, "output": "\n".join(printed)[:LONGEST_OUTPUT], "error": error}


def _written(source: str, named: Mapping[str, object]) -> dict[str, object]:
    """The session's own functions, in a namespace that guardrail code cannot reach; raises ValueError."""
    if not source:
        return {}
    problems = check_subset(source, named)
    if problems:
        raise ValueError(f"A function of the session is outside the subset: {problems[0]}")
    namespace: dict[str, object] = {"__builtins__": _builtins([]), **named}
    try:
        exec(compile(source, "toolbox", "exec"), namespace)  # noqa: S102  checked against the subset just above
    except Exception as raised:  # the default of a parameter may raise any error
        raise ValueError(f"The functions of the session cannot be defined: {_error_text(raised)}") from None
    return {
        name: value
        for name, value in namespace.items()
        if name not in named and not name.startswith("_") and callable(value)
    }


def _builtins(printed: list[str]) -> dict[str, object]:
    def show(*values: object) -> None:
        if sum(map(len, printed)) < LONGEST_OUTPUT:
            printed.append(" ".join(map(str, values))[:LONGEST_OUTPUT])

    allowed: dict[str, object] = {name: getattr(builtins, name) for name in (*BUILTINS, *EXCEPTIONS)}
    return {**allowed, "print": show}


def _error_text(raised: Exception) -> str:
    """The error's own text; it may fail to give one, for example for a number of a million digits."""
    try:
        return f"{type(raised).__name__}: {raised}"[:2000]
    except Exception:  # the arguments of the error are the code's own
        return type(raised).__name__


def _plain(value: object) -> Json:
    """A value as JSON; None unless it is plain data of moderate size."""
    try:
        if isinstance(value, set | frozenset):
            key = cast("Callable[[object], str]", str)
            value = sorted(cast("set[object]", value), key=key)
        text = json.dumps(value)
        return cast("Json", json.loads(text)) if len(text) <= LONGEST_VALUE else None
    except (TypeError, ValueError, RecursionError, MemoryError):
        return None


if __name__ == "__main__":
    main()

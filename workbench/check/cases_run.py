"""Running cases with the real pytest, in a process of its own.

The process starts in a fresh folder with its own configuration: no ``conftest.py``, ``pytest.ini``, plug-in
or option from outside has an effect. Results come back as data; pytest's own text is kept for people.

Cases as a pytest file that a person can read and run.

Everything from a case is written to the file as a Python literal: none of its texts can become code. The
policy is written as its terms, as an exported file has them.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from pathlib import Path
from threading import Event
from time import monotonic

from workbench.check.cases_plugin import PREFIX, RESULTS
from workbench.files.bounded_text import json_objects
from workbench.guard.nouns_text import deciding_part, nouns_text
from workbench.model import Case, CaseResult, RecordValue, Value, Verdict, WorkbenchError
from workbench.policy.decisive_part import completed, lacking
from workbench.policy.names import free_name
from workbench.policy.terms import Parameter, PolicyTerms
from workbench.policy.written import OWN_NAMES, ArgumentWords

_TICK = 0.05
_MOST_OUTPUT = 400_000
_GONE = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTEST_CURRENT_TEST", "COVERAGE_PROCESS_START")
_INI = "[pytest]\naddopts =\npython_files = test_policy.py\n"


@dataclass(frozen=True, slots=True)
class CaseRun:
    """The results in the order of the cases, pytest's own text, and the seconds it took.

    ``why`` is empty if every case was decided, else one sentence with the reason (cancelled, time limit, a
    pytest that did not start).
    """

    results: tuple[CaseResult, ...]
    output: str = ""
    seconds: float = 0.0
    why: str = ""

    @property
    def passed(self) -> int:
        """The number of cases that passed."""
        return sum(result.passed for result in self.results)

    @property
    def failed(self) -> tuple[CaseResult, ...]:
        """The cases that did not pass, including those that did not run."""
        return tuple(result for result in self.results if not result.passed)


def run_cases(
    policy: PolicyTerms,
    cases: Sequence[Case],
    *,
    timeout: float = 120.0,
    cancelled: Event | None = None,
    workdir: Path | None = None,
    words: ArgumentWords = OWN_NAMES,
) -> CaseRun:
    """Run the cases against a policy; blocks until they are done.

    A case that lacks an argument of the policy is completed if no value of it could change the decision; else
    it fails with a sentence that names the argument by its ``words``. ``timeout`` is in seconds. When it
    passes, or ``cancelled`` is set, the process and all its children are killed. A case that was not decided
    counts as failed. ``workdir`` is an existing folder to run in and keep (a temporary one otherwise). Raises
    WorkbenchError if pytest cannot be started.
    """
    if not cases:
        return CaseRun((), why="there are no cases")
    started = monotonic()
    fitting, result_by_case = _completed(policy, cases, words)
    if not fitting:
        return CaseRun(tuple(result_by_case[case.id] for case in cases), seconds=monotonic() - started)
    with tempfile.TemporaryDirectory(prefix="workbench-cases-") as temporary:
        folder = workdir or Path(temporary)
        _lay_out(folder, deciding_part(policy, words), fitting)
        why = _run(folder, timeout, cancelled or Event())
        result_by_case |= _results(folder, fitting)
        output = _tail(folder / "output.txt")
    if not why and len(result_by_case) < len(cases):
        why = _reason(output)
    results = tuple(
        result_by_case.get(case.id, CaseResult(case.id, False, None, f"did not run: {why}")) for case in cases
    )
    return CaseRun(results, output, monotonic() - started, why)


def _completed(
    terms: PolicyTerms, cases: Sequence[Case], words: ArgumentWords
) -> tuple[tuple[Case, ...], dict[str, CaseResult]]:
    """The cases with all their arguments, completed if necessary, and the results of the other cases."""
    names = {argument.name for argument in terms.arguments}
    fitting: list[Case] = []
    unsaid: dict[str, CaseResult] = {}
    for case in cases:
        if names <= case.arguments.keys() or case.expected in (Verdict.CANNOT_EVALUATE, Verdict.ASK):
            fitting.append(case)  # lacking an argument may be the point of such a case
            continue
        try:
            needed = lacking(terms, case.arguments)
        except Exception:  # values of wrong types: the run reports the problem
            fitting.append(case)
            continue
        if needed:
            unsaid[case.id] = CaseResult(case.id, False, None, _unsaid(case, needed, words))
        else:
            fitting.append(replace(case, arguments=completed(terms, case.arguments)))
    return tuple(fitting), unsaid


def _unsaid(case: Case, needed: Sequence[Parameter], words: ArgumentWords) -> str:
    names = {parameter.name: None for parameter in needed}
    of_call = words.in_file({"tool": case.arguments.get("tool"), **names})
    said = [name for name in of_call if name != "tool" or name in names]
    named = ", ".join(f"`{name}`" for name in said)
    noun = "the argument" if len(said) == 1 else "the arguments"
    return (
        f"The case does not say {noun} {named}, on which its decision rests: keep it again with it "
        "(workbench cases), or remove it."
    )


def _lay_out(folder: Path, policy: PolicyTerms, cases: Sequence[Case]) -> None:
    for name in ("results.jsonl", "output.txt"):
        (folder / name).unlink(missing_ok=True)
    (folder / "test_policy.py").write_text(render_cases(policy, cases), encoding="utf-8")
    (folder / "pytest.ini").write_text(_INI, encoding="utf-8")


def _command(folder: Path) -> list[str]:
    return [
        sys.executable, "-P", "-m", "pytest", "test_policy.py", "-q", "-p", "no:cacheprovider",
        "-p", "workbench.check.cases_plugin", "--import-mode=importlib", "--noconftest",
        "-c", str(folder / "pytest.ini"), "--rootdir", str(folder), "--color=no", "--tb=short",
        "-o", "console_output_style=classic",
    ]  # fmt: skip


def _environment(folder: Path) -> dict[str, str]:
    environment = {name: value for name, value in os.environ.items() if name not in _GONE}
    environment[RESULTS] = str(folder / "results.jsonl")
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    environment["PYTHONUTF8"] = "1"
    return environment


def _run(folder: Path, timeout: float, cancelled: Event) -> str:
    """Wait for pytest; returns why it was stopped, or an empty text."""
    with (folder / "output.txt").open("wb") as output:
        try:
            process = subprocess.Popen(
                _command(folder), cwd=folder, env=_environment(folder), stdin=subprocess.DEVNULL,
                stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise WorkbenchError(f"pytest cannot be started: {error.strerror}.", exit_code=3) from error
        limit = monotonic() + timeout
        try:
            while process.poll() is None:
                if cancelled.is_set():
                    return "cancelled"
                if monotonic() > limit:
                    return f"the time limit of {timeout:g} s passed"
                with suppress(subprocess.TimeoutExpired):
                    process.wait(_TICK)
        finally:
            _kill(process)
    return ""


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End the process and everything it started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _results(folder: Path, cases: Sequence[Case]) -> dict[str, CaseResult]:
    """The results written so far by case id, without a line that is still being written."""
    by_test = dict(zip(names_of_tests(cases), cases, strict=True))
    result_by_case: dict[str, CaseResult] = {}
    try:
        data = (folder / "results.jsonl").read_bytes()
    except FileNotFoundError:
        return result_by_case
    for _, record in json_objects(data):
        with suppress(ValueError, KeyError):
            case = by_test[str(record["test"])]
            got = record["got"]
            verdict = Verdict(got) if isinstance(got, str) else None
            detail = str(record["detail"])
            if verdict is not None and not record["passed"]:
                detail = f"expected {case.expected.value}, got {verdict.value}" + (
                    f": {detail}" if detail else ""
                )
            result_by_case[case.id] = CaseResult(case.id, record["passed"] is True, verdict, detail)
    return result_by_case


def _tail(path: Path) -> str:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return ""
    return data[-_MOST_OUTPUT:].decode("utf-8", "replace")


def _reason(output: str) -> str:
    """The reason why pytest decided nothing."""
    last = [line for line in output.splitlines() if line.strip()]
    return f"pytest ended early: {last[-1]}" if last else "pytest ended early and said nothing"


_HEAD = '''"""The cases of a policy."""

import datetime as time_types
from datetime import date, datetime, time, timedelta, timezone  # noqa: F401
from decimal import Decimal
from types import SimpleNamespace

import pytest

from workbench import model
from workbench.engines.compiled.compile import compile_policy
from workbench.model import RecordValue  # noqa: F401
from workbench.policy import terms
from workbench.policy.narrowed_values import narrowed_arguments

NOUNS = SimpleNamespace(**{{**vars(model), **vars(terms), "datetime": time_types, "Decimal": Decimal}})


def policy(noun):
{policy}

POLICY = compile_policy(policy(NOUNS))
TYPES = {{one.name: one.type for one in POLICY.terms.arguments}}


@pytest.fixture
def decide(record_property):
    """Decide by the policy; what was decided, and why, is recorded for the workbench."""

    def run(arguments):
        decision = POLICY.decide(narrowed_arguments(TYPES, arguments))
        why = [violation.message for violation in decision.violations] or list(decision.reasons)
        record_property("got", decision.verdict.value)
        record_property("detail", "; ".join(why))
        return decision.verdict.value

    return run
'''

_TEST = """

def {name}(decide):
    # {reason}
    assert decide({arguments}) == {expected}
"""


def names_of_tests(cases: Sequence[Case]) -> tuple[str, ...]:
    """The name of each case's test function, in order; the names are distinct."""
    names: list[str] = []
    for case in cases:
        stem = PREFIX + re.sub(r"[^a-z0-9]+", "_", case.id.lower()).strip("_")[:80]
        names.append(free_name(stem, names))
    return tuple(names)


def render_cases(policy: PolicyTerms, cases: Sequence[Case]) -> str:
    """The text of a pytest file with a policy and one test for each case."""
    tests = [
        _TEST.format(
            name=name,
            reason=comment(case.reason),
            arguments=_arguments(case),
            expected=python_literal(case.expected.value),
        )
        for name, case in zip(names_of_tests(cases), cases, strict=True)
    ]
    return _HEAD.format(policy=nouns_text(policy, words=True)) + "".join(tests)


def comment(text: str) -> str:
    """A text as one line of a comment: characters that could end the line are escaped."""
    escaped_text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
    return escaped_text if len(escaped_text) <= 300 else f"{escaped_text[:297]}..."


def python_literal(value: Value) -> str:
    """An expression for the value, of the same type, with texts in ASCII."""
    match value:
        case frozenset():
            return f"frozenset([{', '.join(ascii(member) for member in sorted(value))}])"
        case tuple():
            return f"({''.join(f'{python_literal(element)}, ' for element in value).rstrip(' ')})"
        case RecordValue():
            fields = "".join(f"({name!a}, {python_literal(held)}), " for name, held in value.fields)
            return f"RecordValue({value.type!a}, ({fields.rstrip(' ')}))"
        case datetime() if value.tzinfo is not None:
            zone = python_literal(value.utcoffset())
            return f"{python_literal(value.replace(tzinfo=None))[:-1]}, tzinfo=timezone({zone}))"
        case date() | time() | timedelta():
            return repr(value).removeprefix("datetime.")
        case _:
            return ascii(value)


def _arguments(case: Case) -> str:
    pairs = [f"{name!a}: {python_literal(value)}" for name, value in case.arguments.items()]
    line = f"{{{', '.join(pairs)}}}"
    if len(line) <= 80:
        return line
    lines = "".join(f"            {pair},\n" for pair in pairs)
    return f"\n        {{\n{lines}        }}\n    "

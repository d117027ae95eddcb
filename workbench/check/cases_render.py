"""Cases as a pytest file that a person can read and run.

Everything from a case is written to the file as a Python literal: none of its texts can become code. The
policy is loaded only through the checker of the dialect.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal

from workbench.check.cases_plugin import PREFIX
from workbench.model import Case, RecordValue, Value

_HEAD = '''"""The cases of a policy. Run it with pytest next to the policy file."""

from datetime import UTC, date, datetime, time, timedelta, timezone  # noqa: F401
from decimal import Decimal  # noqa: F401
from pathlib import Path

import pytest

from workbench.policy.check import check
from workbench.engines.compiled.compile import compile_policy
from workbench.model import RecordValue  # noqa: F401
from workbench.policy.narrowed_values import narrowed_arguments

SOURCE = Path(__file__).with_name({policy})
POLICY = compile_policy(check(SOURCE.read_text(encoding="utf-8"), {policy}))
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
        name, number = stem, 2
        while name in names:
            name, number = f"{stem}_{number}", number + 1
        names.append(name)
    return tuple(names)


def render_cases(cases: Sequence[Case], policy: str = "policy.py") -> str:
    """The text of a pytest file with one test for each case.

    ``policy`` is the name of the policy file in the same folder.
    """
    tests = [
        _TEST.format(
            name=name,
            reason=comment(case.reason),
            arguments=_arguments(case),
            expected=python_literal(case.expected.value),
        )
        for name, case in zip(names_of_tests(cases), cases, strict=True)
    ]
    return _HEAD.format(policy=python_literal(policy)) + "".join(tests)


def comment(text: str) -> str:
    """A text as one line of a comment: characters that could end the line are escaped."""
    escaped_text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
    return escaped_text if len(escaped_text) <= 300 else f"{escaped_text[:297]}..."


def python_literal(value: Value) -> str:  # noqa: C901 # one case for each kind of value
    """An expression for the value, of the same type, with texts in ASCII."""
    match value:
        case frozenset():
            return (
                f"frozenset({{{', '.join(ascii(member) for member in sorted(value))}}})"
                if value
                else "frozenset()"
            )
        case str():
            return ascii(value)
        case Decimal():
            return f"Decimal({str(value)!r})"
        case datetime():
            zone = f", tzinfo={_zone(value)}" if value.tzinfo else ""
            parts = (value.year, value.month, value.day, value.hour, value.minute, value.second)
            return f"datetime({', '.join(map(str, parts))}, {value.microsecond}{zone})"
        case date():
            return f"date({value.year}, {value.month}, {value.day})"
        case time():
            return f"time({value.hour}, {value.minute}, {value.second}, {value.microsecond})"
        case timedelta():
            return f"timedelta({value.days}, {value.seconds}, {value.microseconds})"
        case tuple():
            return f"({''.join(f'{python_literal(element)}, ' for element in value).rstrip(' ')})"
        case RecordValue():
            fields = "".join(f"({name!a}, {python_literal(held)}), " for name, held in value.fields)
            return f"RecordValue({value.type!a}, ({fields.rstrip(' ')}))"
        case bool() | int() | None:
            return repr(value)


def _zone(value: datetime) -> str:
    offset = value.utcoffset()
    if not offset:
        return "UTC"
    return f"timezone(timedelta({offset.days}, {offset.seconds}, {offset.microseconds}))"


def _arguments(case: Case) -> str:
    pairs = [f"{name!a}: {python_literal(value)}" for name, value in case.arguments.items()]
    line = f"{{{', '.join(pairs)}}}"
    if len(line) <= 80:
        return line
    lines = "".join(f"            {pair},\n" for pair in pairs)
    return f"\n        {{\n{lines}        }}\n    "

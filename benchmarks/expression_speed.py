"""The time to read a call of a long run by expressions over earlier calls.

Run it as ``python benchmarks/expression_speed.py``. It prints the milliseconds for the last call of runs of
several lengths.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from workbench.model import AgentSpec, Argument, ArgumentType, CallExpression, Kind, RecordedCall, Tool
from workbench.runs.extract.extractor import Extractor
from workbench.runs.world.earlier_calls import Earlier

_LENGTHS = (100, 1_000, 10_000)
_BEGIN = datetime(2026, 5, 1, tzinfo=UTC)
_LAST = 50
"""The number of last calls whose times are averaged."""
SPEC = AgentSpec(
    "desk",
    tools=(
        Tool(
            "pay_invoice",
            parameters={
                "type": "object",
                "properties": {"total": {"type": "number"}, "iban": {"type": "string"}},
                "required": ["total", "iban"],
            },
        ),
    ),
    zone="UTC",
)
_DECIMAL, _INT, _BOOL = ArgumentType(Kind.DECIMAL), ArgumentType(Kind.INT), ArgumentType(Kind.BOOL)
_EXPRESSIONS: Mapping[str, tuple[ArgumentType, str]] = {
    "a sum": (
        _DECIMAL,
        "sum(c.total for c in run.earlier(PayInvoice) if c.succeeded)",
    ),
    "a count with the same IBAN": (
        _INT,
        "sum(1 for c in run.earlier(PayInvoice) if c.iban == call.iban)",
    ),
    "any in an hour": (
        _BOOL,
        "any(call.time - c.time < timedelta(hours=1) for c in run.earlier(PayInvoice))",
    ),
    "a sum with the same IBAN in an hour": (
        _DECIMAL,
        "sum(c.total for c in run.earlier(PayInvoice) if c.iban == call.iban and c.succeeded"
        " and call.time - c.time < timedelta(hours=1))",
    ),
    "all, tested one by one": (
        _BOOL,
        "all(c.total <= call.total for c in run.earlier(PayInvoice))",
    ),
}


def _run(length: int) -> tuple[RecordedCall, ...]:
    return tuple(
        RecordedCall(
            "run",
            index,
            "pay_invoice",
            {"total": 5, "iban": f"DE{index % 20}"},
            texts={"arguments": f'{{"total": 5, "iban": "DE{index % 20}"}}'},
            result="paid",
            time=(_BEGIN + timedelta(seconds=12 * index)).isoformat(),
        )
        for index in range(length)
    )


def _milliseconds(arguments: Sequence[Argument], calls: tuple[RecordedCall, ...]) -> float:
    """The time of one of the last calls, after a walk through the run."""
    extractor = Extractor(arguments, SPEC)
    start = 0.0
    for place, call in enumerate(calls):
        if place == len(calls) - _LAST:
            start = time.perf_counter()
        extracted = extractor.extract(call, Earlier(calls, place))
        assert all(one.missing is None for one in extracted.values()), extracted
    return (time.perf_counter() - start) / _LAST * 1000


def main() -> None:
    """Print the times."""
    arguments: list[Argument] = []
    for number, (name, (type_, text)) in enumerate(_EXPRESSIONS.items()):
        extraction = CallExpression(text, "pay_invoice")
        one = Argument(f"value_{number}", type_, expression=extraction)
        by_one = "one by one" in name
        for length in _LENGTHS[:-1] if by_one else _LENGTHS:
            print(f"{name}, {length:,} calls: {_milliseconds([one], _run(length)):.3f} ms", flush=True)
        arguments += [] if by_one else [one]
    for length in _LENGTHS:
        print(f"all of them, {length:,} calls: {_milliseconds(arguments, _run(length)):.3f} ms")


if __name__ == "__main__":
    main()

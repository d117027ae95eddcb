"""The time to read a call of a long run: expressions over earlier calls, and method ``history`` beside them.

Run it as ``python benchmarks/expression_speed.py``. It prints the milliseconds for the last call of runs of
several lengths, and the ratio of the two.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from workbench.model import AgentSpec, Argument, ArgumentType, Extraction, Json, Kind, RecordedCall, Tool
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
_OF_PAYMENTS: Mapping[str, Json] = {"of": ["pay_invoice"]}
_PAIRS: Mapping[str, tuple[ArgumentType, str, Mapping[str, Json] | None]] = {
    "a sum": (
        _DECIMAL,
        "sum(c.total for c in run.earlier(PayInvoice) if c.succeeded)",
        {"operation": "sum", "path": "$.arguments.total", "outcome": "successful"},
    ),
    "a count with the same IBAN": (
        _INT,
        "sum(1 for c in run.earlier(PayInvoice) if c.iban == call.iban)",
        {"operation": "count", "same": "$.arguments.iban"},
    ),
    "any in an hour": (
        _BOOL,
        "any(call.time - c.time < timedelta(hours=1) for c in run.earlier(PayInvoice))",
        {"operation": "ever", "within": "1 hours"},
    ),
    "a sum with the same IBAN in an hour": (
        _DECIMAL,
        "sum(c.total for c in run.earlier(PayInvoice) if c.iban == call.iban and c.succeeded"
        " and call.time - c.time < timedelta(hours=1))",
        {"operation": "sum", "path": "$.arguments.total", "same": "$.arguments.iban", "within": "1 hours"},
    ),
    "all, tested one by one": (
        _BOOL,
        "all(c.total <= call.total for c in run.earlier(PayInvoice))",
        None,
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
    new: list[Argument] = []
    old: list[Argument] = []
    for number, (name, (type_, text, history)) in enumerate(_PAIRS.items()):
        extraction = Extraction("expression", {"tool": "pay_invoice", "of": text})
        one = Argument(f"new_{number}", type_, extraction=extraction)
        other = None if history is None else Extraction("history", {**_OF_PAYMENTS, **history})
        of_history = None if other is None else Argument(f"old_{number}", type_, extraction=other)
        for length in _LENGTHS if history is not None else _LENGTHS[:-1]:
            calls = _run(length)
            spent = _milliseconds([one], calls)
            before = None if of_history is None else _milliseconds([of_history], calls)
            ratio = "" if before is None else f", history {before:.3f} ms, ratio {spent / before:.2f}"
            print(f"{name}, {length:,} calls: {spent:.3f} ms{ratio}", flush=True)
        if history is not None:
            new.append(one)
            old += [] if of_history is None else [of_history]
    for length in _LENGTHS:
        calls = _run(length)
        spent, before = _milliseconds(new, calls), _milliseconds(old, calls)
        print(
            f"all four, {length:,} calls: {spent:.3f} ms, history {before:.3f} ms, ratio {spent / before:.2f}"
        )


if __name__ == "__main__":
    main()

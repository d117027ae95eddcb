"""Method ``history``: facts about the earlier calls of the run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Context, Decimal, localcontext

from workbench.model import AgentSpec, Argument, ArgumentType, Json, Kind, Provenance, RecordedCall
from workbench.runs.extract.options import Options
from workbench.runs.extract.windows import Counted, Window
from workbench.runs.values.coerce import coerce
from workbench.runs.values.found_value import Absent, FoundValue, Method, Missing
from workbench.runs.world.record_of_call import RecordFinder

_NUMBER = ArgumentType(Kind.DECIMAL, places=30)
_EXACT = Context(prec=6000)
_NAMED = 5  # calls in a provenance


def history(_argument: Argument, _spec: AgentSpec, options: Options, finder: RecordFinder) -> Method:
    """One of five facts about the earlier calls of the run.

    ``count`` is the number of calls, or of values at ``path``. ``ever`` is whether there was one. ``sum``,
    ``last`` and ``values`` are of the values at ``path``. ``Window`` selects the calls; calls that a guard
    refused do not count. ``current`` counts this call too. If the log lacks the data of an earlier call, the
    value is missing.
    """
    operation = options.choice("operation")
    window = Window(options, finder)
    current = options.flag("current")
    is_given = window.paths.is_given
    if operation in ("sum", "last", "values") and not is_given:
        raise options.error(f"{operation} needs a path")

    def number(counted: Sequence[Counted]) -> int:
        return sum(len(one.values) if is_given else 1 for one in counted)

    def of(counted: Sequence[Counted]) -> Provenance:
        return _from([one.call for one in counted if one.values or not is_given])

    operations: Mapping[str, Callable[[Sequence[Counted]], FoundValue]] = {
        "count": lambda counted: FoundValue(number(counted), (of(counted),)),
        "ever": lambda counted: FoundValue(number(counted) > 0, (of(counted),)),
        "sum": lambda counted: FoundValue(format(_total(_values(counted)), "f"), (of(counted),)),
        "last": _last,
        "values": lambda counted: FoundValue([*_values(counted)], (of(counted),)),
    }
    run = operations[operation]

    def extract(call: RecordedCall, earlier: Sequence[RecordedCall]) -> FoundValue:
        return run(window.calls(call, earlier, current=current))

    return extract


def _from(calls: Sequence[RecordedCall]) -> Provenance:
    """The provenance of a fact: the numbers of the earlier calls, since their texts are not this call's."""
    if not calls:
        return Provenance("history (no such call)")
    named = ", ".join(str(call.index) for call in calls[:_NAMED])
    more_words = f" and {len(calls) - _NAMED} more" if len(calls) > _NAMED else ""
    return Provenance(f"history (call{'s' if len(calls) > 1 else ''} {named}{more_words})")


def _values(counted: Sequence[Counted]) -> Iterator[Json]:
    for one in counted:
        yield from one.values


def _total(values: Iterator[Json]) -> Decimal:
    """The exact sum of values; raises Missing if a value is not a number."""
    with localcontext(_EXACT):
        numbers = (coerce(value, _NUMBER) for value in values)
        return sum((number for number in numbers if isinstance(number, Decimal)), Decimal(0))


def _last(counted: Sequence[Counted]) -> FoundValue:
    latest = next((one for one in reversed(counted) if one.values), None)
    if latest is None:
        raise Absent("no earlier call has such a value")
    if len(latest.values) != 1:
        raise Missing(f"call {latest.call.index} has {len(latest.values)} values, where one is needed")
    return FoundValue(latest.values[0], (_from([latest.call]),))

"""Method ``history``: facts about the earlier calls of the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal

from workbench.model import AgentSpec, Argument, ArgumentType, Json, Kind, Provenance, RecordedCall
from workbench.runs.extract.options import Options
from workbench.runs.extract.values_in_results import Seen
from workbench.runs.extract.windows import Counting, Window
from workbench.runs.values.coerce import coerce
from workbench.runs.values.found_value import Absent, FoundValue, Method, Missing
from workbench.runs.world.record_of_call import RecordFinder

_NUMBER = ArgumentType(Kind.DECIMAL, places=30)
_NAMED = 5  # calls in a provenance


def history(_argument: Argument, spec: AgentSpec, options: Options, finder: RecordFinder) -> Method:
    """One of six facts about the earlier calls of the run.

    ``count`` is the number of calls, or of values at ``path``. ``ever`` is whether there was one. ``sum``,
    ``last`` and ``values`` are of the values at ``path``. ``seen`` is whether the values at ``path`` of this
    call appear in earlier results (see ``Seen``). ``Window`` selects the calls; calls that a guard refused do
    not count. ``current`` counts this call too. If the log lacks the data of an earlier call, the value is
    missing.
    """
    operation = options.choice("operation")
    window = Window(spec, options, finder, valued=operation != "seen")
    current = options.flag("current")
    if operation in ("sum", "last", "values", "seen") and not window.paths.is_given:
        raise options.error(f"{operation} needs a path")
    if isinstance(options.value("part"), bool) and operation != "seen":
        raise options.error("part is true or false of seen only, here it names a part of a kind")
    if operation == "seen":
        return _seen(window, options)
    if operation in ("count", "ever") and not window.paths.is_given:

        def of_calls(call: RecordedCall, earlier: Sequence[RecordedCall]) -> FoundValue:
            number, first_calls = window.calls(call, earlier, current=current).calls(_NAMED)
            return FoundValue(number if operation == "count" else number > 0, (_from(number, first_calls),))

        return of_calls
    operations: Mapping[str, Callable[[Counting], FoundValue]] = {
        "count": lambda counting: FoundValue(counting.count, (_of(counting),)),
        "ever": lambda counting: FoundValue(counting.count > 0, (_of(counting),)),
        "sum": lambda counting: FoundValue(format(counting.total(_number), "f"), (_of(counting),)),
        "last": _last,
        "values": lambda counting: FoundValue(counting.values, (_of(counting),)),
    }
    run = operations[operation]

    def of_values(call: RecordedCall, earlier: Sequence[RecordedCall]) -> FoundValue:
        return run(window.calls(call, earlier, current=current))

    return of_values


def _seen(window: Window, options: Options) -> Method:
    if window.paths.every is None:
        raise options.error("seen needs one path for all tools")
    finder = Seen(window.paths.every, options)

    def extract(call: RecordedCall, earlier: Sequence[RecordedCall]) -> FoundValue:
        return finder.find(call, window.calls(call, earlier, current=False).all_calls)

    return extract


def _of(counting: Counting) -> Provenance:
    return _from(*counting.valued(_NAMED))


def _from(number: int, first_calls: Sequence[RecordedCall]) -> Provenance:
    """The provenance of a fact: the numbers of the earlier calls, since their texts are not this call's."""
    named = ", ".join(str(call.index) for call in first_calls)
    more_words = f" and {number - len(first_calls)} more" if number > len(first_calls) else ""
    if not number:
        return Provenance("history (no such call)")
    return Provenance(f"history (call{'s' if number > 1 else ''} {named}{more_words})")


def _number(value: Json) -> Decimal | None:
    number = coerce(value, _NUMBER)
    return number if isinstance(number, Decimal) else None


def _last(counting: Counting) -> FoundValue:
    latest = counting.last
    if latest is None:
        raise Absent("no earlier call has such a value")
    values = latest.values or ()
    if len(values) != 1:
        raise Missing(f"call {latest.call.index} has {len(values)} values, where one is needed")
    return FoundValue(values[0], (_from(1, [latest.call]),))

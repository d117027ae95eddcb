"""Method ``history``: what happened earlier in the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal

from workbench.model import AgentSpec, Argument, ArgumentType, Kind, Provenance, Step
from workbench.runs.extract.options import Options
from workbench.runs.extract.seen import Seen
from workbench.runs.extract.windows import Counted, Window
from workbench.runs.values.coerce import coerce
from workbench.runs.values.found_value import Absent, FoundValue, Method, Missing
from workbench.runs.world.finding import RecordFinder

_NUMBER = ArgumentType(Kind.DECIMAL, places=30)
_NAMED = 5  # steps in a provenance


def history(_argument: Argument, spec: AgentSpec, options: Options, finder: RecordFinder) -> Method:
    """One of six facts about the earlier steps of the run.

    ``count``: how many calls, or values at ``path``, there were; ``ever``: whether there was one; ``sum``,
    ``last`` and ``values``: of the values at ``path``; ``seen``: whether the values at ``path`` of this step
    stand in earlier results (see ``Seen``). Which calls count says ``Window``; those that a guard refused do
    not. ``current`` counts this step too. An earlier step of which the log does not say enough makes the
    value missing.
    """
    operation = options.choice("operation")
    window = Window(spec, options, finder)
    current = options.flag("current")
    if operation in ("sum", "last", "values", "seen") and not window.paths.given:
        raise options.error(f"{operation} needs a path")
    if isinstance(options.value("part"), bool) and operation != "seen":
        raise options.error("part is true or false of seen only, here it names a part of a kind")
    if operation == "seen":
        return _seen(window, options)
    if operation in ("count", "ever") and not window.paths.given:

        def of_calls(step: Step, earlier: Sequence[Step]) -> FoundValue:
            steps = window.calls(step, earlier, current=current)
            return FoundValue(len(steps) if operation == "count" else bool(steps), (_from(steps),))

        return of_calls
    operations: Mapping[str, Callable[[Sequence[Counted]], FoundValue]] = {
        "count": lambda found: FoundValue(sum(len(one.values) for one in found), (_of(found),)),
        "ever": lambda found: FoundValue(bool(found), (_of(found),)),
        "sum": _sum,
        "last": _last,
        "values": lambda found: FoundValue([value for one in found for value in one.values], (_of(found),)),
    }
    run = operations[operation]

    def of_values(step: Step, earlier: Sequence[Step]) -> FoundValue:
        return run(window.counted(step, earlier, current=current))

    return of_values


def _seen(window: Window, options: Options) -> Method:
    if window.paths.every is None:
        raise options.error("seen needs one path for all tools")
    seen = Seen(window.paths.every, options)

    def extract(step: Step, earlier: Sequence[Step]) -> FoundValue:
        return seen.find(step, window.calls(step, earlier, current=False))

    return extract


def _of(found: Sequence[Counted]) -> Provenance:
    return _from([one.step for one in found])


def _from(steps: Sequence[Step]) -> Provenance:
    """The earlier calls that a fact rests on: by their numbers, since their texts are not this call's."""
    named = ", ".join(str(step.index) for step in steps[:_NAMED])
    more = f" and {len(steps) - _NAMED} more" if len(steps) > _NAMED else ""
    if not steps:
        return Provenance("history (no such call)")
    return Provenance(f"history (call{'s' if len(steps) > 1 else ''} {named}{more})")


def _sum(found: Sequence[Counted]) -> FoundValue:
    total = Decimal(0)
    for one in found:
        for value in one.values:
            number = coerce(value, _NUMBER)
            if isinstance(number, Decimal):
                total += number
    return FoundValue(format(total, "f"), (_of(found),))


def _last(found: Sequence[Counted]) -> FoundValue:
    if not found:
        raise Absent("no earlier step has such a value")
    latest = found[-1]
    if len(latest.values) != 1:
        raise Missing(f"call {latest.step.index} has {len(latest.values)} values, where one is needed")
    return FoundValue(latest.values[0], (_of([latest]),))

"""Method ``history``: what happened earlier in the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal

from workbench.model import AgentSpec, Argument, ArgumentType, Json, Kind, Provenance, Step
from workbench.runs.extract.jsonpath import parse_path
from workbench.runs.extract.options import Options
from workbench.runs.extract.seen import Seen
from workbench.runs.values.coerce import coerce
from workbench.runs.values.found_value import Absent, FoundValue, Method, Missing
from workbench.runs.values.json_paths import Pattern
from workbench.runs.values.step_paths import matches

_NUMBER = ArgumentType(Kind.DECIMAL, places=30)
_NAMED = 5  # steps in a provenance


def history(_argument: Argument, _spec: AgentSpec, options: Options) -> Method:
    """One of five facts about the earlier steps of the run.

    ``of`` names the tools that count (all without it). ``count``: how many such calls; ``ever``:
    whether there was one; ``sum`` and ``last``: of the value at ``path``; ``seen``: whether the values
    at ``path`` of this step stand in earlier results of the tools in ``of`` (see ``Seen``).
    ``same`` keeps only earlier calls whose value at that path is this step's. ``current`` counts
    this step too. Calls that a guard refused do not count. An earlier step of which the log does
    not say enough makes the value missing.
    """
    operation = options.choice("operation")
    tools = frozenset(options.texts("of"))
    path = parse_path(options.text("path"), options) if options.text("path") else None
    same = parse_path(options.text("same"), options) if options.text("same") else None
    current = options.flag("current")
    if operation in ("sum", "last", "seen") and path is None:
        raise options.error(f"{operation} needs a path")
    seen = Seen(path, options) if operation == "seen" and path is not None else None

    def relevant(step: Step, earlier: Sequence[Step]) -> list[Step]:
        wanted = _value(step, same) if same is not None else None
        steps = [one for one in earlier if one.ran]
        if current and operation != "seen":
            steps.append(step)
        found: list[Step] = []
        for one in steps:
            if tools and one.tool is None:
                raise Missing(f"the log does not say which tool call {one.index} was of")
            if (not tools or one.tool in tools) and (same is None or _is_same(one, same, wanted)):
                found.append(one)
        return found

    operations: Mapping[str, Callable[[Step, list[Step]], FoundValue]] = {
        "count": lambda _step, steps: FoundValue(len(steps), (_from(steps),)),
        "ever": lambda _step, steps: FoundValue(bool(steps), (_from(steps),)),
        "sum": lambda _step, steps: _sum(steps, path or ()),
        "last": lambda _step, steps: _last(steps, path or ()),
    }
    run = operations[operation] if seen is None else seen.find

    def extract(step: Step, earlier: Sequence[Step]) -> FoundValue:
        return run(step, relevant(step, earlier))

    return extract


def _from(steps: Sequence[Step]) -> Provenance:
    """The earlier calls that a fact rests on: by their numbers, since their texts are not this call's."""
    named = ", ".join(str(step.index) for step in steps[:_NAMED])
    more = f" and {len(steps) - _NAMED} more" if len(steps) > _NAMED else ""
    if not steps:
        return Provenance("history (no such call)")
    return Provenance(f"history (call{'s' if len(steps) > 1 else ''} {named}{more})")


def _value(step: Step, path: Pattern) -> Json:
    found = matches(step, path)
    if len(found) != 1:
        raise Missing(f"call {step.index} has {len(found)} values at the path, where one is needed")
    return found[0][0]


def _is_same(step: Step, path: Pattern, wanted: Json) -> bool:
    try:
        value = _value(step, path)
    except Absent:
        return False
    return value == wanted and isinstance(value, bool) == isinstance(wanted, bool)


def _sum(steps: list[Step], path: Pattern) -> FoundValue:
    total = Decimal(0)
    counted: list[Step] = []
    for step in steps:
        try:
            value = coerce(_value(step, path), _NUMBER)
        except Absent:
            continue
        if isinstance(value, Decimal):
            total += value
            counted.append(step)
    return FoundValue(format(total, "f"), (_from(counted),))


def _last(steps: list[Step], path: Pattern) -> FoundValue:
    for step in reversed(steps):
        try:
            return FoundValue(_value(step, path), (_from([step]),))
        except Absent:
            continue
    raise Absent("no earlier step has such a value")
